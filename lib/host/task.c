// SPDX-License-Identifier: GPL-2.0
#include "lib/host/task.h"

#include <ctype.h>
#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/host/file_number.h"
#include "lib/host/look.h"

struct tasks {
	struct task_times *times;
	size_t nr;
	bool has_all;
};

/* The namespace has this number since Linux 3.8 (98f842e675f9); linux/nsfs.h has it since 6.18. */
#define INITIAL_PID_NS_INODE 0xeffffffc

bool task_ids_are_initial(void)
{
	struct stat status;

	/* A kernel without PID namespaces has no such file. */
	if (stat("/proc/self/ns/pid", &status))
		return !access("/proc/self/ns", F_OK);
	return status.st_ino == INITIAL_PID_NS_INODE;
}

#define STAT_SIZE 1024

/*
 * Returns the fields of /proc/PID/stat from the state on, in a buffer, or "" if the process is
 * gone.
 */
static const char *stat_fields(pid_t pid, char line[STAT_SIZE])
{
	char path[64], *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return "";
	/* They lie behind the name, which may have anything in it. */
	end = fgets(line, STAT_SIZE, file) ? strrchr(line, ')') : NULL;
	fclose(file);
	return end && end[1] == ' ' ? end + 2 : "";
}

char task_state(pid_t pid)
{
	char line[STAT_SIZE];

	return *stat_fields(pid, line);
}

char task_lasting_state(pid_t pid, uint64_t *ns)
{
	uint64_t end_ns = clock_monotonic_ns() + *ns;
	char state = task_state(pid);

	while (state == 'R' && clock_monotonic_ns() < end_ns) {
		poll(NULL, 0, 1);
		state = task_state(pid);
	}
	*ns = number_since(clock_monotonic_ns(), end_ns);
	return state;
}

/* See proc_pid_stat(5): so many fields lie between the state and the policy. */
#define FIELDS_TO_POLICY 38

unsigned int task_policy(pid_t pid)
{
	char line[STAT_SIZE];
	const char *field = stat_fields(pid, line);

	for (int i = 0; i < FIELDS_TO_POLICY && field; i++) {
		field = strchr(field, ' ');
		field = field ? field + 1 : NULL;
	}
	return field ? strtoul(field, NULL, 10) : SCHED_OTHER;
}

/* A number in its status, by its name with a colon; 0 if there is none. */
static uint64_t status_number(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return file_named_number(path, name);
}

bool task_dumps_core(pid_t pid)
{
	return status_number(pid, "CoreDumping:");
}

uint64_t task_swapped_bytes(pid_t pid)
{
	return status_number(pid, "VmSwap:") << 10;
}

static uint64_t count_entries(const char *path)
{
	DIR *folder = opendir(path);
	uint64_t nr = 0;

	if (!folder)
		return 0;
	while (nr < MAX_LOOKED_AT && readdir(folder))
		nr++;
	closedir(folder);
	/* "." and ".." are none. */
	return nr - 2;
}

/*
 * Since Linux 6.2 (f1f1f2569901), the folder's size is the number of its files, which everybody may
 * see.
 */
static uint64_t nr_open_files(pid_t pid)
{
	struct stat folder;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	if (!stat(path, &folder) && folder.st_size)
		return (uint64_t)folder.st_size;
	return count_entries(path);
}

uint64_t task_files_at_limit(pid_t pid)
{
	unsigned long long limit = 0;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/limits", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!limit && fgets(line, sizeof(line), file))
		if (sscanf(line, "Max open files %llu", &limit) != 1)
			limit = 0;
	fclose(file);
	return limit && nr_open_files(pid) >= limit ? limit : 0;
}

/* Returns the path in a controller's line: "4:cpu,cpuacct:/path", or "0::/path". */
static char *path_for(char *line, const char *controller)
{
	size_t length = strlen(controller);
	char *list = strchr(line, ':'), *end = list ? strchr(list + 1, ':') : NULL;

	if (!end)
		return NULL;
	do {
		list++;
		if (!strncmp(list, controller, length) && strchr(",:", list[length]))
			return end + 1;
		list += strcspn(list, ",:");
	} while (list < end);
	return NULL;
}

bool task_cgroup(pid_t pid, const char *controller, char path[PATH_MAX])
{
	char name[64], line[PATH_MAX], *found = NULL;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/cgroup", pid);
	file = fopen(name, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = path_for(line, controller);
	fclose(file);
	if (!found)
		return false;
	found[strcspn(found, "\n")] = '\0';
	snprintf(path, PATH_MAX, "%s", found);
	return true;
}

static void add_thread(struct task_times *times, pid_t pid, const char *tid)
{
	unsigned long long running_ns, ready_ns;
	char path[NAME_MAX + 64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "%llu %llu", &running_ns, &ready_ns) == 2) {
		times->running_ns += running_ns;
		times->ready_ns += ready_ns;
	}
	fclose(file);
}

struct task_times task_times_find(pid_t pid)
{
	struct task_times times = { .pid = pid };
	struct dirent *entry;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)) && times.nr_threads < MAX_LOOKED_AT)
		if (isdigit((unsigned char)*entry->d_name)) {
			add_thread(&times, pid, entry->d_name);
			times.nr_threads++;
		}
	if (folder)
		closedir(folder);
	return times;
}

/* Returns false without memory. */
static bool add(struct tasks *tasks, pid_t pid)
{
	struct task_times *times = reallocarray(tasks->times, tasks->nr + 1, sizeof(*times));

	if (!times)
		return false;
	tasks->times = times;
	times[tasks->nr++] = task_times_find(pid);
	return true;
}

struct tasks *tasks_new(void)
{
	struct tasks *tasks = calloc(1, sizeof(*tasks));
	struct look look = look_begin();
	DIR *folder = opendir("/proc");
	struct dirent *entry = NULL;
	bool has_room = tasks;

	while (has_room && folder && (entry = readdir(folder))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		if (look_has_ended(&look))
			break;
		has_room = add(tasks, atoi(entry->d_name));
		if (has_room)
			look.nr += tasks->times[tasks->nr - 1].nr_threads;
	}
	if (has_room)
		tasks->has_all = !folder || !entry;
	if (folder)
		closedir(folder);
	if (has_room)
		return tasks;
	tasks_free(tasks);
	return NULL;
}

void tasks_free(struct tasks *tasks)
{
	if (!tasks)
		return;
	free(tasks->times);
	free(tasks);
}

/* Threads that ended took their time with them, so that it may be less. */
struct task_times tasks_since(const struct tasks *tasks, pid_t pid)
{
	struct task_times times = task_times_find(pid);

	for (size_t i = 0; i < tasks->nr; i++)
		if (tasks->times[i].pid == pid) {
			times.running_ns =
				number_since(tasks->times[i].running_ns, times.running_ns);
			times.ready_ns = number_since(tasks->times[i].ready_ns, times.ready_ns);
			return times;
		}
	/* It has started since then; or nobody knows. */
	return tasks->has_all ? times : (struct task_times){ .pid = pid };
}
