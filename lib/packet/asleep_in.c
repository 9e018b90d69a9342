// SPDX-License-Identifier: GPL-2.0
#include "lib/packet/asleep_in.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *asleep_how_name(__u32 asleep_in)
{
	static const char *const names[] = {
		[ASLEEP_INTERRUPTIBLE] = "asleep",
		[ASLEEP_UNINTERRUPTIBLE] = "uninterruptible",
		[ASLEEP_FOR_IO] = "io",
		[ASLEEP_STOPPED] = "stopped",
		[ASLEEP_FROZEN] = "frozen",
		[ASLEEP_SUSPENDED] = "frozen",
		[ASLEEP_FOR_MEMORY] = "memory",
	};
	__u32 how = ASLEEP_IN_HOW(asleep_in);

	return names[how < NR_ASLEEP_HOW ? how : ASLEEP_INTERRUPTIBLE];
}

bool asleep_is_stopped(__u32 asleep_in)
{
	__u32 how = ASLEEP_IN_HOW(asleep_in);

	return how == ASLEEP_STOPPED || how == ASLEEP_FROZEN || how == ASLEEP_SUSPENDED;
}

const char *asleep_in_syscall(__u32 asleep_in, char text[ASLEEP_IN_TEXT_SIZE])
{
	__u32 number = ASLEEP_IN_SYSCALL(asleep_in);
	char *name;

	if (number == ASLEEP_IN_NO_SYSCALL || number == ASLEEP_IN_UNKNOWN)
		return NULL;
	name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
	if (name)
		snprintf(text, ASLEEP_IN_TEXT_SIZE, "%s", name);
	else
		snprintf(text, ASLEEP_IN_TEXT_SIZE, "system call %u", number);
	free(name);
	return text;
}

const char *asleep_by_itself_in(__u32 asleep_in, char text[ASLEEP_IN_TEXT_SIZE])
{
	if (asleep_is_stopped(asleep_in))
		return NULL;
	if (ASLEEP_IN_SYSCALL(asleep_in) != ASLEEP_IN_NO_SYSCALL)
		return asleep_in_syscall(asleep_in, text);
	snprintf(text, ASLEEP_IN_TEXT_SIZE, "a page fault");
	return text;
}

bool asleep_is_for_sockets(__u32 asleep_in)
{
	static const char *const calls[] = {
		"epoll_wait", "epoll_pwait", "epoll_pwait2",   "poll",	  "ppoll",
		"select",     "pselect6",    "recvfrom",       "recvmsg", "recvmmsg",
		"accept",     "accept4",     "io_uring_enter",
	};
	char text[ASLEEP_IN_TEXT_SIZE];

	if (!asleep_by_itself_in(asleep_in, text))
		return false;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(text, calls[i]))
			return true;
	return false;
}
