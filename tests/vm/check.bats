#!/usr/bin/env bats
# bats file_tags=kernel:7-2
# --check, and kernels that lack something: types hidden, functions or fields missing.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
	assert_nothing_left
}

# The kernel's types, after renaming a word in them; both words are of one length.
btf_with() {
	sed "s/\<$1\>/$2/" /sys/kernel/btf/vmlinux
}

# Prints a command that is netstacklat, without the kernel's types where all programs look for them.
netstacklat_without_btf() {
	cat >"$tmp/netstacklat" <<-'END'
		#!/bin/sh
		exec unshare --mount sh -c 'mount -t tmpfs none /sys/kernel/btf && exec ./netstacklat "$@"' sh "$@"
	END
	chmod +x "$tmp/netstacklat"
	echo "$tmp/netstacklat"
}

# 11 packets, counted by a netstacklat that runs as one.
assert_counts_udp() {
	start_receiver witness udp-receive "$server_ipv4" 4000 11
	on_client "$traffic" udp-send "$server_ipv4" 4000 11
	receiver_result witness
	stop_netstacklat one
	[ "$(figures one udp-socket-read count)" = 11 ]
}

@test "--check names every hook with the functions that it is attached to" {
	run -0 ./netstacklat --check -e "*"
	echo "$output"
	for hook in $(all_hooks); do
		grep -qE "^$(state_of "$hook") +$hook +[a-z0-9_]+" <<<"$output"
	done
	grep -q "^ok  *kernel  *Linux $(uname -r) " <<<"$output"
	for line in "${lines[@]}"; do
		[ "${#line}" -le 80 ]
	done
}

@test "--check tells the clock, and the TAI offset" {
	set_tai 37
	run ./netstacklat --check -e udp-start
	[ "$status" -eq 0 ]
	grep -q "^ok  *TAI offset  *+37 s$" <<<"$output"
	if bpftool btf dump file /sys/kernel/btf/vmlinux | grep -q BPF_FUNC_ktime_get_tai_ns; then
		grep -q "^ok  *clock of the programs  *TAI$" <<<"$output"
	else
		grep -q "^ok  *clock of the programs  *monotonic" <<<"$output"
	fi
}

# bats test_tags=long
@test "--check tells whether packets are stamped already, and where" {
	prequeue=$(cat /proc/sys/net/core/netdev_tstamp_prequeue)
	run -0 ./netstacklat --check -e udp-start
	[[ $output != *"on already"* ]] || skip "this host stamps packets already"
	grep -q "receive time stamps  *off" <<<"$output"
	[ "$prequeue" -eq 0 ] || grep -q "stamps are taken  *before RPS" <<<"$output"
	start_netstacklat one -e udp-start
	echo 0 >/proc/sys/net/core/netdev_tstamp_prequeue
	run ./netstacklat --check -e udp-start
	echo "$prequeue" >/proc/sys/net/core/netdev_tstamp_prequeue
	stop_netstacklat one
	[ "$status" -eq 0 ]
	grep -q "receive time stamps  *on already" <<<"$output"
	grep -q "stamps are taken  *after RPS" <<<"$output"
}

@test "--check without the right to trace says what is missing, status 77" {
	run tests/as-nobody -- --check
	[ "$status" -eq 77 ]
	grep -q "^NO  *privileges .*needs root" <<<"$output"
}

# COMMAND...: what it says of rights that take capabilities, without what comes of missing ones.
check_rights() {
	"$@" --check -e drop -g reason,interface -n all --overhead -o prometheus --output-file="$tmp/prom" \
		--listen=unix:"$tmp/socket" | sed -n 's/  */ /g; s/\(CAP_[A-Z, _]*\):.*/\1/; /CAP_/p'
}

