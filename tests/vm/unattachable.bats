#!/usr/bin/env bats
# bats file_tags=kernel:6-1-arm64
# A kernel that loads the programs but cannot attach them: on arm64 those before Linux 6.4.

bats_require_minimum_version 1.5.0

setup() {
	# shellcheck source=tests/vm/helpers.bash
	source "$BATS_TEST_DIRNAME/helpers.bash"
	[ "$(uname -m)" = aarch64 ] || skip "this kernel can attach"
	! is_linux_since 6.4 || skip "this kernel can attach"
}

teardown() {
	assert_nothing_left
}

why="this kernel cannot attach programs to this function"

# HOOK FUNCTION of all that are on by default.
all_probes() {
	awk -F '[("/, ]+' '/^HOOK/ { hook = $3; on = $4 == "ON" } on && /^(PROBE|FALLBACK)/ { print hook, $5 }' lib/tables/hooks.def
}

@test "every hook is named as left out, with the reason, status 77" {
	run -77 ./netstacklat 0.2 1
	echo "$output"
	[ "${lines[0]}" = "netstacklat: nothing can be measured here: none of the programs can be attached" ]
	all_probes >"$tmp/probes"
	[ "${#lines[@]}" -eq $((1 + $(wc -l <"$tmp/probes"))) ]
	while read -r hook function; do
		grep -qxF "netstacklat: $hook is left out at $function(): $why" <<<"$output"
	done <"$tmp/probes"
}

@test "--check says so of every hook, too, status 77" {
	run -77 ./netstacklat --check
	echo "$output"
	[ "$(grep -c "^NO  *[a-z]*-[a-z-]*  *[a-z0-9_]*:" <<<"$output")" -eq "$(all_probes | cut -d " " -f 1 | uniq | wc -l)" ]
}
