#!/usr/bin/env bats
# How the sources are written.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
}

@test "the sources have the style of .clang-format" {
	clang-format --version | grep -q "version 14" || skip "other versions of clang-format differ"
	clang-format --dry-run -Werror ./*.[ch] lib/*/*.[ch] packaging/*.c tests/*.c tests/unit/*.[ch] tests/bench/*.c tests/vm/ebpf_exporter.c
}

@test "shellcheck finds nothing" {
	printf '%s\n' tests/run tests/deps tests/as-nobody tests/walk-through tests/demo tests/cases.bash tests/netns.sh tests/vm/boot tests/vm/init \
		tests/bench/run tests/bench/in-vm tests/vm/kernel tests/vm/userland tests/vm/toolchain tests/vm/debian.bash \
		tests/vm/helpers.bash tests/*/*.bats .ci/run | xargs --max-args=12 --max-procs=2 shellcheck -x
}
