#!/usr/bin/env bats
# --stages finds the stage where packets wait, and no other: in the cases of the demo, and in more. Times are only
# compared with one another.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/cases.bash
	source "$BATS_TEST_DIRNAME/../cases.bash"
	stay_on_one_cpu
}

teardown() {
	stop_everything
}

# Between what was measured as BEFORE and as AFTER, the stage to HOOK becomes manyfold, and of others with PREFIX only
# those that may grow: assert_grows BEFORE AFTER HOOK [PREFIX [HOOK...]]
assert_grows() { in_reports "$1" cases.grows "$tmp/$2.out" "${@:3}"; }

# bats test_tags=long
@test "netfilter rules show from IP to UDP or TCP" {
	case_rules
	assert_grows without with udp-start udp-
	assert_grows without with tcp-start tcp- tcp-do-rcv tcp-socket-read
}

# bats test_tags=long
@test "netfilter's PREROUTING shows from IP to its delivery, and INPUT from there on" {
	local version=4 address options
	for address in "$server_ipv4" "$server_ipv6"; do
		options=("-$version" -n "$netns_server" -e "ip-rcv,ip-deliver,udp-*")
		netns_up
		measure without "udp_traffic 50 $address" "${options[@]}"
		add_rules inet prerouting 20000
		measure prerouting "udp_traffic 50 $address" "${options[@]}"
		netns_up
		add_rules inet input 20000
		measure input "udp_traffic 50 $address" "${options[@]}"
		assert_grows without prerouting ip-deliver
		assert_grows without input udp-start
		version=6
	done
}

# bats test_tags=long
@test "rules in OUTPUT show from IP to the device's queue" {
	case_output
	assert_grows without with tx-queue
	in_reports with cases.waits tx-queue
}

# bats test_tags=long
@test "a ping: what the network takes is none of this host's" {
	case_ping
	in_reports peer cases.counts tx-queue=20 tx-start=20 icmp-start=20 raw-socket-read=20
	# A host that pings itself sends and receives what it asks, and what it answers.
	in_reports self cases.counts tx-queue=40 tx-start=40 icmp-start=40 raw-socket-read=20
	in_reports localhost cases.counts tx-queue=40 tx-start=40 icmp-start=40 raw-socket-read=20
	in_reports self cases.none_grows "$tmp/peer.out" 8
}

# bats test_tags=long
@test "a UDP packet has every stage" {
	case_udp
	in_reports udp cases.has_every_stage_of_udp 100
}

# bats test_tags=long
@test "a packet to a container has the stages of both namespaces" {
	case_container
	in_reports container cases.is_in_both_namespaces "$netns_server" "$netns_container" 100
}

# bats test_tags=long
@test "a reader that sleeps shows from the queue to the reader" {
	skip_where_reads_are_counted
	case_reader
	in_reports reader cases.waits udp-socket-read tcp-socket-read
}

@test "a socket that is locked shows in the wait for its lock" {
	case_lock
	in_reports lock cases.waits tcp-do-rcv
}

# bats test_tags=long
@test "a CPU that is busy shows between the stamp and netif-receive" {
	case_cpu
	assert_grows idle busy netif-receive
	in_reports busy cases.waits netif-receive
}

# bats test_tags=long
@test "replies that wait behind others show in the device's queue" {
	case_queue
	in_reports queue cases.waits tx-start
}

# bats test_tags=long
@test "a request waits for its reader, the application and the queue" {
	skip_where_reads_are_counted
	case_request
	in_reports request cases.waits tcp-socket-read tcp-send tx-start
}

# bats test_tags=long
@test "a lost segment shows with -y alone" {
	skip_where_reads_are_counted
	case_loss
	in_reports lossy cases.has_no_stage tcp-data-queue tcp-socket-read
	in_reports hol cases.waits_most tcp-data-queue tcp-socket-read 2
}

# As the kernel's own tracepoints tell it, and what they cannot: sockets, processes, and waits.
# bats test_tags=long
@test "--trace: the way of a ping through a router, its bridge and a veth pair, and back" {
	case_trace
	tests/validate-json <"$tmp/trace.out"
	in_reports trace cases.way_of_a_ping "$netns_client" "$netns_server" "$netns_container"
}

# From the client's one to the container's other port, as if from the server, and back.
translate_to_container() {
	on_server nft "add table ip nat
		add chain ip nat in { type nat hook prerouting priority -100; }
		add chain ip nat out { type nat hook postrouting priority 100; }
		add rule ip nat in ip daddr $server_ipv4 udp dport 4000 dnat to $container_ipv4:4001
		add rule ip nat out oifname br0 masquerade"
}

