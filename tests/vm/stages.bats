#!/usr/bin/env bats
# bats file_tags=kernel:7-2
# --stages: the time of each packet from one hook to the next, at known numbers and known delays.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	stay_on_one_cpu
}

teardown() {
	stop_everything
	remove_cgroup "$cgroup"
}

# Calls a function of stages.py on the reports of NAME, with arguments.
in_stages() {
	tests/validate-json <"$tmp/$1.out"
	in_reports "$1" "stages.$2" "${@:3}"
}

@test "UDP: each packet has every stage, and they add up to all of its way, to the nanosecond" {
	launch_netstacklat both --stages
	launch_netstacklat ipv4 --stages -4 -k 4 -e "netif-receive,ip-rcv,ip-deliver,udp-*"
	wait_for_netstacklat both
	wait_for_netstacklat ipv4
	send_udp 503 499
	stop_all_netstacklats both ipv4
	in_stages both each_packet_has_all 503 499
	in_stages ipv4 add_up 503
}

@test "TCP: every segment that was queued has its stage to the reader" {
	remembers_segments || skip "before Linux 5.11, no program keeps where segments were"
	start_netstacklat one --stages
	send_tcp 2000000
	stop_netstacklat one
	in_stages one queued_segments_are_read
}

# bats test_tags=long
@test "a reader that sleeps shows from the queue to the reader, and nowhere else" {
	start_netstacklat udp --stages -4 -e "ip-rcv,udp-*"
	start_receiver slow udp-receive "$server_ipv4" 4000 5 200
	for _ in 1 2 3 4 5; do
		on_client "$traffic" udp-send "$server_ipv4" 4000 1
	done
	receiver_result slow
	stop_netstacklat udp
	in_stages udp only_one_takes_long udp-socket-read 200

	remembers_segments || return 0
	start_netstacklat tcp --stages -4 -e "ip-rcv,tcp-*" -n "$netns_server"
	start_receiver slow tcp-receive "$server_ipv4" 5201 200
	on_client "$traffic" tcp-send "$server_ipv4" 5201 1000 1000
	[ "$(receiver_result slow)" -eq 1000 ]
	stop_netstacklat tcp
	in_stages tcp only_one_takes_long tcp-socket-read 200
}

# bats test_tags=long
@test "what is on the way alone is shown, hooks in between or not" {
	start_netstacklat one --stages -e "udp-start,udp-socket-read"
	send_udp 53 59
	stop_netstacklat one
	in_stages one one_stage_alone 53 59
}

# bats test_tags=long
@test "filters: stages begin at hooks that cannot tell, and end where they can" {
	start_netstacklat one --stages -P 4000 -e "ip-rcv,udp-*"
	start_receiver other udp-receive "$server_ipv4" 4001 47
	on_client "$traffic" udp-send "$server_ipv4" 4001 47
	receiver_result other
	send_udp 53 59
	stop_netstacklat one
	in_stages one filtered_by_port 53 59
}

# bats test_tags=long
@test "filters: interfaces are known from the first hook on" {
	start_netstacklat one --stages -n "$netns_server" -i veth0 -4 -e "netif-receive,ip-rcv,udp-start" -g interface
	send_udp 53 59
	stop_netstacklat one
	in_stages one filtered_by_interface 53
}

# bats test_tags=long
@test "groups: each has its stages" {
	start_netstacklat one --stages -g netns,port -e "udp-*"
	send_udp 53 59
	start_receiver other udp-receive "$server_ipv4" 4001 47
	on_client "$traffic" udp-send "$server_ipv4" 4001 47
	receiver_result other
	stop_netstacklat one
	in_stages one grouped_by_port "$netns_server" 53 59 47
}

