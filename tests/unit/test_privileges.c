// SPDX-License-Identifier: GPL-2.0
/* Giving up privileges, in processes of their own, which have them all at first. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/kernel/privileges.h"
#include "lib/tables/config.h"

/* A capability of ours: neither in effect nor to be had again, or both. */
static bool has(cap_value_t capability)
{
	cap_flag_value_t effective, permitted;
	cap_t process = cap_get_proc();

	cap_get_flag(process, capability, CAP_EFFECTIVE, &effective);
	cap_get_flag(process, capability, CAP_PERMITTED, &permitted);
	cap_free(process);
	return effective == permitted ? effective == CAP_SET : (abort(), false);
}

/* As "1 2 40": those that are left of all. */
static void left_over(unsigned int group_by, bool writes_files, FILE *out)
{
	if (privileges_drop(group_by, writes_files) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		abort();
	for (cap_value_t capability = 0; capability <= cap_max_bits(); capability++)
		if (has(capability))
			fprintf(out, "%d ", capability);
	fclose(out);
	_exit(0);
}

static void assert_left(unsigned int group_by, bool writes_files, const char *expected)
{
	char left[256] = "";
	FILE *file = tmpfile();
	pid_t child = fork();
	int status;

	if (!child)
		left_over(group_by, writes_files, file);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	rewind(file);
	assert_true(fgets(left, sizeof(left), file) || !*expected);
	fclose(file);
	assert_string_equal(left, expected);
}

static void test_little_is_left(void **state)
{
	char expected[64];

	(void)state;
	snprintf(expected, sizeof(expected), "%d ", CAP_BPF);
	assert_left(0, false, expected);
	assert_left(1U << KEY_PORT | 1U << KEY_PID | 1U << KEY_COMM | 1U << KEY_CPU, false,
		    expected);
}

static void test_names_take_more(void **state)
{
	char expected[64];

	(void)state;
	snprintf(expected, sizeof(expected), "%d %d %d ", CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_BPF);
	assert_left(1U << KEY_INTERFACE, false, expected);
	assert_left(1U << KEY_NETNS, false, expected);
	snprintf(expected, sizeof(expected), "%d %d ", CAP_DAC_READ_SEARCH, CAP_BPF);
	assert_left(1U << KEY_CGROUP, false, expected);
}

static void test_files_take_more(void **state)
{
	char expected[64];

	(void)state;
	snprintf(expected, sizeof(expected), "%d %d ", CAP_DAC_OVERRIDE, CAP_BPF);
	assert_left(0, true, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_little_is_left),
		cmocka_unit_test(test_names_take_more),
		cmocka_unit_test(test_files_take_more),
	};

	if (!has(CAP_BPF) || !has(CAP_SYS_ADMIN) || !has(CAP_SYS_PTRACE)) {
		puts("1..0 # SKIP this user has not all privileges");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
