#!/usr/bin/env bats
# Reports, intervals and totals, with UDP packets of a known number.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

@test "a receiver that reads the stamps itself sees the packets later, by the same stamps" {
	start_netstacklat one -e "udp-*"
	start_receiver witness udp-receive "$server_ipv4" 4000 503
	on_client "$traffic" udp-send "$server_ipv4" 4000 503
	read_ns=$(receiver_result witness)
	stop_netstacklat one
	queued_ns=$(figure one udp-queue-rcv mean)

	echo "mean age: $queued_ns ns when queued, $read_ns ns when read"
	[ "$(figure one udp-queue-rcv count)" -eq 503 ]
	[ "$queued_ns" -gt 0 ]
	[ "$queued_ns" -lt "${read_ns%.*}" ]
}

@test "two copies at once both count everything" {
	start_netstacklat one -r 1 -e "udp-*"
	start_netstacklat two -e "udp-*"
	start_receiver witness udp-receive "$server_ipv6" 4000 499
	on_client "$traffic" udp-send "$server_ipv6" 4000 499
	receiver_result witness
	stop_netstacklat one
	stop_netstacklat two

	[ "$(figure one udp-queue-rcv count)" -eq 499 ]
	[ "$(figure two udp-queue-rcv count)" -eq 499 ]
}

@test "without traffic, a report shows no counts of earlier intervals" {
	start_netstacklat one -r 0.5 -e "udp-*"
	start_receiver witness udp-receive "$server_ipv4" 4000 11
	on_client "$traffic" udp-send "$server_ipv4" 4000 11
	receiver_result witness
	# The packets may straddle two intervals; the third report from now on is empty for sure.
	wait_for_reports one $(($(reports one) + 3))
	stop_netstacklat one

	last_reports=$(grep -A 1 interval "$tmp/one.out" | tail -n 2)
	[[ $last_reports == *"no packets" ]]
	[ "$(figure one udp-queue-rcv count)" -eq 11 ]
}

@test "intervals add up to the total" {
	start_netstacklat one -r 0.05 -e udp-queue-rcv
	start_receiver witness udp-receive "$server_ipv4" 4000 2003
	on_client "$traffic" udp-send "$server_ipv4" 4000 2003
	receiver_result witness
	stop_netstacklat one

	[ "$(figure one udp-queue-rcv count)" -eq 2003 ]
	# One "count" line an interval, then that of the total.
	[ "$(awk '$1 == "count" { sum += $2 } END { print sum }' "$tmp/one.out")" -eq $((2 * 2003)) ]
	[ "$(grep -c interval "$tmp/one.out")" -gt 3 ]
}

@test "while it runs, it holds less than 8 MiB of memory" {
	start_netstacklat one -r 0.2
	wait_for_reports one 2
	resident_kib=$(awk '$1 == "VmRSS:" { print $2 }' "/proc/$(cat "$tmp/one.pid")/status")
	stop_netstacklat one

	echo "resident: $resident_kib KiB"
	[ "$resident_kib" -lt 8192 ]
}
