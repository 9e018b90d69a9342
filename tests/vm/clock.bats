#!/usr/bin/env bats
# Time: the kernel's TAI offset, and stamps that are none.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

# UDP latencies must be positive and below 1 s, whatever the TAI offset is.
assert_plausible_latencies() {
	start_netstacklat one -e "udp-*"
	send_udp 101
	stop_netstacklat one
	[ "$(figures one udp-queue-rcv count discarded)" = "101 0" ]
	read -r mean max < <(figures one udp-queue-rcv mean_ns max_le_ns)
	[ "$mean" -gt 0 ]
	[ "$max" -lt 2000000000 ]
}

# bats test_tags=long
@test "latencies are right where nobody set the TAI offset" {
	set_tai 0
	assert_plausible_latencies
}

# bats test_tags=long
@test "latencies are right with a TAI offset of 37 s" {
	set_tai 37
	[ "$(tests/vm/tai.py)" -eq 37 ]
	assert_plausible_latencies
}

# Lets packets flow, changes the clock by a command, and lets them flow on.
change_clock() {
	count_kernel_runs
	# Packets may wait to be read for seconds, for good reasons.
	start_netstacklat one -r 1 -e "udp-*" -d "*-read"
	# At another hook, as the runs of both would be added up.
	start_netstacklat text -r 1 -e icmp-start -o text
	start_receiver witness udp-receive "$server_ipv4" 4000 1000000
	on_client "$traffic" udp-send "$server_ipv4" 4000 1000000 3>&- &
	echo $! >"$tmp/sender.pid"
	wait_for_reports one 2
	"$@"
	wait_for_reports one $(($(reports one) + 3))
	ip netns pids "$netns_client" | xargs -r kill
	wait_for_reports one $(($(reports one) + 1))
	runs=$(kernel_runs one udp-queue-rcv)
	stop_all_netstacklats one text
}

# One report tells of it, in text with a line, no bucket shows it, and all packets are accounted for. Changes are
# of 37 s and more; on an emulated, busy machine, packets do wait for a second or two.
assert_told_once() {
	grep -E "interval|clock changed" "$tmp/text.out"
	[ "$(grep -c "^clock changed at .*$1" "$tmp/text.out")" -eq 1 ]
	[ "$(grep -c "^clock changed" "$tmp/text.out")" -eq 1 ]
	in_reports one clock.told_once
	read -r count discarded < <(figures one udp-queue-rcv count discarded)
	echo "$runs runs, $count recorded, $discarded discarded"
	[ "$count" -gt 0 ]
	[ $((count + discarded)) -eq "$runs" ]
}

# bats test_tags=long
@test "the TAI offset set from 0 to 37 s while packets flow" {
	set_tai 0
	change_clock set_tai 37
	assert_told_once "TAI offset +37 s"
}

# bats test_tags=long
@test "the TAI offset set from 37 s to 0 while packets flow" {
	set_tai 37
	change_clock set_tai 0
	assert_told_once "TAI offset -37 s"
}

# bats test_tags=long
@test "the wall clock set forward by an hour while packets flow" {
	change_clock move_clock 3600
	assert_told_once "wall clock [+]3[56]"
}

# bats test_tags=long
@test "the wall clock set back by an hour while packets flow" {
	change_clock move_clock -3600
	assert_told_once "wall clock -3[56]"
}

# bats test_tags=long
@test "what waited for several intervals across a step is not taken for that much later" {
	start_netstacklat one -j -r 1 -e udp-socket-read
	start_receiver late udp-receive "$server_ipv4" 4000 1 7000
	on_client "$traffic" udp-send "$server_ipv4" 4000 1
	move_clock 20
	receiver_result late
	stop_netstacklat one
	in_reports one clock.waited_across_a_step 1
}

# bats test_tags=long
@test "the clock set forth and back while netstacklat is stopped" {
	start_netstacklat one -j -r 1 -e udp-start
	kill -STOP "$(cat "$tmp/one.pid")"
	move_clock 20
	on_client "$traffic" udp-send "$server_ipv4" 4000 23
	move_clock -20
	kill -CONT "$(cat "$tmp/one.pid")"
	on_client "$traffic" udp-send "$server_ipv4" 4000 29
	stop_netstacklat one
	in_reports one clock.forth_and_back 23 29
}

# Before Linux 6.1, programs read the monotonic clock, of which the namespace shows another one.
# bats test_tags=long
@test "a time namespace does no harm" {
	unshare --time --monotonic 86400 --fork sleep 600 3>&- &
	echo $! >"$tmp/unshare.pid"
	wait_until pgrep -P $!
	pgrep -P $! >"$tmp/sleeper.pid"
	netstacklat=netstacklat_in_the_future
	assert_plausible_latencies
}

netstacklat_in_the_future() { exec nsenter --time="/proc/$(cat "$tmp/sleeper.pid")/ns/time" ./netstacklat "$@"; }
