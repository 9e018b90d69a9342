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

@test "a start may take 5 % more than the baseline, and has figures there" {
	echo '{"6.12": {"starts": {"default": {"loads": 20, "load_s": 1, "load_instructions": 1000}}}}' >baseline.json
	mkdir results/starts
	figures='"user_s": 1, "kernel_s": 1, "loads": 20, "load_instructions": 1000'
	echo "{\"starts\": {\"default\": {$figures, \"load_s\": 1.05}}}" >results/starts/6.12.json
	"$table" baseline.json results
	echo "{\"starts\": {\"default\": {$figures, \"load_s\": 1.06}, \"-c\": {$figures, \"load_s\": 1}}}" >results/starts/6.12.json
	run --separate-stderr "$table" baseline.json results
	[ "$status" -eq 1 ]
	[[ $stderr == *"bench: load_s of a start with default on 6.12 is 1.06, and the baseline's 1"* ]]
	[[ $stderr == *"bench: loads of a start with -c on 6.12 has no figure in the baseline"* ]]
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
