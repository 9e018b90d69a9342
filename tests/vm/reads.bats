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

skip_where_reads_are_counted() {
	remembers_segments || skip "before Linux 5.11, calls that read are counted, not segments"
}

# Sends segments of 100 bytes, MS apart, to a server that reads them as it is told: SEGMENTS MS HABIT ...
send_segments() {
	start_receiver server tcp-read "$server_ipv4" 5201 "${@:3}"
	on_client "$traffic" tcp-send-each "$server_ipv4" 5201 "$1" "$2"
	[ "$(receiver_result server)" -eq $((100 * $1)) ]
}

# All that were queued have been read; the FIN is one of them. The sender's own socket, which may get a FIN when nobody
# reads it any more, is left out by its port.
assert_all_read() {
	read -r queued <<<"$(figures one tcp-socket-enqueued count)"
	read -r read discarded < <(figures one tcp-socket-read count discarded)
	echo "$queued segments queued, $read read, $discarded discarded"
	[ "$queued" -eq $(($1 + 1)) ]
	[ "$read" -eq "$queued" ]
	[ "$discarded" -eq 0 ]
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

@test "a peek is no read" {
	skip_where_reads_are_counted
	start_netstacklat one -P 5201 -e "tcp-socket-*"
	send_segments 53 5 peek
	stop_netstacklat one
	assert_all_read 53
}

# Who splices does not read the FIN, but sees that the other side has shut down.
@test "to splice from a socket is to read" {
	skip_where_reads_are_counted
	start_netstacklat one -e tcp-socket-read
	send_segments 53 5 splice
	stop_netstacklat one
	[ "$(figures one tcp-socket-read count discarded)" = "53 0" ]
}

@test "to have data thrown away is to read" {
	skip_where_reads_are_counted
	start_netstacklat one -P 5201 -e "tcp-socket-*"
	send_segments 53 5 truncate
	stop_netstacklat one
	assert_all_read 53
}

# Reads 53 segments in a way of tests/vm/odd_reads.py, if this kernel knows it: WAY [BYTES each]
read_in_way() {
	skip_where_reads_are_counted
	local result traffic=$PWD/tests/vm/odd_reads.py
	start_netstacklat one -P 5201 -e "tcp-socket-*"
	start_receiver server receive "$1" "$server_ipv4" 5201 53
	on_client "$traffic" send "$1" "$server_ipv4" 5201 53 5 || true
	result=$(receiver_result server)
	[[ $result != cannot* ]] || skip "$1: $result"
	stop_netstacklat one
	read -r queued <<<"$(figures one tcp-socket-enqueued count)"
	read -r read discarded < <(figures one tcp-socket-read count discarded)
	echo "$result bytes in $queued segments queued, $read read, $discarded discarded"
	[ "$result" -eq $((53 * ${2-100})) ]
	[ "$queued" -ge 54 ]
	[ "$discarded" -eq 0 ]
}

# Not each way reads the FIN.
assert_way_counts() {
	read_in_way "$@"
	[ "$read" -ge $((queued - 1)) ]
	[ "$read" -le "$queued" ]
}

@test "to send from a socket to a pipe is to read" { assert_way_counts sendfile; }
@test "to map a socket's pages is to read" { assert_way_counts zerocopy-pages 4096; }
@test "to receive by io_uring is to read" { assert_way_counts uring; }
@test "one request to io_uring for all that comes is to read" { assert_way_counts multishot; }
@test "io_uring's bundles are read" { assert_way_counts bundle; }
@test "what TLS in the kernel reads is read" { assert_way_counts tls; }
@test "what the kernel reads for itself is read" { assert_way_counts kernel; }

# As the man page says.
@test "of MPTCP, no segment is counted twice" {
	read_in_way mptcp
	[ "$read" -gt 0 ]
	[ "$read" -le "$queued" ]
}

# 41 segments, 50 ms apart, and nobody reads before all are there: the first has waited for 2 s, the one behind it
# for 1.95 s, and so on. TCP merges them, with the newest stamp.
@test "a server that is late shows how late each segment is, not just the newest" {
	skip_where_reads_are_counted
	start_netstacklat one -P 5201 -k 2 -e "tcp-socket-*"
	send_segments 41 50 wait 4200
	stop_netstacklat one
	assert_all_read 41
	in_reports one '
		waits_s = sorted(4.2 - 0.05 * i for i in range(41))
		shown = histogram(total, "tcp-socket-read")
		print(shown["buckets"], shown["mean_ns"] / 1e9, sum(waits_s) / 41)
		# The FIN came last. An emulated machine may be late itself, but not by half a second.
		assert sum(waits_s) / 42 - 0.5 < shown["mean_ns"] / 1e9 < sum(waits_s) / 42 + 0.5
		for wait_s in waits_s[::5]:
		    later = sum(count for le, count in buckets(total, "tcp-socket-read").items() if le >= (wait_s - 0.5) * 1e9)
		    assert later >= sum(1 for other in waits_s if other >= wait_s), wait_s
	'
}

@test "segments beyond 128 that nobody reads are counted, and the oldest are recorded" {
	skip_where_reads_are_counted
	start_netstacklat one -P 5201 -e "tcp-socket-*"
	send_segments 149 5 wait 3000
	stop_netstacklat one
	read -r read discarded not_remembered < <(figures one tcp-socket-read count discarded not_remembered)
	echo "$read read, $discarded discarded"
	# The FIN comes when some have been read, or not.
	[ $((read + discarded)) -eq 150 ]
	[ "$read" -ge 128 ]
	[ "$read" -le 129 ]
	[ "$discarded" -eq "$not_remembered" ]
	# The last 21 have waited for less than the others.
	[ "$(figures one tcp-socket-read first_bucket)" -gt 1000000000 ] || [ "$read" -eq 129 ]
}

@test "a socket that is connected anew starts anew" {
	skip_where_reads_are_counted
	start_netstacklat one -e "tcp-socket-*"
	# What was not read of the first connection is gone with it.
	on_server "$traffic" tcp-reconnect "$server_ipv4" 5201 >"$tmp/reconnect"
	stop_netstacklat one
	cat "$tmp/reconnect"
	read -r read discarded < <(figures one tcp-socket-read count discarded)
	echo "$read read, $discarded discarded"
	[ "$discarded" -eq 0 ]
	[ "$read" -eq 1 ]
	[ "$(figures one tcp-socket-read max_le_ns)" -lt 4000000000 ]
}

# A stream of which some segments are lost on their way to the server, who reads.
send_tcp_with_losses() {
	on_client tc qdisc add dev veth0 root netem loss 5% delay 20ms
	start_receiver lossy tcp-receive "$server_ipv4" 5201
	on_client "$traffic" tcp-send "$server_ipv4" 5201 2000000
	[ "$(receiver_result lossy)" -eq 2000000 ]
}

@test "data that waited behind a lost segment is left out, but for -y" {
	start_netstacklat without -e "tcp-socket-*" -P 5201
	start_netstacklat with -y -e "tcp-socket-*" -P 5201
	send_tcp_with_losses
	stop_netstacklat without
	stop_netstacklat with

	read -r queued <<<"$(figures without tcp-socket-enqueued count)"
	read -r without filtered not_remembered < <(figures without tcp-socket-read count filtered not_remembered)
	read -r with discarded max_with < <(figures with tcp-socket-read count filtered max_le_ns)
	echo "$queued queued; $without read without -y, and $with with it, at most $max_with ns late"
	# The round trip of 20 ms that a retransmission takes is in one.
	[ "$max_with" -gt 16000000 ]
	[ "$without" -gt 0 ]
	[ "$(figures without tcp-socket-read mean_ns)" -lt "$(figures with tcp-socket-read mean_ns)" ]
	if remembers_segments; then
		[ $((without + not_remembered)) -eq "$queued" ]
		[ "$with" -gt "$without" ]
	else
		[ "$filtered" -gt 0 ]
		[ "$discarded" -eq 0 ]
	fi
}

