#!/usr/bin/env bats
# bats file_tags=kernel:7-2,long
# A hook that was added by the steps of doc/hacking.md (tests/walk-through).

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netstacklat=.output/walk-through/netstacklat
	netns_up
}

teardown() {
	stop_everything
}

send_udp() {
	start_receiver four udp-receive "$server_ipv4" 4000 "$1"
	start_receiver six udp-receive "$server_ipv6" 4000 "$2"
	on_client "$traffic" udp-send "$server_ipv4" 4000 "$1"
	on_client "$traffic" udp-send "$server_ipv6" 4000 "$2"
	receiver_result four
	receiver_result six
}

@test "a new hook counts packets, and filters and groups them" {
	start_netstacklat one -e ip-deliver -n "$netns_server" -g ip-version
	send_udp 211 223
	stop_netstacklat one
	in_reports one '
		counts = {h["group"].get("ip_version"): h["count"] for h in total["histograms"] if h["count"]}
		print(counts)
		# Neighbour discovery comes by, too.
		assert counts[4] == 211 and counts[6] >= 223'
}

@test "hooks that are off are not measured unless asked for" {
	"$netstacklat" -l | grep -A 6 "^ip-deliver " | grep -q "Off unless chosen"
	start_netstacklat one
	stop_netstacklat one
	grep -q "attached at ip_rcv_core" "$tmp/one.err"
	run ! grep "attached at ip_local_deliver" "$tmp/one.err"
}
