// SPDX-License-Identifier: GPL-2.0
/* Giving up privileges, in processes of their own, which have them all at first. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/confine/privileges.h"

#define BIT(capability) (1ULL << CAP_##capability)

static bool has(cap_value_t capability, cap_flag_t set)
{
	cap_flag_value_t value;
	cap_t process = cap_get_proc();

	cap_get_flag(process, capability, set, &value);
	cap_free(process);
	return value == CAP_SET;
}

/* All that a process may do, in what the kernel tells of it. */
static void assert_only(uint64_t expected, uid_t expected_user)
{
	uid_t real, effective, saved;
	gid_t real_group, effective_group, saved_group;

	for (cap_value_t capability = 0; CAP_IS_SUPPORTED(capability); capability++) {
		bool is_kept = expected >> capability & 1;

		assert_int_equal(has(capability, CAP_EFFECTIVE), is_kept);
		assert_int_equal(has(capability, CAP_PERMITTED), is_kept);
		assert_false(has(capability, CAP_INHERITABLE));
		assert_int_equal(cap_get_ambient(capability), 0);
	}
	assert_int_equal(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 1);
	getresuid(&real, &effective, &saved);
	getresgid(&real_group, &effective_group, &saved_group);
	assert_true(real == expected_user && effective == expected_user && saved == expected_user);
	assert_true(real_group == expected_user && effective_group == expected_user &&
		    saved_group == expected_user);
}

static void assert_no_bound(void)
{
	for (cap_value_t capability = 0; CAP_IS_SUPPORTED(capability); capability++)
		assert_int_equal(cap_get_bound(capability), 0);
}

/* What root may do because the files are its own, without any capability. */
static void assert_writes(const char *path, bool may)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_int_equal(fd >= 0, may);
	assert_true(may || errno == EACCES || errno == EROFS);
	if (fd >= 0)
		close(fd);
}

static char own[] = "/tmp/netstacklat-test-XXXXXX";

static void drop(void)
{
	gid_t groups[] = { 0, 4 };

	assert_int_equal(setgroups(2, groups), 0);
	assert_writes(own, true);
	assert_int_equal(privileges_drop(), 0);
	assert_only(BIT(BPF), NOBODY);
	assert_no_bound();
	assert_int_equal(getgroups(0, NULL), 0);
	assert_writes(own, false);
	assert_writes("/proc/sys/kernel/core_pattern", false);
	assert_int_equal(setuid(0), -1);
	assert_int_equal(setgid(0), -1);
}

/* The first two are no way to become another user, nor to change the bounding set. */
static void have_first(int nr)
{
	const cap_value_t all[] = { CAP_BPF, CAP_PERFMON, CAP_SETGID, CAP_SETUID };
	cap_t process = cap_init();

	cap_set_flag(process, CAP_PERMITTED, nr, all, CAP_SET);
	cap_set_flag(process, CAP_EFFECTIVE, nr, all, CAP_SET);
	assert_int_equal(cap_set_proc(process), 0);
	cap_free(process);
}

/* As in a unit of systemd. */
static void drop_as_user_with(int nr)
{
	assert_int_equal(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), 0);
	assert_int_equal(setresgid(1000, 1000, 1000), 0);
	assert_int_equal(setresuid(1000, 1000, 1000), 0);
	have_first(nr);
	assert_int_equal(privileges_drop(), 0);
	assert_only(BIT(BPF), 1000);
}

static void drop_as_user(void)
{
	drop_as_user_with(2);
}

static void drop_as_user_who_might_become_others(void)
{
	drop_as_user_with(4);
}

static void drop_in_container_with(int nr)
{
	have_first(nr);
	assert_int_equal(privileges_drop(), 0);
	assert_only(BIT(BPF), 0);
}

static void drop_in_container(void)
{
	drop_in_container_with(2);
}

static void drop_in_container_that_may_change_groups_only(void)
{
	drop_in_container_with(3);
}

static void keep_some(void)
{
	assert_int_equal(privileges_keep(BIT(SYS_ADMIN) | BIT(SYS_PTRACE)), 0);
	assert_only(BIT(SYS_ADMIN) | BIT(SYS_PTRACE), 0);
	assert_no_bound();
}

static void keep_none(void)
{
	assert_int_equal(privileges_keep(0), 0);
	assert_only(0, 0);
}

/* Which says itself what is wrong. */
static void in_child(void (*test)(void))
{
	int status;
	pid_t child = fork();

	if (!child) {
		setenv("CMOCKA_TEST_ABORT", "1", true);
		test();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_nothing_is_left_but_to_read_maps(void **state)
{
	(void)state;
	close(mkstemp(own));
	in_child(drop);
	unlink(own);
}

static void test_a_user_stays_who_it_is(void **state)
{
	(void)state;
	in_child(drop_as_user);
	in_child(drop_as_user_who_might_become_others);
}

static void test_root_of_a_container_that_may_not_change_users(void **state)
{
	(void)state;
	in_child(drop_in_container);
	in_child(drop_in_container_that_may_change_groups_only);
}

static void test_some_are_kept(void **state)
{
	(void)state;
	in_child(keep_some);
	in_child(keep_none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_left_but_to_read_maps),
		cmocka_unit_test(test_a_user_stays_who_it_is),
		cmocka_unit_test(test_root_of_a_container_that_may_not_change_users),
		cmocka_unit_test(test_some_are_kept),
	};

	if (!has(CAP_BPF, CAP_EFFECTIVE) || !has(CAP_SYS_ADMIN, CAP_EFFECTIVE) ||
	    !has(CAP_SYS_PTRACE, CAP_EFFECTIVE) || !has(CAP_SETUID, CAP_EFFECTIVE)) {
		puts("1..0 # SKIP this user has not all privileges");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
