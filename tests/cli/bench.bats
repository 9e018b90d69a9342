#!/usr/bin/env bats
# What the benchmarks make of figures, which are made up here.

bats_require_minimum_version 1.5.0

table=$BATS_TEST_DIRNAME/../bench/table.py

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	mkdir -p .output results/instructions
	echo '{"6.1": {"instructions": {"default": {"tcp-start": 100, "udp-start": 100}, "-c": {"udp-start": 150}}}}' >baseline.json
}

# Holds these instructions of the default configuration against the baseline.
check() {
	echo "{\"references\": {\"empty\": 0}, \"why_no_bpftrace\": null, \"instructions\": {\"default\": {$1}}}" \
		>results/instructions/6.1.json
	run --separate-stderr "$table" --check baseline.json results
	echo "$output"
	echo "$stderr"
}

@test "figures up to 3 % above the baseline pass" {
	check '"tcp-start": 103, "udp-start": 50'
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ $output == *tcp-start*103* ]]
}

@test "a figure more than 3 % above the baseline does not" {
	check '"tcp-start": 103.1, "udp-start": 100'
	[ "$status" -eq 1 ]
	[ "$stderr" = "bench: default at tcp-start on 6.1 takes 103.1 instructions, 3.1 % more than the baseline's 100" ]
}

@test "neither does a hook without a figure in the baseline, or of the baseline that was not measured" {
	check '"tcp-start": 100, "udp-late": 1'
	[ "$status" -eq 1 ]
	[ "$stderr" = "bench: default at udp-start on 6.1 was not measured
bench: default at udp-late on 6.1 has no figure in the baseline" ]
}

@test "nor do a configuration and a kernel without a baseline" {
	sed -i s/default/-P/ baseline.json
	check '"tcp-start": 100'
	[ "$status" -eq 1 ]
	[ "$stderr" = "bench: default at tcp-start on 6.1 has no figure in the baseline" ]
	sed -i s/6.1/6.12/ baseline.json
	check '"tcp-start": 100'
	[ "$status" -eq 1 ]
	[ "$stderr" = "bench: default at tcp-start on 6.1 has no figure in the baseline" ]
}
