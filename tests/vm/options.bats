#!/usr/bin/env bats
# bats file_tags=kernel:7-2,once
# Every option of the command line, with exact counts: a short test of what libraries and
# compilers made of netstacklat. What each option is for in full is tested elsewhere.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	netstacklat=noted
}

teardown() {
	stop_everything
	remove_cgroup "$cgroup"
}

teardown_file() { teardown; }

# netstacklat, with a note of what options it was given.
noted() {
	printf '%s\n' "$@" >>"$BATS_FILE_TMPDIR/used"
	exec ./netstacklat "$@"
}

# Launches NAME with further arguments, to see the flows go by.
watch() {
	watching+=("$1")
	launch_netstacklat "$@"
}

# The flows of tests/vm/flows.py go by once, and all watch.
setup_file() {
	local red inner
	setup
	flows_up
	start_flows
	read -r red _ _ inner _ <"$tmp/flows.readers"

	watch hooks -j -e "udp-*,raw-*" -d raw-socket-read
	watch interface -j -e udp-queue-rcv -n "$netns_server" -i veth1
	watch cgroup -j -e udp-queue-rcv -m "$cgroup_mount$cgroup" -c red.service
	watch ports-of-four -j -e udp-queue-rcv -P 4001,4003 -4
	watch six -j -e udp-queue-rcv -6
	watch reader -j -e udp-socket-read -p "$red,$inner" --comm=red
	watch remote -j -e udp-queue-rcv --remote=192.0.2.0/24,2001:db8:1::1
	watch queue -j -e udp-socket-enqueued -q 1
	watch hol -j -e tcp-socket-read -y
	watch bcc -j -r 1 -e ip-start,udp-socket-enqueued,tcp-socket-read --netns=-1 --include-hol-delay

	watch group -j -e udp-socket-read -g port,pid
	watch interface-and-cgroup -j -e udp-queue-rcv -I -C
	watch rows -j -e udp-queue-rcv -g port --max-groups=1
	watch sorted -j -e udp-queue-rcv -g port --sort=sum
	watch top -o text -e udp-queue-rcv -g port --top=1

	watch stages -j --stages -e "udp-*"
	watch wakeups -j --wakeups -e "udp-*"
	watch cumulative -j -e udp-queue-rcv -r 0.2 --cumulative
	watch finest -j -e udp-queue-rcv -k 4 --btf=/sys/kernel/btf/vmlinux
	watch summary -o text -e udp-start,udp-queue-rcv -g port -s
	watch full -o text -e udp-queue-rcv -k 4 --full
	watch heatmap -o heatmap -e udp-queue-rcv
	watch openmetrics -o openmetrics -e udp-queue-rcv
	watch prometheus -o prometheus -e udp-queue-rcv --output-file="$tmp/file.prom"
	watch overhead -j -e udp-queue-rcv --overhead
	watch packets -j -e udp-queue-rcv --slow=1ns --slow-limit=100000 --count=100000 --pcap="$tmp/pcap"
	flow
	teardown
}

@test "-e, -d: at these hooks, and not at those" {
	assert_counted <<<"hooks - - True"
	flows_in hooks options.hooks_are udp-start udp-queue-rcv udp-socket-enqueued raw-socket-enqueued udp-socket-read
}

# Of bcc's netstacklat, options and hooks that have other names here.
@test "-e ip-start, --netns=-1, --include-hol-delay: scripts for another netstacklat" {
	assert_counted <<<"bcc - - True"
	flows_in bcc options.hooks_are ip-rcv udp-socket-enqueued tcp-socket-read
}

@test "-n, -i, -m, -c, -P, -4, -6, -p, --comm, --remote: those that pass" {
	assert_counted <<-'END'
		interface - netns,interface f.interface == "veth1"
		cgroup - cgroup f.reader in (RED, LATE)
		ports-of-four - port,ip_version f.port in (4001, 4003) and f.ip_version == 4
		six - ip_version f.ip_version == 6
		reader - pid,comm f.reader == RED
		remote - remote f.remote.startswith("192.0.2.") or f.remote == "2001:db8:1::1"
	END
}

# All of a flow's packets queue up before the first is read.
@test "-q: all but the first of each flow" {
	flows_in queue options.all_but_first_of_each
}

@test "-y: what no lost segment holds up is all there" {
	assert_counted <<<"hol - - True"
}

