#!/usr/bin/env bats
# What the kernel drops: how many packets, how old, and why, as its own counters have it.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

# Since Linux 5.17, the kernel tells why it drops packets; before, only where.
tells_reasons() { printf '%s\n' 5.17 "$(uname -r)" | sort --check=quiet --version-sort; }

# One of the kernel's counters in the server's namespace.
counter() { on_server nstat -asz "$1" | awk -v name="$1" '$1 == name { print $2 }'; }

# How many packets were dropped for a reason.
dropped() {
	in_reports one "print(sum(h['count'] for h in total['histograms'] if h['group'].get('reason') == '$1'))"
}

# As many were dropped for a reason as were sent for that, and as the kernel counts.
assert_dropped() {
	local reason=$1 sent=$2 counted=$3
	echo "$reason: $(dropped "$reason") of $sent, and the kernel counts $counted"
	[ "$(dropped "$reason")" -eq "$sent" ]
	[ "$counted" -eq "$sent" ]
}

@test "drops for each reason are as many as the kernel counts" {
	tells_reasons || skip "before Linux 5.17, the kernel tells no reasons"
	on_server sysctl -q net.ipv4.ip_forward=1
	on_server ip route add 203.0.113.0/24 dev veth0
	on_client ip route add 203.0.113.0/24 via "$server_ipv4"
	on_server nft 'add table inet t; add chain inet t input { type filter hook input priority 0; };
		add rule inet t input udp dport 4003 counter drop'
	start_netstacklat one -e drop -g reason

	start_receiver small udp-drop "$server_ipv4" 4001 400
	on_client "$traffic" udp-send "$server_ipv4" 4001 400
	queued=$(receiver_result small)
	on_client "$traffic" udp-send "$server_ipv4" 4002 101
	on_client "$traffic" udp-send "$server_ipv6" 4002 103
	on_client "$traffic" udp-send "$server_ipv4" 4003 107
	on_client "$traffic" udp-send-bad "$server_ipv4" 4004 109
	on_client "$traffic" udp-send-ttl 203.0.113.1 4005 113 1
	stop_netstacklat one

	in_reports one 'for h in total["histograms"]: print(h["group"], h["count"], h["mean_ns"])'
	assert_dropped SOCKET_RCVBUFF $((400 - queued)) "$(counter UdpRcvbufErrors)"
	assert_dropped NO_SOCKET 204 $(($(counter UdpNoPorts) + $(counter Udp6NoPorts)))
	assert_dropped NETFILTER_DROP 107 "$(on_server nft list ruleset | grep -o 'packets [0-9]*' | tr -dc 0-9)"
	assert_dropped UDP_CSUM 109 "$(counter UdpInCsumErrors)"
	assert_dropped IP_INHDR 113 "$(counter IpInHdrErrors)"
}
