#!/usr/bin/env bats
# bats file_tags=kernel:7-2
# The way out: how long packets wait in netfilter and in the queues of devices.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	# Else, the first packets wait for their neighbour's address.
	on_client ping -q -c 1 "$server_ipv4"
	on_client ping -q -c 1 "$server_ipv6"
}

teardown() {
	stop_everything
}

# Calls a function of sent.py on the reports of NAME, with arguments.
in_sent() {
	tests/validate-json <"$tmp/$1.out"
	in_reports "$1" "sent.$2" "${@:3}"
}

# 20 packets each, of UDP and of ICMP, over both IP versions.
send_some() {
	start_receiver four udp-receive "$server_ipv4" 4000 20
	start_receiver six udp-receive "$server_ipv6" 4000 20
	on_client "$traffic" udp-send "$server_ipv4" 4000 20
	on_client "$traffic" udp-send "$server_ipv6" 4000 20
	receiver_result four
	receiver_result six
	on_client ping -q -c 20 -i 0.01 "$server_ipv4"
	on_client ping -q -c 20 -i 0.01 "$server_ipv6"
}

# 20000 that match nothing: ADDRESS FAMILY NAMESPACE CHAIN
add_rules() {
	{
		printf 'table %s slow {\nchain slow {\ntype filter hook %s priority 0;\n' "$2" "$4"
		seq 20000 | sed "s/.*/$2 saddr $1 drop/"
		printf '}\n}\n'
	} | ip netns exec "$3" nft -f -
}

@test "each packet that is sent has its stages once, as the device counts" {
	counts=()
	# The kernel may send some of its own at any time: no fewer than while it is measured, and no more than around that.
	note_sent() { counts+=("$(on_client cat /sys/class/net/veth0/statistics/tx_packets)"); }
	note_sent
	start_netstacklat one -n "$netns_client" -i veth0 -e "tx-*"
	note_sent
	send_some
	note_sent
	stop_netstacklat one
	note_sent
	in_sent one each_packet_has_both 40 40 $((counts[2] - counts[1])) $((counts[3] - counts[0]))
}

# bats test_tags=long
@test "a hook that is left out leaves one stage of two" {
	launch_netstacklat whole -n "$netns_client" -i veth0 -e tx-ip,tx-start
	launch_netstacklat last -n "$netns_client" -i veth0 -e tx-queue,tx-start
	wait_for_netstacklat whole
	wait_for_netstacklat last
	send_some
	stop_all_netstacklats whole last
	in_sent whole each_packet_goes tx-ip tx-start 40
	in_sent last each_packet_goes tx-queue tx-start 40
}

@test "packets wait for their neighbour's address behind tx-neighbour, and others go past it" {
	# The server asks for no address, or the client would learn one from that.
	ip -n "$netns_server" neighbour replace 192.0.2.1 dev veth0 \
		lladdr "$(on_client cat /sys/class/net/veth0/address)"
	start_netstacklat one -n "$netns_client" -i veth0 -4 -e "tx-*"
	for _ in {1..5}; do
		ip -n "$netns_client" neigh flush dev veth0
		on_client ping -q -c 2 -i 0.01 "$server_ipv4"
	done
	stop_netstacklat one
	in_sent one some_wait_for_neighbours 5 10
}

@test "each packet comes to its device's egress, between netfilter and the queue" {
	launch_netstacklat whole -n "$netns_client" -i veth0 -e tx-ip,egress
	launch_netstacklat last -n "$netns_client" -i veth0 -e egress,tx-queue
	wait_for_netstacklat whole
	wait_for_netstacklat last
	send_some
	stop_all_netstacklats whole last
	in_sent whole each_packet_goes tx-ip egress 40
	in_sent last each_packet_goes egress tx-queue 40
}

# bats test_tags=long
@test "a queue that delays shows in the queue, and nowhere else" {
	tc -n "$netns_client" qdisc add dev veth0 root netem delay 50ms
	start_netstacklat one -n "$netns_client" -i veth0 -e "tx-*"
	send_some
	stop_netstacklat one
	in_sent one only_one_takes_long tx-start 50
}

