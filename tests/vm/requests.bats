#!/usr/bin/env bats
# Between a read and its answer: the application, connections that wait, what TCP holds back, the network's part.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	traffic=tests/vm/requests.py
	skip_without_socket_times
}

teardown() {
	stop_everything
}

# PROTOCOL REQUESTS DELAY...: one run without any delay, then one with each.
assert_each_delay_shows() {
	local delay hook traffic
	# shellcheck source=tests/faults.bash
	source "$BATS_TEST_DIRNAME/../faults.bash"
	for delay in none "${@:3}"; do
		netns_up
		traffic="0 0"
		case $delay in
		rules-in) hook=$1-start && plant_rules ip input 8 ;;
		late-reader) hook=$1-socket-read traffic="20 0" ;;
		application) hook=$1-send traffic="0 20" ;;
		closed-window) hook=tcp-transmit traffic="0 0 8 5" ;;
		rules-out) hook=tx-queue && plant_rules ip output 8 ;;
		queue) hook=tx-start && tc -n "$netns_server" qdisc add dev veth0 root netem delay 20ms ;;
		esac
		echo "$delay:"
		# Those that wait for their neighbours do so before the queue.
		on_client ping -q -c 1 "$server_ipv4"
		measure "$delay" "request_traffic $delay $1 $2 $traffic" -4 -g netns -e "$(request_hooks "$1")"
		[ "$delay" = none ] || in_reports "$delay" requests.delay_shows "$2" "$(cat "$tmp/$delay.answer_ns")" "$hook" \
			"$tmp/none.out" "$(cat "$tmp/none.answer_ns")"
	done
}

@test "the parts of requests add up to what the client measures, and each delay shows in its own" {
	assert_each_delay_shows tcp 100 application queue
}

# bats test_tags=long
@test "so do those of 300 requests by TCP, with each delay in turn" {
	assert_each_delay_shows tcp 300 rules-in late-reader application closed-window rules-out queue
}

# bats test_tags=long
@test "so do those of 300 requests by UDP, with each delay in turn" {
	assert_each_delay_shows udp 300 rules-in late-reader application rules-out queue
}

sockets="tcp-accept,tcp-rtt,tcp-min-rtt,tcp-send,tcp-transmit"

# SERVE... -- ASK...: what each does behind its address and port.
tcp_requests() {
	local serve=()
	while [ "$1" != -- ]; do
		serve+=("$1")
		shift
	done
	start_receiver server tcp-serve "$server_ipv4" 5201 "${serve[@]}"
	on_client "$traffic" tcp-ask "$server_ipv4" 5201 "${@:2}"
	[ "$(receiver_result server)" -gt 0 ]
}

@test "an application that thinks is late itself, once for each answer, whichever thread gives it" {
	start_netstacklat one -P 5201 -e "$sockets"
	tcp_requests 1 0 40 100 -- 1 20 100
	stop_netstacklat one
	in_reports one requests.is_late tcp-send 20 33
	in_reports one requests.is_not_late tcp-transmit 40 40
	in_reports one requests.is_not_late tcp-accept 1 40
	# The client's, and the second write of each answer.
	[ "$(figures one tcp-send filtered)" -eq 40 ]
}

@test "connections wait until they are accepted" {
	start_netstacklat one -P 5201 -e "$sockets"
	tcp_requests 10 40 0 1 -- 10 1 1
	stop_netstacklat one
	in_reports one requests.accepts_are_late 10 40
	[ "$(figures one tcp-send count)" -eq 10 ]
}

# As where tcp_v4_syn_recv_sock() has a seventh argument: before Linux 6.6, nothing can be attached to that (Ubuntu's
# 5.15.0-204).
# bats test_tags=long
@test "connections are counted also where not all places can be watched that refuse them" {
	start_crowd 100 tcp_v4_syn_recv_sock
	start_netstacklat one -P 5201 -e tcp-accept
	tcp_requests 3 0 0 1 -- 3 1 1
	stop_netstacklat one
	stop_crowd
	grep "^netstacklat: tcp-accept goes without tcp_v4_syn_recv_sock(): " "$tmp/one.err"
	! grep "left out" "$tmp/one.err" || return 1
	[ "$(figures one tcp-accept count)" -eq 3 ]
}

overflows() { on_server nstat -asz TcpExtListenOverflows | awk 'END { print $2 }'; }

