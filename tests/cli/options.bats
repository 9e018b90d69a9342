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
	for word in -r --report-interval -v --verbose -h --help -V --version --usage INTERVAL COUNT 0 1 64 77; do
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

@test "--usage is short" {
	run -0 ./netstacklat --usage
	[ "${#lines[@]}" -le 8 ]
}

@test "an interval out of range" {
	for interval in 0 -1 0.0009 86401 1e99 inf nan; do
		assert_mistake "-r '$interval': expected seconds from 0.001 to 86400" "-r$interval"
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

@test "-l lists every hook in packet order, with its kernel functions" {
	run -0 ./netstacklat -l
	[ "$(grep -o "^[a-z-]*" <<<"$output" | grep -v "^$")" = \
		"$(sed -n 's/^HOOK(.*, "\([a-z-]*\)", .*/\1/p' lib/hooks.def)" ]
	while read -r function; do
		[[ $output == *"$function"* ]]
	done < <(sed -n 's/^PROBE([a-z_]*, [A-Z_]*, \([a-z0-9_]*\),.*/\1/p' lib/hooks.def)
	for line in "${lines[@]}"; do
		[ "${#line}" -le 80 ]
	done
}

@test "a resolution, and a format, that there is not" {
	for resolution in 5 9 -1 1.5 x "" 00; do
		assert_mistake "-k '$resolution': expected 0, 1, 2, 3 or 4" -k "$resolution"
	done
	assert_mistake "-o 'xml': expected text, json, openmetrics or heatmap" -o xml
	assert_mistake "-o '': expected" -o ""
}

@test "a file for reports that do not go there" {
	assert_mistake "--output-file goes with -o openmetrics only" -j --output-file=/tmp/x
}

@test "the golden reports are valid: JSON by its schema, OpenMetrics by promtool" {
	tests/validate-json <tests/unit/golden/json.jsonl
	run -0 promtool check metrics <tests/unit/golden/openmetrics.prom
	[ -z "$output" ]
	# The two have the same counts.
	[ "$(sed -n 's/^netstacklat_latency_seconds_count{hook="\(.*\)"} /\1 /p' tests/unit/golden/openmetrics.prom)" = \
		"$(/usr/bin/python3 -c '
import json
for histogram in json.load(open("tests/unit/golden/json.jsonl"))["histograms"]:
    print(histogram["hook"], histogram["count"])')" ]
}

@test "the schema names the causes of the table" {
	[ "$(sed -n 's/^DISCARD(.*, "\([a-z_]*\)", .*/\1/p' lib/discards.def)" = "$(/usr/bin/python3 -c '
import json
print(*json.load(open("doc/report.schema.json"))["definitions"]["discarded"]["properties"], sep="\n")')" ]
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

@test "--check names what is missing, status 77" {
	run --separate-stderr tests/as-nobody -- --check
	[ "$status" -eq 77 ]
	[ -z "$stderr" ]
	[[ $output == *"NO    privileges"* ]]
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

@test "the man page and --help name the same options, and the README has them all" {
	./netstacklat --help >"$BATS_TEST_TMPDIR/help"
	[ "$(options_in doc/netstacklat.8)" = "$(options_in "$BATS_TEST_TMPDIR/help")" ]
	for option in $(options_in "$BATS_TEST_TMPDIR/help"); do
		echo "$option"
		grep -q -- "$option" README.md
	done
}

@test "README and man page describe every hook of the table" {
	hooks=$(sed -n 's/^HOOK(.*, "\([a-z-]*\)", .*/\1/p' lib/hooks.def)
	functions=$(sed -n 's/^PROBE([a-z_]*, [A-Z_]*, \([a-z0-9_]*\),.*/\1/p' lib/hooks.def)
	[ "$(wc -w <<<"$hooks")" -gt 0 ]
	for name in $hooks $functions; do
		echo "$name"
		grep -q "\`$name\`" README.md
		sed 's/\\-/-/g' doc/netstacklat.8 | grep -q "$name"
	done
}
