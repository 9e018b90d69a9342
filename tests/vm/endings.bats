#!/usr/bin/env bats
# How runs end, and what users and kernels that cannot trace are told.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
}

teardown() {
	stop_everything
	assert_nothing_left
}

# What it says, but that it measures, and what older kernels lack.
said() { grep -v "tcp-socket-read goes without tcp_cleanup_rbuf()\|: measuring, with" "$tmp/err" || true; }

@test "SIGINT ends with the last interval and the total, status 0" {
	start_netstacklat one -r 60
	stop_netstacklat one
	[ "$(kinds one)" = "interval total" ]
}

# Also where both are due at once.
@test "--duration ends the same, within an interval and with one" {
	./netstacklat --json --duration=1s -r 60 >"$tmp/one.out"
	[ "$(kinds one)" = "interval total" ]
	./netstacklat --json --duration=2s -r 1 >"$tmp/two.out"
	[ "$(kinds two)" = "interval interval total" ]
}

# bats test_tags=long
@test "SIGHUP ends the same, and leaves nothing beside the file of reports" {
	mkdir "$tmp/folder"
	launch_netstacklat one -r 60
	launch_netstacklat file -o prometheus -r 0.02 --output-file="$tmp/folder/reports"
	wait_for_netstacklat one
	wait_until test -s "$tmp/folder/reports"
	kill -HUP "$(cat "$tmp/one.pid")" "$(cat "$tmp/file.pid")"
	wait "$(cat "$tmp/one.pid")"
	wait "$(cat "$tmp/file.pid")"
	[ "$(kinds one)" = "interval total" ]
	[ "$(ls -A "$tmp/folder")" = reports ]
}

# bats test_tags=long
@test "SIGTERM at any moment of the start-up ends cleanly" {
	for delay in 0.05 0.1 0.2 0.4 0.8 1.2 1.6; do
		./netstacklat -j >"$tmp/one.out" 2>"$tmp/err" 3>&- &
		sleep "$delay"
		kill -TERM $!
		status=0
		wait $! || status=$?
		echo "after $delay s: status $status, $(cat "$tmp/err")"
		# Before main() holds the signals back, the shell reports death by SIGTERM.
		[ "$status" -eq 0 ] || [ "$status" -eq 143 ]
		[ -z "$(said)" ]
		assert_nothing_left
	done
	# The last of them came late enough to be answered.
	[ "$(kinds one)" = "interval total" ]
}

@test "who waits for it without a terminal is told when it measures, in one line" {
	./netstacklat -e udp-start 2>"$tmp/err" >/dev/null 3>&- &
	echo $! >"$tmp/one.pid"
	wait_until grep -q measuring "$tmp/err"
	stop_netstacklat one
	[ "$(cat "$tmp/err")" = "netstacklat: measuring, with a report every 5 s; Ctrl-C ends it" ]
}

@test "who ends it at a terminal is told that detaching takes a while" {
	script -qec "./netstacklat -e udp-start 0.2 1" "$tmp/typescript" </dev/null >/dev/null 3>&-
	cat "$tmp/typescript"
	[ "$(grep -c "^netstacklat: detaching" "$tmp/typescript")" -eq 1 ]
	[ "$(grep -n "^netstacklat: " "$tmp/typescript" | tail -n 1 | grep -c detaching)" -eq 1 ]
}

@test "COUNT reports, then status 0" {
	./netstacklat -j 0.2 3 >"$tmp/one.out"
	[ "$(kinds one)" = "interval interval interval" ]
}

# bats test_tags=long
@test "a reader that has seen enough ends it quietly" {
	./netstacklat -r 1 2>"$tmp/err" 3>&- | head -n 1
	[ "${PIPESTATUS[0]}" -eq 0 ]
	[ -z "$(said)" ]
}

@test "a full disk is an error" {
	status=0
	./netstacklat 1 1 >/dev/full 2>"$tmp/err" || status=$?
	[ "$status" -eq 1 ]
	[ "$(said)" = "netstacklat: cannot write to standard output: No space left on device" ]
}

