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

kernel_has_tai() { is_linux_since 6.1; }

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

# Calls a function of scrapes.py on what was scraped as NAME ..., with arguments: in_scrapes "NAME..." FUNCTION ARGUMENT...
in_scrapes() {
	# shellcheck disable=SC2086 # several words
	(cd "$tmp" && exec "$OLDPWD/tests/vm/ebpf_exporter.py" metrics "$OLDPWD/$config" $1) |
		tests/vm/in-reports "scrapes.$2" "${@:3}"
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
	send_udp 101 53
	scrape all
	stop_netstacklat one
	in_scrapes all counts_are_those_of "$tmp/one.out" $((101 + 53))
}

# bats test_tags=long
@test "it learns that TAI is 37 s ahead, and counts every packet from then on" {
	skip_without_tai
	set_tai 37
	start_timestamping
	start_exporter
	teach
	send_udp 101
	scrape all
	# Five taught it.
	in_scrapes all all_are_counted 101 $((5 + 101))
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
	in_scrapes "${scrapes[*]} all" no_clock_change_is_seen "$runs"
}

# bats test_tags=long
@test "kernels before 6.1, whose TAI programs cannot read, refuse it" {
	! kernel_has_tai || skip "this one is newer"
	run .output/tests/vm/ebpf_exporter $object
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"cannot load the object"* ]]
}
