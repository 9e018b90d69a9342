#!/usr/bin/env bats
# bats file_tags=long,races
# tcp-socket-read: the less usual ways of reading. They take minutes, so only make check-all runs these.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

# Reads 53 segments in a way of tests/vm/odd_reads.py, if this kernel knows it: WAY [BYTES each]. $readers are those
# that have read, as PID:COMM.
read_in_way() {
	skip_where_reads_are_counted
	local result traffic=$PWD/tests/vm/odd_reads.py
	start_netstacklat one -P 5201 -e "tcp-socket-*"
	start_netstacklat two -P 5201 -e tcp-socket-read -g pid,comm --slow=1ns --slow-limit=10000
	start_receiver server receive "$1" "$server_ipv4" 5201 53
	on_client "$traffic" send "$1" "$server_ipv4" 5201 53 5 || true
	result=$(receiver_result server)
	[[ $result != cannot* ]] || skip "$1: $result"
	stop_all_netstacklats one two
	readers=$(in_reports two reads.print_readers)
	echo "read by $readers"
	read -r queued <<<"$(figures one tcp-socket-enqueued count)"
	read -r read discarded unread < <(figures one tcp-socket-read count discarded unread)
	echo "$result bytes in $queued segments queued, $read read, $discarded discarded, $unread unread"
	[ "$result" -eq $((53 * ${2-100})) ]
	# The FIN comes behind them, or on the last of them.
	[ "$queued" -ge 53 ]
	# What is unread is counted with all filters: the client's FIN, too.
	[ "$discarded" -eq "$unread" ]
	[ $((read + unread - queued)) -ge 0 ]
	[ $((read + unread - queued)) -le 1 ]
}

# Not each way reads the FIN.
assert_way_counts() {
	read_in_way "$@"
	[ "$read" -ge $((queued - 1)) ]
	[ "$read" -le "$queued" ]
}

receiver_pid() { sed -n "s/^ready //p" "$tmp/server"; }

# It is whom -g pid and --slow name.
assert_receiver_reads() {
	[[ $readers == "$(receiver_pid):"* && $readers != *" "* ]]
}

assert_receiver_counts() {
	assert_way_counts "$@"
	assert_receiver_reads
}

@test "to send from a socket to a pipe is to read" { assert_receiver_counts sendfile; }
@test "to map a socket's pages is to read" { assert_receiver_counts zerocopy-pages 4096; }
@test "to receive by io_uring is to read" { assert_receiver_counts uring; }
# What is there already: what is not, the process itself reads when it has come (Linux 6.1).
@test "io_uring's workers read, each a thread of the process" {
	assert_way_counts uring-worker
	[ -n "$readers" ]
	for reader in $readers; do
		[[ $reader == "$(receiver_pid):iou-wrk-"* ]]
	done
}
@test "one request to io_uring for all that comes is to read" { assert_receiver_counts multishot; }
@test "io_uring's bundles are read" { assert_receiver_counts bundle; }
@test "what TLS in the kernel reads is read" { assert_receiver_counts tls; }

# Most of it in a softirq, within whatever task that interrupts: here, the sender.
@test "what the kernel reads for itself is read by no process, or by a worker of its own" {
	assert_way_counts kernel
	for reader in $readers; do
		[[ $reader == None:None || $reader == *:kworker/* ]]
	done
}

# As the man page says.
@test "of MPTCP, no segment is counted twice" {
	read_in_way mptcp
	assert_receiver_reads
	[ "$read" -gt 0 ]
	[ "$read" -le "$queued" ]
}