# Nothing but what the test itself sends, so that all counts are the same: no IPv6, and no ARP.
be_silent() {
	local namespace peer
	for namespace in "$netns_client $netns_server $server_ipv4" "$netns_server $netns_client 192.0.2.1"; do
		read -r namespace peer address <<<"$namespace"
		ip netns exec "$namespace" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
		ip -n "$namespace" neighbour replace "$address" dev veth0 \
			lladdr "$(ip netns exec "$peer" cat /sys/class/net/veth0/address)"
	done
}

qdisc_packets() {
	tc -n "$netns_client" -s qdisc show dev veth0 | sed -n 's/ Sent [0-9]* bytes \([0-9]*\) pkt.*/\1/p'
}

device_packets() { on_client cat /sys/class/net/veth0/statistics/tx_packets; }

# The last ACK of a connection follows its end.
tcp_to_server() {
	start_receiver sink tcp-receive "$server_ipv4" 5201
	on_client "$traffic" "$1" "$server_ipv4" 5201 "${@:2}" >/dev/null
	receiver_result sink
	sleep 0.5
}

# 100 datagrams of 142 bytes take a quarter of a second.
# bats test_tags=long
@test "a queue of a known rate: packets wait in it, those behind others longer, and each once" {
	be_silent
	tc -n "$netns_client" qdisc add dev veth0 root tbf rate 500kbit burst 2000 limit 1mb
	start_netstacklat one -n "$netns_client" -i veth0 -e "tx-*"
	start_receiver four udp-receive "$server_ipv4" 4000 100
	on_client "$traffic" udp-send "$server_ipv4" 4000 100
	receiver_result four
	tcp_to_server tcp-send 50000
	stop_netstacklat one
	in_sent one waits_in_queue 40 "$(qdisc_packets)"
}

# Some wait while it is set forward, some while it is set back. TCP sends so little that none is of several segments.
# bats test_tags=long
@test "the clock set forth and back while packets wait to be sent: they wait no longer" {
	be_silent
	tc -n "$netns_client" qdisc add dev veth0 root netem delay 1s
	start_netstacklat one -n "$netns_client" -i veth0 -e "tx-*" -r 1
	start_receiver four udp-receive "$server_ipv4" 4000 40
	start_receiver sink tcp-receive "$server_ipv4" 5201
	on_client "$traffic" tcp-send-each "$server_ipv4" 5201 30 150 >/dev/null 3>&- &
	echo $! >"$tmp/sender.pid"
	sleep 1.5
	on_client "$traffic" udp-send "$server_ipv4" 4000 20
	move_clock 3600
	on_client "$traffic" udp-send "$server_ipv4" 4000 20
	move_clock -3600
	receiver_result four
	receiver_result sink
	sleep 2
	stop_netstacklat one
	in_sent one waits_across_steps 1000 "$(qdisc_packets)"
}

# bats test_tags=long
@test "rules in OUTPUT show before the queue, and nowhere else" {
	add_rules 203.0.113.1 ip "$netns_client" output
	add_rules 2001:db8:ffff::1 ip6 "$netns_client" output
	start_netstacklat one -n "$netns_client" -i veth0 -e "tx-*"
	send_some
	stop_netstacklat one
	in_sent one most_time_is_spent_to tx-queue
}

# The server forwards to 198.51.100.9, where nobody is.
forward_beyond() {
	on_server sysctl -qw net.ipv4.ip_forward=1
	ip -n "$netns_server" link add out0 type veth peer name out1
	ip -n "$netns_server" address add 198.51.100.2/24 dev out0
	ip -n "$netns_server" link set out0 up
	ip -n "$netns_server" link set out1 up
	ip -n "$netns_server" neighbour add 198.51.100.9 lladdr 02:00:00:00:00:09 dev out0
	ip -n "$netns_client" route add 198.51.100.0/24 via "$server_ipv4"
}

# bats test_tags=long
@test "what is forwarded waits for FORWARD's rules between ip-forward and the queue" {
	forward_beyond
	add_rules 203.0.113.1 ip "$netns_server" forward
	start_netstacklat one -n "$netns_server" --stages -e "netif-receive,ip-rcv,ip-forward,tx-*"
	on_client "$traffic" udp-send 198.51.100.9 4000 31
	sleep 1
	stop_netstacklat one
	in_sent one forwarded 31
}

