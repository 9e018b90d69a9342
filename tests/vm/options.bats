#!/usr/bin/env bats
# bats file_tags=kernel:toolchain
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
	watch cgroup -j -e udp-queue-rcv -c "$cgroup/red.service"
	watch ports-of-four -j -e udp-queue-rcv -P 4001,4003 -4
	watch six -j -e udp-queue-rcv -6
	watch reader -j -e udp-socket-read -p "$red,$inner" --comm=red
	watch remote -j -e udp-queue-rcv --remote=192.0.2.0/24,2001:db8:1::1
	watch queue -j -e udp-socket-enqueued -q 1
	watch hol -j -e tcp-socket-read -y

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
	flows_in hooks '
		assert [hook["hook"] for hook in total["hooks"]] == \
			["udp-start", "udp-queue-rcv", "udp-socket-enqueued", "raw-socket-enqueued", "udp-socket-read"]'
}

@test "-n, -i, -c, -P, -4, -6, -p, --comm, --remote: those that pass" {
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
	flows_in queue '
		udp = [end for end in json.loads(open(flows).readlines()[1]) if end["kind"] == "udp"]
		shown = histogram(total, "udp-socket-enqueued")
		print(shown["count"], shown["discarded"], "of", len(udp), "flows")
		assert shown["count"] == sum(end["packets"] - 1 for end in udp)
		assert shown["discarded"]["filtered"] == len(udp)'
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
	flows_in sorted '
		for report in reports:
			sums = [h["sum_ns"] for h in report["histograms"] if h["group"]]
			print(sums)
			assert sums == sorted(sums, reverse=True)
		assert len(sums) == 4'
}

@test "--max-groups: what is of no group is told" {
	flows_in rows '
		packets = sum(groups_at("udp-queue-rcv", flows)[0].values())
		groups = [h["count"] for h in total["histograms"] if h["group"]]
		print(groups, "of", packets)
		assert len(groups) == 1 and 0 < groups[0] < packets
		assert histogram(total, "udp-queue-rcv")["discarded"]["no_room"] == packets - groups[0]'
}

# Runs Python on the total of NAME that is text, as total.
in_text() {
	python3 -B -c '
import json, re, sys, textwrap
sys.path.insert(0, "tests/vm")
from flows import groups_at
total = open(sys.argv[1]).read().split("  total ")[-1]
flows = sys.argv[2]
exec(textwrap.dedent(sys.argv[3]))' "$BATS_FILE_TMPDIR/$1.out" "$BATS_FILE_TMPDIR/flows" "$2"
}

@test "--top: the busiest groups" {
	in_text top '
		groups = groups_at("udp-queue-rcv", flows, keys=["port"])[0]
		(_, busiest), *rest = groups.most_common()
		assert re.findall(r"^count (\d+)", total, re.M) == [str(busiest)], total
		assert f"\n{len(rest)} more groups with a count of {sum(n for _, n in rest)}" in total, total'
}

@test "--stages, --wakeups: each packet from hook to hook" {
	flows_in wakeups '
		packets = sum(groups_at("udp-socket-read", flows)[0].values())
		read = Counter({stage["from"]: 0 for stage in total["stages"]})
		for stage in total["stages"]:
		    if stage["to"] == "udp-socket-read":
		        read[stage["from"]] += stage["count"]
		print(packets, read)
		assert read["udp-socket-enqueued"] + read["udp-socket-running"] == packets'
	flows_in stages '
		packets = sum(groups_at("udp-socket-read", flows)[0].values())
		ends = Counter()
		for stage in total["stages"]:
		    ends[stage["to"]] += stage["count"]
		print(packets, ends, total["unpaired"])
		assert ends == dict.fromkeys(["udp-queue-rcv", "udp-socket-enqueued", "udp-socket-read"], packets)'
}

@test "-r, --cumulative: all since the start" {
	assert_counted <<<"cumulative - - True"
	flows_in cumulative '
		counts = [histogram(report, "udp-queue-rcv")["count"] for report in reports]
		assert {report["kind"] for report in intervals} == {"cumulative"}
		assert counts == sorted(counts) and counts[-2] == counts[-1], counts'
}

