# shellcheck shell=bash
# What the tests on a real kernel share, to be sourced in setup(), and by the demo.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=tests/netns.sh
source tests/netns.sh

traffic=$PWD/tests/vm/traffic.py
# In setup_file(), there is no test yet. The demo has its own.
tmp=${tmp:-${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}}

# The time of the machine that the VM runs on: in virtual time, that of the VM itself runs ahead while it reads files.
host_seconds() { cat /sys/class/rtc/rtc0/since_epoch 2>/dev/null || date +%s; }

# How long all CPUs have worked, polling included, in seconds: on a busy machine, a VM gets to do little in a minute.
seconds_worked() {
	local user nice system irq softirq
	read -r _ user nice system _ _ irq softirq _ </proc/stat
	echo $(((user + nice + system + irq + softirq) / 100))
}

# Polls until a command succeeds; emulated machines are slow, so it is patient.
wait_until() {
	local end=$(($(host_seconds) + 60)) end_of_work=$(($(seconds_worked) + 15))
	until "$@" 2>/dev/null; do
		if [ "$(host_seconds)" -ge "$end" ] && [ "$(seconds_worked)" -ge "$end_of_work" ]; then
			echo "waited in vain for: $*" >&2
			return 1
		fi
		sleep 0.1
	done
}

# Starts $netstacklat as NAME with further arguments and returns once it counts. The reports, JSON unless the
# arguments say otherwise, go to $tmp/NAME.out, and what it says to $tmp/NAME.err.
netstacklat=./netstacklat
start_netstacklat() {
	launch_netstacklat "$@"
	wait_for_netstacklat "$1"
}

# The same in two steps: several start up in less time at once.
launch_netstacklat() {
	local name=$1
	shift
	"$netstacklat" -v -j "$@" >"$tmp/$name.out" 2>"$tmp/$name.err" 3>&- &
	echo $! >"$tmp/$name.pid"
}

wait_for_netstacklat() {
	wait_until grep -q measuring "$tmp/$1.err" || { cat "$tmp/$1.err"; return 1; }
}

# Ends NAME with SIGINT and returns its exit status.
stop_netstacklat() {
	local pid
	pid=$(cat "$tmp/$1.pid")
	kill -INT "$pid"
	wait "$pid"
}

# Ends several, each with status 0.
stop_all_netstacklats() {
	local name
	for name in "$@"; do
		kill -INT "$(cat "$tmp/$name.pid")"
	done
	for name in "$@"; do
		wait "$(cat "$tmp/$name.pid")" || return
	done
}

# How many there are so far, and waiting for a number of them: each is a line.
reports() { wc -l <"$tmp/$1.out"; }
has_reports() { [ "$(reports "$1")" -ge "$2" ]; }
wait_for_reports() { wait_until has_reports "$@"; }

# Calls a function on the reports of NAME, with arguments, or runs a line of Python: see tests/vm/in-reports.
in_reports() { tests/vm/in-reports "${@:2}" <"$tmp/$1.out"; }
# The same where the function needs what Debian packages: it starts more slowly.
with_packages() { /usr/bin/python3 -B tests/vm/in-reports "${@:2}" <"$tmp/$1.out"; }

# What was counted at a hook in all, as numbers on a line: figures NAME HOOK count|mean_ns|max_le_ns|discarded ...
figures() { in_reports "$1" "print(*(figure('$2', what) for what in '${*:3}'.split()))"; }

# What kinds of reports there are in NAME, in their order.
kinds() { in_reports "$1" 'print(*(report["kind"] for report in reports))'; }

# Segments that tcp_data_queue() has put into the server's out-of-order queues: with -y, they are read, and were never
# put on a receive queue.
out_of_order() { on_server nstat -asz TcpExtTCPOFOQueue | awk 'END { print $2 }'; }

# The names of all hooks, in packet order.
all_hooks() { ./netstacklat -l | grep -o "^[a-z][a-z-]*"; }

# Whether this kernel has a function of a hook: compilers may inline it.
has_function() { ! ./netstacklat -l | grep -qF "$1 (not in this kernel)"; }

# What --check says of a hook: this kernel may lack a part of it, or all.
state_of() {
	case $1 in
	tcp-socket-read) remembers_segments && echo ok || echo part ;;
	tcp-accept | tcp-send | tcp-transmit) remembers_segments && echo ok || echo NO ;;
	# ip6_xmit() has seven arguments: before Linux 6.6, x86-64 attaches no program to that (473e3150e30a).
	tx-ip) is_linux_since 6.6 && echo ok || echo part ;;
	napi-poll) has_function __napi_poll && echo ok || echo NO ;;
	*) echo ok ;;
	esac
}

# Each NUMBER-th packet of TCP is lost before it comes to ON, on_client or on_server: netem's losses may be none.
lose_each() { # ON NUMBER
	"$1" nft "table ip lossy; delete table ip lossy; table ip lossy { chain in {
		type filter hook prerouting priority -300; meta l4proto tcp numgen inc mod $2 == $(($2 - 1)) drop; }; }"
}