# The first rows are for hooks before: what is read has none, or not for each part of the wait for its reader.
# bats test_tags=long
@test "groups: where rows run out, a packet is discarded as that, once, and is not unpaired" {
	for rows in 4 8; do
		launch_netstacklat $rows --wakeups -g port -4 -e "udp-*" --max-groups=$rows
	done
	launch_netstacklat text -o text --wakeups -g port -4 -e "udp-*" --max-groups=4
	for name in 4 8 text; do
		wait_for_netstacklat $name
	done
	start_receiver one udp-receive "$server_ipv4" 4000 101
	on_client "$traffic" udp-send "$server_ipv4" 4000 101 10
	receiver_result one
	stop_all_netstacklats 4 8 text
	for rows in 4 8; do
		in_stages $rows rows_run_out 101
	done
	sed -n '/  total /,$p' "$tmp/text.out" >"$tmp/total"
	cat "$tmp/total"
	grep -A 3 -x "no room for more groups (see --max-groups):" "$tmp/total" | grep -qE "^  udp-socket-read +101$"
}

@test "a packet that is forwarded goes as far as that" {
	ip netns exec "$netns_server" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	ip -n "$netns_server" link add out0 type veth peer name out1
	ip -n "$netns_server" address add 198.51.100.2/24 dev out0
	ip -n "$netns_server" address add 2001:db8:1::2/64 dev out0 nodad
	ip -n "$netns_server" link set out0 up
	ip -n "$netns_server" link set out1 up
	ip -n "$netns_client" route add 198.51.100.0/24 via "$server_ipv4"
	ip -n "$netns_client" route add 2001:db8:1::/64 via "$server_ipv6"
	start_netstacklat one --stages -e "netif-receive,ip-rcv,ip-forward"
	on_client "$traffic" udp-send 198.51.100.9 4000 31
	on_client "$traffic" udp-send 2001:db8:1::9 4000 37
	sleep 1
	stop_netstacklat one
	in_stages one forwarded 31 37
}

@test "what a bridge passes on has a stage to the way out, and copies have none" {
	ip netns add "$netns_container"
	ip -n "$netns_server" -batch - <<-END
		link add br0 up type bridge
		link add out0 up master br0 type veth peer name veth0 netns $netns_container
		link add out1 up master br0 type veth peer name out2
		link set out2 up
		address flush dev veth0
		link set veth0 master br0
	END
	netns_configure "$netns_container" 192.0.2.9 2001:db8::9
	on_client ping -q -c 3 192.0.2.9
	start_netstacklat one --stages -4 -e netif-receive,tx-queue -n "$netns_server"
	on_container "$traffic" tcp-receive 192.0.2.9 5201 >"$tmp/received" 3>&- &
	wait_until grep -q ready "$tmp/received"
	on_client "$traffic" tcp-send-each 192.0.2.9 5201 43 5
	on_client "$traffic" udp-send 192.0.2.9 4000 101
	stop_netstacklat one
	in_stages one bridged $((2 * 43 + 101)) 0

	start_netstacklat flooded --stages -4 -e netif-receive,tx-queue -n "$netns_server"
	on_client ping -q -b -c 3 192.0.2.255 || true
	stop_netstacklat flooded
	in_stages flooded bridged 0 6
}

# HOOKS MEMBERS: so many receivers of multicast get 41 datagrams each.
multicast() {
	local member
	ip -n "$netns_server" route add 224.0.0.0/4 dev veth0
	ip -n "$netns_client" route add 224.0.0.0/4 dev veth0
	start_netstacklat one --stages -4 -e "$1"
	for ((member = 0; member < $2; member++)); do
		start_receiver "member$member" udp-multicast 239.1.2.3 4000 41
	done
	on_client "$traffic" udp-send 239.1.2.3 4000 41
	for ((member = 0; member < $2; member++)); do
		receiver_result "member$member"
	done
	stop_netstacklat one
}

# bats test_tags=long
@test "clones have no hook before, and none of another packet's" {
	multicast "ip-rcv,udp-*" 3
	in_stages one clones_begin_anew 41
}

# bats test_tags=long
@test "the reader of a clone has a stage where no hook comes before its queue" {
	multicast "udp-start,udp-socket-*" 2
	in_stages one queues_begin 41 41
}

@test "datagrams that came as one packet have all been where it was" {
	start_netstacklat one --stages -4 -e "udp-start,udp-socket-*"
	start_receiver batches udp-receive "$server_ipv4" 4000 200
	on_client "$traffic" udp-send-batches "$server_ipv4" 4000 20 10
	receiver_result batches
	stop_netstacklat one
	in_stages one queues_begin 200 0
}

