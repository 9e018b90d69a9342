/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes as /proc tells of them: their state, their cgroup, and what they did with their time.
 */
#ifndef NETSTACKLAT_TASK_H
#define NETSTACKLAT_TASK_H

#include <linux/limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Returns whether /proc has processes by the ids that programs in the kernel know. In another PID
 * namespace, such as a container's, an id is another process's, or nobody's.
 */
bool task_ids_are_initial(void);

/* 'R', 'S', 'D', 'T' and so on, or 0 if the process is gone. */
char task_state(pid_t pid);

/*
 * The same, but it is 'R' only if it stays so for this time, which is subtracted: a task that was
 * just woken may wait for the CPU that runs us. For any other state, returns at once.
 */
char task_lasting_state(pid_t pid, uint64_t *ns);

/* Its scheduling policy, as SCHED_FIFO; SCHED_OTHER, too, if the process is gone. */
unsigned int task_policy(pid_t pid);

/* Returns whether it has crashed, and its core dump is being written (Linux 4.15). */
bool task_dumps_core(pid_t pid);

/* The part of its memory that is swapped out; 0, too, if the process is gone. */
uint64_t task_swapped_bytes(pid_t pid);

/*
 * Returns how many files a process may have open (RLIMIT_NOFILE), if it has as many open. Returns 0
 * if it has fewer, is gone or, before Linux 6.2, may not be looked into.
 */
uint64_t task_files_at_limit(pid_t pid);

/*
 * Finds the path of its cgroup below the mount point: in the hierarchy of a controller of version 1
 * or, with "", of version 2. Returns false if there is none.
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

/*
 * Lists all processes that there are now, except those with too many threads (look.h). NULL with
 * errno set.
 */
struct tasks;
struct tasks *tasks_new(void);
void tasks_free(struct tasks *tasks);

/* The times of one of them since then; zero if it was not looked at. */
struct task_times tasks_since(const struct tasks *tasks, pid_t pid);

#endif
