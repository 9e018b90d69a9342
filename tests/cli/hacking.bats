#!/usr/bin/env bats
# What developers are told: by doc/hacking.md, by make, and by what they forget.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
}

@test "the walk-through's patch fits, wherever its lines are by now, and leaves nothing behind" {
	cp -r README.md netstacklat* vmlinux_local.h lib doc tests "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	command=$(sed -n 's/^    \(patch .*\) <doc\/hacking.md$/\1/p' doc/hacking.md)
	$command --fuzz=0 <doc/hacking.md
	[ -z "$(find . -name '*.orig' -o -name '*.rej')" ]
}

# FILE EXPRESSION [OPTION...]: a program that counts what is kept, with one file changed.
build_with() {
	cp -r lib vmlinux_local.h netstacklat.h "$BATS_TEST_TMPDIR"
	sed '/^SEC.*__udp_enqueue_schedule_skb/,/^}/!{/^SEC/,/^}/d}' netstacklat.bpf.c >"$BATS_TEST_TMPDIR/netstacklat.bpf.c"
	sed -i "$2" "$BATS_TEST_TMPDIR/$1"
	run ! cmp -s "$1" "$BATS_TEST_TMPDIR/$1"
	(cd "$BATS_TEST_TMPDIR" && clang -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -I. -g -O2 -c -o /dev/null \
		-DWITH_FILTERS=1 -DWITH_GROUPS=1 -DWITH_STAGES=0 -DWITH_SLOW=1 "${@:3}" netstacklat.bpf.c)
}

@test "a filter or key that looks at what is not kept does not build" {
	run ! build_with lib/tables/filters.def 's/KEEPS(REMOTE)/0/'
	[[ $output == *kept.def* ]]
	run ! build_with lib/tables/keys.def 's/KEEPS(IFINDEX)/0/'
	[[ $output == *kept.def* ]]
	build_with lib/tables/keys.def 's/"interface"/"another"/'
}

@test "a filter without its function, or a key that is no member, does not build" {
	compile=(-fsyntax-only -Werror=implicit-function-declaration)
	run ! build_with lib/tables/filters.def 's/^FILTER(PORT/FILTER(MARK, "--mark", HAS_SKB, 0)\n&/' "${compile[@]}"
	[[ $output == *filter_passes_MARK* ]]
	run ! build_with lib/tables/keys.def 's/^KEY(PORT/KEY(MARK, "mark", HAS_SKB, 0, IS(mark, packet->skb->mark))\n&/' "${compile[@]}"
	[[ $output == *"no member named 'mark' in 'struct group_key'"* ]]
}

@test "the test that doc/hacking.md shows is one" {
	awk '/^#!.*bats$/ { shown = 1 } /^```$/ { shown = 0 } shown' doc/hacking.md >"$BATS_TEST_TMPDIR/mine.bats"
	[ "$(bats --count "$BATS_TEST_TMPDIR/mine.bats")" -eq 1 ]
	shellcheck --external-sources --source-path=tests/vm "$BATS_TEST_TMPDIR/mine.bats"
}

@test "make help reports each target that has no file, in a line" {
	run -0 make --no-print-directory help
	echo "$output"
	read -ra targets < <(sed -n "s/^\.PHONY: \(.*\) dependencies FORCE/\1/p" Makefile)
	[ "${#targets[@]}" -gt 10 ]
	for target in "${targets[@]}"; do
		[ "$(grep -cE "^make $target +[a-z]" <<<"$output")" -eq 1 ]
	done
}

@test "make help names the parts of check-all, and one that there is not is named" {
	IFS="|" read -ra parts < <(make help | sed -n 's/.*PART=\([^:]*\):.*/\1/p')
	[ "$(sed -n 's/^parts=(\(.*\))$/\1/p' tests/run)" = "${parts[*]}" ]
	run -64 tests/run --part 2.6
	[ "$output" = "tests: no part \"2.6\": choose one of ${parts[*]}" ]
	# An option that it does not know must not start all tests.
	run -64 tests/run --help
	[[ ${lines[0]} == "usage: tests/run "* ]]
}

# Which tests are those of lanes.
tests_of() {
	for lane in "$@"; do
		tests/run --list "$lane"
	done | sort
}

@test "each test of real packets has a kernel, and one that is no kernel is named before any test runs" {
	diff <(tests_of {6.1,7.2}@short 6.1-arm64@refused) <(printf '%s\n' tests/vm/*.bats | sort)
	# In make check-all, each on each kernel, or once on one.
	diff <(tests_of 7.2@{first,second,races} 6.12@{once,systemd}) <(printf '%s\n' tests/vm/*.bats | sort)
	cp -r tests "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	sed -i '2i # bats file_tags=long,kernel:7-3' tests/vm/path.bats
	for arguments in "" --all "--part 6.1" --fast "--list 6.1@short"; do
		# shellcheck disable=SC2086 # several words
		run -1 timeout 10 tests/run $arguments
		[ "$output" = "tests: no such kernel, see tests_of() in tests/run: tests/vm/path.bats:# bats file_tags=long,kernel:7-3" ]
	done
}

# shellcheck disable=SC2016 # the document has backticks
@test "each test that doc/security.md and doc/comparison.md name is there" {
	grep -oE '`[a-z_]+\.(bats|c): [^`]+`' -h doc/security.md doc/comparison.md | tr -d '`' >"$BATS_TEST_TMPDIR/named"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/named")" -gt 20 ]
	while IFS= read -r named; do
		echo "$named"
		grep -E "^(@test \"|static void )" tests/*/"${named%%: *}" | grep -qF -e "\"${named#*: }" -e " ${named#*: }"
	done <"$BATS_TEST_TMPDIR/named"
	# And each claim in a table has one.
	run ! grep -vE '`[^`|]*` \|$|^\| what is left |^\| who \| |^\|--' <(grep '^|' doc/security.md)
}
