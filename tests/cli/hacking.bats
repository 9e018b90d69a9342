#!/usr/bin/env bats
# What doc/hacking.md promises to those who follow it.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
}

@test "the walk-through's patch fits to the line, so that it leaves nothing behind" {
	run patch --strip=1 --dry-run --verbose <doc/hacking.md
	[ "$(grep -c "^Hunk #1 succeeded at [0-9]*[.]$" <<<"$output")" -eq "$(grep -c '^+++ b/' doc/hacking.md)" ]
}

# FILE EXPRESSION: the programs, with one file changed.
build_with() {
	cp -r lib vmlinux_local.h netstacklat.h netstacklat.bpf.c "$BATS_TEST_TMPDIR"
	sed -i "$2" "$BATS_TEST_TMPDIR/$1"
	run ! cmp -s "$1" "$BATS_TEST_TMPDIR/$1"
	(cd "$BATS_TEST_TMPDIR" && clang -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -I. -g -O2 -c -o /dev/null \
		-DWITH_FILTERS=1 -DWITH_GROUPS=1 -DWITH_STAGES=0 -DWITH_SLOW=1 netstacklat.bpf.c)
}

@test "a filter or key that looks at what is not kept does not build" {
	run ! build_with lib/tables/filters.def 's/KEEPS(REMOTE)/0/'
	[[ $output == *kept.def* ]]
	run ! build_with lib/tables/keys.def 's/KEEPS(IFINDEX)/0/'
	[[ $output == *kept.def* ]]
	build_with lib/tables/keys.def 's/"interface"/"another"/'
}

@test "a filter or key without its functions does not build" {
	run ! build_with lib/tables/filters.def 's/^FILTER(PORT/FILTER(MARK, "--mark", HAS_SKB, 0)\n&/'
	[[ $output == *filter_passes_MARK* ]]
	run ! build_with lib/tables/keys.def 's/^KEY(PORT/KEY(MARK, "mark", HAS_SKB, 0)\n&/'
	[[ $output == *group_learn_MARK* && $output == *group_is_same_MARK* ]]
}
