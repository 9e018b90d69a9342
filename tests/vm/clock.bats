#!/usr/bin/env bats
# Time: the kernel's TAI offset, and stamps that are none.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	tai=$(tests/vm/tai.py)
}

teardown() {
	tests/vm/tai.py "$tai"
	stop_everything
}

# UDP latencies must be positive and below 1 s, whatever the TAI offset is.
assert_plausible_latencies() {
	start_netstacklat one
	start_receiver witness udp-receive "$server_ipv4" 4000 101
	on_client "$traffic" udp-send "$server_ipv4" 4000 101
	receiver_result witness
	stop_netstacklat one
	[ "$(figure one udp-queue-rcv count)" -eq 101 ]
	[ "$(figure one udp-queue-rcv discarded)" -eq 0 ]
	[ "$(figure one udp-queue-rcv mean)" -gt 0 ]
	[ "$(figure one udp-queue-rcv max)" -lt 2000000000 ]
}

@test "latencies are right where nobody set the TAI offset" {
	tests/vm/tai.py 0
	assert_plausible_latencies
}

@test "latencies are right with a TAI offset of 37 s" {
	tests/vm/tai.py 37
	assert_plausible_latencies
	grep -q "37.000000000 s" "$tmp/one.err"
}