# bats test_tags=long
@test "packets that their sender paces are not late" {
	# Else, a few packets have it all.
	ip -n "$netns_client" link set veth0 gso_max_segs 2
	tc -n "$netns_client" qdisc add dev veth0 root fq
	start_netstacklat one -n "$netns_client" -i veth0 -e "tx-*"
	start_receiver sink tcp-receive "$server_ipv4" 5201
	on_client python3 -B tests/vm/sent.py tcp-paced "$server_ipv4" 5201 400000 100000
	receiver_result sink
	stop_netstacklat one
	in_sent one paced
}

# bats test_tags=long
@test "devices upon devices: once for each" {
	for side in "$netns_client:192.0.2.11" "$netns_server:192.0.2.12"; do
		ip -n "${side%%:*}" link set veth0 down
		ip -n "${side%%:*}" address flush dev veth0
		ip -n "${side%%:*}" link add bond7 type bond mode active-backup miimon 100
		ip -n "${side%%:*}" link set veth0 master bond7
		ip -n "${side%%:*}" link set bond7 up
		ip -n "${side%%:*}" link set veth0 up
		ip -n "${side%%:*}" link add link bond7 name bond7.7 type vlan id 7
		ip -n "${side%%:*}" address add "${side#*:}/24" dev bond7.7
		ip -n "${side%%:*}" link set bond7.7 up
	done
	on_client ping -q -c 1 -W 5 192.0.2.12 || on_client ping -q -c 1 -W 5 192.0.2.12
	start_netstacklat one -n "$netns_client" -e "tx-*" -g interface
	on_client ping -q -c 30 -i 0.01 192.0.2.12
	stop_netstacklat one
	in_sent one stacked 30
}

# bats test_tags=long
@test "a tunnel's packets are sent twice" {
	for side in "$netns_client:192.0.2.1:192.0.2.2:203.0.113.1" "$netns_server:192.0.2.2:192.0.2.1:203.0.113.2"; do
		IFS=: read -r namespace local remote address <<<"$side"
		ip -n "$namespace" link add vxlan7 type vxlan id 7 local "$local" remote "$remote" dstport 4789
		ip -n "$namespace" address add "$address/24" dev vxlan7
		ip -n "$namespace" link set vxlan7 up
	done
	on_client ping -q -c 1 -W 5 203.0.113.2 || on_client ping -q -c 1 -W 5 203.0.113.2
	start_netstacklat one -n "$netns_client" -e "tx-*" -g interface
	on_client ping -q -c 30 -i 0.01 203.0.113.2
	stop_netstacklat one
	in_sent one tunnelled 30
}

# The device cannot segment: the kernel does, on the way from the queue to it. Of small segments, there are hundreds.
@test "segments count as such, and their packet once" {
	on_client python3 -B tests/vm/sent.py offload veth0 tso off
	on_server ip route add 192.0.2.1/32 dev veth0 advmss 200
	start_netstacklat one -n "$netns_client" -i veth0 -e "tx-*"
	before=$(device_packets)
	tcp_to_server tcp-send 1000000
	sent=$(device_packets)
	stop_netstacklat one
	in_sent one segmented $((sent - before))
}

# TCP makes large packets in any case; the device takes them with TSO only.
# bats test_tags=long
@test "segments: the device and its queue count the same, with TSO and GSO or without" {
	be_silent
	tc -n "$netns_client" qdisc add dev veth0 root pfifo
	for offloads in "on on" "on off" "off on" "off off"; do
		read -r tso gso <<<"$offloads"
		on_client python3 -B tests/vm/sent.py offload veth0 tso "$tso"
		on_client python3 -B tests/vm/sent.py offload veth0 gso "$gso"
		start_netstacklat one -n "$netns_client" -i veth0 -e "tx-*"
		read -r device qdisc <<<"$(device_packets) $(qdisc_packets)"
		tcp_to_server tcp-send 1000000
		stop_netstacklat one
		[ "$tso" = on ] && segmented=no || segmented=yes
		in_sent one as_devices_count $(($(device_packets) - device)) $(($(qdisc_packets) - qdisc)) "$segmented"
	done
}

