#!/usr/bin/env bats
# The object for ebpf_exporter, loaded and read as it does, against netstacklat itself.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	tai=$(tests/vm/tai.py)
}

teardown() {
	tests/vm/tai.py "$tai"
	[ "${moved_s-0}" -eq 0 ] || move_clock "$((-moved_s))"
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
	wait_until grep -q attached "$tmp/answers" || { cat "$tmp/exporter.err"; return 1; }
}

start_timestamping() {
	./netstacklat -v --timestamping-only 2>"$tmp/stamping.err" 3>&- 4>&- &
	echo $! >"$tmp/stamping.pid"
	wait_until grep -q stamped "$tmp/stamping.err"
}

# A scrape: what ebpf_exporter would make of the maps now goes to $tmp/NAME.
scrape() {
	local before
	before=$(answers)
	echo >&4
	wait_until has_answers $((before + 1))
	tac "$tmp/answers" | awk '/^(end|attached)$/ { n++; next } n == 1' |
		tests/vm/ebpf_exporter.py metrics $config >"$tmp/$1"
}
answers() { grep -c '^end$' "$tmp/answers" || true; }
has_answers() { [ "$(answers)" -ge "$1" ]; }

# Runs Python on a scrape: latency(HOOK) and discarded(HOOK).
in_scrape() {
	python3 -c "
import json, sys, textwrap
metrics = json.load(open('$tmp/$1'))
def latency(hook):
    return metrics['netstacklat_latency_seconds'].get(hook, {'count': 0, 'sum': 0, 'buckets': {}})
def discarded(hook):
    return metrics['netstacklat_discarded_total'].get(hook, {})
exec(textwrap.dedent(sys.argv[1]))" "$2"
}

# Sends packets, which ask for nothing, so that the programs learn the time.
teach() { on_client "$traffic" udp-send "$server_ipv4" 9 5 20; }

@test "of the same packets, it counts what netstacklat counts, in the same buckets" {
	skip_without_tai
	start_netstacklat one -r 600
	start_exporter
	# UDP is of a known age, far from the bounds of its bucket.
	on_server tc qdisc add dev veth0 clsact
	on_server tc filter add dev veth0 ingress bpf direct-action \
		object-file .output/tests/vm/restamp.bpf.o section tc/late_by_50ms
	start_receiver witness udp-receive "$server_ipv4" 4000 101
	on_client "$traffic" udp-send "$server_ipv4" 4000 101
	receiver_result witness
	start_receiver witness6 udp-receive "$server_ipv6" 4000 53
	on_client "$traffic" udp-send "$server_ipv6" 4000 53
	receiver_result witness6
	send_tcp 1000000
	scrape all
	stop_netstacklat one
	in_reports one "ours = json.load(open('$tmp/all'))" '
		latency, discarded = ours["netstacklat_latency_seconds"], ours["netstacklat_discarded_total"]
		hooks = [h for h in total["histograms"] if h["hook"].startswith(("tcp-", "udp-"))]
		assert len(hooks) == 9
		for h in hooks:
		    name, here = h["hook"], latency[h["hook"]]
		    print(name, here, h)
		    assert h["count"] == here["count"] > 0
		    causes = {cause: n for cause, n in h["discarded"].items() if n}
		    assert causes == {cause: n for cause, n in discarded.get(name, {}).items() if n}
		    # Each reads the clock for itself, so that sums differ by the time between.
		    assert abs(here["sum"] / h["sum_ns"] - 1) < 0.5
		for name in "udp-start", "udp-queue-rcv", "udp-socket-enqueued":
		    counts, below = {}, 0
		    for le, count in latency[name]["buckets"].items():
		        if count > below:
		            counts[int(le)] = count - below
		        below = count
		    assert counts == buckets(total, name) == {1 << 26: 154}
		    assert abs(latency[name]["sum"] / histogram(total, name)["sum_ns"] - 1) < 0.05'
}

@test "it learns that TAI is 37 s ahead, and counts every packet from then on" {
	skip_without_tai
	tests/vm/tai.py 37
	start_timestamping
	start_exporter
	teach
	start_receiver witness udp-receive "$server_ipv4" 4000 101
	on_client "$traffic" udp-send "$server_ipv4" 4000 101
	receiver_result witness
	scrape one
	in_scrape one '
		print(metrics)
		for hook in "udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read":
		    assert latency(hook)["count"] == 101 and not discarded(hook)
		    # Not even in the one above 17 s.
		    assert latency(hook)["buckets"][str(1 << 34)] == 101
		# The first packets, which tell.
		assert latency("udp-start")["count"] + discarded("udp-start")["clock_change"] == 106
		assert 1 <= discarded("udp-start")["clock_change"] <= 4'
	kill "$(cat "$tmp/stamping.pid")"
	wait "$(cat "$tmp/stamping.pid")"
}

move_clock() {
	date -s "@$(($(date +%s) + $1))"
	moved_s=$((${moved_s-0} + $1))
}

leap() {
	tests/vm/tai.py leap
	moved_s=$((${moved_s-0} - 1))
}

# Changes a clock by a command while packets flow: they are counted on.
change() {
	echo "$*"
	"$@"
	sleep 1
	scrape before
	wait_until counts_on
	in_scrape before 'print(latency("udp-queue-rcv")["count"], discarded("udp-queue-rcv"))'
}

counts_on() {
	scrape after
	[ "$(counted after)" -gt $(($(counted before) + 100)) ]
}
counted() { in_scrape "$1" 'print(latency("udp-start")["count"])'; }

@test "clocks that are set while packets flow leave no trace in the histograms" {
	skip_without_tai
	tests/vm/tai.py 0
	count_kernel_runs
	start_timestamping
	start_exporter
	start_receiver witness udp-receive "$server_ipv4" 4000 1000000
	on_client "$traffic" udp-send "$server_ipv4" 4000 1000000 3>&- 4>&- &
	echo $! >"$tmp/sender.pid"
	change tests/vm/tai.py 37
	change leap
	change move_clock 3600
	change tests/vm/tai.py 0
	change move_clock -3600
	ip netns pids "$netns_client" | xargs -r kill
	sleep 1
	scrape all
	runs=$(runs_of udp_queue_rcv_one_skb udpv6_queue_rcv_one_skb)
	in_scrape all "
		for hook in 'udp-start', 'udp-queue-rcv', 'udp-socket-enqueued':
		    print(hook, latency(hook), discarded(hook))
		    # An emulated machine may be late by seconds.
		    assert latency(hook)['count'] == latency(hook)['buckets'][str(1 << 32)] > 1000
		    assert discarded(hook).get('clock_change', 0) + discarded(hook).get('future', 0) > 0
		assert latency('udp-queue-rcv')['count'] + sum(discarded('udp-queue-rcv').values()) == $runs"
}

@test "kernels before 6.1, whose TAI programs cannot read, refuse it" {
	! kernel_has_tai || skip "this one is newer"
	run .output/tests/vm/ebpf_exporter $object
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"cannot load the object"* ]]
}
