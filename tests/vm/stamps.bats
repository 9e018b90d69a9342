#!/usr/bin/env bats
# Stamps of known age, and stamps that cannot be measured: packets restamped on their way in.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	start_netstacklat one -e "ip-rcv,udp-*"
}

teardown() {
	stop_everything
}

# Sends 101 packets through a program of restamp.bpf.c.
send_restamped() {
	on_server tc qdisc add dev veth0 clsact
	on_server tc filter add dev veth0 ingress bpf direct-action \
		object-file .output/tests/vm/restamp.bpf.o section "tc/$1"
	start_receiver witness udp-receive "$server_ipv4" 4000 101
	on_client "$traffic" udp-send "$server_ipv4" 4000 101
	receiver_result witness
	stop_netstacklat one
	cat "$tmp/one.out"
}

assert_discarded() {
	[ "$(figure one udp-queue-rcv count)" -eq 0 ]
	[ "$(figure one udp-queue-rcv discarded)" -eq 101 ]
	grep -qx "discarded 101: 101 $1" "$tmp/one.out"
}

@test "packets 50 ms late are in the bucket of 50 ms" {
	send_restamped late_by_50ms
	[ "$(figure one udp-queue-rcv count)" -eq 101 ]
	[ "$(figure one udp-queue-rcv mean)" -ge 50000000 ]
	grep -q "^(33.6ms, 67.1ms] " "$tmp/one.out"
}

up_for() { [ "$(cut -d. -f1 /proc/uptime)" -ge "$1" ]; }

@test "packets later than all bounds are in the overflow, not discarded" {
	# Nothing is believed to be older than the machine.
	wait_until up_for 20
	send_restamped late_by_18s
	[ "$(figure one udp-queue-rcv count)" -eq 101 ]
	[ "$(figure one udp-queue-rcv discarded)" -eq 0 ]
	grep -qx "(17.2s, inf)  *101 |@*|" "$tmp/one.out"
}

@test "packets without a stamp are discarded as such" {
	send_restamped no_stamp
	assert_discarded "no stamp"
}

@test "packets from the future are discarded as such" {
	send_restamped early_by_1s
	assert_discarded "stamp in the future"
}

@test "stamps of the monotonic clock are no receive stamps" {
	send_restamped monotonic
	assert_discarded "not an RX stamp"
}

@test "transmit times are no receive stamps, even where they look like one" {
	# Linux 6.11 (1693c5db6ab8) made SO_TXTIME's clock known; with a TAI offset of 0 it is the wall clock.
	bpftool btf dump file /sys/kernel/btf/vmlinux format raw | grep -q "'tstamp_type'.*bitfield_size=2" ||
		skip "this kernel does not know transmit times in TAI"
	start_receiver witness udp-receive "$server_ipv4" 4000 101
	on_client "$traffic" udp-send-at "$server_ipv4" 4000 101
	receiver_result witness
	stop_netstacklat one
	[ "$(figure one ip-rcv discarded)" -eq 101 ]
	grep -qx "discarded 101: 101 not an RX stamp" "$tmp/one.out"
	# Delivered locally, they have got a receive stamp.
	[ "$(figure one udp-start count)" -eq 101 ]
}
