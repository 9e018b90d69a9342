#!/usr/bin/env bats
# What --diagnose says of planted faults, and of hosts that have none. All faults: tests/faults --list.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/faults.bash
	source "$BATS_TEST_DIRNAME/../faults.bash"
}

teardown() {
	stop_everything
}

# NAME STATUS: in emulation, much takes a few milliseconds.
assert_verdict() {
	local status=0
	diagnose_fault "$1" --late=10ms -j || status=$?
	cat "$tmp/diagnosis.err" "$tmp/verdict"
	verdict_is_right "$1"
	[ "$status" -eq "$2" ]
}

# bats test_tags=long
@test "nothing is late where nothing happens" { assert_verdict idle 0; }

# bats test_tags=long
@test "nothing is late where UDP is read at once" { assert_verdict udp 0; }

# Returns whether the verdict has this JSON, written without spaces.
verdict_has() { grep -qF "$1" <(tr -d ' ' <"$tmp/verdict"); }

# 5.10 has no storage of sockets for what comes to them.
@test "nothing is late where requests are answered at once, and nothing is left out" {
	assert_verdict requests 0
	remembers_segments || return 0
	verdict_has '"not_looked_at":[]'
}

# The ports of clients take no rows.
# bats test_tags=long
@test "nothing is late where thousands of connections come and go, and all are looked at" {
	assert_verdict short-lived 0
}

@test "where XDP takes packets before the stack does, these are not looked at" {
	assert_verdict early-xdp 0
	verdict_has '"xdp_interfaces":1'
}

# bats test_tags=long
@test "where a process reads what is sent, how long that waits for it is not looked at" {
	assert_verdict full-tun 3
	verdict_has '"tun_interfaces":1'
}

# bats test_tags=long
@test "who reads by MPTCP, and answers, is not looked at" {
	assert_verdict mptcp 0
	verdict_has '"mptcp_connections":2'
}

# bats test_tags=long
@test "a service says how many of its connections are not answered yet" {
	assert_verdict hanging 0
	remembers_segments || return 0
	verdict_has '"answers":30,"segments":30,"unanswered":3,'
}

# PORT NUMBER UNANSWERED NS: somebody asks who listens there, and gets as many answers, each after NS, a regular
# expression.
asks() {
	grep -qE "\"port\":$1,\"answers\":$2,\"unanswered\":$3,\"answer_ns\":$4," <(tr -d ' ' <"$tmp/verdict")
}

# bats test_tags=long
@test "it is told whom a process asks, how often, and how long that takes, which is no wait for who reads late" {
	assert_verdict asking-often 0
	remembers_segments || return 0
	asks 5002 600 0 '6[0-9]{6}'
	assert_verdict slow-client 3
	asks 5001 20 0 '[0-9]{1,7}'
}

# bats test_tags=long
@test "it is told who does not answer a SYN" {
	assert_verdict silent-peer 3
	asks 5432 0 '([5-9]|1[0-9])' 0
}

# bats test_tags=long
@test "it is told which DNS servers a process asks, and which do not answer" {
	assert_verdict asking-dns 0
	asks 53 20 0 '5[0-9]{7}'
	asks 53 0 5 0
}

# bats test_tags=long
@test "a request from this host counts from when it came, and not from its stamp behind netfilter" {
	assert_verdict rules-in-tcp 3
	grep -qE '"in_ns":[0-9]{8}' <(tr -d ' ' <"$tmp/verdict")
	assert_verdict rules-bridge-tcp 3
}

# bats test_tags=long
@test "who reads by SCTP, and answers, is not looked at" {
	assert_verdict sctp 0
	grep -q '"sctp_packets":[1-9][0-9]' <(tr -d ' ' <"$tmp/verdict")
}

# bats test_tags=long
@test "how long packets wait for WireGuard is not looked at" {
	assert_verdict wireguard 0
	verdict_has '"wireguard_interfaces":2'
}

# bats test_tags=long
@test "how long packets wait in queues of Wi-Fi is not looked at" {
	compgen -G "/run/vm/modules/*hwsim.ko" >/dev/null || skip "this kernel has no mac80211_hwsim"
	assert_verdict wifi 0
	verdict_has '"wifi_interfaces":1'
}