# bats test_tags=long
@test "--trace: packets keep their way where addresses and ports are translated, both of them" {
	stay_on_one_cpu
	netns_up
	container_up
	translate_to_container
	# Else the first packets wait for their neighbours' addresses.
	on_client ping -q -c 1 "$container_ipv4" >/dev/null
	start_netstacklat one --trace --slow-limit=1000000 -4
	on_container "$traffic" udp-read-late "$container_ipv4" 4001 10 100 0 >"$tmp/contained" 3>&- &
	echo $! >"$tmp/contained.pid"
	wait_until grep -q ready "$tmp/contained"
	on_client "$traffic" udp-send-one-by-one "$server_ipv4" 4000 10 20000
	receiver_result contained
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one cases.way_there_and_back 10 "$netns_client" "$netns_server" "$netns_container"
}

# bats test_tags=long
@test "a delay of the network shows nowhere" {
	local options=(-4 -n "$netns_server" -e "netif-receive,ip-rcv,udp-*")
	netns_up
	measure near "udp_traffic 50" "${options[@]}"
	tc -n "$netns_client" qdisc add dev veth0 root netem delay 100ms
	measure far "udp_traffic 50" "${options[@]}"
	in_reports near cases.none_grows "$tmp/far.out" 4
	in_reports near cases.latency_stays "$tmp/far.out" 4
}

# Filters with which tc polices what comes in.
police() {
	awk -v filters="$1" 'BEGIN {
		print "qdisc add dev veth0 ingress"
		for (i = 1; i <= filters; i++)
			print "filter add dev veth0 ingress prio", i, "protocol all matchall action police",
				"rate 10gbit burst 10m conform-exceed continue/continue"
	}' | tc -n "$netns_server" -b -
}

# The server has its addresses on a bridge, of which veth0 is a port.
bridge_up() {
	ip -n "$netns_server" link add br0 address "$(on_server cat /sys/class/net/veth0/address)" type bridge
	ip -n "$netns_server" address flush dev veth0
	ip -n "$netns_server" link set veth0 master br0
	netns_configure "$netns_server" "$server_ipv4" "$server_ipv6" br0
}

# bats test_tags=long
@test "tc on ingress, and a bridge with rules, show from the driver to IP" {
	local options=(-4 -n "$netns_server" -e "netif-receive,ip-rcv,udp-*")
	netns_up
	measure plain "udp_traffic 50" "${options[@]}"
	police 1000
	measure policed "udp_traffic 50" "${options[@]}"
	netns_up
	bridge_up
	add_rules bridge prerouting 5000
	measure bridged "udp_traffic 50" "${options[@]}"
	assert_grows plain policed ip-rcv
	assert_grows plain bridged ip-rcv
}

# NAMESPACE and the last bytes of ITS and its PEER's addresses: a tunnel of each kind.
tunnels_up() {
	local ends=(local "192.0.2.$2" remote "192.0.2.$3")
	ip -n "$1" link add tunnel0 type ipip "${ends[@]}"
	ip -n "$1" link add tunnel1 type vxlan id 7 dstport 4789 "${ends[@]}"
	ip -n "$1" address add "198.51.100.$2/24" dev tunnel0
	ip -n "$1" address add "203.0.113.$2/24" dev tunnel1
	ip -n "$1" link set tunnel0 up
	ip -n "$1" link set tunnel1 up
}

tunnel_traffic() {
	udp_traffic 31 198.51.100.2
	udp_traffic 37 203.0.113.2
	udp_traffic 41
	tcp_traffic 100000 198.51.100.2
}

# bats test_tags=long
@test "tunnels and early demux: each packet is counted once, and no stage is longer than its way" {
	local demux
	skip_where_reads_are_counted
	netns_up
	tunnels_up "$netns_server" 2 1
	tunnels_up "$netns_client" 1 2
	for demux in 0 1; do
		# The tunnel asks for an address each time.
		on_client ip neigh flush dev tunnel1
		on_server ip neigh flush dev tunnel1
		on_server sysctl -qw net.ipv4.tcp_early_demux=$demux net.ipv4.udp_early_demux=$demux
		measure "demux$demux" tunnel_traffic -4 -n "$netns_server" -e "ip-rcv,tcp-*,udp-*"
	done
	for name in demux0 demux1; do
		in_reports $name cases.tunnelled_once 31 37 41
	done
}

# UDP and TCP as fast as they go.
flood() {
	local flow port=5201
	for flow in "$server_ipv4 -u -b 0 -l 100" "$server_ipv6"; do
		on_server iperf3 -s -D -1 -p $port
		wait_until iperf3_listens $port
		# shellcheck disable=SC2086 # several words
		on_client iperf3 -p $port -t 4 -c $flow >"$tmp/iperf3-$port" 3>&- &
		echo $! >"$tmp/iperf3-$port.pid"
		((++port))
	done
	wait "$(cat "$tmp/iperf3-5201.pid")" "$(cat "$tmp/iperf3-5202.pid")"
}
iperf3_listens() { [ "$(on_server ss -Hltn "sport = :$1")" ]; }

# bats test_tags=long
@test "a flood: the hook before is known of all but 1 of 10 000 packets" {
	skip_where_reads_are_counted
	netns_up
	measure flood flood
	in_reports flood cases.one_is_unpaired_of_more_than 10000
}
