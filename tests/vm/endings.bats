#!/usr/bin/env bats
# How runs end, and what users and kernels that cannot trace are told.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
}

teardown() {
	assert_nothing_left
}

@test "SIGINT ends with the last interval and the total, status 0" {
	start_netstacklat one -r 60
	stop_netstacklat one
	[ "$(kinds one)" = "interval total" ]
}

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
		[ ! -s "$tmp/err" ]
		assert_nothing_left
	done
	# The last of them came late enough to be answered.
	[ "$(kinds one)" = "interval total" ]
}

@test "COUNT reports, then status 0" {
	./netstacklat -j 0.2 3 >"$tmp/one.out"
	[ "$(kinds one)" = "interval interval interval" ]
}

@test "a reader that has seen enough ends it quietly" {
	./netstacklat -r 1 2>"$tmp/err" 3>&- | head -n 1
	[ "${PIPESTATUS[0]}" -eq 0 ]
	[ ! -s "$tmp/err" ]
}

@test "a full disk is an error" {
	status=0
	./netstacklat 1 1 >/dev/full 2>"$tmp/err" || status=$?
	[ "$status" -eq 1 ]
	[ "$(cat "$tmp/err")" = "netstacklat: cannot write to standard output: No space left on device" ]
}

@test "a closed standard output is an error" {
	status=0
	./netstacklat 1 1 >&- 2>"$tmp/err" || status=$?
	[ "$status" -eq 1 ]
	[ "$(cat "$tmp/err")" = "netstacklat: cannot write to standard output: Bad file descriptor" ]
}

@test "a user who is not root is told so" {
	run tests/as-nobody -- 0.2 1
	[ "$status" -eq 77 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *"needs root"* ]]
}

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
