#!/usr/bin/env bats
# --listen: what is served is what was counted, by processes that may do no more than that takes.

bats_require_minimum_version 1.5.0

web=tests/vm/web.py
port=9719

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
	restricted=$(cat /proc/sys/kernel/unprivileged_bpf_disabled)
}

teardown() {
	stop_everything
	echo "$restricted" >/proc/sys/kernel/unprivileged_bpf_disabled 2>/dev/null || true
}

# The sum of a metric over all series that match, as scraped after what was read before is forgotten.
scraped() {
	sleep 1.1
	"$web" get "http://127.0.0.1:$port/metrics" >"$tmp/scrape"
	awk -v pattern="^$1" '$0 ~ pattern { sum += $NF; n++ } END { print n ? sum : "none" }' "$tmp/scrape"
}

# Scrapes again and again, until stop_following; $tmp/followed then tells what came and went.
follow() {
	"$web" follow $port "$tmp/end" >"$tmp/followed" 3>&- &
	echo $! >"$tmp/follow.pid"
}

stop_following() {
	sleep 1.1
	touch "$tmp/end"
	wait "$(cat "$tmp/follow.pid")"
	cat "$tmp/followed"
}

# bats test_tags=long
@test "scrapes under a flood lose nothing: all that the kernel ran was recorded or discarded" {
	count_kernel_runs
	start_netstacklat one -o none --listen=$port -e "udp-*"
	follow
	send_udp 5003
	stop_following
	for hook in udp-start udp-queue-rcv udp-socket-enqueued udp-socket-read; do
		counted=$(scraped "netstacklat_latency_seconds_count{hook=\"$hook\"")
		discarded=$(scraped "netstacklat_discarded_total{hook=\"$hook\"")
		echo "$hook: $counted recorded, $discarded discarded, of $(kernel_runs one $hook)"
		[ "$((counted + discarded))" -eq "$(kernel_runs one $hook)" ]
		[ "$counted" -ge 5003 ]
	done
	stop_netstacklat one
	[ ! -s "$tmp/one.out" ]
	assert_nothing_left
}

# bats test_tags=long
@test "it says what JSON says, in both formats, and promtool has nothing to say" {
	start_netstacklat one --listen=$port --overhead --stages -e "udp-*" -r 600
	send_udp 503
	[ "$(scraped 'netstacklat_latency_seconds_count{hook="udp-start"}')" -eq 503 ]
	stages=$(scraped 'netstacklat_stage_seconds_count{from="udp-start",to="udp-queue-rcv"')
	sed '1,/^$/d' "$tmp/scrape" >"$tmp/metrics"
	run -0 promtool check metrics <"$tmp/metrics"
	[ -z "$output" ]
	"$web" get "http://127.0.0.1:$port/metrics" "Accept: application/openmetrics-text; version=1.0.0" |
		sed '1,/^$/d' >"$tmp/openmetrics"
	"$web" get "http://127.0.0.1:$port/metrics" "Accept-Encoding: gzip" | sed '1,/^\r*$/d' | gunzip >"$tmp/gunzipped"
	# What is of UDP, for they all come over TCP.
	diff <(grep '"udp-' "$tmp/metrics") <(grep '"udp-' "$tmp/gunzipped")
	stop_netstacklat one
	in_reports one exporter.same_stage 503 "$stages"
	with_packages one exporter.formats_agree "$tmp/openmetrics" "$tmp/metrics"
}

# bats test_tags=long
@test "what it takes itself is what the kernel says of it" {
	start_netstacklat one -o none --listen=$port -e udp-start
	[ "$(scraped process_cpu_seconds_total)" != none ]
	in_reports one exporter.takes_what_the_kernel_says "$tmp/scrape" "$(cat "$tmp/one.pid")"
	stop_netstacklat one
}

