#!/usr/bin/env bats
# bats file_tags=races
# Packets that the kernel shows to no program, as it skips a program that would interrupt itself.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	debugfs=$BATS_TEST_TMPDIR/debugfs
	preempt=$debugfs/sched/preempt
	preempt_before=
}

teardown() {
	[ -z "$preempt_before" ] || echo "$preempt_before" >"$preempt"
	! mountpoint -q "$debugfs" || umount "$debugfs"
	stop_everything
}

# Lets tasks preempt each other inside the kernel, too, where that can be chosen (PREEMPT_DYNAMIC).
preempt_in_kernel() {
	local models
	mkdir "$debugfs"
	mount -t debugfs debugfs "$debugfs" || return 0
	models=$(cat "$preempt") || return 0
	preempt_before=${models#*\(} preempt_before=${preempt_before%\)*}
	echo full >"$preempt"
	echo "preemption: $(cat "$preempt"), before: $models"
}

# Has one reader preempt another again and again, and adds to the number of times that both read.
read_with_preemption() {
	start_receiver readers udp-preempt "$server_ipv4" 4000 500
	on_client "$traffic" udp-send "$server_ipv4" 4000 1
	on_client "$traffic" udp-send "$server_ipv4" 4001 500 1
	reads=$((reads + $(receiver_result readers)))
	packets=$((packets + 501))
}

# bats test_tags=long
@test "reads that preempt a read, and so are missed, are counted as the kernel counts them" {
	preempt_in_kernel
	launch_netstacklat one -r 0.5 -e udp-socket-read
	launch_netstacklat two -r 0.5 -e udp-socket-read -P 4001 -g port
	wait_for_netstacklat one
	wait_for_netstacklat two
	reads=0 packets=0 missed=0
	# It takes an interrupt in the midst of a program, which is up to chance.
	for _ in 1 2 3; do
		read_with_preemption
		missed=$(misses_of skb_consume_udp)
		[ "$missed" -eq 0 ] || break
	done
	stop_all_netstacklats one two

	for name in one two; do
		in_reports "$name" misses.reads_are_accounted_for "$reads" "$packets" >"$tmp/$name.missed"
	done
	echo "the kernel skipped $missed"
	[ $(($(cat "$tmp/one.missed") + $(cat "$tmp/two.missed"))) -eq "$missed" ]
	[ "$missed" -gt 0 ] || skip "this kernel skipped no program, so that nothing was seen of that"
}

# QRTR queues by the same function as raw sockets, in process context, which their softirq interrupts.
# bats test_tags=long
@test "packets that interrupt the programs of other sockets are missed, and not given their stamps" {
	[ "$(nproc)" -ge 2 ] || skip "it takes a second CPU to be interrupted by"
	"$traffic" qrtr-to-self 1 >"$tmp/qrtr" 2>&1 3>&- &
	echo $! >"$tmp/qrtr.pid"
	wait_until test -s "$tmp/qrtr"
	grep -q ready "$tmp/qrtr" || skip "no QRTR: $(tail -n 1 "$tmp/qrtr")"
	on_server sh -c "echo 2 >/sys/class/net/veth0/queues/rx-0/rps_cpus"
	start_netstacklat one -e raw-socket-enqueued
	packets=0
	for _ in 1 2 3; do
		start_receiver raw raw-receive "$server_ipv4" 500
		on_client taskset -c 0 "$traffic" raw-send "$server_ipv4" 500 3
		packets=$((packets + $(receiver_result raw)))
		missed=$(misses_of __sock_queue_rcv_skb __sock_queue_rcv_skb__entry)
		[ "$missed" -eq 0 ] || break
	done
	stop_netstacklat one

	read -r count discarded misses < <(figures one raw-socket-enqueued count discarded recursion_misses)
	echo "$packets packets, of which the kernel skipped $missed; $count counted, $discarded discarded, $misses missed"
	[ "$count $discarded" = "$((packets - misses)) $misses" ]
	# With PREEMPT_RT, packets come between the entry and the return of others, too.
	[[ $(uname -v) == *PREEMPT_RT* ]] || [ "$misses" -eq "$missed" ]
	[ "$misses" -ge "$missed" ]
	[ "$missed" -gt 0 ] || skip "this kernel skipped no program, so that nothing was seen of that"
}
