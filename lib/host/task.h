/* SPDX-License-Identifier: GPL-2.0 */
/* Processes as /proc tells of them: their state, their cgroup, and what they did with their time.
 */
#ifndef NETSTACKLAT_TASK_H
#define NETSTACKLAT_TASK_H

#include <linux/limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Returns whether /proc has processes by the ids that programs in the kernel know them by. In
 * another PID namespace, as of a container, an id is another process's, or none's.
 */
bool task_ids_are_initial(void);

/* 'R', 'S', 'D', 'T' and so on, or 0 if the process is gone. */
char task_state(pid_t pid);

/*
 * The same, but 'R' only if it is that for so long, which is taken off: a task that was just woken
 * may wait for the CPU that runs us. Otherwise, returns at once.
 */
char task_lasting_state(pid_t pid, uint64_t *ns);

/* Its scheduling policy, as SCHED_FIFO; SCHED_OTHER, too, if the process is gone. */
unsigned int task_policy(pid_t pid);

/* Returns whether it has crashed, and its core dump is being written (Linux 4.15). */
bool task_dumps_core(pid_t pid);

/* The part of its memory that is swapped out; 0, too, if the process is gone. */
uint64_t task_swapped_bytes(pid_t pid);

/*
 * The number of files that a process may have open (RLIMIT_NOFILE), if it has as many; 0 if it has
 * not, is gone, or, before Linux 6.2, is not ours to look into.
 */
uint64_t task_files_at_limit(pid_t pid);

/*
 * The path of its cgroup below the mount point, or false: in the hierarchy of a controller of
 * version 1, or, with "", of version 2.
 */
bool task_cgroup(pid_t pid, const char *controller, char path[PATH_MAX]);

/* The time that all threads of a process have run, and waited for a CPU, since they began. */
struct task_times {
	pid_t pid;
	uint64_t running_ns, ready_ns;
	unsigned int nr_threads; /* that were looked at */
};

/* Zero if the process is gone, or the kernel does not tell (CONFIG_SCHED_INFO). */
struct task_times task_times_find(pid_t pid);

/* All processes there are now, but for those of too many threads (look.h). NULL with errno set. */
struct tasks;
struct tasks *tasks_new(void);
void tasks_free(struct tasks *tasks);

/* The times of one of them since then; zero if it was not looked at. */
struct task_times tasks_since(const struct tasks *tasks, pid_t pid);

#endif
