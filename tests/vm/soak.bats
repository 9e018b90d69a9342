#!/usr/bin/env bats
# bats file_tags=races
# All that may go on around a netstacklat that runs for long, at once: what it counts stays exact, what it keeps stays
# small, and nothing is left of it.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	port=9719
	soak_s=${SOAK_SECONDS-80}
	soak=(tests/vm/soak.py "$soak_s")
	netns_up
	tai_before=$(tests/vm/tai.py)
	count_kernel_runs
	whats_there >"$tmp/before"
	for group in soak soak-exporter; do
		make_cgroup /$group
	done
}

teardown() {
	echo 1 | tee /sys/devices/system/cpu/cpu*/online >/dev/null
	stop_everything
	remove_cgroup /soak
	remove_cgroup /soak-exporter
}

# COMMAND...: goes on beside the others.
disturbers=()
disturb() {
	"$@" 2>"$tmp/disturber-${#disturbers[@]}" 3>&- &
	disturbers+=("$!")
}

# Waits for all of them, each of which must have got through.
end_disturbance() {
	local i failed=0
	for i in "${!disturbers[@]}"; do
		wait "${disturbers[i]}" || { failed=1; cat "$tmp/disturber-$i"; }
	done
	[ "$failed" -eq 0 ]
}

# The least of five seconds: a page that is asked for takes some 2 MB while it is sent.
least_resident_kb() {
	for _ in {1..10}; do
		resident_kb "$1"
		sleep 0.5
	done | sort -n | head -n 1
}

# What outlives a process only if another one, or the kernel, holds it.
whats_there() {
	bpftool link show | grep -c "^[0-9]" || true
	bpftool prog show | grep -c "^[0-9]" || true
	bpftool map show | grep -c "^[0-9]" || true
	find /sys/fs/bpf -mindepth 1
	sed -n 's/^sockets: used/sockets/p' /proc/net/sockstat
	grep -slx "Name:.netstacklat" /proc/[0-9]*/status || true
}

is_as_before() { whats_there | diff "$tmp/before" -; }

# As the service does, it may use no more than this.
limit_exporter() {
	echo "+memory" >"$cgroup_mount/cgroup.subtree_control"
	sed -n 's/^MemoryMax=//p' contrib/netstacklat.service >"$cgroup_mount/soak-exporter/memory.max"
	cat "$tmp/exporter.pid" >"$cgroup_mount/soak-exporter/cgroup.procs"
}

# A line now and then, and the rest when all is over: netstacklat waits for its reader when it ends.
read_slowly() {
	while sleep 1 && [ ! -e "$tmp/over" ]; do
		read -r
	done
	touch "$tmp/drained"
	cat >/dev/null
}

# bats test_tags=long
@test "under all that disturbs, counts stay exact, memory stays flat, and nothing is left" {
	mkfifo "$tmp/stalled"
	read_slowly <>"$tmp/stalled" 3>&- &
	echo $! >"$tmp/stalled.pid"
	launch_netstacklat one -r 1 -e udp-queue-rcv,udp-socket-enqueued -P 4000 -g port
	launch_netstacklat staged -r 1 --stages -e udp-queue-rcv,udp-socket-enqueued,udp-socket-read -P 4000
	launch_netstacklat each -r 1 --slow=1ns --slow-limit=1000000 -e udp-queue-rcv,udp-socket-enqueued -P 4000
	# Rows stay taken: with so few, none is left soon, and memory grows no more.
	launch_netstacklat exporter -o none --listen="$port" -d udp-queue-rcv,udp-socket-enqueued,ip-rcv --stages --wakeups \
		-g cgroup,comm,netns,interface --max-groups=1000 --forget=10s
	./netstacklat -e ip-rcv,drop --slow=10ms -o text 0.5 >"$tmp/stalled" 2>"$tmp/slow.err" 3>&- &
	echo $! >"$tmp/slow.pid"
	launch_netstacklat killed -e tcp-start -r 1
	for name in one staged each exporter slow killed; do
		wait_for_netstacklat $name
	done
	limit_exporter

	on_server tests/vm/soak.py inf serve "$server_ipv4" 4000 >"$tmp/serve" 3>&- &
	echo $! >"$tmp/serve.pid"
	wait_until grep -q ready "$tmp/serve"
	disturb on_client "${soak[@]}" flood "$server_ipv4" 4000
	disturb "${soak[@]}" interfaces "$netns_server"
	disturb "${soak[@]}" namespaces
	disturb "${soak[@]}" processes "$cgroup_mount/soak"
	disturb "${soak[@]}" clocks
	disturb "${soak[@]}" cpus
	disturb "${soak[@]}" stops "$(cat "$tmp/one.pid")" "$(cat "$tmp/each.pid")" "$(cat "$tmp/slow.pid")"
	disturb "${soak[@]}" scrapes "$port"
	sleep $((soak_s / 2))
	half_kb=$(least_resident_kb exporter)
	kill -KILL "$(cat "$tmp/killed.pid")"
	end_disturbance
	end_kb=$(least_resident_kb exporter)

	echo "exporter: $half_kb kB after half of the time, $end_kb kB at the end"
	for hook in udp-queue-rcv udp-socket-enqueued; do
		# Of all three that count there.
		kernel_runs one $hook >"$tmp/$hook.runs"
	done
	cat "$cgroup_mount/soak-exporter/memory.events"
	grep -q "^oom_kill 0" "$cgroup_mount/soak-exporter/memory.events"
	touch "$tmp/over"
	wait_until test -e "$tmp/drained"
	stop_all_netstacklats one staged each exporter slow || { tail -n 5 "$tmp"/*.err; false; }
	for name in one staged each; do
		for hook in udp-queue-rcv udp-socket-enqueued; do
			in_reports $name soak.all_are_counted "$hook" "$(cat "$tmp/$hook.runs")" 3
		done
	done
	in_reports staged soak.all_have_stages
	in_reports each soak.all_are_told
	# In 80 s, that shows a leak of 100 kB a second.
	[ $((end_kb - half_kb)) -le 4096 ]
	kill "$(cat "$tmp/serve.pid")" "$(cat "$tmp/stalled.pid")"
	wait_until is_as_before
	run ./netstacklat --check -e udp-start
	grep -q "receive time stamps  *off" <<<"$output"
}