# Each port takes a row on one CPU or both: there is room for those of one turn.
# bats test_tags=long
@test "counters never go backwards while groups come, go, are forgotten, and leave their rows to others" {
	start_netstacklat one -o none --listen=$port -e udp-socket-read -g port --forget=2s --max-groups=48
	follow
	for first in 2000 3000 2000 4000 2000; do
		on_server "$traffic" udp-receive-each "$server_ipv4" $first 20 >"$tmp/receiver" 3>&- &
		wait_until grep -q ready "$tmp/receiver"
		on_client "$traffic" udp-send-each "$server_ipv4" $first 20
		sleep 6
	done
	stop_following
	# Of each port, 36 series.
	in_reports one exporter.came_and_went "$tmp/followed" $((60 * 36)) $((60 * 36)) $((5 * 30))
	[ "$(scraped "netstacklat_latency_seconds_count{hook=\"udp-socket-read\",port=\"other\"}")" -ge 120 ]
	[ "$(scraped "netstacklat_discarded_total{hook=\"udp-socket-read\",cause=\"no_room\"}")" -eq 0 ]
	stop_netstacklat one
}

# bats test_tags=long
@test "SIGTERM ends it while clients are being served" {
	local alone_s
	start_netstacklat one -o none --listen=$port -k 4 -g cpu
	SECONDS=0
	stop_netstacklat one
	alone_s=$SECONDS
	start_netstacklat one -o none --listen=$port -k 4 -g cpu
	for client in 1 2 3; do
		"$web" stall $port >"$tmp/stall$client" 2>&1 3>&- &
		echo $! >"$tmp/stall$client.pid"
		wait_until grep -q stalled "$tmp/stall$client"
	done
	kill -TERM "$(cat "$tmp/one.pid")"
	# Sooner than these are sent away, after 10 s. To detach so many programs takes some kernels seconds.
	timeout $((alone_s + 5)) tail --pid="$(cat "$tmp/one.pid")" -s 0.1 -f /dev/null
	wait "$(cat "$tmp/one.pid")"
	assert_nothing_left
}

# What the kernel says of a process.
status_of() { sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status" | xargs; }

# All that a process may do: PID USER CAPABILITIES.
assert_rights() {
	[ "$(status_of "$1" Uid)" = "$2 $2 $2 $2" ]
	[ "$(status_of "$1" Gid)" = "$2 $2 $2 $2" ]
	assert_capabilities "$1" "$3" Eff Prm
	assert_capabilities "$1" "" Inh Amb
	[ "$(status_of "$1" NoNewPrivs)" = 1 ]
	wait_until makes_no_more_calls "$1"
}

# A filter is there, which comes last.
makes_no_more_calls() { [ "$(status_of "$1" Seccomp)" = 2 ]; }

# PID CAPABILITIES SET...
assert_capabilities() {
	for set in "${@:3}"; do
		capabilities=$(capsh --decode="$(status_of "$1" "Cap$set")" | sed 's/.*=//')
		echo "$1 $set: $capabilities"
		[ "$capabilities" = "$2" ]
	done
}

# bats test_tags=long
@test "privileges are dropped, root included, but reading goes on where users may make no bpf() calls" {
	echo 2 >/proc/sys/kernel/unprivileged_bpf_disabled 2>/dev/null || true
	start_netstacklat one -o none --listen=$port -e "udp-*" -g cgroup
	pid=$(cat "$tmp/one.pid")
	assert_rights "$pid" 65534 cap_bpf
	assert_capabilities "$pid" "" Bnd
	[ -z "$(status_of "$pid" Groups)" ]
	send_udp 101
	[ "$(scraped 'netstacklat_latency_seconds_count{hook="udp-socket-read"')" -eq 101 ]
	# A cgroup and one without, of each function, at most.
	[ "$(scraped "netstacklat_group_rows ")" -ge 3 ]
	[ "$(scraped "netstacklat_group_rows ")" -le 16 ]
	[ "$(scraped netstacklat_group_rows_limit)" -eq 8192 ]
	# Also where nobody may come in; and what takes no more has no other process.
	start_netstacklat two -r 600 -e udp-start
	assert_rights "$(cat "$tmp/two.pid")" 65534 cap_bpf
	run -1 pgrep -P "$(cat "$tmp/two.pid")"
	stop_all_netstacklats one two
}

# bats test_tags=long
@test "what takes more than reading is done by others, who have no way to the packets or the network" {
	mkdir -m 700 "$tmp/folder"
	start_netstacklat one -o prometheus -r 0.2 --output-file="$tmp/folder/prom" --listen="unix:$tmp/folder/socket" \
		-e "udp-*" -g interface,cgroup
	pid=$(cat "$tmp/one.pid")
	assert_rights "$pid" 65534 cap_bpf
	# In the order in which they were started.
	mapfile -t others < <(pgrep -P "$pid")
	[ ${#others[@]} -eq 4 ]
	assert_rights "${others[0]}" 0 cap_sys_ptrace,cap_sys_admin
	assert_rights "${others[1]}" 0 ""
	assert_rights "${others[2]}" 0 cap_dac_override
	assert_rights "${others[3]}" 0 cap_dac_override
	for other in "${others[@]}"; do
		assert_capabilities "$other" "" Bnd
		find "/proc/$other/fd" -type l -printf "%l\n" | tee "$tmp/fds"
		# To the process whose they are; from Linux 5.14 on, no program tells namespaces apart.
		[ "$(grep -c socket: "$tmp/fds")" -le 4 ]
		! has_cookie || run -1 grep -q bpf "$tmp/fds"
		run -1 grep -q bpf-map "/proc/$other/maps"
	done
	# None of them listens.
	[ "$(ss -Hxlp "src = $tmp/folder/socket" | grep -o "pid=[0-9]*")" = "pid=$pid" ]
	send_udp 101
	wait_until grep -q 'count{hook="udp-socket-enqueued",interface="veth0",netns="'"$netns_server"'",cgroup=".*"} 101$' "$tmp/folder/prom"
	"$web" get "unix:$tmp/folder/socket/metrics" | grep -q "^netstacklat_build_info"
	stop_netstacklat one
	[ "$(ls "$tmp/folder")" = prom ]
	run -1 kill -0 "${others[@]}"
}

has_cookie() { is_linux_since 5.14; }

# bats test_tags=long
@test "with what the man page has setcap give to the file, a user who is not root has names, too" {
	remembers_segments || skip "before Linux 5.11, it takes CAP_SYS_RESOURCE, too"
	mkdir -m 755 "$tmp/bin"
	cp netstacklat "$tmp/bin"
	chmod 755 "$tmp" "$tmp/../.." "$tmp/.."
	setcap "$(sed -n 's/^setcap \([^ ]*\) .*/\1/p' doc/netstacklat.8)" "$tmp/bin/netstacklat"
	printf '#!/bin/sh\nexec setpriv --reuid=1000 --regid=1000 --clear-groups %s/bin/netstacklat "$@"\n' "$tmp" >"$tmp/as-user"
	chmod 755 "$tmp/as-user"
	netstacklat=$tmp/as-user
	start_netstacklat one -r 600 -e udp-socket-enqueued -g interface,netns
	assert_rights "$(cat "$tmp/one.pid")" 1000 cap_bpf
	send_udp 11
	stop_netstacklat one
	in_reports one groups.of_total interface,netns 11="veth0 $netns_server"
}

# bats test_tags=long
@test "what does more for it ends with it, however it ends" {
	start_netstacklat one -o prometheus --output-file="$tmp/prom" --listen="unix:$tmp/socket" -e "udp-*" -g netns
	pid=$(cat "$tmp/one.pid")
	mapfile -t others < <(pgrep -P "$pid")
	[ ${#others[@]} -eq 3 ]
	kill -KILL "$pid"
	for other in "${others[@]}"; do
		wait_until test ! -d "/proc/$other"
	done
	[ ! -e "$tmp/socket" ]
}

# bats test_tags=long
@test "names of groups are found, also new ones, and cgroups that come back, without the other privileges" {
	make_cgroup "$cgroup/a"
	start_netstacklat names -o none --listen=$port -e "udp-*" -g interface,netns,cgroup
	id=$(stat -c %i "$cgroup_mount$cgroup/a")
	start_netstacklat again -r 600 --listen=$((port + 1)) -e udp-socket-read -c "$cgroup/a"
	start_netstacklat id -r 0.2 --listen=$((port + 2)) -e udp-socket-read -c "$id"
	(enter_cgroup "$cgroup/a" && start_receiver witness udp-receive "$server_ipv4" 4000 7)
	on_client "$traffic" udp-send "$server_ipv4" 4000 7
	receiver_result witness
	remove_cgroup "$cgroup"
	make_cgroup "$cgroup/a"
	(enter_cgroup "$cgroup/a" && start_receiver witness udp-receive "$server_ipv4" 4000 11)
	on_client "$traffic" udp-send "$server_ipv4" 4000 11
	receiver_result witness
	[ "$(scraped "netstacklat_latency_seconds_count{hook=\"udp-socket-enqueued\",interface=\"veth0\",netns=\"$netns_server\",cgroup=\"$cgroup/a\"")" -ge 11 ]
	make_cgroup "$cgroup/b"
	ip netns add "$netns_container"
	ip -n "$netns_container" link set lo up
	(enter_cgroup "$cgroup/b" && ip netns exec "$netns_container" "$traffic" udp-receive 127.0.0.1 4000 13 >"$tmp/later" 3>&-) &
	wait_until grep -q ready "$tmp/later"
	on_container "$traffic" udp-send 127.0.0.1 4000 13
	receiver_result later
	[ "$(scraped "netstacklat_latency_seconds_count{hook=\"udp-socket-enqueued\",interface=\"lo\",netns=\"$netns_container\",cgroup=\"$cgroup/b\"")" -eq 13 ]
	stop_all_netstacklats names again id
	[ "$(figures again udp-socket-read count)" -eq 18 ]
	[ "$(figures id udp-socket-read count)" -eq 7 ]
	remove_cgroup "$cgroup"
}

# bats test_tags=long
@test "a service manager is told once packets are counted" {
	tests/vm/service_manager.py @netstacklat-manager udp_rcv >"$tmp/manager" 3>&- &
	wait_until grep -q bound "$tmp/manager"
	NOTIFY_SOCKET=@netstacklat-manager start_netstacklat one -r 600 -e udp-start
	wait_until grep -qx "READY=1 1" "$tmp/manager"
	stop_netstacklat one
}

# bats test_tags=long
@test "the unit leaves all that it takes: user, capabilities, system calls" {
	start_in_unit
	[ "$(scraped 'netstacklat_latency_seconds_count{hook="udp-socket-read"}')" -eq 101 ]
	stop_in_unit
}

# bats test_tags=long
@test "with what the unit tells to add, so it does for names" {
	start_in_unit "-g interface,netns"
	[ "$(scraped "netstacklat_latency_seconds_count{hook=\"udp-socket-enqueued\",interface=\"veth0\",netns=\"$netns_server\"")" -eq 101 ]
	stop_in_unit
}

# [OPTIONS]: and sends it packets.
start_in_unit() {
	command -v systemd-analyze strace >/dev/null || skip "no systemd or no strace here"
	tests/vm/in-unit run "$tmp/calls" "$@" >"$tmp/one.out" 2>"$tmp/one.err" 3>&- &
	echo $! >"$tmp/strace.pid"
	wait_for_netstacklat one
	# Others that it started are behind it.
	pgrep -o -x netstacklat >"$tmp/one.pid"
	send_udp 101
}

stop_in_unit() {
	kill -TERM "$(cat "$tmp/one.pid")"
	wait "$(cat "$tmp/strace.pid")"
	tests/vm/in-unit check "$tmp/calls"
}
