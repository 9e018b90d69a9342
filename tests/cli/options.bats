#!/usr/bin/env bats
# The command line: no root and no BPF.

# shellcheck disable=SC2154 # run sets stderr and stderr_lines

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
}

# A mistake: status 64, nothing on standard output, one sentence and the way to the help.
assert_mistake() {
	local said=$1
	shift
	run --separate-stderr ./netstacklat "$@"
	echo "status $status, $stderr"
	[ "$status" -eq 64 ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ ${stderr_lines[0]} == *netstacklat:*"$said"* ]]
	[[ ${stderr_lines[1]} == Try*--help* ]]
}

@test "-h and --help describe every option and every exit status" {
	run -0 ./netstacklat -h
	short=$output
	run -0 ./netstacklat --help
	[ "$output" = "$short" ]
	for word in -r --report-interval -v --verbose -h --help -V --version --usage INTERVAL COUNT 0 1 64 77 \
		-i -n -c -p --comm -P --sequence --remote -4 -6 -q -g -I -C --sort --top --max-groups -s --summary; do
		[[ $output == *"$word"* ]]
	done
}

@test "help fits 80 columns" {
	run -0 ./netstacklat --help
	for line in "${lines[@]}"; do
		[ "${#line}" -le 80 ]
	done
}

@test "-V prints name and version" {
	run -0 ./netstacklat -V
	[[ $output =~ ^netstacklat\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "--usage fits a terminal of 24 lines, with the prompt below it" {
	run -0 ./netstacklat --usage
	[ "${#lines[@]}" -lt 24 ]
}

@test "an interval out of range" {
	for interval in 0 -1 0.0009 86401 1e99 inf nan; do
		assert_mistake "-r '$interval': expected seconds from 0.001 to 86400" "-r$interval"
	done
}

@test "a duration or colour that is none" {
	for duration in x 10 0s -1s ""; do
		assert_mistake "--duration '$duration': expected a duration such as" --duration="$duration"
	done
	for when in yes "" Always; do
		assert_mistake "--color '$when': expected auto, always or never" --color="$when"
	done
}

@test "an interval that is no number" {
	for interval in x 1x "" "1 2" 1,5; do
		assert_mistake "-r '$interval': expected seconds" -r "$interval"
	done
	assert_mistake "INTERVAL 'x': expected seconds" x
}

@test "a count that is none" {
	for count in 0 1.5 x 99999999999999999999; do
		assert_mistake "COUNT '$count': expected a whole number" 1 "$count"
	done
	assert_mistake "COUNT '-1': expected a whole number" -- 1 -1
}

@test "the interval twice" {
	assert_mistake "only once" -r 1 2
}

@test "an argument too many" {
	assert_mistake "argument '3': expected nothing after INTERVAL and COUNT" 1 2 3
}

@test "an unknown option" {
	assert_mistake "--bogus" --bogus
	assert_mistake "'z'" -z
}

@test "hooks that do not exist, and none at all" {
	assert_mistake "-e 'tcp-x': expected hooks that --list-probes lists" -e tcp-start,tcp-x
	assert_mistake "-d '': expected hooks" -d ""
	assert_mistake "-e '': expected hooks" -e tcp-start,
	assert_mistake "-d leaves no hook" -e "udp-*" -d "*"
}

# The hooks that -l lists, and their functions, a line each.
hooks_of() { grep -o "^[a-z][a-z-]*"; }
functions_of() {
	awk '/^[a-z]/ { names = ""; do { getline; names = names " " $0 } while (/,$/)
			gsub(/ \([a-z ]*\)|or else |,/, "", names); gsub(/ +/, "\n", names); print substr(names, 2) }'
}

@test "-l lists every hook in packet order, with its kernel functions" {
	run -0 ./netstacklat -l
	[ "$(hooks_of <<<"$output")" = "$(sed -n 's/^HOOK(.*, "\([a-z-]*\)", .*/\1/p' lib/tables/hooks.def)" ]
	[ "$(functions_of <<<"$output")" = "$(sed -nE 's/^(PROBE|FALLBACK)\(.*, "[a-z_]*\/([a-z0-9_]*)", IP_[A-Z0-9]*\)$/\2/p' lib/tables/hooks.def)" ]
	for line in "${lines[@]}"; do
		[ "${#line}" -le 80 ]
	done
}

@test "a resolution, and a format, that there is not" {
	for resolution in 5 9 -1 1.5 x "" 00; do
		assert_mistake "-k '$resolution': expected 0, 1, 2, 3 or 4" -k "$resolution"
	done
	assert_mistake "-o 'xml': expected text, json, openmetrics, prometheus, heatmap, html, collapsed or none" -o xml
	assert_mistake "-o '': expected" -o ""
}

@test "filters by what cannot be" {
	for port in 0 65536 70000 -1 80x x ""; do
		assert_mistake "-P '$port': expected ports from 1 to 65535, or ranges such as 8000-8100" -P "$port"
	done
	for pid in 0 -1 x 1x 2147483648; do
		assert_mistake "-p '$pid': expected process ids" -p "$pid"
	done
	assert_mistake "--comm '1234567890123456': expected names of 1 to 15 characters" --comm=1234567890123456
	for n in 0 -1 x 1.5 "" 4294967296; do
		assert_mistake "-q '$n': expected a whole number from 1 to 4294967295" -q "$n"
	done
}

@test "filters with an empty element, which is named" {
	assert_mistake "-P '': expected ports" -P 80,,
	assert_mistake "-P '': expected ports" -P ,80
	assert_mistake "-p '': expected process ids" -p 1,
	assert_mistake "--comm '': expected names" --comm=a,,b
	assert_mistake "-i '': expected names or indexes of interfaces" -i ""
	assert_mistake "-n '': expected network namespaces" -n self,
	assert_mistake "-c '': expected paths or ids of cgroups" -c ""
}

@test "a mistake in a list is found wherever it is" {
	assert_mistake "-P 'http': expected ports" -P 80,http,443
	assert_mistake "-p '0': expected process ids" -p 1,2,0
}

@test "the same filter twice" {
	assert_mistake "-i 'lo': expected that option only once" -i eth0 -i lo
	assert_mistake "-n 'all': expected that option only once" -n self -n all
	assert_mistake "-c '/b': expected that option only once" -c /a -c /b
	assert_mistake "-p '2': expected that option only once" -p 1 -p 2
	assert_mistake "--comm 'b': expected that option only once" --comm=a --comm=b
	assert_mistake "-P '80,443': expected that option only once" -P 80 -P 80,443
	assert_mistake "-q '2': expected that option only once" -q 1 -q 2
}

@test "filters by what none of the hooks knows" {
	local nowhere="none of these hooks knows all that is filtered by, see --list-probes"
	assert_mistake "$nowhere" -e ip-rcv -c /
	assert_mistake "$nowhere" -c / -e ip-rcv
	assert_mistake "$nowhere" -e udp-socket-read -q 1
	assert_mistake "$nowhere" -d "*-read" -p 1
	# Each is known somewhere, but never both.
	assert_mistake "$nowhere" -e tcp-start,tcp-socket-read -i lo --comm=a
}

@test "groups that there are not" {
	local keys="interface, netns, cgroup, port, socket, pid, tid, comm, cpu, ip-version, reason, packets, sequence, limit or retransmit"
	for key in nonsense "" Port ip_version queue_length "port " interfaces; do
		assert_mistake "-g '$key': expected $keys" -g "$key"
		assert_mistake "-g '$key': expected $keys" -g "port,$key"
	done
}

@test "numbers of groups that make no sense" {
	for n in 0 -1 x 1.5 "" 99999999999; do
		assert_mistake "--top '$n': expected a whole number from 1 to 4294967295" --top="$n"
		assert_mistake "--max-groups '$n': expected a whole number from 1 to " --max-groups="$n"
	done
	# At the highest resolution, a row has 497 buckets, which have numbers of 32 bits.
	max=$(sed -n 's/.* from 1 to //p' <<<"$stderr")
	[ "$max" -eq $(((1 << 32) / 497)) ]
	run -0 ./netstacklat --max-groups="$max" --top=4294967295 -V
	assert_mistake "--max-groups '$((max + 1))': expected" --max-groups=$((max + 1))
}

@test "orders of groups that there are not" {
	for order in p9 p99.9 Count "" count,sum; do
		assert_mistake "--sort '$order': expected count, sum or p99" --sort="$order"
	done
}

@test "formats without histograms in text, or without groups, take what is for these" {
	for format in text json openmetrics prometheus heatmap html; do
		run -0 ./netstacklat -o $format -s --full --sort=p99 --top=1 -V
	done
}

@test "where nobody can listen" {
	for address in "" x 65536 localhost:9719 :9719 "[::1]" ::1:9719 unix:; do
		assert_mistake "--listen '$address': expected PORT, ADDRESS:PORT, [IPV6]:PORT, unix:PATH or systemd" --listen="$address"
	done
	assert_mistake "--listen '5': expected no more than four of these" --listen=1 --listen=2 --listen=3 --listen=4 --listen=5
	assert_mistake "--host says by which names --listen is asked, which is not given" --host=a
	for name in "" "a:80" "[::1]" "a b"; do
		assert_mistake "--host '$name': expected names of hosts, without a port" --listen=9719 --host="a.example,$name"
	done
	assert_mistake "--host 'b': expected that option only once, with all names" --listen=9719 --host=a --host=b
	assert_mistake "-o none goes with --listen, --slow and --trace only: nothing would be reported" -o none
}

@test "what cannot be forgotten" {
	for duration in "" 0s 1 1y -1s 1h30m; do
		assert_mistake "--forget '$duration': expected a duration such as 90s, 10m, 1h or 7d" --forget="$duration"
	done
	assert_mistake "--forget goes with --listen, -o openmetrics and -o prometheus only" --forget=1h -g port
	assert_mistake "--forget forgets groups, so it takes -g" --forget=1h --listen=9719
	for arguments in "--listen=9719" "-o openmetrics" "-o prometheus"; do
		# shellcheck disable=SC2086 # one or two
		run -0 ./netstacklat --forget=1h -g port $arguments -V
	done
}

@test "groups in a heatmap" {
	assert_mistake "heatmaps have no room for groups" -o heatmap -g port
	assert_mistake "heatmaps have no room for groups" -C -o heatmap
	assert_mistake "heatmaps have no room for groups" -I -o heatmap
}

@test "a page without intervals, or on a terminal" {
	for format in html heatmap; do
		assert_mistake "-o html draws intervals, and so does -o heatmap in a pipe: that does not go with --cumulative" -o $format --cumulative
	done
	run -64 script -qec "./netstacklat -o html" /dev/null
	[[ $output == *"-o html prints a page for a browser: redirect it, as in '> report.html'"* ]]
	run -0 script -qec "./netstacklat -o html --output-file=/tmp/x -V" /dev/null
}

@test "the overhead in a heatmap" {
	assert_mistake "heatmaps have no room for the overhead" -o heatmap --overhead
	assert_mistake "heatmaps have no room for the overhead" --overhead -o heatmap
}

@test "what cannot be drawn" {
	for option in -j "-o heatmap" "-o none --listen=9719" "-o openmetrics --output-file=/x"; do
		# shellcheck disable=SC2086 # several words
		assert_mistake "--live goes with -o text only" --live $option
	done
	for option in --overhead --cumulative; do
		assert_mistake "--live draws intervals" --live "$option"
	done
}

@test "slow packets that are none, and formats that have no room for them" {
	for duration in "" 10 ms -1ms 2d 0x1s; do
		assert_mistake "--slow '$duration': expected a duration such as 10ms" "--slow=$duration"
	done
	for rate in 0 -1 x 1000001; do
		assert_mistake "--slow-limit '$rate': expected a whole number from 1 to 1000000" --slow=1ms "--slow-limit=$rate"
	done
	assert_mistake "they take --slow or --trace" --slow-limit=5
	assert_mistake "they take --slow" --count=5
	assert_mistake "they take --slow" --pcap=x
	for format in heatmap openmetrics prometheus; do
		assert_mistake "--slow and --trace go with -o text, -o json and -o none" --slow=1ms -o $format
	done
	run -0 ./netstacklat --slow=20ms -o none -V
}

@test "too few hooks for stages, in the name of what was given" {
	local few="takes two or more hooks that packets pass one after the other"
	assert_mistake "--stages $few" --stages -e drop
	assert_mistake "--wakeups $few" --wakeups -e drop
	assert_mistake "--trace $few; --slow=1ns reports packets at a single one" --slow=0 -e drop
	assert_mistake "--trace $few" --trace -e drop
	assert_mistake "on the way out, packets wait from one hook to the next: measure at two or more, such as -e 'tx-*'" -e tx-ip
}

@test "all packets, and only those that are late" {
	assert_mistake "--trace reports all packets, --slow those that are late" --trace --slow=10ms
	assert_mistake "--trace reports all packets, --slow those that are late" --slow=10ms --trace
	run -0 ./netstacklat --trace --slow=0 -V
}

@test "what would change reports, where none are printed" {
	for option in -s --full --cumulative --sort=p99 --top=5; do
		for without in --listen=9719 "-o none --listen=9719" --slow=10ms "-o none --slow=10ms" --trace; do
			# shellcheck disable=SC2086 # one or two
			assert_mistake "no reports are printed that -s, --full, --cumulative, --sort or --top would change" \
				$option $without
			# shellcheck disable=SC2086 # likewise
			[[ $without == "-o none"* ]] || run -0 ./netstacklat $option $without 5 -V
		done
	done
}

@test "-l lists what can be filtered by at each hook" {
	run -0 ./netstacklat -l
	[ "$(grep -c "^ *filters: " <<<"$output")" -eq "$(grep -c "^ *HAS_\(SKB\|SOCKET\|SPAN | HAS_SOCKET\)" lib/tables/hooks.def)" ]
	[ "$(grep -A2 "^ip-rcv " <<<"$output" | sed -n 's/^ *filters: //p')" = "-i, -n, -4 and -6, --remote" ]
	[ "$(grep -A2 "^udp-socket-read " <<<"$output" | sed -n 's/^ *filters: //p')" = \
		"-i, -n, -c, -P, -p, --comm, -4 and -6, --remote" ]
}

# The keys that -l lists for a hook, which may take several lines.
keys_of() {
	awk -v hook="$1" '/^[a-z]/ { inside = $1 == hook; keys = 0 }
		inside && / groups: / { keys = 1; $1 = "" }
		inside && keys && / [a-z][^ ]*( |,|$)/ && !/ [A-Z]/' | tr -d , | xargs
}

@test "-l lists what can be grouped by at each hook, in words that -g takes" {
	run -0 ./netstacklat -l
	[ "$(keys_of ip-rcv <<<"$output")" = "interface netns cpu ip-version" ]
	[ "$(keys_of udp-socket-read <<<"$output")" = "interface netns cgroup port socket pid tid comm cpu ip-version" ]
	for hook in $(hooks_of <<<"$output"); do
		keys=$(keys_of "$hook" <<<"$output")
		[ -n "$keys" ]
		./netstacklat -g "${keys// /,}" -V
	done
}

@test "a file for reports that do not go there" {
	local only="--output-file goes with --live and -o html, openmetrics and prometheus only"
	assert_mistake "$only" -j --output-file=/tmp/x
	assert_mistake "$only" --output-file=/tmp/x
	run -0 ./netstacklat -o html --output-file=/tmp/x -V
	run -0 ./netstacklat --live --output-file=/tmp/x -V
	run -0 ./netstacklat -o openmetrics --output-file=/tmp/x -V
	run -0 ./netstacklat -o prometheus --output-file=/tmp/x -V
}

@test "the golden reports are valid: JSON by its schema, Prometheus' format by promtool" {
	for kind in "" -groups -overhead -slow -stages -stages-groups -verdict; do
		tests/validate-json <"tests/unit/golden/json$kind.jsonl"
	done
	for kind in "" -groups -overhead -slow -stages -stages-groups -verdict; do
		run -0 promtool check metrics < <(awk -f tests/unit/as-prometheus.awk "tests/unit/golden/openmetrics$kind.prom")
		[ -z "$output" ]
	done
}

@test "the reference parser of OpenMetrics reads the golden reports, and bounds are spelled as it does" {
	for kind in "" -groups -stages -stages-groups; do
		tests/cli/golden.py openmetrics "tests/unit/golden/openmetrics$kind.prom" "tests/unit/golden/json$kind.jsonl"
	done
}

# Of each histogram, in their order: hook="tcp-start",port="80" 1234
counts_in_json() { tests/cli/golden.py counts "$1"; }

# The same of text, which shows only those with a count.
counts_in_text() {
	awk '/^[a-z-]+({.*})?:$/ { sub(/:$/, ""); block = $0 } /^count [1-9]/ { print block, $2 }' "$1" |
		sed -E 's/^([a-z-]+)\{(.*)\} /hook="\1",\2 /; s/^([a-z-]+) /hook="\1" /'
}

@test "the golden reports have the same counts in text and in JSON" {
	for groups in "" -groups; do
		counts=$(counts_in_text "tests/unit/golden/text$groups.txt")
		echo "$counts"
		[ -n "$counts" ]
		[ "$counts" = "$(counts_in_json "tests/unit/golden/json$groups.jsonl" | grep -v " 0$")" ]
	done
}

# The same of a summary, where the lines of groups end with their labels.
counts_in_summary() {
	sed -nE 's/^([a-z-]+) +([1-9][0-9]*) .* - \{(.*)\}$/hook="\1",\3 \2/p; t
		s/^([a-z-]+) +([1-9][0-9]*) .*/hook="\1" \2/p' "$1"
}

@test "the golden reports have the same counts in text and in its summary" {
	[ "$(counts_in_summary tests/unit/golden/text-summary.txt)" = "$(counts_in_text tests/unit/golden/text.txt)" ]
	# The lines of hooks have no labels.
	counts=$(counts_in_summary tests/unit/golden/text-summary-groups.txt | grep ,)
	echo "$counts"
	[ "$counts" = "$(counts_in_text tests/unit/golden/text-groups.txt)" ]
}

@test "in a summary, the groups of a hook add up to it, with those that are not shown" {
	for report in groups top; do
		awk '/^[a-z]+-/ && $8 != "-" { wrong += left != 0; left = $2 }
			/^[a-z]+-/ && $8 == "-" { left -= $2; groups++ }
			END { exit wrong || left || !groups }' "tests/unit/golden/text-summary-$report.txt"
	done
}

@test "a summary fits 80 columns" {
	[ "$(wc -L <tests/unit/golden/text-summary.txt)" -le 80 ]
}

@test "the golden reports have the same counts in JSON and in OpenMetrics" {
	for kind in "" -groups -stages -stages-groups; do
		counts=$(sed -n 's/^netstacklat_latency_seconds_count{\(.*\)} /\1 /p' \
			"tests/unit/golden/openmetrics$kind.prom" | sort)
		[ -n "$counts" ]
		[ "$counts" = "$(counts_in_json "tests/unit/golden/json$kind.jsonl" | sort)" ]
	done
}

# Of each stage: from="ip-rcv",to="udp-start",ip_version="4" COUNT SUM_NS, and of each hook: unpaired hook="ip-rcv" COUNT
stages_in_json() { tests/cli/golden.py stages "$1" | sort; }
stages_in_openmetrics() { tests/cli/golden.py stages-in-openmetrics "$1" | sort; }

@test "the golden reports have the same stages in JSON and in OpenMetrics" {
	for kind in -stages -stages-groups; do
		stages=$(stages_in_json "tests/unit/golden/json$kind.jsonl")
		echo "$stages"
		[ "$(grep -c "^unpaired" <<<"$stages")" -eq 4 ]
		[ "$(wc -l <<<"$stages")" -gt 12 ]
		[ "$stages" = "$(stages_in_openmetrics "tests/unit/golden/openmetrics$kind.prom")" ]
	done
}

@test "without --stages, none is in any golden report" {
	run -1 grep -lE "stage|unpaired" tests/unit/golden/{json,openmetrics}{,-groups,-overhead}.*
}

# Of each: TO COUNT. Tables are by group, and histograms by table.
@test "with --full, text has a histogram for each stage of its tables" {
	report=tests/unit/golden/text-stages-full.txt
	tables=$(sed -nE 's/^[> ] ([a-z]+-[a-z-]+) +[<A-Za-z].* ([0-9]+) .* [0-9.]+[mnu]?s.*/\1 \2/p' $report)
	histograms=$(sed -nE 's/.*, from [a-z-]+ to ([a-z-]+):$/\1/p; t; s/^count ([0-9]+) .*/\1/p; /^netif-receive/q' $report |
		paste -sd "  " | sed -E 's/ ([a-z])/\n\1/g')
	echo "$tables"
	[ "$(wc -l <<<"$tables")" -eq 13 ]
	[ "$(sort <<<"$tables")" = "$(sort <<<"$histograms")" ]
}

@test "tables of stages, and heatmaps in blocks, fit 80 columns" {
	for report in text-stages text-stages-groups heatmap-stages; do
		[ "$(wc -L <"tests/unit/golden/$report.txt")" -le 80 ]
	done
}

# Of each program: hook="tcp-start",program="tcp_v4_rcv" RUNS RUN_NS
overhead_in_json() { tests/cli/golden.py overhead "$1"; }
overhead_in_openmetrics() { tests/cli/golden.py overhead-in-openmetrics "$1"; }

@test "the golden reports have the same overhead in JSON and in OpenMetrics" {
	overhead=$(overhead_in_json tests/unit/golden/json-overhead.jsonl)
	[ "$(wc -l <<<"$overhead")" -eq 5 ]
	[ "$overhead" = "$(overhead_in_openmetrics tests/unit/golden/openmetrics-overhead.prom)" ]
}

@test "the overhead in text fits 80 columns, and its programs add up to the sum" {
	[ "$(wc -L <tests/unit/golden/text-overhead.txt)" -le 80 ]
	awk '/^overhead/ { inside = 1; next }
		inside && /^sum / { sum = $2; next }
		inside && NF > 4 && $1 != "hook" { programs += $(NF - 3) }
		END { exit !(sum && sum == programs) }' tests/unit/golden/text-overhead.txt
}

@test "the schema takes nothing but the labels of groups, each of its type" {
	reports=tests/unit/golden/json-groups.jsonl
	refused() {
		sed "$1" $reports >"$BATS_TEST_TMPDIR/wrong"
		run -1 cmp $reports "$BATS_TEST_TMPDIR/wrong"
		run ! tests/validate-json <"$BATS_TEST_TMPDIR/wrong"
		[[ $output == *"$2"* ]]
	}
	refused 's/"port":53,/"port":"53",/' "'53' is not of type 'integer'"
	refused 's/"port":53,/"port":0,/' "0 is less than the minimum"
	refused 's/"comm":"named"/"comm":7/' "7 is not of type 'string'"
	refused 's/"ip_version":6/"ip_version":5/' "5 is not one of"
	refused 's/"port":53,/"prot":53,/' "'prot' was unexpected"
	# The same group twice, or something discarded that is of a group.
	refused 's/"port":5353/"port":53/' "AssertionError"
	refused 's/"no_stamp":0/"no_stamp":1/g' "AssertionError"
}

@test "the schema names the keys of the table, and what cgroups, sockets and processes tell" {
	[ "$(sed -n 's/^\(CPU_\)\?KEY(.*, "\([a-z_]*\)", .*/\2/p' lib/tables/keys.def && printf "container\npod\ncontainer_name\nunit\naddresses\nstarted\n")" = \
		"$(tests/cli/golden.py keys-in-schema)" ]
}

@test "the schema names the causes of the table" {
	[ "$(sed -n 's/^DISCARD(.*, "\([a-z_]*\)", .*/\1/p' lib/tables/discards.def)" = "$(tests/cli/golden.py causes-in-schema)" ]
}

@test "an option without its argument" {
	assert_mistake "requires an argument" -r
}

@test "help into a full disk is an error, into a closed pipe none" {
	status=0
	./netstacklat --help >/dev/full 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" -eq 1 ]
	[[ $(cat "$BATS_TEST_TMPDIR/err") == *"No space left on device" ]]
	./netstacklat --help 2>"$BATS_TEST_TMPDIR/err" | :
	[[ ${PIPESTATUS[0]} =~ ^(0|141)$ ]] # 141: killed by SIGPIPE, as usual
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
}

@test "a kernel that refuses tracing programs is named as such, in one sentence" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	run --separate-stderr timeout 60 ./netstacklat 0.1 1
	[ "$status" -ne 0 ] || skip "this kernel allows them"
	[ "$status" -eq 77 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"refuses BPF tracing programs"* ]]
}

