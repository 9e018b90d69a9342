/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Restricts a process to the system calls of syscalls.def, for good: whoever takes over the process
 * by a bug in it gets no further than these calls. Any other call ends the process with a sentence
 * that names it.
 */
#ifndef NETSTACKLAT_SYSCALL_FILTER_H
#define NETSTACKLAT_SYSCALL_FILTER_H

/* The purposes of system calls. The first holds for every process, and the others are asked for. */
enum syscall_group {
	SYSCALLS_ALWAYS = 0,
	SYSCALLS_MEASURE = 1 << 0,
	SYSCALLS_FILES = 1 << 1,
	SYSCALLS_CGROUPS = 1 << 2,
	SYSCALLS_PCAP = 1 << 3,
	SYSCALLS_HTTP = 1 << 4,
	SYSCALLS_HELPERS = 1 << 5,
	SYSCALLS_NETNS = 1 << 6,
	SYSCALLS_REPLACE = 1 << 7,
	SYSCALLS_REMOVE = 1 << 8,
	SYSCALLS_TERMINAL = 1 << 9,
};

/*
 * Leaves only the calls of these groups, from here on. There is no way back: new privileges are
 * given up as well. A kernel that cannot filter lets all pass. Returns 0 or, after saying what
 * failed, a negative errno.
 */
int syscall_filter_install(unsigned int groups);

#endif
