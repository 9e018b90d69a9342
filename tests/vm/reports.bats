#!/usr/bin/env bats
# bats file_tags=kernel:7-2,once
# Reports, intervals and totals, with UDP packets of a known number.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

# bats test_tags=long
@test "a receiver that reads the stamps itself sees the packets later, by the same stamps" {
	start_netstacklat one -e "udp-*"
	read_ns=$(send_udp 503)
	stop_netstacklat one
	read -r count queued_ns < <(figures one udp-queue-rcv count mean_ns)

	echo "mean age: $queued_ns ns when queued, $read_ns ns when read"
	[ "$count" -eq 503 ]
	[ "$queued_ns" -gt 0 ]
	[ "$queued_ns" -lt "${read_ns%.*}" ]
}

# bats test_tags=long
@test "two copies at once both count everything" {
	start_netstacklat one -r 1 -e "udp-*"
	start_netstacklat two -e "udp-*"
	send_udp_to "$server_ipv6" 499
	stop_netstacklat one
	stop_netstacklat two

	[ "$(figures one udp-queue-rcv count)" = 499 ]
	[ "$(figures two udp-queue-rcv count)" = 499 ]
}

# bats test_tags=long
@test "without traffic, a report shows no counts of earlier intervals" {
	start_netstacklat one -r 0.5 -e "udp-*"
	send_udp 11
	# The packets may straddle two intervals; the third report from now on is empty for sure.
	wait_for_reports one $(($(reports one) + 3))
	stop_netstacklat one

	in_reports one 'assert not any(h["count"] or any(h["discarded"].values()) for h in intervals[-1]["histograms"])'
	[ "$(figures one udp-queue-rcv count)" = 11 ]
}

@test "intervals add up to the total" {
	start_netstacklat one -r 0.05 -e udp-queue-rcv
	send_udp 2003
	stop_netstacklat one

	[ "$(figures one udp-queue-rcv count)" = 2003 ]
	in_reports one 'assert len(intervals) > 3'
	in_reports one 'assert sum(histogram(report, "udp-queue-rcv")["count"] for report in intervals) == 2003'
}

# Half of it are libraries, most of which other processes share.
# bats test_tags=frugal
@test "while it runs, it holds less than 10 MiB of memory" {
	start_netstacklat one -r 0.2
	wait_for_reports one 2
	resident_kib=$(resident_kb one)
	stop_netstacklat one

	echo "resident: $resident_kib KiB"
	[ "$resident_kib" -lt 10240 ]
}
