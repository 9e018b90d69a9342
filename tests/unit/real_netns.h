/* SPDX-License-Identifier: GPL-2.0 */
/* A network namespace that is made for a test, where users may: as root. */
#ifndef NETSTACKLAT_REAL_NETNS_H
#define NETSTACKLAT_REAL_NETNS_H

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* That of a child which does nothing else. */
struct real_netns {
	pid_t pid;
	ino_t inode;
	char path[64];
};

static inline void live_in_netns(int told)
{
	char made;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	made = unshare(CLONE_NEWNET) ? 0 : 1;
	if (write(told, &made, 1) == 1)
		pause();
	_exit(0);
}

static inline void end_netns(const struct real_netns *netns)
{
	kill(netns->pid, SIGKILL);
	waitpid(netns->pid, NULL, 0);
}

static inline struct real_netns make_netns(void)
{
	struct real_netns netns = { 0 };
	struct stat status;
	char made = 0;
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	fflush(stdout);
	netns.pid = fork();
	if (!netns.pid)
		live_in_netns(pipes[1]);
	assert_int_equal(read(pipes[0], &made, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	if (!made) {
		end_netns(&netns);
		skip();
	}
	snprintf(netns.path, sizeof(netns.path), "/proc/%d/ns/net", netns.pid);
	assert_int_equal(stat(netns.path, &status), 0);
	netns.inode = status.st_ino;
	return netns;
}

#endif