# bats test_tags=long
@test "how long packets wait for Open vSwitch's daemon is not looked at" {
	[ -e /sys/module/openvswitch ] || skip "this kernel has no openvswitch"
	assert_verdict open-vswitch 0
	verdict_has '"ovs_interfaces":1'
}

@test "an answer that goes on later has begun all the same" {
	assert_verdict in-parts 0
	verdict_has '"answers":20,"segments":40'
}

# There are 30 answers, and TCP paces none of the first ten segments.
@test "what TCP paces in a queue, it holds back" {
	assert_verdict paced 0
	verdict_has '"late":20,"p99_ns"'
}

# 150 ms are late by default.
# bats test_tags=long
@test "answers that take less than --late-application are in time" {
	diagnose_fault slow-answers-udp --late=10ms --late-application=500ms -j
	cat "$tmp/verdict"
	verdict_has '"findings":[]'
}

# With the rights of the unit, and with those that it says that MORE takes.
start_in_unit() { # MORE
	printf '#!/bin/sh\nexec tests/vm/in-unit only "%s" "$@"\n' "$1" >"$tmp/in-unit"
	chmod +x "$tmp/in-unit"
	netstacklat=$tmp/in-unit
}

# NAME: names, limits and lists are not known, and the commands say so.
in_unit_verdict() {
	diagnose_fault "$1" --late=10ms -j || [ $? -eq 3 ]
	cat "$tmp/diagnosis.err" "$tmp/verdict"
	tests/validate-json <"$tmp/verdict"
}

# EXPRESSION of the verdict v, and of its first finding f.
of_verdict() { python3 -c "import json; v = json.load(open('$tmp/verdict')); f = v['findings'][0]; print($1)"; }

# bats test_tags=long
@test "in the unit, it says what it may not see, and with what the unit says to add, it sees all" {
	start_in_unit ""
	in_unit_verdict shaped
	[ "$(of_verdict "f['class'], v['not_seen']")" = "qdisc ['processes', 'network namespaces', 'qdiscs, rules and cards']" ]
	[[ $(of_verdict "f['next']") == "# in namespace cookie/"*": tc -s qdisc show dev if"* ]]
	stop_everything
	start_in_unit --diagnose
	in_unit_verdict shaped
	[ "$(of_verdict "v['not_seen'], f['culprit']['interface'], f['culprit']['kind']")" = "[] veth0 tbf" ]
}

# bats test_tags=long
@test "in the unit, it knows who is throttled by the cgroup of the socket" {
	start_in_unit ""
	in_unit_verdict throttled
	[ "$(of_verdict "f['class'], f['basis'], f['evidence']['throttled_ns'] > 0")" = "reader-throttled inferred True" ]
}

# There, the fault's id is that of another process, which is stopped.
# bats test_tags=long
@test "in another PID namespace, it takes no process there for one that it found" {
	cat >"$tmp/in-pid-ns" <<-'END'
		#!/bin/bash
		pid=$(cat "$1/fault.pid")
		unshare --pid --fork --mount-proc bash -c '
			echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid
			sleep 600 & kill -STOP "$1"
			exec ./netstacklat "${@:2}"' bash "$pid" "${@:2}" &
		# unshare(1) does not pass it on.
		trap "pkill -INT -x netstacklat" INT
		wait $! || wait $!
	END
	chmod +x "$tmp/in-pid-ns"
	netstacklat_in_pid_ns() { exec "$tmp/in-pid-ns" "$tmp" "$@"; }
	netstacklat=netstacklat_in_pid_ns
	diagnose_fault sleeping-udp --late=10ms || [ $? -eq 3 ]
	cat "$tmp/diagnosis.err" "$tmp/verdict"
	grep -q "traffic.py slept in clock_nanosleep" "$tmp/verdict"
	grep -q "^Not to be seen from here, so not named as a cause: processes" "$tmp/verdict"
	grep -q "^Process ids are those of the initial PID namespace" "$tmp/verdict"
}

# Scrapes the last verdict into $tmp/scrape, and sees whether a line of it matches.
serves() {
	tests/vm/web.py get http://127.0.0.1:9719/metrics >"$tmp/scrape" && grep -qE "$1" "$tmp/scrape"
}

