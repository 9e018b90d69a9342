#!/usr/bin/env bats
# The whole way of a packet: every hook, in order, at known numbers and known delays.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	count_kernel_runs
}

teardown() {
	stop_everything
}

udp_path="udp-start udp-queue-rcv udp-socket-enqueued udp-socket-read"
tcp_path="tcp-start tcp-do-rcv tcp-data-queue tcp-socket-enqueued"

# Notes how often the kernel ran the programs of hooks, to be compared when the report is out.
note_kernel_runs() {
	for hook in "$@"; do
		kernel_runs one "$hook" >"$tmp/$hook.runs"
	done
}

# Recorded and discarded must add up to that.
assert_all_runs_accounted() {
	for hook in "$@"; do
		runs=$(cat "$tmp/$hook.runs")
		read -r count discarded < <(figures one "$hook" count discarded)
		echo "$hook: $runs runs, $count recorded, $discarded discarded"
		[ "$count" -gt 0 ]
		[ $((count + discarded)) -eq "$runs" ]
	done
}

# What each hook counts of few packets; the tests behind take a closer look, and their time.
@test "each hook counts the packets that came by there, and no others" {
	on_server nft "add table ip few; add chain ip few in { type filter hook input priority 0; };
		add rule ip few in udp dport 4001 drop"
	start_netstacklat one -4 -n "$netns_server" -e "netif-receive,ip-rcv,tcp-*,udp-*,icmp-*,raw-*,drop"
	start_receiver udp udp-receive "$server_ipv4" 4000 31
	on_client "$traffic" udp-send "$server_ipv4" 4000 31
	receiver_result udp
	on_client "$traffic" udp-send "$server_ipv4" 4001 7
	on_server ping -q -c 3 -i 0.1 192.0.2.1
	on_client ping -q -c 5 -i 0.1 "$server_ipv4"
	start_receiver tcp tcp-receive "$server_ipv4" 5201
	on_client "$traffic" tcp-send-each "$server_ipv4" 5201 11 20
	receiver_result tcp
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one path.each_hook_has_what_was_sent 31 7 3 5 11
}

# bats test_tags=long
@test "each UDP packet is at every hook of its path, of both families, later at each" {
	start_netstacklat one -e "ip-rcv,udp-*"
	send_udp 1009 1013
	stop_netstacklat one

	# Neighbour discovery comes by ip-rcv, too.
	[ "$(figures one ip-rcv count)" -ge 2022 ]
	earlier=0
	for hook in $udp_path; do
		read -r count discarded mean < <(figures one "$hook" count discarded mean_ns)
		echo "$hook: $count, mean $mean ns"
		[ "$count" -eq 2022 ]
		[ "$discarded" -eq 0 ]
		[ "$mean" -ge "$earlier" ]
		earlier=$mean
	done
}

# bats test_tags=long
@test "TCP is at every hook of its path, as often as the kernel ran the programs" {
	start_netstacklat one -e "tcp-*"
	send_tcp 3000000
	# shellcheck disable=SC2086 # several words
	note_kernel_runs $tcp_path
	for function in tcp_v4_rcv tcp_v6_rcv tcp_v4_do_rcv tcp_v6_do_rcv; do
		runs_of "$function" >"$tmp/$function.runs"
	done
	stop_netstacklat one
	# shellcheck disable=SC2086 # several words
	assert_all_runs_accounted $tcp_path
	[ "$(figures one tcp-socket-read count)" -gt 0 ]
	# Both families have their part.
	for function in tcp_v4_rcv tcp_v6_rcv tcp_v4_do_rcv tcp_v6_do_rcv; do
		[ "$(cat "$tmp/$function.runs")" -gt 0 ]
	done
}

# bats test_tags=long
@test "ping shows its reply's way, over both families" {
	start_netstacklat one -e "icmp-*,raw-*"
	on_client ping -q -c 7 -i 0.2 "$server_ipv4"
	on_client ping -q -c 11 -i 0.2 "$server_ipv6"
	stop_netstacklat one

	# A request and a reply each, and of IPv6 neighbour discovery.
	[ "$(figures one icmp-start count)" -ge $((2 * 18)) ]
	[ "$(figures one raw-socket-enqueued count)" -ge 18 ]
	[ "$(figures one raw-socket-read count)" -eq 18 ]
}

