// SPDX-License-Identifier: GPL-2.0
/* Which system calls a process may make, in processes of their own, and what is said of others. */
#include "unit.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/confine/privileges.h"
#include "lib/confine/syscall_filter.h"
#include "said.h"

#define ALL (2 * SYSCALLS_TERMINAL - 1)
#define NR_CALLS 512

#define HAS_RETURNED 42

struct row {
	const char *name;
	unsigned int group;
	int number;
	int argument; /* -1: any will do */
	unsigned long mask, value;
};

static const struct row rows[] = {
#define SYSCALL(group, name) { #name, SYSCALLS_##group, SCMP_SYS(name), -1, 0, 0 },
#define SYSCALL_IF(group, name, argument, mask, value) \
	{ #name, SYSCALLS_##group, SCMP_SYS(name), argument, mask, value },
#include "lib/confine/syscalls.def"
};
#define NR_ROWS (sizeof(rows) / sizeof(*rows))

static bool is_in(const struct row *row, unsigned int groups)
{
	return !row->group || row->group & groups;
}

static bool passes(const struct row *row, unsigned int groups, int number, const long arguments[6])
{
	return row->number == number && is_in(row, groups) &&
	       (row->argument < 0 || (arguments[row->argument] & row->mask) == row->value);
}

static bool is_allowed(unsigned int groups, int number, const long arguments[6])
{
	for (size_t i = 0; i < NR_ROWS; i++)
		if (passes(&rows[i], groups, number, arguments))
			return true;
	return false;
}

static void handle(int signal)
{
	(void)signal;
}

/* The one call that takes more than arguments: the end of a handler. */
static void prepare_to_handle(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	signal(SIGUSR1, handle);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	raise(SIGUSR1);
}

static void return_from_handler(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* It does not hurt if it is made after all: there is no such file, nor memory there. */
static void make(unsigned int groups, int number, const long arguments[6])
{
	alarm(5);
	prepare_to_handle();
	if (privileges_drop() || syscall_filter_install(groups))
		_exit(EXIT_SUCCESS);
	if (number == SYS_rt_sigreturn)
		return_from_handler();
	else
		syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
			arguments[4], arguments[5]);
	_exit(HAS_RETURNED);
}

/* Returns how it ended, after what it said. */
static int end_of(unsigned int groups, int number, const long arguments[6], const char **said)
{
	int status;
	pid_t child;

	said_begin();
	child = fork();
	if (!child)
		make(groups, number, arguments);
	assert_int_equal(waitpid(child, &status, 0), child);
	*said = said_end();
	return status;
}

/* In the words of the C library's headers. */
static void assert_named(const char *said, int number)
{
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number), expected[256];

	snprintf(expected, sizeof(expected),
		 "netstacklat: ended at a system call that it never makes: %s; "
		 "please report this, or look for an attack\n",
		 name ? name : "an unknown one");
	free(name);
	assert_string_equal(said, expected);
}

static void assert_trapped(unsigned int groups, int number, const long arguments[6])
{
	const char *said;
	int status = end_of(groups, number, arguments, &said);

	assert_named(said, number);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FAILURE);
}

static bool does_not_return(int number)
{
	return number == SYS_exit || number == SYS_exit_group;
}

static void assert_not_trapped(unsigned int groups, int number, const long arguments[6])
{
	const char *said;
	int status = end_of(groups, number, arguments, &said);

	assert_string_equal(said, "");
	assert_true(does_not_return(number) ||
		    (WIFEXITED(status) && WEXITSTATUS(status) == HAS_RETURNED));
}

static void assert_as_in_the_table(unsigned int groups, int number, const long arguments[6])
{
	if (is_allowed(groups, number, arguments))
		assert_not_trapped(groups, number, arguments);
	else
		assert_trapped(groups, number, arguments);
}

/*
 * Linux 6.11 has calls for its uprobes alone, whose numbers the C library's headers may not know
 * yet. From 6.14 on, they go past all filters, and kill any other process that makes them.
 */
static bool is_of_uprobes(int number)
{
#ifdef __x86_64__
	return number == 335 || number == 336;
#else
	(void)number;
	return false;
#endif
}

static void test_all_others_end_the_process_and_are_named(void **state)
{
	const long wrong[6] = { -1, -1, -1, -1, -1, -1 };

	(void)state;
	for (int number = 0; number < NR_CALLS; number++)
		if (!is_of_uprobes(number))
			assert_as_in_the_table(SYSCALLS_ALWAYS, number, wrong);
}

/* A row's call, as it is allowed there. */
static void fill_in(const struct row *row, long arguments[6])
{
	for (int i = 0; i < 6; i++)
		arguments[i] = -1;
	if (row->argument >= 0)
		arguments[row->argument] = ~row->mask | row->value;
}

