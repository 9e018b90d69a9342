#!/usr/bin/env bats
# bats file_tags=kernel:7-2
# Under kernel lockdown, which lasts until the machine is booted again: so last, and in VMs only.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	[ -e /run/vm/command ] || skip "for VMs only"
	netns_up
}

teardown() {
	stop_everything
}

@test "everything works where lockdown keeps BPF from reading kernel memory at will" {
	echo confidentiality >/sys/kernel/security/lockdown
	start_netstacklat one
	send_tcp 100000
	stop_netstacklat one
	[ "$(figures one tcp-socket-read count)" -gt 0 ]
	# Before Linux 5.11, a function is left out, lockdown or not.
	! remembers_segments || [ "$(grep -c "left out" "$tmp/one.err")" -eq 0 ]
}
