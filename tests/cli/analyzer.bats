#!/usr/bin/env bats
# What clang's analyzer finds. It follows each way through a function and those that it calls, which takes minutes: for
# make check-all.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
}

@test "the analyzer finds nothing, but what tests/lint.exceptions has" {
	clang-tidy --version | grep -q "version 14" || skip "other versions of clang-tidy find other things"
	# Without those of the make that runs these tests.
	env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory --keep-going --jobs="$(nproc)" lint-analyzer
}