assert_no_pair_of_two() {
	start_netstacklat "$1" -n "$netns_client" -i veth0 -e "tx-*" --slow=20ms
	on_client python3 -B tests/vm/sent.py churn "$server_ipv4" veth0 3000
	stop_netstacklat "$1"
	in_sent "$1" no_pair_of_two 3000
}

# What is dropped on its way, or in the queue, leaves its address to others, which did not wait for it.
# bats test_tags=long
@test "an address that is used again makes no pair of two packets" {
	printf 'table ip refuse {\nchain refuse {\ntype filter hook output priority 0;\nudp dport 4999 drop\n}\n}\n' |
		on_client nft -f -
	assert_no_pair_of_two rule
	on_client nft delete table ip refuse
	tc -n "$netns_client" qdisc add dev veth0 root netem loss 100%
	assert_no_pair_of_two queue
}

# As each is sent from ports of its own, at a time that is known, none may have been anywhere before.
# bats test_tags=long
@test "30 000 packets of all kinds at a few addresses, dropped or not: no pair of two" {
	forward_beyond
	on_client ip route add 224.0.0.0/4 dev veth0
	on_client nft "add table ip refuse; add chain ip refuse out { type filter hook output priority 0; };
		add rule ip refuse out udp sport 4999 drop"
	on_server nft "add table ip refuse; add chain ip refuse forward { type filter hook forward priority 0; };
		add rule ip refuse forward udp sport 4997 drop"
	ip -n "$netns_server" route add 224.0.0.0/4 dev veth0
	for member in 1 2 3; do
		start_receiver "member$member" udp-multicast 239.1.2.3 4000 1000000
	done
	tc -n "$netns_client" qdisc add dev veth0 root netem loss 10% limit 10000
	start_netstacklat one --slow=1ns --slow-limit=1000000 -4 --stages -e "ip-forward,tx-*,udp-queue-rcv"
	on_client python3 -B tests/vm/sent.py churn-of-all 192.0.2.1 "$server_ipv4" 198.51.100.9 239.1.2.3 veth0 30000 \
		>"$tmp/sent"
	stop_netstacklat one
	in_reports one sent.none_is_older_than_sent "$tmp/sent"
}

# What sockets read meanwhile is copied by the same function.
@test "a process behind a tun reads one packet in 50 ms: each waits there for those before it" {
	ip netns exec "$netns_server" tests/faults.py read-tun tun0 50 >"$tmp/tun" 3>&- &
	echo $! >"$tmp/tun.pid"
	wait_until grep -q ready "$tmp/tun"
	on_server sysctl -qw net.ipv6.conf.tun0.disable_ipv6=1
	ip -n "$netns_server" address add 198.51.100.2/24 dev tun0
	ip -n "$netns_server" link set tun0 up
	start_netstacklat one -n "$netns_server" -i tun0 -e "tx-*,tun-read" -g pid -4
	start_netstacklat all -4 -e "tx-*,tun-read,*-socket-read" --wakeups
	on_server "$traffic" udp-send 198.51.100.1 4000 20
	tcp_to_server tcp-send 1000000
	send_some
	sleep 1
	stop_netstacklat one
	stop_netstacklat all
	in_sent one read_from_tun 20 50 "$(cat "$tmp/tun.pid")"
	in_sent all slept_before_tun 20 50
}

@test "ports are those of sockets, and resets have none" {
	start_netstacklat one -n "$netns_client" -i veth0 -e "tx-*" -g port -4
	start_receiver four udp-receive "$server_ipv4" 4000 20
	on_client python3 -B tests/vm/sent.py udp-from "$server_ipv4" 4000 4321 20
	receiver_result four
	# Nobody listens there: the client's kernel answers with resets.
	on_server python3 -B tests/vm/sent.py tcp-refused 192.0.2.1 5999 7
	stop_netstacklat one
	in_sent one ports 4321 20 7
}