# Whether this kernel is of a version or newer.
is_linux_since() { printf '%s\n' "$1" "$(uname -r)" | sort --check=quiet --version-sort; }

# Whether this kernel lets programs keep the stamps of segments with their socket.
remembers_segments() { is_linux_since 5.11; }

skip_without_socket_times() {
	remembers_segments || skip "before Linux 5.11, programs cannot keep times with a socket"
}

# What is still in a socket's queue is read by an iterator.
skip_without_queue_reader() {
	is_linux_since 5.13 || skip "before Linux 5.13, nobody tells what is still queued"
}

# Since Linux 5.17, the kernel tells why it drops packets; before, only where.
tells_reasons() { is_linux_since 5.17; }
skip_without_reasons() { tells_reasons || skip "before Linux 5.17, the kernel tells no reasons"; }

# One thread is both CPUs of a VM then.
skip_in_real_time() {
	[ "${VM_TIME-}" != real ] || skip "in real time, one CPU of a VM stands still while the other works"
}

skip_where_reads_are_counted() {
	remembers_segments || skip "before Linux 5.11, calls that read are counted, not segments"
}

# A reader on another CPU may have read a packet before udp-socket-enqueued, at a function's return, sees it: its stage
# then begins at the hook before. On one CPU, no reader runs in between.
stay_on_one_cpu() { taskset --pid --cpu-list 0 "$BASHPID" >/dev/null; }

# NAME: how much memory that netstacklat has, in units of 1024 bytes.
resident_kb() { awk '/^VmRSS/ { print $2 }' "/proc/$(cat "$tmp/$1.pid")/status"; }

# Lets the kernel count how often it runs programs, until stop_everything.
count_kernel_runs() {
	stats_before=$(cat /proc/sys/kernel/bpf_stats_enabled)
	echo 1 >/proc/sys/kernel/bpf_stats_enabled
}

# Sets the TAI offset, until stop_everything.
set_tai() {
	tai_before=${tai_before-$(tests/vm/tai.py)}
	tests/vm/tai.py "$1"
}

# Moves the wall clock by so many seconds, likewise.
move_clock() {
	date -s "@$(($(date +%s) + $1))"
	moved_s=$((${moved_s-0} + $1))
}

# Inserts a leap second: the wall clock is a second back, and TAI is ahead of it by one more.
leap() {
	tai_before=${tai_before-$(tests/vm/tai.py)}
	tests/vm/tai.py leap
	moved_s=$((${moved_s-0} - 1))
}

restore_clocks() {
	[ -z "${tai_before-}" ] || tests/vm/tai.py "$tai_before"
	[ "${moved_s-0}" -eq 0 ] || move_clock "$((-moved_s))"
}

# Each of many instances keeps 2 KB with each TCP socket, of which Linux 6.1 allows it 20 KB in all; later kernels,
# 128 KB by network namespace.
optmem=/proc/sys/net/core/optmem_max
allow_socket_memory() {
	cp $optmem "$BATS_FILE_TMPDIR/optmem_max"
	echo 1048576 >$optmem
	on_server sh -c "[ ! -e $optmem ] || echo 1048576 >$optmem"
	on_client sh -c "[ ! -e $optmem ] || echo 1048576 >$optmem"
}

