/* SPDX-License-Identifier: GPL-2.0 */
/* A network namespace that is made for a test, where users may: as root. */
#ifndef NETSTACKLAT_REAL_NETNS_H
#define NETSTACKLAT_REAL_NETNS_H

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child lives in it, and does nothing else. */
struct real_netns {
	pid_t pid;
	ino_t inode;
	char path[64];
};

/* It goes to another one at each SIGUSR1. */
static inline void live_in_netns(int told)
{
	sigset_t signals;
	char made;
	int signal;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	made = unshare(CLONE_NEWNET) ? 0 : 1;
	if (write(told, &made, 1) == 1)
		while (!sigwait(&signals, &signal) && !unshare(CLONE_NEWNET))
			;
	_exit(0);
}

static inline void end_netns(const struct real_netns *netns)
{
	kill(netns->pid, SIGKILL);
	waitpid(netns->pid, NULL, 0);
}

static inline void learn_inode(struct real_netns *netns)
{
	struct stat status;

	assert_int_equal(stat(netns->path, &status), 0);
	netns->inode = status.st_ino;
}

static inline struct real_netns make_netns(void)
{
	struct real_netns netns = { 0 };
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
	learn_inode(&netns);
	return netns;
}

/* The same path leads to another one then. */
static inline void replace_netns(struct real_netns *netns)
{
	ino_t before = netns->inode;

	assert_int_equal(kill(netns->pid, SIGUSR1), 0);
	while (netns->inode == before)
		learn_inode(netns);
}

#define NO_NETNS 77

/*
 * Asserts that a child for which commands of the shell succeed in a new network namespace returns 0
 * from look(), which is no place for assertions.
 */
static inline void assert_in_new_netns(const char *commands, int (*look)(void))
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		if (unshare(CLONE_NEWNET))
			_exit(NO_NETNS);
		_exit(system(commands) ? 1 : look());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_NETNS)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

#endif