@test "-g, -I, -C: each group has its packets" {
	assert_counted <<-'END'
		group port,pid - True
		interface-and-cgroup interface,cgroup - True
	END
}

@test "--sort: the same groups, those with the largest sum first" {
	assert_counted <<<"sorted port - True"
	flows_in sorted options.largest_sum_is_first 4
}

@test "--max-groups: what is of no group is told" {
	flows_in rows options.one_has_room
}

@test "--top: the busiest groups" {
	flows_in top options.busiest_is_shown
}

@test "--stages, --wakeups: each packet from hook to hook" {
	flows_in wakeups options.wakeups_end_at_the_reader
	flows_in stages options.stages_have_each udp-queue-rcv udp-socket-enqueued udp-socket-read
}

@test "-r, --cumulative: all since the start" {
	assert_counted <<<"cumulative - - True"
	flows_in cumulative options.counts_only_grow
}

@test "-k, --btf: the same packets, in buckets of a sixteenth of an octave" {
	assert_counted <<<"finest - - True"
	flows_in finest options.buckets_are_sixteenths
}

@test "--full: text with every bucket" {
	flows_in full options.every_bucket_is_shown
}

@test "-s: text with a line for each hook and group" {
	flows_in summary options.lines_are_of_hooks_and_groups
}

@test "-o heatmap: as many packets" {
	flows_in heatmap options.sum_is_shown
}

@test "-o openmetrics, -o prometheus, --output-file: as many packets" {
	[ ! -s "$BATS_FILE_TMPDIR/prometheus.out" ]
	flows_in openmetrics options.metrics_have_each "# EOF"
	tests/vm/in-reports options.metrics_have_each "$BATS_FILE_TMPDIR/flows" <"$BATS_FILE_TMPDIR/file.prom"
}

@test "--overhead: a run for each packet" {
	flows_in overhead options.runs_are_packets
}

@test "--slow, --slow-limit, --count, --pcap: each packet" {
	flows_in packets options.each_is_told_of
	[ -s "$BATS_FILE_TMPDIR/pcap" ]
}

@test "--timestamping-only: until a signal" {
	noted -v --timestamping-only 2>"$tmp/stamping" 3>&- &
	wait_until grep -q "packets are stamped" "$tmp/stamping"
	status=$(grep -slx "Name:.netstacklat" /proc/[0-9]*/status || true)
	grep -qx "CapEff:.0000000000000000" "$status"
	kill -INT $!
	wait $!
}

@test "--listen, --forget, -o none: served, and compressed" {
	start_netstacklat served -o none --listen=9719 --forget=1h -g port -e udp-start
	tests/vm/web.py get http://127.0.0.1:9719/metrics >"$tmp/plain"
	tests/vm/web.py get http://127.0.0.1:9719/metrics "Accept-Encoding: gzip" >"$tmp/compressed"
	stop_netstacklat served
	grep -q '^netstacklat_hook_attached{hook="udp-start"} 1$' "$tmp/plain"
	sed '1,/^$/d' "$tmp/compressed" | gunzip | grep -q '^netstacklat_hook_attached{hook="udp-start"} 1$'
	[ ! -s "$tmp/served.out" ]
}

@test "INTERVAL and COUNT: so many reports" {
	(noted -j -e udp-start 0.1 2) >"$tmp/reports"
	tests/vm/in-reports 'assert [report["kind"] for report in reports] == ["interval", "interval"]' <"$tmp/reports"
}

@test "--check, -l: every hook" {
	hooks=$(sed -n 's/^HOOK(.*, "\([a-z-]*\)", .*/\1/p' lib/tables/hooks.def)
	run -0 noted --check -e "*"
	for hook in $hooks; do
		grep -qE "^$(state_of "$hook") +$hook " <<<"$output"
	done
	run -0 noted -l
	[ "$(grep -o "^[a-z][a-z-]*" <<<"$output")" = "$hooks" ]
	[[ $output != *"not in this kernel"* ]] || ! has_function __napi_poll
}

@test "-h, --usage, -V" {
	for option in -h --usage; do
		run -0 noted $option
		[[ ${lines[0]} == "Usage: netstacklat "* ]]
	done
	run -0 noted -V
	[[ $output == "netstacklat "* ]]
}

@test "no option of --help was forgotten here" {
	./netstacklat --help | tests/vm/in-reports options.of_help_were_used "$BATS_FILE_TMPDIR/used"
}