# For teardown(): whatever a failed test left running or set, and the namespaces.
stop_everything() {
	local pid
	[ ! -e "${BATS_FILE_TMPDIR-$tmp}/optmem_max" ] || cat "$BATS_FILE_TMPDIR/optmem_max" >$optmem
	restore_clocks
	[ -z "${stats_before-}" ] || echo "$stats_before" >/proc/sys/kernel/bpf_stats_enabled
	for pid in "$tmp"/*.pid; do
		[ ! -e "$pid" ] || kill "$(cat "$pid")" 2>/dev/null || true
	done
	netns_down
}

# Starts a receiver on the server side and returns once it can receive; its result goes to $tmp/NAME.
start_receiver() {
	local name=$1
	shift
	# One before may have had this name, and was ready.
	rm -f "$tmp/$name"
	on_server "$traffic" "$@" >"$tmp/$name" 3>&- &
	echo $! >"$tmp/$name.pid"
	wait_until grep -q ready "$tmp/$name"
}

# Waits for a receiver to end and prints its result.
receiver_result() {
	wait_until has_result "$1" && sed -n 2p "$tmp/$1"
}
has_result() { [ "$(wc -l <"$tmp/$1")" -ge 2 ]; }

# Sends UDP packets until they have been read: IPV4 [IPV6], so many of each.
send_udp() {
	send_udp_to "$server_ipv4" "$1"
	[ -z "${2-}" ] || send_udp_to "$server_ipv6" "$2"
}

# ADDRESS PACKETS [MS]: to a reader that sleeps so long before it reads each; $tmp/reader has its result.
send_udp_to() {
	start_receiver reader udp-receive "$1" 4000 "$2" "${3-0}"
	on_client "$traffic" udp-send "$1" 4000 "$2"
	receiver_result reader
}

# Sends TCP over both families, to the end.
send_tcp() {
	start_receiver tcp4 tcp-receive "$server_ipv4" 5201
	start_receiver tcp6 tcp-receive "$server_ipv6" 5201
	on_client "$traffic" tcp-send "$server_ipv4" 5201 "$1"
	on_client "$traffic" tcp-send "$server_ipv6" 5201 "$1"
	[ "$(receiver_result tcp4)" -eq "$1" ]
	[ "$(receiver_result tcp6)" -eq "$1" ]
}

# How often the kernel ran, or skipped, the programs of a hook of NAME, the only one running.
kernel_runs() {
	local functions
	mapfile -t functions < <(sed -n "s/.*: $2 attached at \(.*\)()/\1/p" "$tmp/$1.err")
	runs_of "${functions[@]}"
}

# How often the kernel ran the programs of these names, or skipped them as they were running already.
runs_of() { kernel_count run_cnt,recursion_misses "$@"; }
misses_of() { kernel_count recursion_misses "$@"; }

# What bpftool shows of programs: kernel_count FIELD,... NAME...
kernel_count() { tests/vm/bpftool.py count "$@"; }

# The BPF objects of a netstacklat that is gone must be gone as well.
assert_nothing_left() {
	wait_until nothing_left
}

nothing_left() {
	local left
	left=$(bpftool prog show && bpftool map show) || return
	! grep -E 'name (tcp_v4_do_rcv|tcp_data_queue|udp_queue_rcv_one_skb|netstack_)' <<<"$left"
}

# Where cgroup v2 is mounted, and the cgroup below it that tests use.
cgroup_mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
cgroup=/netstacklat

# PAGE: prints what a browser makes of it, which must find nothing wrong with it.
browser_dom() {
	chromium-headless-shell --no-sandbox --disable-gpu --virtual-time-budget=60000 --dump-dom "file://$1" 2>"$1.err" ||
		{ cat "$1.err" >&2; return 1; }
	! grep CONSOLE "$1.err" >&2
}

make_cgroup() { mkdir -p "$cgroup_mount$1"; }

# Moves this shell.
enter_cgroup() { echo $BASHPID >"$cgroup_mount$1/cgroup.procs"; }

# Removes a cgroup that may have others below it, all without processes by now.
remove_cgroup() {
	[ ! -d "$cgroup_mount$1" ] || wait_until find "$cgroup_mount$1" -depth -type d -exec rmdir {} +
}

# The namespaces with a second veth pair, for the flows of tests/vm/flows.py. Both its ends have one index.
shared_index=100
flows_up() {
	netns_up
	allow_socket_memory
	ip link add veth1 index $shared_index netns "$netns_server" type veth \
		peer name veth2 index $shared_index netns "$netns_client"
	netns_configure "$netns_server" 198.51.100.2 2001:db8:1::2 veth1
	netns_configure "$netns_client" 198.51.100.1 2001:db8:1::1 veth2
}

# Starts the processes of the flows, which wait; $tmp/flows.readers has their ids.
start_flows() {
	make_cgroup "$cgroup"
	tests/vm/flows.py run "$cgroup_mount" "$cgroup" "$tmp/flow" >"$tmp/flows" 3>&- &
	echo $! >"$tmp/flows.pid"
	wait_until grep -q packets "$tmp/flows"
	sed -n "s/^ready //p" "$tmp/flows" >"$tmp/flows.readers"
}

# Launches NAME with further arguments, to see the flows go by. No more than four start up at once: on a slow machine,
# all together would take longer than wait_until() is patient.
watching=()
watch_flows() {
	watching+=("$1")
	launch_netstacklat "$1" -r "${report_interval-600}" "${@:2}"
	[ "${#watching[@]}" -lt 4 ] || wait_for_netstacklat "${watching[-4]}"
}

# Lets them flow, once all watch, until all packets have been read.
flow() {
	local name
	for name in "${watching[@]}"; do
		wait_for_netstacklat "$name"
	done
	touch "$tmp/flow"
	wait "$(cat "$tmp/flows.pid")"
	stop_all_netstacklats "${watching[@]}"
}

# NAME KEYS FACTS CONDITION lines tell what must have been counted in setup_file(), see tests/vm/flows.py.
assert_counted() { tests/vm/flows.py check "$BATS_FILE_TMPDIR"; }

# As in_reports, of NAME that watched the flows in setup_file(): their file is the first argument of the function.
flows_in() {
	tests/vm/in-reports "$2" "$BATS_FILE_TMPDIR/flows" "${@:3}" <"$BATS_FILE_TMPDIR/$1.out"
}

# PROGRAMS FUNCTION: attaches that many of its own to it, or as many as it can take.
start_crowd() {
	tests/vm/crowd.py .output/tests/vm/crowd.bpf.o "$1" "$2" >"$tmp/crowd" 3>&- &
	echo $! >"$tmp/crowd.pid"
	wait_until grep -q ready "$tmp/crowd"
}

stop_crowd() {
	local pid
	pid=$(cat "$tmp/crowd.pid")
	kill "$pid"
	wait "$pid" || true
}
