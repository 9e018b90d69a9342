#!/usr/bin/env bats
# --overhead: what the programs cost, as the kernel counts it, and that it counts no longer than asked to.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	[ "$(cat /proc/sys/kernel/bpf_stats_enabled)" -eq 0 ] || skip "this host counts runs already"
}

teardown() {
	stop_everything
}

# bats test_tags=long
@test "each program ran once for each packet, for as long as the kernel says, and intervals add up" {
	start_netstacklat one -j --overhead -r 0.2 -e "udp-*"
	send_udp 503
	wait_until sh -c "[ \$(wc -l <$tmp/one.out) -ge 2 ]"
	send_udp 499
	bpftool -j prog show >"$tmp/kernel"
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one overhead.as_the_kernel_counts "$tmp/kernel" $((503 + 499))
}

# bats test_tags=long
@test "text and OpenMetrics tell the same" {
	launch_netstacklat text -o text --overhead -e udp-start,udp-socket-enqueued
	launch_netstacklat metrics -o openmetrics --overhead -e udp-socket-enqueued -g port
	wait_for_netstacklat text
	wait_for_netstacklat metrics
	send_udp 101
	stop_all_netstacklats text metrics

	cat "$tmp/text.out"
	# Of the total, the last numbers of each line: runs, ns a run, runs a second, and % of one CPU.
	sed -n '/  total /,$p' "$tmp/text.out" >"$tmp/total"
	grep -qE '^udp-start +udp_rcv +101( +[0-9.]+){3}$' "$tmp/total"
	grep -qE '^udp-socket-enqueued __udp_enqueue_schedule_skb +101( +[0-9.]+){3}$' "$tmp/total"
	grep -qE '^sum +303( +[0-9.]+){3}$' "$tmp/total"
	[ "$(wc -L <"$tmp/total")" -le 80 ]
	sed -n '/total{.*program=/p' "$tmp/metrics.out"
	for labels in '{hook="udp-socket-enqueued",program="__udp_enqueue_schedule_skb"}' \
		'{hook="udp-queue-rcv",program="udp_queue_rcv_one_skb"}'; do
		grep -qxF "netstacklat_program_runs_total$labels 101" "$tmp/metrics.out"
		grep -qE "^netstacklat_program_run_seconds_total$labels 0\.[0-9]*[1-9]$" "$tmp/metrics.out"
	done
}

# bats test_tags=long
@test "a program that only keeps what another hook needs has its cost told, too, in every report" {
	remembers_segments || skip "before Linux 5.11, no program does that"
	start_netstacklat one -j --overhead -r 0.2 -e tcp-socket-read
	send_tcp 100000
	wait_until sh -c "[ \$(wc -l <$tmp/one.out) -ge 2 ]"
	stop_netstacklat one
	tests/validate-json <"$tmp/one.out"
	in_reports one overhead.of_tcp_socket_read
}

# How often the kernel says that the program of another netstacklat ran.
runs_of_other() { kernel_count run_cnt udp_rcv; }

# bats test_tags=long
@test "the kernel counts runs for as long as such a netstacklat runs, and nobody's setting is changed" {
	start_netstacklat other -e udp-start
	send_udp 11
	[ "$(runs_of_other)" -eq 0 ]

	start_netstacklat one --overhead -e udp-socket-read
	send_udp 13
	[ "$(cat /proc/sys/kernel/bpf_stats_enabled)" -eq 0 ]
	[ "$(runs_of_other)" -eq 13 ]
	stop_netstacklat one
	send_udp 17
	[ "$(runs_of_other)" -eq 13 ]

	start_netstacklat killed --overhead -e udp-socket-read
	send_udp 19
	[ "$(runs_of_other)" -eq $((13 + 19)) ]
	kill -KILL "$(cat "$tmp/killed.pid")"
	wait "$(cat "$tmp/killed.pid")" || [ $? -eq 137 ]
	send_udp 23
	[ "$(runs_of_other)" -eq $((13 + 19)) ]
	[ "$(cat /proc/sys/kernel/bpf_stats_enabled)" -eq 0 ]
	stop_netstacklat other
	[ "$(figures other udp-start count)" -eq $((11 + 13 + 17 + 19 + 23)) ]
}

@test "without CAP_SYS_ADMIN, one sentence says that it takes that" {
	capabilities=+bpf,+perfmon,+sys_resource
	run -0 tests/as-nobody --inh-caps=$capabilities --ambient-caps=$capabilities -- 0.2 1
	run -1 tests/as-nobody --inh-caps=$capabilities --ambient-caps=$capabilities -- --overhead 0.2 1
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == "netstacklat: --overhead needs CAP_SYS_ADMIN, "* ]]
}
