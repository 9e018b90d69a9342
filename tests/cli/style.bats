#!/usr/bin/env bats
# How the sources are written.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
}

@test "the sources have the style of .clang-format" {
	clang-format --version | grep -q "version 14" || skip "other versions of clang-format differ"
	clang-format --dry-run -Werror ./*.[ch] lib/*/*.[ch] packaging/*.c tests/*.c tests/unit/*.[ch] tests/fuzz/*.[ch] tests/bench/*.c tests/vm/ebpf_exporter.c
}

# Of in_reports and the like, too.
@test "no test has Python of more than one line: that is in modules beside it" {
	awk '/^[ \t]*#/ { next }
		/python3|in[-_]reports|flows_in|with_packages/ {
			quotes = gsub(/\047/, "&")
			double = gsub(/"/, "&")
			if (/<</ || quotes % 2 || double % 2) { print FILENAME ":" FNR ": " $0; found = 1 }
		}
		END { exit found }' tests/*/*.bats tests/*/*.bash tests/*.bash
}

@test "shellcheck finds nothing" {
	printf '%s\n' tests/run tests/deps tests/as-nobody tests/walk-through tests/fuzz/run tests/demo tests/cases.bash tests/faults tests/faults.bash tests/netns.sh tests/vm/boot tests/vm/init \
		tests/bench/run tests/bench/in-vm tests/vm/kernel tests/vm/userland tests/vm/toolchain tests/vm/debian.bash \
		tests/vm/helpers.bash tests/*/*.bats .ci/run contrib/completion/netstacklat.bash | xargs --max-args=12 --max-procs=2 shellcheck -x
}

# How long the lines of its source are is no reader's concern.
@test "mandoc finds nothing in the man page" {
	mandoc -Tlint doc/netstacklat.8 | grep -v "STYLE: input text line longer than 80 bytes" >"$BATS_TEST_TMPDIR/found" || true
	cat "$BATS_TEST_TMPDIR/found"
	[ ! -s "$BATS_TEST_TMPDIR/found" ]
}
