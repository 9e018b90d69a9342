#!/usr/bin/env bats
# What developers are told: by doc/hacking.md, by make, and by what they forget.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
}

@test "the walk-through of doc/hacking.md is one of these sources" {
	patch --quiet --strip=1 --dry-run <doc/hacking.md
}

@test "the test that doc/hacking.md shows is one" {
	awk '/^#!.*bats$/ { shown = 1 } /^```$/ { shown = 0 } shown' doc/hacking.md >"$BATS_TEST_TMPDIR/mine.bats"
	[ "$(bats --count "$BATS_TEST_TMPDIR/mine.bats")" -eq 1 ]
	shellcheck --external-sources --source-path=tests/vm "$BATS_TEST_TMPDIR/mine.bats"
}

@test "make help tells of each target that has no file, in a line" {
	run -0 make --no-print-directory help
	echo "$output"
	read -ra targets < <(sed -n "s/^\.PHONY: \(.*\) dependencies FORCE/\1/p" Makefile)
	[ "${#targets[@]}" -gt 10 ]
	for target in "${targets[@]}"; do
		[ "$(grep -cE "^make $target +[a-z]" <<<"$output")" -eq 1 ]
	done
}

@test "each test of real packets has a kernel, and one that is no kernel is named before any test runs" {
	for kernel in 6.1 7.2 6.1-arm64; do
		tests/run --list "$kernel"
	done >"$BATS_TEST_TMPDIR/listed"
	grep -o 'tests/vm/[a-z]*\.bats' tests/vm/toolchain >>"$BATS_TEST_TMPDIR/listed"
	diff <(sort "$BATS_TEST_TMPDIR/listed") <(printf '%s\n' tests/vm/*.bats | sort)
	cp -r tests "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	sed -i '2i # bats file_tags=long,kernel:7-3' tests/vm/path.bats
	for arguments in "" --all --fast "--list 6.1"; do
		# shellcheck disable=SC2086 # several words
		run -1 timeout 10 tests/run $arguments
		[ "$output" = "tests: no such kernel, see tests_of() in tests/run: tests/vm/path.bats:# bats file_tags=long,kernel:7-3" ]
	done
}
