#!/usr/bin/env bats
# The object for ebpf_exporter, loaded and read as it does, against netstacklat itself.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

object=.output/ebpf_exporter/netstacklat.bpf.o
config=.output/ebpf_exporter/netstacklat.yaml

kernel_has_tai() { printf '%s\n' 6.1 "$(uname -r)" | sort --check=quiet --version-sort; }

skip_without_tai() { kernel_has_tai || skip "before Linux 6.1, programs cannot read TAI"; }

start_exporter() {
	local maps
	read -ra maps < <(tests/vm/ebpf_exporter.py maps $config)
	mkfifo "$tmp/questions"
	.output/tests/vm/ebpf_exporter $object "${maps[@]}" <"$tmp/questions" >"$tmp/answers" 2>"$tmp/exporter.err" 3>&- &
	echo $! >"$tmp/exporter.pid"
	exec 4>"$tmp/questions"
	wait_until grep -q . "$tmp/answers" "$tmp/exporter.err"
	grep -q attached "$tmp/answers" || { cat "$tmp/exporter.err"; return 1; }
}

start_timestamping() {
	./netstacklat --timestamping-only 2>"$tmp/stamping.err" 3>&- 4>&- &
	echo $! >"$tmp/stamping.pid"
	wait_until grep -q stamped "$tmp/stamping.err"
}

# The maps as they are now, into $tmp/NAME.
scrape() {
	local before
	before=$(answers)
	echo >&4
	wait_until has_answers $((before + 1))
	tac "$tmp/answers" | awk '/^(end|attached)$/ { n++; next } n == 1' >"$tmp/$1"
}
answers() { grep -c '^end$' "$tmp/answers" || true; }
has_answers() { [ "$(answers)" -ge "$1" ]; }

# Runs Python on scrapes: CODE NAME... It has the metrics of each in a list, and finds in the last what is at a hook
# as latency(HOOK) and discarded(HOOK).
in_scrapes() {
	(cd "$tmp" && exec "$OLDPWD/tests/vm/ebpf_exporter.py" metrics "$OLDPWD/$config" "${@:2}") | python3 -c '
import json, sys, textwrap
scrapes = json.load(sys.stdin)
def latency(hook, metrics=scrapes[-1]):
    return metrics["netstacklat_latency_seconds"].get(hook, {"count": 0, "sum": 0, "buckets": {}})
def discarded(hook):
    return scrapes[-1]["netstacklat_discarded_total"].get(hook, {})
exec(textwrap.dedent(sys.argv[1]))' "$1"
}

# Sends packets, which ask for nothing, so that the programs learn the time.
teach() { on_client "$traffic" udp-send "$server_ipv4" 9 5 20; }

# bats test_tags=long
@test "of the same packets, it counts what netstacklat counts, in the same buckets" {
	skip_without_tai
	start_netstacklat one -r 600
	start_exporter
	send_tcp 100000
	# UDP is of a known age, far from the bounds of its bucket.
	on_server tc qdisc add dev veth0 clsact
	on_server tc filter add dev veth0 ingress bpf direct-action \
		object-file .output/tests/vm/restamp.bpf.o section tc/late_by_700ms
	start_receiver witness udp-receive "$server_ipv4" 4000 101
	on_client "$traffic" udp-send "$server_ipv4" 4000 101
	receiver_result witness
	start_receiver witness6 udp-receive "$server_ipv6" 4000 53
	on_client "$traffic" udp-send "$server_ipv6" 4000 53
	receiver_result witness6
	scrape all
	stop_netstacklat one
	in_reports one 'print(json.dumps({h["hook"]: h for h in total["histograms"]}))' >"$tmp/one.json"
	in_scrapes "
		theirs = json.load(open('$tmp/one.json'))"'
		hooks = [name for name in theirs if name.startswith(("tcp-", "udp-"))]
		assert len(hooks) == 9
		for name in hooks:
		    here, there = latency(name), theirs[name]
		    print(name, here["count"], there["count"], discarded(name), there["discarded"])
		    assert here["count"] == there["count"] > 0
		    assert discarded(name) == {cause: n for cause, n in there["discarded"].items() if n}
		for name in "udp-start", "udp-queue-rcv", "udp-socket-enqueued":
		    here, there = latency(name), theirs[name]
		    print(name, here, there)
		    assert there["count"] == 154
		    assert [(b["le_ns"], b["count"]) for b in there["buckets"]] == [(1 << 30, 154)]
		    assert here["buckets"][str(1 << 29)] == 0 and here["buckets"][str(1 << 30)] == 154
		    # Each reads the clock for itself: sums differ by the time between, much less than 700 ms a packet.
		    assert abs(here["sum"] / there["sum_ns"] - 1) < 0.1' all
}