@test "verdicts are served as metrics, each in place of the one before" {
	netns_up
	fault_sleeping-udp plant
	start_netstacklat one --diagnose --late=10ms --listen=9719 1
	wait_until serves "^netstacklat_verdict_findings 0$"
	promtool check metrics <<<"$(sed '1,/^.\?$/d' "$tmp/scrape")"
	fault_sleeping-udp suffer
	wait_until serves '^netstacklat_finding_packets\{class="reader-asleep",netns="netstacklat-server",protocol="UDP",port="[0-9]+",comm="traffic.py",.*sentence="packets wait for the reader, which sleeps"\} [0-9]+'
	cat "$tmp/scrape"
	wait_until serves "^netstacklat_verdict_findings 0$"
	run ! serves "^netstacklat_finding_packets"
	stop_netstacklat one
	grep -q '"class":"reader-asleep"' "$tmp/one.out"
	assert_nothing_left
}

# As "far", with a connection that is still there when the watch ends.
fault_far-and-open() {
	case $1 in
	plant) fault_far plant ;;
	suffer)
		on_client "$faults" ask tcp "$server_ipv4" 5001 1000 10 3>&- &
		sleep 3
		;;
	esac
}

# bats test_tags=long
@test "how far away the peers of a service are is told by its connections" {
	skip_without_queue_reader
	diagnose_fault far-and-open --late=10ms -j
	cat "$tmp/verdict"
	python3 -c "import json; assert 60e6 <= json.load(open('$tmp/verdict'))['means'][0]['peers_ns'] < 200e6"
}

# A service that sends more than its way takes, which queues.
fault_queueing-bulk() {
	case $1 in
	plant)
		on_server tc qdisc add dev veth0 root netem delay 20ms rate 20mbit limit 1000
		on_server iperf3 --server --forceflush >"$tmp/iperf3" 2>&1 3>&- &
		wait_until grep -q listening "$tmp/iperf3"
		;;
	suffer)
		on_client iperf3 --client "$server_ipv4" --reverse --time 1000 >/dev/null 2>&1 3>&- &
		sleep 3
		;;
	esac
}

# bats test_tags=long
@test "how far away the peers of bulk are, behind what it queues, is told besides" {
	skip_without_queue_reader
	diagnose_fault queueing-bulk --late=10ms -j || [ $? -eq 3 ]
	cat "$tmp/verdict"
	tests/validate-json <"$tmp/verdict"
	python3 -c "import json; m, = (m for m in json.load(open('$tmp/verdict'))['means'] if m['service']['port'] == 5201); assert 15e6 < m['peers_ns'] < 2 * m['peers_ns'] < m['bulk_ns'], m"
}

# bats test_tags=long
@test "a UDP reader sleeps" { assert_verdict sleeping-udp 3; }

# bats test_tags=long
@test "a TCP reader sleeps" {
	skip_without_socket_times
	assert_verdict sleeping-tcp 3
}

# Behind as many sleeps and wake-ups as are kept one by one.
# Beside it, thousands a second are timely, at each hook, and come at even times.
fault_beside-many() {
	local sender senders=()
	fault_sleeping-udp "$1"
	case $1 in
	plant) start_receiver timely udp-receive "$server_ipv4" 5001 6000 ;;
	suffer)
		for _ in 1 2 3; do
			on_client "$traffic" udp-send "$server_ipv4" 5001 2000 1 &
			senders+=("$!")
		done
		for sender in "${senders[@]}"; do wait "$sender"; done
		receiver_result timely
		;;
	esac
}

# 6040 packets, exactly, are counted where all are.
@test "of many packets that are timely, samples are counted, and all that are late" {
	diagnose_fault beside-many --late=10ms -j || [ $? -eq 3 ]
	cat "$tmp/verdict"
	python3 -c "import json; packets = json.load(open('$tmp/verdict'))['packets']; assert 5400 <= packets <= 6700 and packets != 6040, packets"
	python3 -c "import json; late, = json.load(open('$tmp/verdict'))['findings']; assert late['class'] == 'reader-asleep' and late['service']['port'] == 4000 and 38 <= late['evidence']['late'] <= 40, late"
}

