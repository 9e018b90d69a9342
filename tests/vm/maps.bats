#!/usr/bin/env bats
# The report, held against what the maps hold.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

@test "what the maps hold is what the report says: count, mean, and the mean inside the buckets" {
	start_netstacklat one -r 60 -e tcp-do-rcv
	send_tcp 1000000
	read -r count sum_ns < <(tests/vm/bpftool.py samples tcp_v4_do_rcv)
	stop_netstacklat one

	read -r mean first_bucket max < <(figures one tcp-do-rcv mean_ns first_bucket max_le_ns)
	echo "maps: $count samples, $sum_ns ns; report: mean $mean ns, buckets from $first_bucket to $max ns"
	[ "$count" -gt 0 ]
	[ "$(figures one tcp-do-rcv count sum_ns)" = "$count $sum_ns" ]
	# Rounded.
	difference=$((mean - sum_ns / count))
	[ "${difference#-}" -le 1 ]
	[ "$mean" -ge $((first_bucket / 2)) ]
	[ "$mean" -le "$max" ]
}