# bats test_tags=long
@test "--check names the capabilities that options take, and which are missing" {
	bpftool btf dump file /sys/kernel/btf/vmlinux | grep -q "ENUM 'skb_drop_reason'" || symbols=yes
	cat >"$tmp/expected" <<-END
		ok to count CAP_PERFMON, CAP_BPF
		ok -n CAP_SYS_PTRACE, CAP_SYS_ADMIN
		ok names of interfaces CAP_SYS_PTRACE, CAP_SYS_ADMIN
		${symbols+ok names of drops CAP_SYSLOG}
		ok --overhead CAP_SYS_ADMIN
		ok --output-file CAP_DAC_OVERRIDE
		ok --listen=unix:PATH CAP_DAC_OVERRIDE
	END
	sed -i '/^$/d' "$tmp/expected"
	diff "$tmp/expected" <(check_rights ./netstacklat)
	# Without those, what fails and what is done otherwise.
	sed -i '/count/!s/^ok/part/; /overhead/s/^part/NO/' "$tmp/expected"
	capabilities=+bpf,+perfmon,+sys_resource
	diff "$tmp/expected" <(check_rights tests/as-nobody --inh-caps=$capabilities --ambient-caps=$capabilities --)
}

@test "all hooks are measured with no more than the rights to count" {
	capabilities=+bpf,+perfmon,+sys_resource
	tests/as-nobody --inh-caps=$capabilities --ambient-caps=$capabilities -- -e '*' --duration=0.1s
}

# bats test_tags=long
@test "a kernel that hides its types can be traced with --btf" {
	cp /sys/kernel/btf/vmlinux "$tmp/btf"
	netstacklat=$(netstacklat_without_btf)
	run "$netstacklat" 0.2 1
	[ "$status" -eq 77 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *CONFIG_DEBUG_INFO_BTF*--btf* ]]
	run -77 "$netstacklat" --check
	grep -q "^NO  *kernel types" <<<"$output"
	run -0 "$netstacklat" --check --btf="$tmp/btf" -e "udp-*"
	start_netstacklat one --btf="$tmp/btf" -e "udp-*"
	assert_counts_udp
}

# bats test_tags=long
@test "a function that the kernel lacks is left out with a line, and the rest runs" {
	btf_with icmpv6_rcv icmpvX_rcv >"$tmp/btf"
	start_netstacklat one --btf="$tmp/btf" -e "udp-*,icmp-start"
	grep -qx "netstacklat: icmp-start is left out at icmpv6_rcv(): this kernel has no such function, or inlined it" \
		"$tmp/one.err"
	assert_counts_udp
	run -0 ./netstacklat --check --btf="$tmp/btf" -e "*p-start"
	grep -q "^part  *icmp-start  *icmp_rcv$" <<<"$output"
	grep -q "^  *icmpv6_rcv: this kernel has no such function" <<<"$output"
	[ "$(grep -c "^ok .*-start" <<<"$output")" -eq 2 ]
}

# bats test_tags=long
@test "a program that the verifier refuses is left out with a line, and the rest runs" {
	# Without that field, no program for tcp-socket-read can be fitted to the kernel: neither the one that counts
	# segments, nor the one that counts calls.
	btf_with copied_seq copied_seX >"$tmp/btf"
	start_netstacklat one --btf="$tmp/btf" -e "udp-*,tcp-socket-*"
	grep -qx "netstacklat: tcp-socket-read is left out at tcp_recv_timestamp(): this kernel's verifier refuses the program" \
		"$tmp/one.err"
	grep -q "tcp-socket-read is left out at tcp_cleanup_rbuf(): " "$tmp/one.err"
	[ "$(grep -c "left out" "$tmp/one.err")" -eq 2 ]
	# What the program at tcp_queue_rcv() does for its own hook, it still does.
	grep -q "tcp-socket-enqueued attached at tcp_queue_rcv()" "$tmp/one.err"
	assert_counts_udp
	run -0 ./netstacklat --check --btf="$tmp/btf" -e "udp-start,tcp-socket-read"
	grep -q "^NO  *tcp-socket-read  *tcp_cleanup_rbuf: " <<<"$output"
}