static void test_each_group_is_allowed_if_asked_for(void **state)
{
	long arguments[6];

	(void)state;
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (rows[i].number < 0)
			continue;
		fill_in(&rows[i], arguments);
		assert_as_in_the_table(rows[i].group, rows[i].number, arguments);
		assert_as_in_the_table(ALL & ~rows[i].group, rows[i].number, arguments);
		assert_not_trapped(ALL, rows[i].number, arguments);
	}
}

/* Such as memory for code, files to write, programs to load. */
static void test_other_arguments_than_those_of_the_table_end_it(void **state)
{
	long arguments[6];

	(void)state;
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (rows[i].number < 0 || rows[i].argument < 0)
			continue;
		fill_in(&rows[i], arguments);
		arguments[rows[i].argument] = -1;
		assert_as_in_the_table(rows[i].group, rows[i].number, arguments);
	}
}

/* Where a table may be wrong, a list of what is never to be in it. */
static void test_what_an_attacker_would_want_is_in_no_group(void **state)
{
	static const int wanted[] = {
		SYS_execve,
		SYS_execveat,
		SYS_clone,
		SYS_clone3,
		SYS_ptrace,
		SYS_mprotect,
		SYS_connect,
		SYS_bind,
		SYS_listen,
		SYS_socketpair,
		SYS_kill,
		SYS_prctl,
		SYS_mount,
		SYS_unshare,
		SYS_perf_event_open,
		SYS_setuid,
		SYS_capset,
		SYS_keyctl,
		SYS_process_vm_readv,
		SYS_pidfd_getfd,
		SYS_io_uring_setup,
		SYS_userfaultfd,
		SYS_init_module,
		SYS_seccomp,
	};
	const long wrong[6] = { -1, -1, -1, -1, -1, -1 };
	const long code[6] = { 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 };
	const long load[6] = { BPF_PROG_LOAD, 0, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_trapped(ALL, wanted[i], wrong);
	assert_trapped(ALL, SYS_mmap, code);
	assert_trapped(ALL, SYS_bpf, load);
}

#ifdef __x86_64__
/* The machine's other architectures have other numbers for the same. */
static void test_calls_of_other_architectures_end_it(void **state)
{
	const long none[6] = { 0 };
	const int x32 = 0x40000000;

	(void)state;
	assert_trapped(ALL, x32 | SYS_getpid, none);
}
#endif

static void lack(scmp_filter_ctx filter, int call, int err)
{
	assert_int_equal(seccomp_rule_add(filter, SCMP_ACT_ERRNO(err), call, 0), 0);
}

/* As one without CONFIG_SECCOMP_FILTER answers. */
static void install_where_there_is_none(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	lack(filter, SCMP_SYS(seccomp), EINVAL);
	assert_int_equal(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1,
					  SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP)),
			 0);
	assert_int_equal(seccomp_load(filter), 0);
	seccomp_release(filter);
	assert_int_equal(syscall_filter_install(SYSCALLS_ALWAYS), 0);
	_exit(getppid() > 0 ? HAS_RETURNED : EXIT_FAILURE);
}

/* It can, but another part of the call is wrong. */
static void install_where_it_fails(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	lack(filter, SCMP_SYS(seccomp), EINVAL);
	assert_int_equal(seccomp_load(filter), 0);
	seccomp_release(filter);
	fclose(stderr);
	_exit(syscall_filter_install(SYSCALLS_ALWAYS) < 0 ? HAS_RETURNED : EXIT_FAILURE);
}

/* In a process of its own, for a filter stays. */
static void assert_returns(void (*in_child)(void))
{
	int status;
	pid_t child = fork();

	if (!child) {
		setenv("CMOCKA_TEST_ABORT", "1", true);
		in_child();
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), HAS_RETURNED);
}

static void test_a_filter_that_fails_is_not_taken_for_one_that_cannot_be(void **state)
{
	(void)state;
	assert_returns(install_where_it_fails);
}

static void test_a_kernel_that_cannot_lets_all_pass(void **state)
{
	(void)state;
	assert_returns(install_where_there_is_none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_others_end_the_process_and_are_named),
		cmocka_unit_test(test_each_group_is_allowed_if_asked_for),
		cmocka_unit_test(test_other_arguments_than_those_of_the_table_end_it),
		cmocka_unit_test(test_what_an_attacker_would_want_is_in_no_group),
#ifdef __x86_64__
		cmocka_unit_test(test_calls_of_other_architectures_end_it),
#endif
		cmocka_unit_test(test_a_kernel_that_cannot_lets_all_pass),
		cmocka_unit_test(test_a_filter_that_fails_is_not_taken_for_one_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