@test "a file without the kernel's types is named, in one sentence" {
	for file in README.md /nonexistent; do
		for option in -l --check -v; do
			run --separate-stderr -1 ./netstacklat "$option" --btf="$file"
			[ -z "$output" ]
			[[ ${stderr_lines[-1]} == "netstacklat: cannot read the kernel's types from '$file': "* ]]
			[ "$option" = -v ] || [ "${#stderr_lines[@]}" -eq 1 ]
		done
	done
}

@test "--btf is refused to who has rights by the file only" {
	[ "$(id -u)" -eq 0 ] && command -v setcap >/dev/null || skip "needs root and setcap"
	reachable=$(mktemp -d)
	chmod 755 "$reachable"
	cp netstacklat "$reachable"
	as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups "$reachable/netstacklat" -l --btf=README.md)
	run "${as_user[@]}"
	[[ $output == "netstacklat: cannot read the kernel's types from "* ]]
	setcap cap_net_bind_service=ep "$reachable/netstacklat" || skip "this file system keeps no capabilities"
	run -1 "${as_user[@]}"
	rm -r "$reachable"
	[[ $output == "netstacklat: --btf is for those who have rights themselves, "* ]]
}

@test "--check names what is missing, status 77" {
	run --separate-stderr tests/as-nobody -- --check
	[ "$status" -eq 77 ]
	[ -z "$stderr" ]
	[ "$(xargs <<<"${lines[0]}")" = "ok kernel $(uname -s) $(uname -r) on $(uname -m)" ]
	# In lines of whole words.
	[[ $(xargs <<<"$output") == *"NO privileges tracing the kernel needs root (or CAP_BPF and CAP_PERFMON): try it with sudo" ]]
	for line in "${lines[@]}"; do
		[ "${#line}" -le 80 ]
	done
}