# The first bucket with samples is the one that holds 50 ms, or the next on a slow machine.
assert_read_after_50_ms() {
	[ "$(figures one "$1-socket-read" mean_ns)" -ge 50000000 ]
	[ "$(figures one "$1-socket-read" first_bucket)" -ge 50000000 ]
	[ "$(figures one "$1-socket-read" first_bucket)" -le 134217728 ]
	[ "$(figures one "$1-socket-enqueued" mean_ns)" -lt 25000000 ]
}

# bats test_tags=long
@test "a UDP reader that sleeps 50 ms shows at udp-socket-read alone" {
	start_netstacklat one -e "udp-*"
	start_receiver slow udp-receive "$server_ipv4" 4000 7 50
	for _ in 1 2 3 4 5 6 7; do
		on_client "$traffic" udp-send "$server_ipv4" 4000 1
	done
	receiver_result slow
	stop_netstacklat one

	[ "$(figures one udp-socket-read count)" -eq 7 ]
	assert_read_after_50_ms udp
}

# bats test_tags=long
@test "a TCP reader that sleeps 50 ms shows at tcp-socket-read alone" {
	start_netstacklat one -e "tcp-*"
	start_receiver slow tcp-receive "$server_ipv4" 5201 50
	# A FIN that comes before the data is read is merged with it, and then its stamp is that of both.
	on_client "$traffic" tcp-send "$server_ipv4" 5201 1000 500
	[ "$(receiver_result slow)" -eq 1000 ]
	stop_netstacklat one

	[ "$(figures one tcp-socket-read count)" -gt 0 ]
	assert_read_after_50_ms tcp
}

# bats test_tags=long
@test "packets that are only peeked at, and packets dropped for want of room, are not counted as read or queued" {
	start_netstacklat one -e "udp-*"
	start_receiver peeker udp-peek "$server_ipv4" 4000 5
	on_client "$traffic" udp-send "$server_ipv4" 4000 5
	receiver_result peeker
	start_receiver small udp-drop "$server_ipv4" 4001 400
	on_client "$traffic" udp-send "$server_ipv4" 4001 400
	# It reads what its small buffer took, after all was sent.
	queued=$(receiver_result small)
	note_kernel_runs udp-socket-enqueued udp-socket-read
	stop_netstacklat one

	echo "the small buffer took $queued of 400"
	[ "$queued" -gt 0 ]
	[ "$queued" -lt 400 ]
	[ "$(figures one udp-queue-rcv count)" = 405 ]
	[ "$(figures one udp-socket-enqueued count discarded filtered)" = "$((5 + queued)) $((400 - queued)) $((400 - queued))" ]
	[ "$(figures one udp-socket-read count discarded filtered)" = "$((5 + queued)) 5 5" ]
	assert_all_runs_accounted udp-socket-enqueued udp-socket-read
}

# bats test_tags=long
@test "-e and -d choose what is attached" {
	start_netstacklat one -e "udp-*,tcp_v4_do_rcv" -d udp-socket-read
	send_tcp 100000
	send_udp 11
	stop_netstacklat one

	in_reports one path.hooks_are udp-start tcp-do-rcv udp-queue-rcv udp-socket-enqueued
}

# The test VM's own: virtio_net, with NAPI, GRO and stamps of the driver's own packets.
# bats test_tags=long
@test "over a real driver: what it received is at every hook, and has its stamp at all of them" {
	local alone=raw-socket-enqueued
	remembers_segments || alone+=" tcp-socket-read"
	grep -qsx 02:00:00:00:20:26 /sys/class/net/eth0/address || skip "only the test VM has a card for that"
	ip address add 10.0.2.15/24 dev eth0
	ip link set eth0 up
	launch_netstacklat remote -e netif-receive --remote 10.0.2.2 -n self
	start_netstacklat one --stages -4 -n self
	wait_for_netstacklat remote
	ping -q -c 7 -i 0.1 10.0.2.2
	[ "$("$traffic" udp-fetch 10.0.2.2 100-blocks)" -eq 101 ]
	"$traffic" tcp-echo 10.0.2.100 7 300000
	stop_netstacklat one
	stop_netstacklat remote
	# Where the kernel has not noted yet where the header is.
	[ "$(figures remote netif-receive count)" -eq 108 ]
	ip link set eth0 down
	tests/validate-json <"$tmp/one.out"
	# shellcheck disable=SC2086 # several words
	in_reports one path.received_by_a_driver 7 101 $alone
}
