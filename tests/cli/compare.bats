#!/usr/bin/env bats
# --compare: what it says of runs that are made up, and of what is none.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
	tests/cli/compare.py make "$BATS_FILE_TMPDIR"
}

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	netstacklat=$root/netstacklat
	cd "$BATS_FILE_TMPDIR" || exit 1
}

@test "differences and their bounds are those of a reference" {
	"$netstacklat" --compare --full a1 a2 a3 -- b1 b2 b3 >text
	cat text
	"$root/tests/cli/compare.py" check . text
	grep -q "^The sides differ in 4 of 8 figures:$" text
}

@test "of two runs, it says that these differ, and no more" {
	run -0 "$netstacklat" --compare a1 -- b1
	echo "$output"
	[[ $output == *"These two runs differ in "*"three or more a side."* ]]
}

@test "the same runs do not differ, whatever the order of their files" {
	run -0 "$netstacklat" --compare a1 a2 a3 -- a3 a1 a2
	[[ $output == *"The sides differ in none of 8 figures, as far as that is shown."* ]]
}

@test "a limit is kept, broken or undecided, and the exit status says which" {
	run -0 "$netstacklat" --compare --fail-if="udp-socket-read p99 +60%" a1 a2 a3 -- b1 b2 b3
	run -3 "$netstacklat" --compare --fail-if="udp-socket-read mean +5%" a1 a2 a3 -- b1 b2 b3
	run -4 "$netstacklat" --compare --fail-if="udp-socket-read p50 +19%" a1 a2 a3 -- b1 b2 b3
	[[ ${lines[-1]} == "The limit of +19 % is undecided, as it is within the interval: "* ]]
	run -3 "$netstacklat" --compare --fail-if="udp-socket-read p50 -5%" b1 b2 b3 -- a1 a2 a3
	run -1 "$netstacklat" --compare --fail-if="udp-start p50 -5%" b1 b2 b3 -- a1 a2 a3
	[[ $output == *"netstacklat: --fail-if: udp-start p50 was not compared; "* ]]
}

@test "a fifth more at p99 is found by three runs a side, of a minute with 500 packets a second, in nine of ten cases" {
	[ "$("$root/tests/cli/compare.py" power "$netstacklat" .)" -ge 9 ]
}

@test "a page has both sides, a column a run, and the sentences on top" {
	"$netstacklat" --compare -o html a1 a2 a3 -- b1 b2 b3 >page
	"$root/tests/cli/compare.py" page . page
	run -64 script -qec "$netstacklat --compare -o html a1 -- b1" /dev/null
	[[ $output == *"redirect it, as in '> report.html'"* ]]
}

# EXPRESSION of the comparison v.
of_json() { python3 -c "import json; v = json.load(open('json')); print($1)"; }

@test "programs read the same, by the schema" {
	"$netstacklat" --compare -j --fail-if="udp-socket-read p50 +19%" a1 a2 a3 -- b1 b2 b3 >json || [ $? -eq 4 ]
	"$root/tests/validate-json" <json
	[ "$(of_json "{f['row'] for f in v['figures'] if f['differs']}, len(v['figures'])")" = "{'udp-socket-read'} 8" ]
	[ "$(of_json "v['limit']['result'], v['of_runs'], v['before']['intervals'], v['load']")" = "undecided True 60 None" ]
}

# TEXT FILE...: says TEXT of the last file.
refuses() {
	local said status=0
	said=$("$netstacklat" --compare a1 "${@:2:$# - 2}" -- "${@: -1}" 2>&1) || status=$?
	echo "$status: $said"
	[ "$status" -eq 1 ] && [ "$said" = "netstacklat: $1" ]
}

@test "what cannot be compared is named, and why" {
	refuses "cannot read none: No such file or directory" none
	echo "no report" >bad
	refuses "cannot read bad: a line of it is no report of netstacklat -j" bad
	sed 's/"resolution": 3/"resolution": 2/' b1 >coarse
	refuses "coarse has another resolution than the first run (-k): the same is compared only" coarse
	sed 's/6.12.0/6.1.0/' b1 >older
	refuses "older is of another kernel than the first run, where hooks are other functions: the same is compared only" older
	head -n 5 b1 >short
	refuses "short has 5 intervals, and it takes 10 or more: see -r, or give more runs" short
	refuses "one run a side can be compared, or two and more a side: how runs vary is not known from one" a2 b1
	sed 's/"le_ns": [0-9]*/"le_ns": 12345/' b1 >unknown
	refuses "cannot read unknown: a line of it is no report of netstacklat -j" unknown
}