@test "a user who is not root is told so, in one sentence" {
	run --separate-stderr tests/as-nobody --
	echo "$stderr"
	[ "$status" -eq 77 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"needs root"* ]]
}

# The long options that a text names; \- is how man pages write a hyphen.
options_in() { sed 's/\\-/-/g' "$@" | grep -oE -- '--[a-z][a-z-]+' | sort -u; }

@test "the man page and --help name the same options" {
	./netstacklat --help >"$BATS_TEST_TMPDIR/help"
	[ "$(options_in doc/netstacklat.8)" = "$(options_in "$BATS_TEST_TMPDIR/help")" ]
	letters=$(grep -oE "^ +-[^-]" "$BATS_TEST_TMPDIR/help" | tr -d ' -')
	[ -n "$letters" ]
	for letter in $letters; do
		echo "-$letter"
		grep -qE "^\.BR? .*\\\\-$letter([ ,\"]|$)" doc/netstacklat.8
	done
}

# On a real kernel, tests/vm/documented.bats runs them.
@test "netstacklat takes every command line of README, doc/ and man page" {
	tests/documented | sed 's/ *>.*//' >"$BATS_TEST_TMPDIR/commands"
	cat "$BATS_TEST_TMPDIR/commands"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/commands")" -gt 40 ]
	netstacklat() { ./netstacklat "$@" -V >/dev/null; }
	while read -r command; do
		eval "$command"
	done <"$BATS_TEST_TMPDIR/commands"
}