# bats test_tags=long
@test "what a reader did for long is not forgotten" { assert_verdict busy-and-napping 3; }

# bats test_tags=long
@test "what is late for a moment is told by its seconds" {
	assert_verdict delayed-once 3
	grep -qE '"seconds":{"late":[12],"of":[4-9]}' "$tmp/verdict"
}

# A tenth of what comes to each of two, all of which is read in the same second.
# bats test_tags=long
@test "who pauses once makes all late that comes meanwhile" {
	assert_verdict paused 3
	[ "$(grep -oE '"class":"reader-stopped","service"' "$tmp/verdict" | wc -l)" -eq 2 ]
	[ "$(grep -oE '"seconds":{"late":[12],"of":[4-9]}' "$tmp/verdict" | wc -l)" -eq 2 ]
}

# What no hook sees.
# bats test_tags=long
@test "a reader that is stopped reads nothing" {
	skip_without_queue_reader
	assert_verdict stopped-throughout 3
}

# bats test_tags=long
@test "a reader never reads" {
	skip_without_queue_reader
	assert_verdict ignoring-tcp 3
}

# bats test_tags=long
@test "a reader has crashed, and its core dump takes long" {
	skip_without_queue_reader
	diagnose_fault crashed --late=10ms || [ $? -eq 3 ]
	cat "$tmp/diagnosis.err" "$tmp/verdict"
	grep -q "slept.* It has crashed, and its core dump is being written\." "$tmp/verdict"
}

# bats test_tags=long
@test "a service never accepts" {
	skip_without_queue_reader
	assert_verdict never-accepting 3
}

# bats test_tags=long
@test "a service that may open no more files accepts no more" {
	skip_without_queue_reader
	assert_verdict no-descriptors 3
	[[ $(of_verdict "f['cause']") == *" It has as many files open as it may: "* ]]
}

# bats test_tags=long
@test "a service takes long to answer" {
	skip_without_socket_times
	assert_verdict slow-answers-tcp 3
}

# bats test_tags=long
@test "a service takes long to answer by UDP" { assert_verdict slow-answers-udp 3; }

# bats test_tags=long
@test "a service accepts late" {
	skip_without_socket_times
	assert_verdict late-accept 3
}

# The queue of another one, which accepts at once.
# bats test_tags=long
@test "an accept queue is full, whose is told, whoever else accepts late" {
	skip_without_queue_reader
	assert_verdict late-accept+short-accept-queue 3
}

# As on Ubuntu's 5.15.0-204: there, the kernel's counter alone tells.
# bats test_tags=long
@test "an accept queue is full, where no program can see it" {
	skip_without_queue_reader
	start_crowd 100 tcp_v4_syn_recv_sock
	assert_verdict short-accept-queue 3
	stop_crowd
	grep -q "^netstacklat: tcp-accept goes without tcp_v4_syn_recv_sock(): " "$tmp/diagnosis.err"
}

# The demo has one, too.
# bats test_tags=long
@test "packets wait in a CPU's backlog, and its budget to receive is used up" {
	skip_in_real_time
	assert_verdict busy-cpu 3
	grep -q '"squeezed":[1-9]' "$tmp/verdict"
}

# bats test_tags=long
@test "packets wait in a qdisc" { assert_verdict delayed 3; }

# bats test_tags=long
@test "netfilter rules take long" { assert_verdict rules-in 3; }

# bats test_tags=long
@test "netfilter rules take long on the way out" { assert_verdict rules-out 3; }

# bats test_tags=long
@test "a card misses packets, in another network namespace" { assert_verdict missed 3; }

# bats test_tags=long
@test "a process decides late on what netfilter asks it" {
	skip_without_queue_reader
	assert_verdict decided-in 3
}

# Its memory does not fit below the new limit, and is not swapped out.
fault_killed() {
	case $1 in
	plant)
		swapoff -a
		echo +memory >"$cgroup_mount/cgroup.subtree_control"
		start_fault_in "$cgroup-killed" "$faults" ignore udp "$server_ipv4" 4000
		;;
	suffer)
		echo 1M >"$cgroup_mount$cgroup-killed/memory.max"
		on_client "$traffic" udp-send "$server_ipv4" 4000 5
		;;
	esac
}

