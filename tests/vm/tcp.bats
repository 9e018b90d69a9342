#!/usr/bin/env bats
# TCP, held against what the kernel itself counts.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	stats=$(cat /proc/sys/kernel/bpf_stats_enabled)
	echo 1 >/proc/sys/kernel/bpf_stats_enabled
}

teardown() {
	echo "$stats" >/proc/sys/kernel/bpf_stats_enabled
	stop_everything
}

@test "recorded and discarded add up to the kernel's own run counts, at every hook" {
	start_netstacklat one
	send_tcp 3000000
	start_receiver four udp-receive "$server_ipv4" 4000 307
	on_client "$traffic" udp-send "$server_ipv4" 4000 307
	receiver_result four
	for hook in tcp-do-rcv tcp-data-queue udp-queue-rcv; do
		kernel_runs one "$hook" >"$tmp/$hook.runs"
	done
	stop_netstacklat one

	for hook in tcp-do-rcv tcp-data-queue udp-queue-rcv; do
		runs=$(cat "$tmp/$hook.runs")
		count=$(figure one "$hook" count)
		discarded=$(figure one "$hook" discarded)
		echo "$hook: $runs runs, $count recorded, $discarded discarded"
		[ "$count" -gt 0 ]
		[ $((count + discarded)) -eq "$runs" ]
	done
}

@test "what the maps hold is what the report says: count, mean, and the mean inside the buckets" {
	start_netstacklat one -r 60
	send_tcp 1000000
	ids=$(bpftool -j prog show name tcp_v4_do_rcv | python3 -c '
import json, sys
shown = json.load(sys.stdin)
print(*(shown if isinstance(shown, dict) else shown[0])["map_ids"])')
	# The programs have three maps: buckets of two values, discards, and the clock offset.
	for id in $ids; do
		bpftool -j map dump id "$id" | python3 -c '
import json, sys
rows = [cpu["value"] for key in json.load(sys.stdin) for cpu in key.get("formatted", {}).get("values", [])]
if rows and isinstance(rows[0], dict):
    print(sum(row["count"] for row in rows), sum(row["sum_ns"] for row in rows))'
	done >"$tmp/sums"
	stop_netstacklat one

	read -r count sum_ns <"$tmp/sums"
	mean=$(figure one tcp-do-rcv mean)
	echo "maps: $count samples, $sum_ns ns; report: mean $mean ns"
	[ "$count" -eq "$(figure one tcp-do-rcv count)" ]
	# The report has three digits of it.
	difference=$((mean - sum_ns / count))
	[ "${difference#-}" -le $((mean / 200 + 1)) ]
	[ "$mean" -gt 0 ]
	[ "$mean" -le "$(figure one tcp-do-rcv max)" ]
}

@test "transmit times of TCP over loopback are not taken for receive stamps" {
	start_netstacklat one
	netns_client=$netns_server server_ipv4=127.0.0.1 server_ipv6=::1 send_tcp 100000
	stop_netstacklat one

	[ "$(figure one tcp-do-rcv count)" -gt 0 ]
	[ "$(figure one tcp-do-rcv max)" -lt 2000000000 ]
}