# There, a pattern such as *-send stands for several.
@test "the drawing has every hook of the table" {
	sed -n 's/.*class="hook".*<text[^>]*>\([^<]*\)<.*/\1/p' doc/packet-path.svg >"$BATS_TEST_TMPDIR/drawn"
	hooks=$(./netstacklat -l | hooks_of)
	for hook in $hooks; do
		echo "$hook"
		while read -r drawn; do
			# shellcheck disable=SC2053 # a pattern
			[[ $hook == $drawn ]] && continue 2
		done <"$BATS_TEST_TMPDIR/drawn"
		return 1
	done
}

@test "README and man page describe every hook of the table" {
	hooks=$(./netstacklat -l | hooks_of)
	functions=$(./netstacklat -l | functions_of)
	[ "$(wc -w <<<"$hooks")" -gt 0 ]
	[ "$(wc -w <<<"$functions")" -gt 0 ]
	for name in $hooks $functions; do
		echo "$name"
		grep -q "\`$name\`" README.md
		sed 's/\\-/-/g' doc/netstacklat.8 | grep -q "$name"
	done
}

@test "a FIFO is no file and no namespace, and nobody waits for who writes there" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	run --separate-stderr -1 timeout -s KILL 60 ./netstacklat -l --btf="$BATS_TEST_TMPDIR/fifo"
	[ "$stderr" = "netstacklat: cannot read the kernel's types from '$BATS_TEST_TMPDIR/fifo': Invalid argument" ]
	run --separate-stderr -1 timeout -s KILL 60 ./netstacklat --check -n "$BATS_TEST_TMPDIR/fifo"
	[ "$stderr" = "netstacklat: there is no network namespace '$BATS_TEST_TMPDIR/fifo'" ]
}

@test "a slow reader gets all, also through a pipe that does not block" {
	tests/cli/full_pipe.py read
}

@test "SIGINT ends it while nobody reads, and is told what became of the rest" {
	tests/cli/full_pipe.py interrupt INT TERM HUP
}

@test "what a diagnosis decides itself is refused, and --late without one" {
	for option in "-e ip-rcv" "-d ip-rcv" "-g pid" "-k 2" "-s" "--overhead" "--forget=1s" "-o heatmap" "--slow=1ms" "--trace" "-y"; do
		# shellcheck disable=SC2086 # several words
		assert_mistake "--diagnose chooses itself what to measure" --diagnose $option
	done
	for option in "--listen=127.0.0.1:0" "1 2" "--duration=3s 1"; do
		# shellcheck disable=SC2086 # several words
		assert_mistake "--diagnose -o html prints a page with one verdict" --diagnose -o html $option
	done
	assert_mistake "--late and --late-application say what is late for --diagnose" --late=1ms
	assert_mistake "--stack and -o collapsed show in what code packets wait by --diagnose" --stack
	assert_mistake "--stack and -o collapsed show in what code packets wait by --diagnose" -o collapsed 1
	assert_mistake "--late '0': expected a duration" --diagnose --late=0
}