# bats test_tags=long
@test "the kernel killed a service, as its memory was short" {
	diagnose_fault killed --late=10ms -j || [ $? -eq 3 ]
	cat "$tmp/verdict"
	verdict_has '"oom_kills":1,'
	verdict_has '"reason":"NO_SOCKET"'
}

# bats test_tags=long
@test "packets are lost to a black hole, which the kernel gives no reason for" {
	skip_without_reasons
	assert_verdict black-hole 3
	assert_verdict too-long 3
}

# bats test_tags=long
@test "nobody misses the redirects that NAT drops" { assert_verdict hairpin 0; }

# bats test_tags=long
@test "routes lead packets in a circle" {
	skip_without_reasons
	assert_verdict in-a-circle 3
}

# bats test_tags=long
@test "nobody listens" {
	skip_without_reasons
	assert_verdict nobody-listens 3
}

# bats test_tags=long
@test "commands enter a namespace without a name" {
	skip_without_reasons
	assert_verdict unnamed 3
	grep -qE '"next":"nsenter --net=/proc/[0-9]+/ns/net nft list ruleset"' "$tmp/verdict"
}

# bats test_tags=long
@test "what IPVS has no server for is not said to be dropped by a rule" {
	skip_without_reasons
	assert_verdict balanced-to-none 3
	grep -qE '"cause":"(IPVS|A netfilter rule or IPVS) drops them\."' "$tmp/verdict"
}

# bats test_tags=long
@test "people read the same in sentences" {
	local status=0
	skip_without_reasons
	diagnose_fault nobody-listens --late=10ms || status=$?
	cat "$tmp/verdict"
	[ "$status" -eq 3 ]
	grep -q "20 packets were dropped in namespace $netns_server, at port 4001: NO_SOCKET" "$tmp/verdict"
	grep -q -- "-> ip netns exec $netns_server ss -lntup" "$tmp/verdict"
}

# bats test_tags=long
@test "a page has the verdict, and over time what that is about" {
	diagnose_fault sleeping-udp --late=5ms -o html || [ $? -eq 3 ]
	cat "$tmp/diagnosis.err"
	tests/vm/in-reports formats.page_has_verdict "1  traffic.py" udp-socket-read <"$tmp/verdict"
}

# NAME FUNCTION: by far most of what waited did so in a stack with this function of the kernel, and all of it is told.
assert_stack() {
	diagnose_fault "$1" --late=5ms --stack -j || [ $? -eq 3 ]
	cat "$tmp/diagnosis.err" "$tmp/verdict"
	tests/validate-json <"$tmp/verdict"
	verdict_is_right "$1"
	[ "$(of_verdict "'$2' in f['stacks'][0]['frames'], f['stacks'][0]['wait_ns'] > 0.9 * sum(s['wait_ns'] for s in f['stacks'])")" = "True True" ]
	[ "$(of_verdict "0.9 <= sum(s['wait_ns'] for s in f['stacks']) / f['evidence'].get('asleep_ns', f['evidence']['late_ns']) <= 1.1")" = True ]
}

@test "the stacks in which a reader sleeps are shown" { assert_stack sleeping-udp hrtimer_nanosleep; }

# bats test_tags=long
@test "the stacks in which a service sleeps before it answers are shown" {
	skip_without_socket_times
	assert_stack slow-answers-tcp hrtimer_nanosleep
}

# bats test_tags=long
@test "the stacks in which a socket's lock is released are shown" { assert_stack held-lock release_sock; }

# bats test_tags=long
@test "stacks are drawn from lines of their functions, the outermost first" {
	diagnose_fault sleeping-udp --late=10ms -o collapsed || [ $? -eq 3 ]
	cat "$tmp/verdict"
	grep -qE "^traffic.py;packets-for-its-reads(;[^; ]+)*;__x64_sys_clock_nanosleep(;[^; ]+)*;hrtimer_nanosleep [0-9]+$" "$tmp/verdict"
	[ "$(grep -vcE "^[^;]+;(packets-for-its-reads|answers|segments-for-its-lock)(;[^; ]+)+ [0-9]+$" "$tmp/verdict")" -eq 0 ]
}