# One of the kernel's counters in the server's namespace.
counter() { on_server nstat -asz "$1" | awk -v name="$1" '$1 == name { print $2 }'; }

@test "drops: where packets were last, as many as the kernel counts" {
	skip_without_reasons
	on_server nft add table inet late
	on_server nft add chain inet late input '{ type filter hook input priority 0; }'
	on_server nft add rule inet late input udp dport 4003 counter drop
	launch_netstacklat one --stages
	launch_netstacklat text --stages -o text
	wait_for_netstacklat one
	wait_for_netstacklat text
	start_receiver small udp-drop "$server_ipv4" 4001 400
	on_client "$traffic" udp-send "$server_ipv4" 4001 400
	lost=$((400 - $(receiver_result small)))
	on_client "$traffic" udp-send "$server_ipv6" 4002 103
	on_client "$traffic" udp-send "$server_ipv4" 4003 107
	stop_all_netstacklats one text
	in_stages one dropped udp-queue-rcv 4 SOCKET_RCVBUFF "$lost"
	[ "$(counter UdpRcvbufErrors)" -eq "$lost" ]
	in_stages one dropped udp-start 6 NO_SOCKET "$(counter Udp6NoPorts)"
	in_stages one dropped ip-deliver 4 NETFILTER_DROP 107
	on_server nft list ruleset | grep -q "packets 107 "

	sed -n '/  total /,$p' "$tmp/text.out" >"$tmp/total"
	cat "$tmp/total"
	grep -A 1 "^. udp-queue-rcv " "$tmp/total" | grep -qE "^ +$lost dropped: SOCKET_RCVBUFF$"
	[ "$(wc -L <"$tmp/total")" -le 80 ]
}

@test "drops: before Linux 5.17, by where they are" {
	! tells_reasons || skip "this kernel tells reasons"
	start_netstacklat one --stages -e "udp-*"
	on_client "$traffic" udp-send "$server_ipv4" 4002 101
	stop_netstacklat one
	in_stages one dropped_in udp-start 4 __udp4_lib_rcv 101
}

# bats test_tags=long
@test "drops: those of what is sent, too" {
	skip_without_reasons
	# What finds the neighbour is lost, too.
	send_udp 1
	on_client tc qdisc add dev veth0 root netem loss 100%
	start_netstacklat one --stages -4 -e "tx-*"
	on_client "$traffic" udp-send "$server_ipv4" 4001 109
	stop_netstacklat one
	in_stages one dropped tx-queue 4 QDISC_DROP 109
}

# bats test_tags=long
@test "drops: none where none are, or where a filter cannot tell" {
	skip_without_reasons
	launch_netstacklat quiet --stages -e "udp-*"
	launch_netstacklat udp --stages -e "udp-*"
	launch_netstacklat port --stages -P 4001 -e "udp-*"
	launch_netstacklat ipv6 --stages -6 -e "udp-*"
	launch_netstacklat process --stages -p $$ -e "udp-*"
	launch_netstacklat text --stages -o text -p $$ -e "udp-*"
	for name in quiet udp port ipv6 process text; do
		wait_for_netstacklat $name
	done
	send_udp 53 59
	stop_netstacklat quiet
	in_reports quiet 'assert total["drops"] == []'
	on_client "$traffic" udp-send "$server_ipv4" 4002 101
	stop_all_netstacklats udp port ipv6 process text
	in_stages udp dropped udp-start 4 NO_SOCKET 101
	for name in port ipv6; do
		in_reports $name 'assert total["drops"] == []'
	done
	in_stages process no_drops_are_known
	run -1 grep dropped "$tmp/text.out"
}

# The first read of a task tells nothing.
@test "--wakeups: a reader that sleeps with packets in its queue was asleep" {
	# It waits in select() for a packet, and then sleeps for 100 ms with that in its queue.
	start_netstacklat late --wakeups -4 -e "udp-*"
	start_receiver slow udp-receive "$server_ipv4" 4000 6 100
	on_client "$traffic" udp-send "$server_ipv4" 4000 6 300
	receiver_result slow
	stop_netstacklat late
	in_stages late reader_slept_with_packets
}

