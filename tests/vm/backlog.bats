#!/usr/bin/env bats
# bats file_tags=kernel:7-2
# RPS gives packets to a CPU that is busy with others: how long they wait in its backlog shows as that, of local TCP,
# which carries no receive stamp, as of all else.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/cases.bash
	source "$BATS_TEST_DIRNAME/../cases.bash"
	netns_up
}

teardown() {
	stop_everything
}

# The server's DEVICE gives all packets to the last CPU, where a crowd of IPv6 meets many rules.
give_to_busy_cpu() {
	printf %x $((1 << ($(nproc --all) - 1))) >"$tmp/cpus"
	on_server sh -c "cat '$tmp/cpus' >/sys/class/net/$1/queues/rx-0/rps_cpus"
	add_rules inet input 5000 "udp dport 4999"
}

# As netfilter counts the packets of DEVICE.
count_packets() {
	on_server nft "add table ip count; add chain ip count in { type filter hook prerouting priority -300; };
		add rule ip count in iifname $1 counter"
}
counted_packets() { on_server nft list table ip count | sed -n 's/.* packets \([0-9]*\) .*/\1/p'; }

# PROTOCOL of NAMESPACE to the server's DEVICE and IPV4, each segment or datagram behind 20 to IPV6, all sent on the
# first CPU, and read there. The last ACK of a connection follows its end.
assert_waits_in_backlog() {
	start_netstacklat "$1" -4 --stages -n "$netns_server" -i "$(on_server cat "/sys/class/net/$3/ifindex")" \
		-e "netif-receive,ip-rcv,$1-*" -d "*-read"
	count_packets "$3"
	local packets=20
	[ "$1" = udp ] || packets=
	# shellcheck disable=SC2086 # none or one
	start_receiver "reader-$1" "$1-receive" "$4" 4000 $packets
	taskset -cp 0 "$(cat "$tmp/reader-$1.pid")" >/dev/null
	ip netns exec "$2" taskset -c 0 python3 -B tests/vm/backlog.py "$1" "$4" "$5" 20 20
	receiver_result "reader-$1"
	sleep 0.5
	stop_netstacklat "$1"
	tests/validate-json <"$tmp/$1.out"
	in_reports "$1" backlog.waits_there_alone 20 "$(counted_packets)"
	on_server nft delete table ip count
}

@test "local TCP over veth waits in the backlog, and nowhere else" {
	give_to_busy_cpu veth0
	assert_waits_in_backlog tcp "$netns_client" veth0 "$server_ipv4" "$server_ipv6"
}

# bats test_tags=long
@test "UDP over veth, too" {
	give_to_busy_cpu veth0
	assert_waits_in_backlog udp "$netns_client" veth0 "$server_ipv4" "$server_ipv6"
}

# Without TSO, veth has a queue and NAPI of its own for what GRO may merge, which come before RPS.
# bats test_tags=long
@test "over veth with GRO" {
	give_to_busy_cpu veth0
	on_client python3 -B tests/vm/sent.py offload veth0 tso off
	on_server python3 -B tests/vm/sent.py offload veth0 gro on
	for protocol in tcp udp; do
		assert_waits_in_backlog $protocol "$netns_client" veth0 "$server_ipv4" "$server_ipv6"
	done
}

# bats test_tags=long
@test "over loopback" {
	give_to_busy_cpu lo
	for protocol in tcp udp; do
		assert_waits_in_backlog $protocol "$netns_server" lo 127.0.0.1 ::1
	done
}