@test "a closed standard output is an error" {
	status=0
	./netstacklat 1 1 >&- 2>"$tmp/err" || status=$?
	[ "$status" -eq 1 ]
	[ "$(said)" = "netstacklat: cannot write to standard output: Bad file descriptor" ]
}

@test "a user who is not root is told so" {
	run tests/as-nobody -- 0.2 1
	[ "$status" -eq 77 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *"needs root"* ]]
}

# bats test_tags=long
@test "CAP_BPF and CAP_PERFMON are enough, or a message says what else it takes" {
	capabilities=+bpf,+perfmon
	if [ "$(printf '%s\n' 5.11 "$(uname -r)" | sort -V | head -n 1)" != 5.11 ]; then
		run tests/as-nobody --inh-caps=$capabilities --ambient-caps=$capabilities -- 0.2 1
		echo "$output"
		[ "$status" -eq 1 ]
		[[ $output == *CAP_SYS_RESOURCE* ]]
		capabilities=$capabilities,+sys_resource
	fi
	run tests/as-nobody --inh-caps=$capabilities --ambient-caps=$capabilities -- 0.2 1
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a kernel without BTF is named as such" {
	run unshare --mount sh -c 'mount -t tmpfs none /sys/kernel/btf && exec ./netstacklat 0.2 1'
	[ "$status" -eq 77 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *CONFIG_DEBUG_INFO_BTF* ]]
}

# PROGRAMS: runs with that many at udp_rcv(), or with as many as it can take; what is left out goes to $tmp/left-out.
run_in_crowd_of() {
	start_crowd "$1" udp_rcv
	./netstacklat -e udp-start 0.2 1 2>"$tmp/err"
	cat "$tmp/err"
	grep "left out" "$tmp/err" >"$tmp/left-out" || true
	stop_crowd
}

# bats test_tags=long
@test "a function that takes no more programs is named, with how many it takes" {
	local expected=38 most
	is_linux_since 5.12 || expected=40
	# The code that calls them has a page, and is longer there.
	! is_linux_since 7.2 || expected=36
	run_in_crowd_of 100
	read -r _ most <"$tmp/crowd"
	echo "$most"
	# Some kernels for arm64 take one less.
	[ "$most" -eq $expected ] || [[ $(uname -m) = aarch64 && $most -eq 37 ]]
	[ "$(cat "$tmp/left-out")" = "netstacklat: udp-start is left out at udp_rcv(): there are as many programs as\
 a function can take, which is 38 at most, or 40 before Linux 5.12" ]
	run_in_crowd_of $((most - 1))
	[ ! -s "$tmp/left-out" ]
}

# Runs netstacklat as a shell command says, which must fail with one line that has TEXT in it.
fails_with() {
	local failed=0
	bash -c "$2" >"$tmp/out" 2>"$tmp/err" || failed=$?
	echo "status $failed: $(cat "$tmp/err")"
	[ "$failed" -eq 1 ]
	[ ! -s "$tmp/out" ]
	[ "$(wc -l <"$tmp/err")" -eq 1 ]
	[[ $(cat "$tmp/err") == "netstacklat: "*"$1"* ]]
}

# Before Linux 5.11, one hook is left out in any case, and says so.
# bats test_tags=long
@test "too few files are one error, and not one for each hook" {
	fails_with "raise ulimit -n" "ulimit -n 48 && exec ./netstacklat -d tcp-socket-read 0.2 1"
}

# Sanitizers read their options from there.
# bats test_tags=frugal
@test "without /proc, -i and -n say so" {
	local hidden="mount -t tmpfs none /proc && exec ./netstacklat"
	fails_with "/proc is hidden or not mounted" "exec unshare --mount sh -c '$hidden -i lo 0.2 1'"
	fails_with "/proc is hidden or not mounted" "exec unshare --mount sh -c '$hidden -n self 0.2 1'"
}
