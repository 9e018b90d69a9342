// SPDX-License-Identifier: GPL-2.0
/*
 * Files of /proc: where cgroups are mounted, what process a thread is of, symbols, what a task is
 * in, and what a namespace has. The linker makes these functions those that open files, which are
 * the input then.
 */
#include "tests/fuzz/fuzz.h"

#include <mntent.h>

#include "lib/filters/filters.h"
#include "lib/host/cgroup.h"
#include "lib/host/netns_counters.h"
#include "lib/host/port_range.h"
#include "lib/host/symbols.h"
#include "lib/host/task.h"

static struct input file;

static FILE *open_input(void)
{
	/* It takes no size of zero. */
	return file.size ? fmemopen((void *)file.data, file.size, "r") : NULL;
}

FILE *__wrap_setmntent(const char *path, const char *mode);
FILE *__wrap_setmntent(const char *path, const char *mode)
{
	(void)path, (void)mode;
	return open_input();
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
	return strncmp(path, "/proc/", strlen("/proc/")) ? __real_fopen(path, mode) : open_input();
}

static void read_mounts(void)
{
	/* It is looked for once. */
	char *path = (char *)cgroup_mount_point();

	require(strlen(path) < PATH_MAX);
	*path = '\0';
}

static void read_status(void)
{
	const struct filter_lists lists = { .lists = { [FILTER_PID] = "7" } };
	struct filters filters;

	if (filters_find(&lists, &filters))
		return;
	require(filters.keys[FILTER_PID].nr == 1);
	filters_free(&filters);
}

static void read_symbols(void)
{
	uint64_t address;
	FILE *list;
	char *symbol;

	input_fill(&file, &address, sizeof(address));
	list = open_input();
	symbol = list ? symbol_at(list, address) : NULL;

	require(!symbol || *symbol);
	free(symbol);
	if (list)
		fclose(list);
}

static void read_task(void)
{
	char path[PATH_MAX];

	task_state(7);
	if (task_cgroup(7, "", path) || task_cgroup(7, "cpu", path))
		require(strlen(path) < PATH_MAX && !strchr(path, '\n'));
}

static void read_namespace(void)
{
	struct netns_counters counters;
	uint16_t first, last;

	netns_counters_read(&counters);
	local_port_range(&first, &last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const reads[])(void) = { read_mounts, read_status, read_symbols, read_task,
					       read_namespace };

	file = (struct input){ data, size };
	reads[input_byte(&file) % (sizeof(reads) / sizeof(*reads))]();
	return 0;
}
