// SPDX-License-Identifier: GPL-2.0
/* What /proc tells of real processes. */
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/host/task.h"
#include "lib/tables/units.h"

/* Returns what a process finds that is the first of another PID namespace; -1 if there may be none.
 */
static int ask_in_other_pid_ns(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(77);
		pid = fork();
		if (!pid)
			_exit(task_ids_are_initial());
		waitpid(pid, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status) == 77 ? -1 : WEXITSTATUS(status);
}

static void test_other_pid_namespaces_have_other_ids(void **state)
{
	char name[64] = "";
	int found = ask_in_other_pid_ns();

	(void)state;
	assert_true(readlink("/proc/self/ns/pid", name, sizeof(name) - 1) > 0);
	assert_int_equal(task_ids_are_initial(), !strcmp(name, "pid:[4026531836]"));
	if (found < 0)
		skip();
	assert_false(found);
}

static void test_our_own_is_running(void **state)
{
	(void)state;
	assert_int_equal(task_state(getpid()), 'R');
}

static pid_t start_busy(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
	return pid;
}

static void *stop_it_later(void *pid)
{
	usleep(5000);
	kill(*(pid_t *)pid, SIGSTOP);
	return NULL;
}

static void test_cgroups_are_paths(void **state)
{
	char path[PATH_MAX], line[PATH_MAX] = "";
	FILE *file = fopen("/proc/self/cgroup", "re");

	(void)state;
	if (!file)
		skip();
	while (strncmp(line, "0::", 3) && fgets(line, sizeof(line), file))
		;
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "0::", 3))
		skip();
	assert_true(task_cgroup(getpid(), "", path));
	assert_string_equal(path, line + 3);
	assert_false(task_cgroup(getpid(), "nonsense", path));
}

static void test_who_runs_for_a_moment_only_is_not_running(void **state)
{
	uint64_t short_ns = NS_PER_MS, long_ns = UINT64_MAX / 2;
	pid_t pid = start_busy();
	pthread_t thread;

	(void)state;
	assert_int_equal(task_lasting_state(pid, &short_ns), 'R');
	assert_int_equal(short_ns, 0);
	assert_int_equal(pthread_create(&thread, NULL, stop_it_later, &pid), 0);
	assert_int_equal(task_lasting_state(pid, &long_ns), 'T');
	assert_true(long_ns < UINT64_MAX / 2);
	assert_int_equal(pthread_join(thread, NULL), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(task_lasting_state(pid, &long_ns), 0);
}

/* Whatever its name. */
static void test_a_stopped_one_is_stopped(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		prctl(PR_SET_NAME, "x) R (y");
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	assert_int_equal(task_state(pid), 'T');
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(task_state(pid), 0);
}

static void test_the_policy_is_that_of_the_scheduler(void **state)
{
	const struct sched_param none = { 0 };
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		prctl(PR_SET_NAME, "x) R 1 2 (y");
		sched_setscheduler(0, SCHED_IDLE, &none);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	assert_int_equal(task_policy(pid), SCHED_IDLE);
	assert_int_equal(task_policy(getpid()), SCHED_OTHER);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(task_policy(pid), SCHED_OTHER);
}

static void test_who_is_gone_has_no_times(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(task_times_find(pid).running_ns, 0);
	assert_true(task_times_find(getpid()).running_ns > 0);
}

static void test_who_has_as_many_files_open_as_it_may(void **state)
{
	const struct rlimit three = { 3, 3 }, more = { 1000, 1000 };
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		pause();
		_exit(0);
	}
	assert_int_equal(prlimit(pid, RLIMIT_NOFILE, &more, NULL), 0);
	assert_int_equal(task_files_at_limit(pid), 0);
	assert_int_equal(prlimit(pid, RLIMIT_NOFILE, &three, NULL), 0);
	assert_int_equal(task_files_at_limit(pid), 3);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(task_files_at_limit(pid), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_pid_namespaces_have_other_ids),
		cmocka_unit_test(test_our_own_is_running),
		cmocka_unit_test(test_cgroups_are_paths),
		cmocka_unit_test(test_who_runs_for_a_moment_only_is_not_running),
		cmocka_unit_test(test_a_stopped_one_is_stopped),
		cmocka_unit_test(test_the_policy_is_that_of_the_scheduler),
		cmocka_unit_test(test_who_is_gone_has_no_times),
		cmocka_unit_test(test_who_has_as_many_files_open_as_it_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
