#!/usr/bin/env bats
# tcp-socket-read: each segment, however it is read, with its own stamp.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

# Sends segments of 100 bytes, MS apart, to a server that reads them as it is told: SEGMENTS MS HABIT ...
send_segments() {
	start_receiver server tcp-read "$server_ipv4" 5201 "${@:3}"
	on_client "$traffic" tcp-send-each "$server_ipv4" 5201 "$1" "$2"
	[ "$(receiver_result server)" -eq $((100 * $1)) ]
}

# All that were queued have been read; the FIN is one of them. The sender's own socket is left out by its port, but it may
# get a FIN when nobody reads it any more.
assert_all_read() {
	local queued read discarded unread
	read -r queued <<<"$(figures one tcp-socket-enqueued count)"
	read -r read discarded unread < <(figures one tcp-socket-read count discarded unread)
	echo "$queued segments queued, $read read, $discarded discarded, $unread unread"
	[ "$queued" -eq $(($1 + 1)) ]
	[ "$read" -eq "$queued" ]
	[ "$discarded" -eq "$unread" ]
	[ "$unread" -le 1 ]
}

@test "as many segments as were queued are read, over both families" {
	skip_where_reads_are_counted
	start_netstacklat one -P 5201 -e "tcp-socket-*"
	send_tcp 3000000
	stop_netstacklat one
	queued=$(figures one tcp-socket-enqueued count)
	read -r read not_remembered < <(figures one tcp-socket-read count not_remembered)
	echo "$queued segments queued, $read read, $not_remembered not remembered"
	[ "$read" -gt 0 ]
	[ $((read + not_remembered)) -eq "$queued" ]
}

# bats test_tags=long
@test "a peek is no read" {
	skip_where_reads_are_counted
	start_netstacklat one -P 5201 -e "tcp-socket-*"
	send_segments 53 5 peek
	stop_netstacklat one
	assert_all_read 53
}

# Who splices does not read the FIN, but sees that the other side has shut down.
# bats test_tags=long
@test "to splice from a socket is to read" {
	skip_where_reads_are_counted
	start_netstacklat one -e tcp-socket-read
	send_segments 53 5 splice
	stop_netstacklat one
	read -r read discarded unread < <(figures one tcp-socket-read count discarded unread)
	[ "$read" -eq 53 ]
	[ "$unread" -ge 1 ]
	[ "$discarded" -eq "$unread" ]
}

# bats test_tags=long
@test "to have data thrown away is to read" {
	skip_where_reads_are_counted
	start_netstacklat one -P 5201 -e "tcp-socket-*"
	send_segments 53 5 truncate
	stop_netstacklat one
	assert_all_read 53
}

# 41 segments, 50 ms apart, and nobody reads before all are there: the first has waited for two seconds and more, the one
# behind it for less, and so on. TCP merges them, with the newest stamp.
@test "a server that is late shows how late each segment is, not just the newest" {
	skip_where_reads_are_counted
	start_netstacklat one -P 5201 -k 2 -e "tcp-socket-*"
	send_segments 41 50 wait 1500 >"$tmp/sent"
	stop_netstacklat one
	assert_all_read 41
	in_reports one reads.each_is_as_late "$tmp/sent" "$tmp/server"
}

# bats test_tags=long
@test "segments beyond 128 that nobody reads are counted, and the oldest are recorded" {
	skip_where_reads_are_counted
	start_netstacklat one -P 5201 -e "tcp-socket-*"
	send_segments 149 5 wait 2500 >"$tmp/sent"
	stop_netstacklat one
	read -r read not_remembered < <(figures one tcp-socket-read count not_remembered)
	echo "$read read, $not_remembered not remembered"
	# The FIN is one more.
	[ "$read" -eq 128 ]
	[ "$not_remembered" -eq 22 ]
	[ "$(figures one tcp-socket-read first_bucket)" -gt 2000000000 ]
}

