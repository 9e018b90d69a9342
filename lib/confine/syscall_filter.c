// SPDX-License-Identifier: GPL-2.0
#include "lib/confine/syscall_filter.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/seccomp.h>
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
#include <sys/uio.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/base/terminal.h"

struct call {
	unsigned int group;
	int number;		   /* negative: not on this architecture */
	unsigned int nr_arguments; /* that it is allowed by: 0 or 1 */
	struct scmp_arg_cmp argument;
};

static const struct call calls[] = {
#define SYSCALL(group, name) { SYSCALLS_##group, SCMP_SYS(name), 0, { 0 } },
#define SYSCALL_IF(group, name, argument, mask, value) \
	{ SYSCALLS_##group, SCMP_SYS(name), 1, { argument, SCMP_CMP_MASKED_EQ, mask, value } },
#include "lib/confine/syscalls.def"
};

/*
 * Calls that the kernel refuses from now on. Their names are looked up early, as a signal handler
 * may not allocate.
 */
#define NR_NAMES 512
static char *names[NR_NAMES];

static void name_calls(void)
{
	for (int number = 0; number < NR_NAMES; number++)
		if (!names[number])
			names[number] = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
}

static const char *name_of(int number)
{
	const char *name = number >= 0 && number < NR_NAMES ? names[number] : NULL;

	return name ? name : "an unknown one";
}

/* The code that was interrupted may be anywhere, and does not go on. */
static void end(int signal, siginfo_t *info, void *context)
{
	static const char before[] = "netstacklat: ended at a system call that it never makes: ";
	static const char after[] = "; please report this, or look for an attack\n";
	const char *name = name_of(info->si_syscall);
	const struct iovec sentence[] = {
		{ (void *)before, strlen(before) },
		{ (void *)name, strlen(name) },
		{ (void *)after, strlen(after) },
	};
	ssize_t written;

	terminal_restore();
	/* It does not matter if nobody reads it. */
	written = writev(STDERR_FILENO, sentence, 3);

	(void)signal, (void)context, (void)written;
	_exit(EXIT_FAILURE);
}

static int allow_calls(scmp_filter_ctx filter, unsigned int groups)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls) && !err; i++) {
		const struct call *call = &calls[i];

		if (call->number < 0 || (call->group && !(groups & call->group)))
			continue;
		err = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call->number,
					     call->nr_arguments, &call->argument);
	}
	return err;
}

/*
 * Refuses calls of other architectures, too: the machine could run them, and their numbers have
 * other names.
 */
static int load(scmp_filter_ctx filter, unsigned int groups)
{
	int err = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_TRAP);

	if (!err)
		err = seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1);
	if (!err)
		err = allow_calls(filter, groups);
	return err ? err : seccomp_load(filter);
}

/* A kernel with CONFIG_SECCOMP_FILTER looks for a filter at the address NULL: EFAULT. */
static bool kernel_can_filter(void)
{
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) || errno != EINVAL;
}

static int install(unsigned int groups)
{
	const struct sigaction action = { .sa_sigaction = end, .sa_flags = SA_SIGINFO };
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);
	int err = filter ? 0 : -ENOMEM;

	name_calls();
	if (!err && sigaction(SIGSYS, &action, NULL))
		err = -errno;
	if (!err)
		err = load(filter, groups);
	seccomp_release(filter);
	return err ? log_failure(err, "cannot filter its own system calls") : 0;
}

int syscall_filter_install(unsigned int groups)
{
	if (kernel_can_filter())
		return install(groups);
	/* This is no reason not to measure. */
	log_notice(
		"this kernel cannot filter system calls: an attacker who takes over could make any");
	return 0;
}