# It is woken by each packet, but another task of a higher priority has the CPU, for 100 ms of 200.
# bats test_tags=long
@test "--wakeups: a reader that has no CPU was woken, and waited until it ran" {
	start_netstacklat starved --wakeups -4 -e "udp-*"
	start_receiver hungry udp-starve "$server_ipv4" 4000 20 100
	on_client "$traffic" udp-send "$server_ipv4" 4000 20 130
	receiver_result hungry
	stop_netstacklat starved
	in_stages starved reader_waited_for_a_cpu
}

# bats test_tags=long
@test "OpenMetrics: the same stages as in JSON, and none that was seen ever goes" {
	launch_netstacklat json --stages -g port -e "udp-*"
	launch_netstacklat metrics --stages -g port -e "udp-*" -o openmetrics -r 0.2
	wait_for_netstacklat json
	wait_for_netstacklat metrics
	send_udp 53 59
	# A report with these, and one without packets.
	sleep 0.5
	start_receiver other udp-receive "$server_ipv4" 4001 47
	on_client "$traffic" udp-send "$server_ipv4" 4001 47
	receiver_result other
	stop_all_netstacklats json metrics
	tests/validate-json <"$tmp/json.out"
	with_packages json stages.are_in_openmetrics "$tmp/metrics.out"
}

# RUN NAME TOTAL: how many blocks of its heatmap begin with a name and end with a total.
blocks_with_total() {
	awk -v RS= -v begin="$2" -v end="|$3" 'index($0, begin) == 1 && substr($0, length - length(end) + 1) == end { nr++ }
		END { print nr + 0 }' "$tmp/$1.out"
}

# bats test_tags=long
@test "a heatmap has the stages instead of the hooks" {
	TERM=dumb launch_netstacklat two -o heatmap --stages -e "udp-start,udp-socket-read"
	TERM=dumb launch_netstacklat all -o heatmap --stages
	wait_for_netstacklat two
	wait_for_netstacklat all
	send_udp 53 59
	stop_all_netstacklats two all
	cat "$tmp/two.out" "$tmp/all.out"
	[ "$(blocks_with_total two "in, UDP over IPv4: udp-socket-read" 53)" -eq 1 ]
	[ "$(blocks_with_total two "in, UDP over IPv6: udp-socket-read" 59)" -eq 1 ]
	[ "$(blocks_with_total all "in, UDP over IPv4: udp-" 53)" -eq 4 ]
	[ "$(blocks_with_total all "in, UDP over IPv6: udp-" 59)" -eq 4 ]
	[ "$(wc -L <"$tmp/all.out")" -le 80 ]
}

# bats test_tags=long
@test "text: the table of a protocol fits 80 columns, and marks the stage that takes most" {
	start_netstacklat one -o text --stages -4 -e "ip-rcv,udp-*"
	start_receiver slow udp-receive "$server_ipv4" 4000 3 100
	on_client "$traffic" udp-send "$server_ipv4" 4000 3
	receiver_result slow
	stop_netstacklat one
	sed -n '/  total /,$p' "$tmp/one.out" >"$tmp/total"
	cat "$tmp/total"
	[ "$(wc -L <"$tmp/total")" -le 80 ]
	grep -q "^in  *count  *mean" "$tmp/total"
	grep -qx "UDP over IPv4:" "$tmp/total"
	grep -qE "^  udp-start +netfilter +3 " "$tmp/total"
	grep -qE "^> udp-socket-read +queue, reader +3 .*#####$" "$tmp/total"
	[ "$(grep -c "^> " "$tmp/total")" -eq 1 ]
}

# bats test_tags=long
@test "text with --full: the histogram of each stage, too" {
	start_netstacklat one -o text --stages --full -e "udp-start,udp-socket-read"
	send_udp 53 59
	stop_netstacklat one
	sed -n '/  total /,$p' "$tmp/one.out" >"$tmp/total"
	cat "$tmp/total"
	for packets in 53 59; do
		[ "$(grep -c "^count $packets " "$tmp/total")" -eq 1 ]
	done
	grep -qx "UDP over IPv4, from udp-start to udp-socket-read:" "$tmp/total"
	[ "$(grep -c "^count 112 " "$tmp/total")" -eq 2 ]
}