# Ten segments at a time, of which the first comes 45 ms before the last; and three.
# bats test_tags=long
@test "what a reader does not want before there is more has waited since there is" {
	skip_where_reads_are_counted
	start_netstacklat one -P 5201 -e "tcp-socket-*"
	send_segments 53 5 enough
	stop_netstacklat one
	assert_all_read 53
	[ "$(figures one tcp-socket-read max_le_ns)" -lt 4000000 ]
}

# bats test_tags=long
@test "a reader that is late is so also if there is as much as it wants, but only since there is" {
	skip_where_reads_are_counted
	start_netstacklat one -P 5201 -k 2 -e "tcp-socket-*" --stages --slow=100ms
	send_segments 10 50 enough 1000
	stop_netstacklat one
	assert_all_read 10
	read -r least most < <(figures one tcp-socket-read first_bucket max_le_ns)
	echo "read $least to $most ns late"
	[ "$least" -gt 300000000 ]
	[ "$most" -lt 800000000 ]
	in_reports one 'assert packets and all(300e6 < packet["latency_ns"] < 800e6 for packet in packets), packets'
}

# bats test_tags=long
@test "a socket that is connected anew starts anew" {
	skip_where_reads_are_counted
	start_netstacklat one -e "tcp-socket-*"
	# What was not read of the first connection is gone with it.
	on_server "$traffic" tcp-reconnect "$server_ipv4" 5201 >"$tmp/reconnect"
	stop_netstacklat one
	cat "$tmp/reconnect"
	read -r read unread < <(figures one tcp-socket-read count unread)
	echo "$read read, $unread unread"
	[ "$read" -eq 1 ]
	[ "$unread" -ge 5 ]
	[ "$(figures one tcp-socket-read max_le_ns)" -lt 4000000000 ]
}

# All segments that were queued are read or discarded, once no connection is left but those that wait for nothing but
# time to pass.
connections_are_gone() {
	local still='grep -hE "^TCP6?: inuse [1-9]" /proc/net/sockstat /proc/net/sockstat6'
	! on_server sh -c "$still" && ! on_client sh -c "$still"
}

# Makes CONNECTIONS that end in a way when 2 of 5 segments have been read, on both sides of one ADDRESS.
end_connections() {
	start_netstacklat one -e "tcp-socket-*"
	on_server "$traffic" tcp-end "$1" 5201 "$2" 5 2 "$3"
	wait_until connections_are_gone
	stop_netstacklat one
	read -r queued <<<"$(figures one tcp-socket-enqueued count)"
	read -r read discarded unread < <(figures one tcp-socket-read count discarded unread)
	echo "$queued segments queued, $read read, $discarded discarded, $unread unread"
	[ $((read + discarded)) -eq "$queued" ]
	[ "$read" -eq $((2 * $2)) ]
	[ "$discarded" -eq "$unread" ]
}

# bats test_tags=long
@test "what is not read of a connection that is closed is counted" {
	skip_where_reads_are_counted
	end_connections "$server_ipv4" 300 close
	[ "$unread" -ge 900 ]
}

# bats test_tags=long
@test "what is not read of a connection that is reset or disconnected is counted" {
	skip_where_reads_are_counted
	end_connections "$server_ipv4" 53 reset
	[ "$unread" -ge 159 ]
	end_connections "$server_ipv6" 53 disconnect
	[ "$unread" -ge 159 ]
}

# What the kernel has received, and connections that it has accepted: of the server's namespace, as SNMP counts.
# shellcheck disable=SC2016 # the variables are awk's
received() { on_server awk '$1 == "Tcp:" { n++ } n == 2 { print $11, $7; exit }' /proc/net/snmp; }
# What the kernel keeps for its own objects, and netstacklat one has in memory.
memory_kb() { awk '/^(SUnreclaim|VmRSS):/ { print $2 }' /proc/meminfo "/proc/$(cat "$tmp/one.pid")/status" | xargs; }