# bats test_tags=long
@test "it learns that TAI is 37 s ahead, and counts every packet from then on" {
	skip_without_tai
	set_tai 37
	start_timestamping
	start_exporter
	teach
	start_receiver witness udp-receive "$server_ipv4" 4000 101
	on_client "$traffic" udp-send "$server_ipv4" 4000 101
	receiver_result witness
	scrape all
	in_scrapes '
		for hook in "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read":
		    print(hook, latency(hook), discarded(hook))
		    assert latency(hook)["count"] == 101 and not discarded(hook)
		    # None is 37 s late.
		    assert latency(hook)["buckets"][str(1 << 34)] == 101
		# Where packets are new, the first only tell. They may be others than these.
		print(discarded("ip-rcv"), discarded("udp-start"))
		assert discarded("ip-rcv")["clock_change"] > 0
		assert latency("udp-start")["count"] + discarded("udp-start").get("clock_change", 0) == 106' all
	kill "$(cat "$tmp/stamping.pid")"
	wait "$(cat "$tmp/stamping.pid")"
}

# Changes a clock by a command while packets flow, and scrapes when they have flowed on.
scrapes=()
change() {
	"$@"
	sleep 1
	scrapes+=("scrape${#scrapes[@]}")
	scrape "${scrapes[-1]}"
}

# bats test_tags=long
@test "clocks that are set while packets flow leave no trace in the histograms" {
	skip_without_tai
	set_tai 0
	count_kernel_runs
	start_timestamping
	start_exporter
	start_receiver witness udp-receive "$server_ipv4" 4000 1000000
	on_client "$traffic" udp-send "$server_ipv4" 4000 1000000 1 3>&- 4>&- &
	echo $! >"$tmp/sender.pid"
	change set_tai 37
	change leap
	change move_clock 3600
	change set_tai 0
	change move_clock -3600
	change true
	ip netns pids "$netns_client" | xargs -r kill
	sleep 1
	scrape all
	runs=$(runs_of udp_queue_rcv_one_skb udpv6_queue_rcv_one_skb)
	in_scrapes "
		counts = [latency('udp-queue-rcv', scrape)['count'] for scrape in scrapes[:-1]]
		print(counts)
		assert all(before < after for before, after in zip(counts, counts[1:]))
		for hook in 'udp-start', 'udp-queue-rcv', 'udp-socket-enqueued':
		    print(hook, latency(hook), discarded(hook))
		    # An emulated machine may be late by seconds.
		    assert latency(hook)['count'] == latency(hook)['buckets'][str(1 << 32)]
		assert discarded('udp-start')['clock_change'] > 0
		assert latency('udp-queue-rcv')['count'] + sum(discarded('udp-queue-rcv').values()) == $runs" "${scrapes[@]}" all
}

# bats test_tags=long
@test "kernels before 6.1, whose TAI programs cannot read, refuse it" {
	! kernel_has_tai || skip "this one is newer"
	run .output/tests/vm/ebpf_exporter $object
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"cannot load the object"* ]]
}
