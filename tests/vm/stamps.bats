#!/usr/bin/env bats
# bats file_tags=kernel:7-2
# Stamps of known age, and stamps that cannot be measured: packets restamped on their way in. What becomes of them
# is certain, so that two that watch them must say the same, in text and in JSON.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	launch_netstacklat one -e "ip-rcv,udp-*"
	launch_netstacklat text -e "ip-rcv,udp-*" -o text
	wait_for_netstacklat one
	wait_for_netstacklat text
}

teardown() {
	stop_everything
}

stop_both() {
	stop_all_netstacklats one text
	cat "$tmp/text.out"
}

# Sends 101 packets through a program of restamp.bpf.c.
send_restamped() {
	on_server tc qdisc add dev veth0 clsact
	on_server tc filter add dev veth0 ingress bpf direct-action \
		object-file .output/tests/vm/restamp.bpf.o section "tc/$1"
	send_udp 101
	stop_both
}

# The block of a hook in the total, in text.
block() { sed "1,/  total /d; /^$1:\$/,/^\$/!d" "$tmp/text.out"; }

# By cause, and as text has it.
assert_discarded() {
	[ "$(figures one udp-queue-rcv count discarded "$1")" = "0 101 101" ]
	[ "$(block udp-queue-rcv)" = "udp-queue-rcv:
count 0
not measured 101: 101 $2" ]
}

@test "packets 50 ms late are in the bucket of 50 ms" {
	send_restamped late_by_50ms
	[ "$(figures one udp-queue-rcv count)" = 101 ]
	[ "$(figures one udp-queue-rcv mean_ns)" -ge 50000000 ]
	# An eighth of an octave is 4.2 ms wide there.
	[ "$(figures one udp-queue-rcv first_bucket)" -ge 50000000 ]
	[ "$(figures one udp-queue-rcv first_bucket)" -le 58720256 ]
	block udp-queue-rcv | grep -q "^(33.6ms, 67.1ms] "
}

# bats test_tags=long
@test "of the same packets, text says what JSON says" {
	send_restamped late_by_50ms
	in_reports one stamps.text_says_the_same "$tmp/text.out" 101
}

up_for() { [ "$(cut -d. -f1 /proc/uptime)" -ge "$1" ]; }

# bats test_tags=long
@test "packets later than all bounds are in the overflow, not discarded" {
	# Nothing is believed to be older than the machine.
	wait_until up_for 20
	send_restamped late_by_18s
	[ "$(figures one udp-queue-rcv count discarded)" = "101 0" ]
	in_reports one 'assert buckets(total, "udp-queue-rcv") == {None: 101}'
	block udp-queue-rcv | grep -qx "(17.2s, inf)  *101 |@*|"
}

# bats test_tags=long
@test "packets without a stamp are discarded as such" {
	send_restamped no_stamp
	assert_discarded no_stamp "no stamp"
}

# bats test_tags=long
@test "packets from the future are discarded as such" {
	send_restamped early_by_1s
	assert_discarded future "stamp in the future"
}

# bats test_tags=long
@test "stamps of the monotonic clock are no receive stamps" {
	send_restamped monotonic
	assert_discarded not_rx "not an RX stamp"
}

# bats test_tags=long
@test "transmit times are no receive stamps, even where they look like one" {
	# Linux 6.11 (1693c5db6ab8) made SO_TXTIME's clock known; with a TAI offset of 0 it is the wall clock.
	bpftool btf dump file /sys/kernel/btf/vmlinux format raw | grep -q "'tstamp_type'.*bitfield_size=2" ||
		skip "this kernel does not know transmit times in TAI"
	start_receiver witness udp-receive "$server_ipv4" 4000 101
	on_client "$traffic" udp-send-at "$server_ipv4" 4000 101
	receiver_result witness
	stop_both
	[ "$(figures one ip-rcv discarded not_rx)" = "101 101" ]
	block ip-rcv | grep -qx "not measured 101: 101 not an RX stamp"
	# Delivered locally, they have got a receive stamp.
	[ "$(figures one udp-start count)" = 101 ]
}