@test "-k, --btf: the same packets, in buckets of a sixteenth of an octave" {
	assert_counted <<<"finest - - True"
	flows_in finest '
		bounds = list(buckets(total, "udp-queue-rcv"))
		sixteenths = [max((le - 1).bit_length() - 5, 0) for le in bounds]
		assert all(le >> n << n == le for le, n in zip(bounds, sixteenths)), bounds
		assert any(le >> n & 1 for le, n in zip(bounds, sixteenths)), bounds'
}

@test "--full: text with every bucket" {
	in_text full '
		counts = list(map(int, re.findall(r"^[\[(].*\] +(\d+) \|", total, re.M)))
		assert sum(counts) == sum(groups_at("udp-queue-rcv", flows)[0].values()), total
		# Far more than octaves from one microsecond to a second are.
		assert len(counts) > 40, total'
}

@test "-s: text with a line for each hook and group" {
	in_text summary '
		lines = [line.split() for line in total.splitlines()]
		start, queue = (sum(groups_at(hook, flows)[0].values()) for hook in ("udp-start", "udp-queue-rcv"))
		groups = groups_at("udp-queue-rcv", flows, keys=["port"])[0].most_common()
		expected = [("udp-start", start, ["0"]), ("udp-queue-rcv", queue, ["0"])]
		for group, count in groups:
			port = json.loads(group)["port"]
			expected.append(("udp-queue-rcv", count, ["-", f"{{port=\"{port}\"}}"]))
		marked = [words for words in lines if "<-" in words]
		shown = [(words[0], int(words[1]), [word for word in words[7:] if word != "<-" and word[0] != "+"])
			 for words in lines if words and words[0].startswith("udp-")]
		assert shown == expected, total
		assert len(marked) == 1 and marked[0][0].startswith("udp-") and len(marked[0]) == 10, total
		assert max(map(len, total.splitlines())) <= 80, total'
}

@test "-o heatmap: as many packets" {
	in_text heatmap '
		packets = sum(groups_at("udp-queue-rcv", flows)[0].values())
		assert re.search(rf"\|{packets / 1000:.3g}k$", total, re.M), total'
}

@test "-o openmetrics, -o prometheus, --output-file: as many packets" {
	[ ! -s "$BATS_FILE_TMPDIR/prometheus.out" ]
	python3 -B - "$BATS_FILE_TMPDIR" <<-'END'
		import sys
		sys.path.insert(0, "tests/vm")
		from flows import groups_at
		packets = sum(groups_at("udp-queue-rcv", sys.argv[1] + "/flows")[0].values())
		for name, end in ("openmetrics.out", "# EOF\n"), ("file.prom", ""):
		    metrics = open(sys.argv[1] + "/" + name).read()
		    count = f'netstacklat_latency_seconds_count{{hook="udp-queue-rcv"}} {packets}\n'
		    assert count in metrics and metrics.endswith(end), metrics
	END
}

@test "--overhead: a run for each packet" {
	flows_in overhead '
		packets = sum(groups_at("udp-queue-rcv", flows)[0].values())
		assert sum(program["runs"] for program in total["overhead"]) == packets, total["overhead"]'
}

@test "--slow, --slow-limit, --count, --pcap: each packet" {
	flows_in packets '
		sent = sum(groups_at("udp-queue-rcv", flows)[0].values())
		print(sent, total["slow"])
		assert len(packets) == total["slow"]["told"] == sent'
	[ -s "$BATS_FILE_TMPDIR/pcap" ]
}

@test "--timestamping-only: until a signal" {
	noted -v --timestamping-only 2>"$tmp/stamping" 3>&- &
	wait_until grep -q "packets are stamped" "$tmp/stamping"
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
	python3 -B - "$BATS_FILE_TMPDIR/used" <<-'END'
		import re, subprocess, sys
		help = subprocess.run(["./netstacklat", "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
		used = {word.split("=")[0] for word in open(sys.argv[1]).read().split("\n")}
		options = re.findall(r"^ +(-\w)?(?:, )?(--[a-z-]+)?(?=[ =\n])", help, re.M)
		options = [spellings for spellings in options if any(spellings)]
		print(options)
		assert len(options) > 30
		assert not [spellings for spellings in options if used.isdisjoint(spellings)]
	END
}
