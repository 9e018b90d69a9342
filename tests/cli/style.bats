#!/usr/bin/env bats
# How the sources are written.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || exit 1
}

# TOOL: with nothing of the make that runs these tests.
lint() { env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory --keep-going --jobs="$(nproc)" "lint-$1"; }

@test "the sources have the style of .clang-format" {
	clang-format --version | grep -q "version 14" || skip "other versions of clang-format differ"
	clang-format --dry-run -Werror ./*.[ch] lib/*/*.[ch] lib/bpf/*/*.h packaging/*.c tests/*.c tests/unit/*.[ch] tests/fuzz/*.[ch] tests/bench/*.c tests/vm/*.c
}

# make has it look at files only that changed since, or that include what did.
@test "clang-tidy finds nothing, but what tests/lint.exceptions has" {
	clang-tidy --version | grep -q "version 14" || skip "other versions of clang-tidy find other things"
	lint tidy
}

@test "cppcheck finds nothing, but what tests/lint.exceptions has" {
	[ "$(cppcheck --version)" = "Cppcheck 2.10" ] || skip "other versions of cppcheck find other things"
	lint cppcheck
}

@test "each check of clang-tidy that is off has its reason, and no other has" {
	diff <(sed -nE 's/^  -([a-z].*),$/\1/p' .clang-tidy) <(sed -nE 's/^# ([a-z]+-[A-Za-z.-]+): .+/\1/p' .clang-tidy)
}

@test "each exception for clang-tidy or cppcheck has its reason, and a file that is there" {
	sed -E '/^(#.*)?$/d' tests/lint.exceptions >"$BATS_TEST_TMPDIR/exceptions"
	run ! grep -vE '^[A-Za-z0-9_.-]+(:[a-z_/.]+)?  # .+' "$BATS_TEST_TMPDIR/exceptions"
	while read -r file; do
		echo "$file"
		[ -e "${file/%.skel.h/.bpf.c}" ]
	done < <(sed -nE 's/^[^ ]*:([^ ]+) .*/\1/p' "$BATS_TEST_TMPDIR/exceptions")
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

# A sentence has a subject and a verb.
@test "no comment begins with what it leaves to be guessed" {
	local words="That of|Of|Likewise|But|What|Who|Whose|Whether|How|Whoever|Those|To be|By|For|With|Without|Not"
	run ! grep -rPzl "\n\s*/\*(\n\s*\*)? ($words)\b" --include=*.[ch] --include=*.def netstacklat* lib
	echo "$output"
}

# Where a kernel has none of that name, libbpf looks through its modules, and needs CAP_SYS_ADMIN for that.
@test "no program asks for a type that a kernel may lack" {
	run ! grep -n bpf_core_type_ netstacklat.bpf.c -r lib/bpf
	echo "$output"
}

# Likewise, or that source what did.
@test "shellcheck finds nothing" {
	lint shell
}

# How long the lines of its source are is no reader's concern.
@test "mandoc finds nothing in the man page" {
	mandoc -Tlint doc/netstacklat.8 | grep -v "STYLE: input text line longer than 80 bytes" >"$BATS_TEST_TMPDIR/found" || true
	cat "$BATS_TEST_TMPDIR/found"
	[ ! -s "$BATS_TEST_TMPDIR/found" ]
}
