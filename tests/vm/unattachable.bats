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

# HOOK FUNCTION of all programs of hooks that are on by default, those that count nothing included.
all_programs() {
	awk -F '[("/, )]+' '/^HOOK/ && $4 == "ON" { name[$2] = $3 }
		$2 in name && (/^(PROBE|FALLBACK)/ || /^HELPER.*ALWAYS/) { print name[$2], $5 }' lib/tables/hooks.def
}

@test "every hook is named as left out, with the reason, status 77" {
	run -77 ./netstacklat 0.2 1
	echo "$output"
	[ "${lines[0]}" = "netstacklat: nothing can be measured here: none of the programs can be attached" ]
	all_programs >"$tmp/programs"
	[ "${#lines[@]}" -eq $((1 + $(wc -l <"$tmp/programs"))) ]
	while read -r hook function; do
		grep -qxF "netstacklat: $hook is left out at $function(): $why" <<<"$output"
	done <"$tmp/programs"
}

@test "--check says so of every hook, too, status 77" {
	run -77 ./netstacklat --check
	echo "$output"
	[ "$(grep -c "^NO  *[a-z]*-[a-z-]*  *[a-z0-9_]*:" <<<"$output")" -eq "$(all_programs | cut -d " " -f 1 | sort -u | wc -l)" ]
}