# bats test_tags=long
@test "what a full accept queue refuses is counted, as the kernel counts it" {
	local refused=0
	on_client ping -q -c 1 "$server_ipv4"
	on_client tc qdisc add dev veth0 root netem delay 50ms
	for address in "$server_ipv4" "$server_ipv6"; do
		before=$(overflows)
		start_netstacklat one -P 5201 -e tcp-accept
		start_receiver server tcp-ignore "$address" 5201 3 4000
		on_client "$traffic" tcp-knock "$address" 5201 20 3000
		receiver_result server
		stop_netstacklat one
		refused=$(($(overflows) - before))
		echo "$refused refused"
		[ "$refused" -ge 16 ]
		[ "$(figures one tcp-accept overflow)" -eq "$refused" ]
	done
}

# bats test_tags=long
@test "what a closed window holds back waits to be transmitted, and nowhere else" {
	start_netstacklat one -P 5201 -e "$sockets"
	tcp_requests 1 0 0 4000000 -- 1 1 4000000 800
	stop_netstacklat one
	in_reports one requests.some_are_late tcp-transmit 400
	in_reports one requests.is_not_late tcp-send 1 400
}

# bats test_tags=long
@test "an answer is counted once, in whichever way it is written" {
	local port=4000 way
	start_netstacklat one -n "$netns_server" -g port -e tcp-send,tcp-transmit
	for way in writev sendfile splice zerocopy; do
		start_receiver $way tcp-late "$server_ipv4" $((++port)) 10 0 40 $way
		on_client "$traffic" tcp-time "$server_ipv4" $port 10
		receiver_result $way
	done
	stop_netstacklat one
	in_reports one requests.each_way_is_late 10 33 4001 4002 4003 4004
}

# bats test_tags=long
@test "sockets of IPv6 that speak IPv4 answer once, too" {
	start_netstacklat one -n "$netns_server" -P 4000 -e "tcp-accept,*-send,*-transmit"
	start_receiver server mapped-serve 4000 40
	on_client "$traffic" mapped-ask "$server_ipv4" 4000 40
	receiver_result server
	stop_netstacklat one
	in_reports one requests.counts_are tcp-accept=1 tcp-send=40 tcp-transmit=40 udp-send=40 udp-transmit=40
}

# bats test_tags=long
@test "of 10 000 short connections, each is accepted and answered once" {
	start_netstacklat one -n "$netns_server" -P 4000 -e tcp-accept,tcp-send,tcp-transmit
	start_receiver server tcp-short-serve "$server_ipv4" 4000 10000
	on_client "$traffic" tcp-short-ask "$server_ipv4" 4000 10000
	receiver_result server
	stop_netstacklat one
	in_reports one requests.counts_are tcp-accept=10000 tcp-send=10000 tcp-transmit=10000
}

corkings() { on_client nstat -asz TcpExtTCPAutoCorking | awk 'END { print $2 }'; }

# While a device's queue has much of a socket, TCP holds what else is written there (autocorking, TSQ).
# bats test_tags=long
@test "small writes that TCP gathers while the device's queue is full count by segment, from their first byte" {
	tc -n "$netns_client" qdisc add dev veth0 root tbf rate 2mbit burst 4000 limit 1mb
	on_client ping -q -c 1 "$server_ipv4"
	before=$(corkings)
	start_netstacklat one -n "$netns_client" --remote "$server_ipv4" -e tcp-transmit
	start_receiver server tcp-collect "$server_ipv4" 5201
	on_client "$traffic" tcp-pieces "$server_ipv4" 5201 2000 100
	[ "$(receiver_result server)" -eq 200000 ]
	stop_netstacklat one
	corked=$(($(corkings) - before))
	echo "$corked corked; $(figures one tcp-transmit count max_le_ns discarded)"
	[ "$corked" -gt 0 ]
	[ "$(figures one tcp-transmit count)" -lt 1000 ]
	[ "$(figures one tcp-transmit max_le_ns)" -gt 4000000 ]
	[ "$(figures one tcp-transmit no_begin)" -eq 0 ]
}

delayed_acks() { on_client nstat -asz TcpExtDelayedACKs | awk 'END { print $2 }'; }

@test "what Nagle holds back for a delayed ACK waits to be transmitted, as often as the kernel delays one" {
	start_netstacklat one -n "$netns_server" -P 4000 -e tcp-transmit -g limit
	before=$(delayed_acks)
	start_receiver server tcp-late "$server_ipv4" 4000 20 0 0 halves
	on_client "$traffic" tcp-time "$server_ipv4" 4000 20
	receiver_result server
	stop_netstacklat one
	in_reports one requests.late_are_limited tcp-transmit nagle $(($(delayed_acks) - before)) 40 20
}

# Those of both sides, as filters do not tell what is discarded apart; but not the server's SYN-ACKs, which are no
# socket's yet.
retransmissions() {
	{
		on_client nstat -asz TcpRetransSegs
		on_server nstat -asz TcpRetransSegs TcpExtTCPSynRetrans
	} | awk '$1 == "TcpRetransSegs" { sum += $2 } $1 == "TcpExtTCPSynRetrans" { sum -= $2 } END { print sum }'
}