# bats test_tags=long
@test "a program that the verifier refuses makes no other load again" {
	btf_with srtt_us srtt_uX >"$tmp/btf"
	strace -f -e trace=bpf -o "$tmp/calls" ./netstacklat --btf="$tmp/btf" -e "udp-*,tcp-rtt" --duration=0.2s
	# But for the program of two instructions that libbpf loads in place of each.
	grep -F BPF_PROG_LOAD "$tmp/calls" | grep -vF "insn_cnt=2," | grep -oE 'prog_name="[^"]+"' | sort >"$tmp/loaded"
	cat "$tmp/loaded"
	grep -q '"tcp_rtt"' "$tmp/loaded"
	grep -q '"udp_rcv"' "$tmp/loaded"
	[ "$(uniq -d "$tmp/loaded")" = "" ]
}

# bats test_tags=long
@test "where programs can keep nothing with a socket, calls that read are counted, and a line says so" {
	btf_with bpf_sk_storage_tracing_allowed bpf_sk_storage_tracing_alloweX >"$tmp/btf"
	start_netstacklat one --btf="$tmp/btf" -P 5201 -e "tcp-socket-*"
	[ "$(grep "goes without" "$tmp/one.err")" = "netstacklat: tcp-socket-read goes without tcp_cleanup_rbuf(): $(
		)before Linux 5.11, programs cannot keep times with a socket" ]
	grep -q "tcp-socket-read attached at tcp_recv_timestamp()" "$tmp/one.err"
	send_tcp 300000
	stop_netstacklat one
	[ "$(figures one tcp-socket-read count)" -gt 0 ]
	run -0 ./netstacklat --check --btf="$tmp/btf" -e tcp-socket-read
	grep -q "^part  *tcp-socket-read  *tcp_recv_timestamp$" <<<"$output"
}

# bats test_tags=long
@test "before Linux 5.17, without bpf_loop(), segments are counted as ever" {
	skip_where_reads_are_counted
	btf_with BPF_FUNC_loop BPF_FUNC_looX >"$tmp/btf"
	start_netstacklat one --btf="$tmp/btf" -y -P 5201 -e "tcp-socket-*"
	before=$(out_of_order)
	send_tcp 300000
	late=$(($(out_of_order) - before))
	stop_netstacklat one
	! grep "left out" "$tmp/one.err" || return 1
	queued=$(figures one tcp-socket-enqueued count)
	read -r read not_remembered < <(figures one tcp-socket-read count not_remembered)
	echo "$queued queued, $late late, $read read, $not_remembered not remembered"
	[ "$read" -gt 0 ]
	[ $((read + not_remembered)) -eq $((queued + late)) ]
}

# bats test_tags=long,frugal
@test "without bpf_loop(), the verifier accepts the largest programs, too" {
	skip_where_reads_are_counted
	btf_with BPF_FUNC_loop BPF_FUNC_looX >"$tmp/btf"
	run -0 ./netstacklat --btf="$tmp/btf" -y --wakeups -g port,cgroup,pid,netns -e "tcp-socket-*" 0.2 1
	[[ $output != *"left out"* ]]
	run -0 ./netstacklat --btf="$tmp/btf" --wakeups --slow=1ms -e "tcp-socket-*" 0.2 1
	[[ $output != *"left out"* ]]
}

# bats test_tags=long
@test "where every program is refused, status 77" {
	btf_with copied_seq copied_seX >"$tmp/btf"
	run ./netstacklat --btf="$tmp/btf" -e tcp-socket-read 0.2 1
	echo "$output"
	[ "$status" -eq 77 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[0]} == *"nothing can be measured here"* ]]
	run -77 ./netstacklat --check --btf="$tmp/btf" -e tcp-socket-read

	# The verifier says why, and would say where the kernel has its maps.
	run -77 ./netstacklat -v --btf="$tmp/btf" -e tcp-socket-read
	[[ $output == *"= 0xffxxxxxxxxxxxxxx"* ]]
	[[ ! $output =~ 0xff[0-9a-f]{14} ]]
}
