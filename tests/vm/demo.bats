#!/usr/bin/env bats
# bats file_tags=kernel:7-2,once
# The demo, as it runs on a kernel that may be traced.

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
}

teardown() {
	stop_everything
}

nothing_of_the_demo() { [ -z "$(ip netns list)" ] && ! pgrep iperf3; }

# Of the answer in a text, all that is said of the two services, without numbers. On a slow machine, more is late, and in another order.
sentences() {
	sed -n '/--diagnose --late=20ms 5$/,/^Looked at/p' "$1" | awk -v RS= '/^ [0-9]+  (cart|veth0)/' |
		sed -E 's/^ [0-9]+//; s/[0-9]+(\.[0-9]+)?([mun]?s)?/N/g' | sort
}

# bats test_tags=long
@test "the demo tells why two services are late, shows TCP and UDP, and leaves nothing behind" {
	run tests/demo --here
	echo "$output"
	[ "$status" -eq 0 ]
	sentences README.md | grep -q "cart was stopped, by a signal or a debugger."
	diff <(sentences README.md) <(sentences - <<<"$output")
	[ "$(grep -c "  interval " <<<"$output")" -eq 5 ]
	for hook in tcp-start tcp-socket-read udp-start udp-socket-read; do
		[[ $output == *"$hook:"* ]]
	done
	wait_until nothing_of_the_demo
}

# bats test_tags=long
@test "a case shows its table, and leaves nothing behind" {
	run tests/demo --here udp
	echo "$output"
	[ "$status" -eq 0 ]
	grep -qF "\$ sudo ./netstacklat --stages -4 -e 'netif-receive,ip-rcv,udp-*'" <<<"$output"
	# On a slow machine, some are read before it is known that they were queued.
	[ "$(sed -nE 's/^. udp-socket-read +(queue, reader|<- udp-queue-rcv) +([0-9]+) .*/\2/p' <<<"$output" |
		awk '{ sum += $1 } END { print sum }')" -eq 100 ]
	nothing_of_the_demo
}

# Of the table of whole requests in a text: the hook of each line, and what lies before it.
request_stages() {
	sed -n '/^\$ sudo .*tcp-send/,/^```/p' "$1" | sed -nE 's/^[> ] ([a-z]+-[a-z-]+ +[^0-9]*[^0-9 ]) +[0-9]+ .*/\1/p'
}

# bats test_tags=long
@test "the picture of a whole request has the lines that its case shows, in the README and in the documentation" {
	skip_where_reads_are_counted
	tests/demo --here request >"$tmp/shown"
	stages=$(request_stages "$tmp/shown")
	echo "$stages"
	[ "$(wc -l <<<"$stages")" -eq 10 ]
	[ "$stages" = "$(request_stages README.md)" ]
	[ "$stages" = "$(request_stages doc/cases.md)" ]
}

@test "each case is in the list, and in the documentation" {
	listed=$(tests/demo --list | awk '{ print $1 }')
	[ "$listed" = "$(sed -n 's/^case_\([a-z]*\)().*/\1/p' tests/cases.bash)" ]
	[ "$listed" = "$(sed -n 's/^## \([a-z]*\): .*/\1/p' doc/cases.md)" ]
	run tests/demo nonesuch
	[ "$status" -eq 64 ]
	[[ $output == *'no case "nonesuch"'* ]]
}

# bats test_tags=long
@test "the demo, interrupted, leaves nothing behind" {
	setsid tests/demo --here >"$tmp/demo" 3>&- &
	wait_until pgrep --exact netstacklat >/dev/null
	pkill --signal TERM --full "tests/demo --here"
	# On a slow machine it may have ended by itself.
	pkill --exact netstacklat || true
	wait_until nothing_of_the_demo
	assert_nothing_left
}