all_is_sent() { [ -z "$(on_server ss -Htn state fin-wait-1 state last-ack state closing)" ]; }

# bats test_tags=long
@test "the network's part is the round-trip time, and retransmissions are none of the application's" {
	on_client ping -q -c 1 "$server_ipv4"
	on_client tc qdisc add dev veth0 root netem delay 60ms
	lose_each on_client 5
	before=$(retransmissions)
	start_netstacklat one -n "$netns_server" -P 5201 -e "$sockets"
	tcp_requests 1 0 0 500000 -- 1 1 500000
	on_client nft delete table ip lossy
	wait_until all_is_sent
	stop_netstacklat one
	after=$(retransmissions)
	[ "$(figures one tcp-min-rtt first_bucket)" -gt 60000000 ]
	figures one tcp-transmit retransmissions
	echo "$((after - before)) retransmissions"
	[ "$after" -gt "$before" ]
	[ "$(figures one tcp-transmit retransmissions)" -eq "$((after - before))" ]
}

# Prints what the kernel counts in a namespace, as NAME=COUNT.
counts_of() { "$1" nstat -asz TcpRetransSegs TcpExtTCPSynRetrans TcpExtTCPFastRetrans | awk '/^Tcp/ { print $1 "=" $2 }'; }

# How often the kernel has counted that, on both sides.
counted() { { on_client nstat -asz "$1" && on_server nstat -asz "$1"; } | awk '/^Tcp/ { sum += $2 } END { print sum }'; }

has_counted_more() { [ "$(counted "$1")" -gt "$2" ]; }

# A connection, and an answer of so many bytes. Each NUMBER-th packet to SIDE gets lost, until the kernel has counted that.
tcp_request_over_lossy_way() { # SIDE NUMBER SIZE COUNTER
	local before mending
	before=$(counted "$4")
	lose_each "$1" "$2"
	{ wait_until has_counted_more "$4" "$before" && "$1" nft delete table ip lossy; } &
	mending=$!
	tcp_requests 1 0 0 "$3" -- 1 1 "$3"
	wait "$mending"
}

has_connection() { [ -n "$(on_server ss -Htn state established sport = :5201)" ]; }

# All of an answer does so, for long enough that a timer runs out.
tcp_request_that_gets_no_answer() {
	local asking
	tcp_requests 1 0 1000 1000 -- 1 1 1000 &
	asking=$!
	wait_until has_connection
	lose_each on_client 1
	sleep 4
	on_client nft delete table ip lossy
	wait "$asking"
}

@test "what TCP sends again counts by why it does, as often as the kernel counts it" {
	# Else, what is sent again may be several segments.
	on_server ip link set dev veth0 gso_max_segs 1
	start_netstacklat one -e tcp-retransmit -g netns,retransmit
	# There, one program counts for both hooks.
	start_netstacklat both -e tcp-transmit,tcp-retransmit -g netns,retransmit
	tcp_request_over_lossy_way on_server 1 1 TcpExtTCPSynRetrans
	tcp_request_over_lossy_way on_client 1 1 TcpExtTCPSynRetrans
	tcp_request_over_lossy_way on_client 5 500000 TcpExtTCPFastRetrans
	tcp_request_that_gets_no_answer
	wait_until all_is_sent
	for run in one both; do
		stop_netstacklat $run
		in_reports $run requests.is_sent_again "$netns_client" "$(counts_of on_client)" syn
		in_reports $run requests.is_sent_again "$netns_server" "$(counts_of on_server)" syn-ack fast timeout
	done
}

# ADDRESS [APART]
assert_udp_answers() {
	start_netstacklat one -P 4000 -e udp-send
	start_receiver server "udp-serve${2-}" "$1" 4000 20 40
	on_client "$traffic" "udp-ask${2-}" "$1" 4000 20
	[ "$(receiver_result server)" -eq 20 ]
	stop_netstacklat one
	in_reports one requests.is_late udp-send 20 33
	# The client's, and the second packet of each answer.
	[ "$(figures one udp-send filtered)" -eq 40 ]
}

# bats test_tags=long
@test "an application that thinks is late itself by UDP, too" { assert_udp_answers "$server_ipv4"; }

# bats test_tags=long
@test "so it is over IPv6" { assert_udp_answers "$server_ipv6"; }

@test "so it is to each of many clients, whichever thread answers" {
	assert_udp_answers "$server_ipv4" -apart
	assert_udp_answers "$server_ipv6" -apart
}

