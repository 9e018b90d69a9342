#!/usr/bin/env bats
# bats file_tags=once
# --compare, of runs on this kernel: what differs is found, and what does not is no alarm.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netns_up
}

teardown() {
	stop_everything
}

# NAME MS: a run in which the reader sleeps so long before each packet. Packets come each 2 ms, so
# a reader that sleeps for longer is never woken by one: all before the reading takes the same.
compared_run() {
	start_netstacklat "$1" -k 3 -r 0.1 -n "$netns_server" -e "udp-*"
	start_receiver "$1-reader" udp-receive "$server_ipv4" 4000 100 "$2"
	on_client "$traffic" udp-send "$server_ipv4" 4000 100 2
	receiver_result "$1-reader"
	stop_netstacklat "$1"
}

# bats test_tags=long
@test "runs are compared: a reader that sleeps longer is slower, and what comes before it is not" {
	local run sides
	for run in 1 2 3; do
		compared_run "before$run" 3
		sysctl -qw net.core.netdev_budget=301
		compared_run "after$run" 12
		sysctl -qw net.core.netdev_budget=300
	done
	tests/validate-json <"$tmp/after2.out"
	sides=("$tmp"/before[123].out -- "$tmp"/after[123].out)
	"$netstacklat" --compare "${sides[@]}" >"$tmp/compared"
	cat "$tmp/compared"
	grep -q "^    udp-socket-read p50: .* times as long " "$tmp/compared"
	# One comparison in twenty shows a difference by chance, and that is a small one.
	"$netstacklat" --compare -j "${sides[@]}" | tests/cli/compare.py slower 1.5 >"$tmp/slower"
	grep -qx udp-socket-read "$tmp/slower"
	[ "$(wc -l <"$tmp/slower")" -eq 1 ]
	run -3 "$netstacklat" --compare --fail-if="udp-socket-read p50 +50%" "${sides[@]}"
	grep -A 1 "^The host was set up differently, in 1 setting:$" "$tmp/compared" |
		grep -qx "    net.core.netdev_budget: 300 before, 301 after"
}

# bats test_tags=long
@test "what else changed is told: rules of netfilter, and limits of cgroups" {
	compared_run before 0
	nft "add table ip netstacklat; add chain ip netstacklat rules; add rule ip netstacklat rules drop"
	echo +cpu >"$cgroup_mount/cgroup.subtree_control"
	make_cgroup "$cgroup"
	echo 90000 100000 >"$cgroup_mount$cgroup/cpu.max"
	compared_run after 0
	nft delete table ip netstacklat
	remove_cgroup "$cgroup"
	"$netstacklat" --compare "$tmp/before.out" -- "$tmp/after.out" >"$tmp/compared"
	cat "$tmp/compared"
	grep -A 2 "^The host was set up differently, in 2 settings:$" "$tmp/compared" >"$tmp/settings"
	grep -qx "    rules of netfilter: 0 before, 1 after" "$tmp/settings"
	grep -qx "    cpu.max of $cgroup: none before, 90000 100000 after" "$tmp/settings"
}

# bats test_tags=long
@test "a browser shows both sides, with the figures that JSON has" {
	compared_run before1 3
	compared_run before2 3
	compared_run after1 6
	compared_run after2 6
	"$netstacklat" --compare -o html "$tmp/before1.out" "$tmp/before2.out" -- "$tmp/after1.out" "$tmp/after2.out" >"$tmp/page.html"
	browser_dom "$tmp/page.html" >"$tmp/page.dom"
	cat "$tmp/before2.out" >>"$tmp/before1.out"
	cat "$tmp/after2.out" >>"$tmp/after1.out"
	in_reports before1 formats.side_is_shown "$tmp/page.dom" before
	in_reports after1 formats.side_is_shown "$tmp/page.dom" after
}

# bats test_tags=long
@test "whatever names are, a browser shows them as text" {
	local seed=$RANDOM
	echo "seed $seed"
	tests/cli/compare.py hostile "$tmp" "$seed"
	"$netstacklat" --compare -o html "$tmp/a" -- "$tmp/b" >"$tmp/page.html"
	browser_dom "$tmp/page.html" >"$tmp/page.dom"
	"$netstacklat" --compare -j "$tmp/a" -- "$tmp/b" | tests/cli/compare.py harmless "$tmp/page.dom"
}

# One in twenty does by chance; of a hundred pairs, ten are more than that but for one in forty.
# bats test_tags=long
@test "of runs without a difference, few pairs of sides differ" {
	local run runs=()
	for run in {1..18}; do
		compared_run "run$run" 0
		runs+=("$tmp/run$run.out")
	done
	alarms=$(tests/cli/compare.py alarms "$netstacklat" 100 "${runs[@]}")
	echo "# $alarms of 100 differ" >&3
	[ "$alarms" -le 10 ]
}