# As fast as one process makes them. Kept for each, a segment's stamp, stages and journey would take 100 MB.
# bats test_tags=long
@test "of 10000 connections, all segments are accounted for, and no memory stays taken" {
	skip_where_reads_are_counted
	start_netstacklat one -n "$netns_server" -e "tcp-*" --stages --slow=60s
	read -r segments connections <<<"$(received)"
	# So that all is there by then that the kernel, and netstacklat, make but once: of each report, the second one, too.
	on_server "$traffic" tcp-end "$server_ipv4" 5201 10000 1 1 reset
	wait_for_reports one 2
	read -r kernel_before own_before <<<"$(memory_kb)"
	seconds=$SECONDS
	on_server "$traffic" tcp-end "$server_ipv4" 5201 10000 1 1 reset
	seconds=$((SECONDS - seconds))
	wait_until connections_are_gone
	read -r kernel_after own_after <<<"$(memory_kb)"
	stop_netstacklat one
	read -r segments_after connections_after <<<"$(received)"
	echo "10000 connections in $seconds s; kB of the kernel: $kernel_before, then $kernel_after; our own: $own_before, then $own_after"
	[ $((connections_after - connections)) -eq 20000 ]
	[ "$(figures one tcp-start count discarded)" = "$((segments_after - segments)) 0" ]
	[ "$(figures one tcp-socket-enqueued count discarded)" = "20000 0" ]
	[ "$(figures one tcp-socket-read count discarded)" = "20000 0" ]
	[ $((kernel_after - kernel_before)) -lt 10000 ]
	[ $((own_after - own_before)) -lt 1000 ]
}

# Where numbers of 32 bits change their sign, and where they wrap.
sequence_limits=($((1 << 31)) $((1 << 32)))

# Each is late, as nobody reads before all are there.
# bats test_tags=long
@test "segments around a wrap of sequence numbers are read in their order, each with its stages and journey" {
	skip_where_reads_are_counted
	for limit in "${sequence_limits[@]}"; do
		start_netstacklat one -P 5201 -e "tcp-socket-*" --stages --slow=500ms --slow-limit=10000
		start_receiver server tcp-read "$server_ipv4" 5201 wait 600
		on_client "$traffic" tcp-send-each "$server_ipv4" 5201 53 5 $((limit - 2650))
		[ "$(receiver_result server)" -eq 5300 ]
		stop_netstacklat one
		assert_all_read 53
		in_reports one slow.segments_are_late 53
		in_reports one 'assert not any(total["unpaired"].values()), total["unpaired"]'
	done
}

# A stream of which some segments are lost on their way to the server, who reads: [SEQ]
send_tcp_with_losses() {
	on_client tc qdisc replace dev veth0 root netem delay 20ms
	lose_each on_server 20
	start_receiver lossy tcp-receive "$server_ipv4" 5201
	on_client "$traffic" tcp-send "$server_ipv4" 5201 2000000 0 "$@"
	[ "$(receiver_result lossy)" -eq 2000000 ]
}

assert_losses_are_left_out() {
	start_netstacklat without -e "tcp-socket-*" -P 5201
	start_netstacklat with -y -e "tcp-socket-*" -P 5201
	send_tcp_with_losses "$@"
	stop_netstacklat without
	stop_netstacklat with

	read -r queued <<<"$(figures without tcp-socket-enqueued count)"
	read -r without filtered not_remembered < <(figures without tcp-socket-read count filtered not_remembered)
	read -r with discarded max_with < <(figures with tcp-socket-read count filtered max_le_ns)
	echo "$queued queued; $without read without -y, and $with with it, at most $max_with ns late"
	[ "$without" -gt 0 ]
	[ "$(figures without tcp-socket-read mean_ns)" -lt "$(figures with tcp-socket-read mean_ns)" ]
	if remembers_segments; then
		[ $((without + not_remembered)) -eq "$queued" ]
		[ "$with" -gt "$without" ]
		# The round trip of 20 ms that a retransmission takes is in one.
		[ "$max_with" -gt 16000000 ]
	else
		# A call counts with the newest stamp of all that it reads.
		[ "$filtered" -gt 0 ]
		[ "$discarded" -eq 0 ]
	fi
}

@test "data that waited behind a lost segment is left out, but for -y" { assert_losses_are_left_out; }

# bats test_tags=long
@test "so it is around a wrap of sequence numbers" {
	for limit in "${sequence_limits[@]}"; do
		assert_losses_are_left_out $((limit - 1000000))
	done
}