# bats test_tags=long
@test "sockets are grouped by port, and by who answers" {
	start_netstacklat one -g port,comm -e "tcp-send,udp-send"
	tcp_requests 1 0 0 1 -- 1 10 1
	stop_netstacklat one
	in_reports one 'print(total["histograms"])'
	in_reports one 'assert [h["count"] for h in total["histograms"] if h["hook"] == "tcp-send" and h["group"].get("port") == 5201] == [10]'
}

# ADDRESS
assert_full_send_buffer_shows() {
	local traffic=tests/vm/traffic.py
	on_client ping -q -c 1 "$1"
	start_receiver filled udp-receive "$1" 4000 30
	start_netstacklat one -n "$netns_client" -e udp-transmit,udp-send
	measured_ns=$(on_client tests/vm/requests.py udp-fill "$1" 4000 30)
	stop_netstacklat one
	receiver_result filled
	in_reports one requests.takes udp-transmit 30 "$measured_ns"
}

# bats test_tags=long
@test "a sender by UDP whose send buffer is full waits for that, as long as it measures itself" {
	tc -n "$netns_client" qdisc add dev veth0 root tbf rate 500kbit burst 2000 limit 1mb
	assert_full_send_buffer_shows "$server_ipv4"
	assert_full_send_buffer_shows "$server_ipv6"
}

# bats test_tags=long
@test "what is corked is sent by its last write, and the kernel's answers are no thread's" {
	start_netstacklat one -e udp-transmit,raw-transmit
	on_client "$traffic" udp-cork "$server_ipv4" 4000 20 20
	on_client "$traffic" udp-cork "$server_ipv6" 4000 20 20
	on_client ping -q -c 3 -i 0.2 "$server_ipv4"
	on_client ping -q -c 4 -i 0.2 "$server_ipv6"
	stop_netstacklat one
	in_reports one requests.is_not_late udp-transmit 40 20
	in_reports one requests.counts_all udp-transmit 40
	in_reports one requests.counts_all raw-transmit 7
}

@test "segments are grouped and filtered by whether they come in order, as the kernel counts" {
	on_client ping -q -c 1 "$server_ipv4"
	on_client tc qdisc add dev veth0 root netem delay 5ms
	lose_each on_server 20
	start_netstacklat one -n "$netns_server" -P 5201 -e tcp-do-rcv -g sequence
	start_netstacklat two -n "$netns_server" -P 5201 -e tcp-do-rcv --sequence=behind-gap,received-before
	before=$(out_of_order)
	start_receiver server tcp-collect "$server_ipv4" 5201
	on_client "$traffic" tcp-pour "$server_ipv4" 5201 2000000
	[ "$(receiver_result server)" -eq 2000000 ]
	stop_netstacklat one
	stop_netstacklat two
	in_reports one requests.are_in_sequence $(($(out_of_order) - before))
	out_of_turn=$(in_reports one requests.count_out_of_turn)
	[ "$(figures two tcp-do-rcv count)" -eq "$out_of_turn" ]
}

# NAME's cookie, as ss shows it, of the socket that ss shows with these arguments.
cookie_of() { on_server ss -Hane "$@" | grep -o 'sk:[0-9a-f]*' | cut -d: -f2; }

# bats test_tags=long
@test "sockets are told apart by the cookies that ss shows, with their addresses" {
	is_linux_since 5.12 || skip "programs cannot tell before Linux 5.12"
	traffic=$PWD/tests/vm/traffic.py
	start_netstacklat one -n "$netns_server" -P 4000,4001,5201 -g socket --stages \
		-e udp-socket-read,tcp-socket-read,tx-ip,tx-start
	start_receiver four udp-receive "$server_ipv4" 4000 7
	start_receiver six udp-receive "$server_ipv6" 4001 5
	start_receiver tcp tcp-receive "$server_ipv4" 5201
	cookies="$(cookie_of -u "sport = :4000") $(cookie_of -u "sport = :4001")"
	on_client "$traffic" udp-send "$server_ipv4" 4000 7
	on_client "$traffic" udp-send "$server_ipv6" 4001 5
	on_client "$traffic" tcp-send "$server_ipv4" 5201 1000
	receiver_result four
	receiver_result six
	receiver_result tcp
	stop_netstacklat one
	# shellcheck disable=SC2086 # two words
	in_reports one requests.sockets_are $cookies
}

# bats test_tags=long
@test "the thread that reads is told from the one that answers" {
	start_netstacklat one -n "$netns_server" -P 5201 -g pid,tid -e "tcp-socket-read,tcp-send"
	tcp_requests 1 0 0 1 -- 1 10 1
	stop_netstacklat one
	in_reports one requests.threads_are_told_apart 10
}