# SETTINGS RUN...: these runs again, in set-RUN, each by a host that is set up like that, as JSON.
set_up() {
	local run
	for run in "${@:2}"; do
		sed "1s/^{/{\"host\": $1, /" "$run" >"set-$run"
	done
}

@test "what else differs is said: how the host was set up" {
	set_up '{"net.a": "1", "net.b": "1", "net.same": "0", "gone": ""}' a1 a2
	set_up '{"net.a": "1", "net.b": "2", "net.same": "0", "gone": ""}' a3
	set_up '{"net.a": "2", "net.b": "2", "net.same": "0", "new\\u001b": "\\u001b"}' b1 b2 b3
	run -0 "$netstacklat" --compare set-a1 set-a2 set-a3 -- set-b1 set-b2 set-b3
	[[ $output == *'
The host was set up differently, in 4 settings:
    net.a: 1 before, 2 after
    net.b: several values before, 2 after
    gone: empty before, none after
    new\x1b: none before, \x1b after
'* ]]
	"$netstacklat" --compare -j set-a1 set-a2 set-a3 -- set-b1 set-b2 set-b3 >json
	"$root/tests/validate-json" <json
	grep -qF '"settings":[{"name":"net.a","before":"1","after":"2"},{"name":"net.b","before":null,"after":"2"},{"name":"gone","before":"","after":null},' json
	run -0 "$netstacklat" --compare set-a1 set-a2 -- set-a2 set-a1
	[[ $output != *"set up"* ]]
}

@test "of many settings that differ, some are shown, and all with --full" {
	set_up "{$(seq -f '"%g": ""' -s , 23)}" a1 a2
	set_up '{}' b1 b2
	run -0 "$netstacklat" --compare set-a1 set-a2 -- set-b1 set-b2
	[[ $output == *'in 23 settings:'*'
    20: empty before, none after
    and 3 more, see --full
'* ]]
	run -0 "$netstacklat" --compare --full set-a1 set-a2 -- set-b1 set-b2
	[[ $output == *'
    23: empty before, none after
'* ]]
}

@test "where not all runs tell how the host was set up, nothing is said of it" {
	set_up '{"net.a": "1"}' a1 a2
	run -0 "$netstacklat" --compare set-a1 set-a2 -- b1 b2
	[[ $output != *"set up"* ]]
	"$netstacklat" --compare -j set-a1 set-a2 -- b1 b2 >json
	grep -q '"settings":null' json
}

@test "what says how to measure is refused" {
	run -64 "$netstacklat" --compare -g port a1 -- b1
	[[ $output == "netstacklat: --compare reads what was measured: -g is of no use there"* ]]
	run -64 "$netstacklat" --compare --diagnose a1 -- b1
	[[ $output == *": --diagnose is of no use there"* ]]
	run -0 "$netstacklat" -v --compare -o text --full a1 -- b1
}

@test "where nothing was, nothing is said" {
	for run in a1 a2 a3 b1 b2 b3; do
		sed 's/"histograms": \[/&{"hook": "icmp-start", "group": {}, "count": 0, "sum_ns": 0, "buckets": []}, /' $run >quiet-$run
	done
	run -0 "$netstacklat" --compare --full quiet-a1 quiet-a2 quiet-a3 -- quiet-b1 quiet-b2 quiet-b3
	[[ $output != *icmp* && $output == *"in 4 of 8 figures"* ]]
}

@test "another load comes first, and rows that are not in all runs are named" {
	for run in b1 b2 b3; do
		sed 's/"interval_s": 1.0/"interval_s": 0.5/; s/"tcp-start"/"udp-start\\u001b[2J"/' $run >other-$run
	done
	run -0 "$netstacklat" --compare a1 a2 a3 -- other-b1 other-b2 other-b3
	echo "$output"
	[[ ${lines[2]} == "The load differs: 300 packets a second at udp-socket-read, and 600 after." ]]
	[[ ${lines[-1]} == 'Not compared, as they are not in all runs, or have too few packets: tcp-start; udp-start\x1b[2J.' ]]
	"$netstacklat" --compare -j a1 a2 a3 -- other-b1 other-b2 other-b3 >json
	grep -q '"load":{"row":"udp-socket-read","before_per_s":300.0,"after_per_s":600.0}' json
}
