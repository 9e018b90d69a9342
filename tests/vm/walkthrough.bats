#!/usr/bin/env bats
# bats file_tags=kernel:7-2,long,once
# A hook, a filter, a key and a class of findings that were added by the steps of doc/hacking.md (tests/walk-through).

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

@test "a new hook counts packets, and filters and groups them" {
	start_netstacklat one -e ip-protocol -n "$netns_server" -g ip-version
	send_udp 211 223
	stop_netstacklat one
	in_reports one walkthrough.hook_counts 211 223
}

@test "a new hook has stages, and is in journeys" {
	start_netstacklat one --stages --slow=1ns --slow-limit=1000000 -n "$netns_server" -e "ip-rcv,ip-protocol,udp-*"
	send_udp 101 103
	stop_netstacklat one
	in_reports one walkthrough.hook_is_in_stages 101 103
	in_reports one walkthrough.hook_is_in_journeys
}

@test "a new hook is in every format" {
	for format in text json openmetrics prometheus heatmap; do
		"$netstacklat" -e ip-protocol -o $format 5 1 >"$tmp/$format" 2>"$tmp/one.err" &
		wait_until grep -q measuring "$tmp/one.err"
		on_client ping -q -c 3 -i 0.2 "$server_ipv4" >/dev/null
		wait %%
		grep -q ip-protocol "$tmp/$format"
	done
}

# Netfilter marks what goes to one port, behind ip-rcv.
@test "a new filter and a new key: marks, also where a packet may be gone" {
	on_server nft -f - <<-END
		table inet marks {
			chain in {
				type filter hook prerouting priority 0
				udp dport 4001 meta mark set 7
			}
		}
	END
	launch_netstacklat filtered --mark=7 -n "$netns_server" -e "ip-protocol,udp-*"
	launch_netstacklat grouped -g mark -n "$netns_server" -4 -e "ip-protocol,udp-*"
	wait_for_netstacklat filtered
	wait_for_netstacklat grouped
	start_receiver plain udp-receive "$server_ipv4" 4000 107
	start_receiver marked udp-receive "$server_ipv4" 4001 109
	on_client "$traffic" udp-send "$server_ipv4" 4000 107
	on_client "$traffic" udp-send "$server_ipv4" 4001 109
	receiver_result plain
	receiver_result marked
	stop_all_netstacklats filtered grouped
	in_reports filtered walkthrough.marked_pass 109
	in_reports grouped walkthrough.marked_are_a_group 107 109
}

@test "hooks that are off are not measured unless asked for" {
	"$netstacklat" -l | grep -A 6 "^ip-protocol " | grep -q "Off unless chosen"
	start_netstacklat one
	stop_netstacklat one
	grep -q "attached at ip_rcv_core" "$tmp/one.err"
	run ! grep "attached at ip_protocol_deliver_rcu" "$tmp/one.err"
}

@test "a new class is found where its fault is planted" {
	# That goes to its own folder.
	# shellcheck source=tests/faults.bash
	source .output/walk-through/tests/faults.bash
	diagnose_fault raw-sockets -j || [ $? -eq 3 ]
	cat "$tmp/verdict"
	verdict_is_right raw-sockets
}
