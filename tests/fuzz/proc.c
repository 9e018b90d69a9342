// SPDX-License-Identifier: GPL-2.0
/*
 * Files of /proc: where cgroups are mounted, what process a thread is of, and symbols. The linker
 * makes these functions those that open files, which are the input then.
 */
#include "tests/fuzz/fuzz.h"

#include <mntent.h>

#include "lib/filters/filters.h"
#include "lib/host/cgroup.h"
#include "lib/host/symbols.h"

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

static void read_symbols(uint64_t address)
{
	FILE *list = open_input();
	char *symbol = list ? symbol_at(list, address) : NULL;

	require(!symbol || *symbol);
	free(symbol);
	if (list)
		fclose(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	uint8_t what = input_byte(&input);
	uint64_t address = UINT64_MAX;

	if (what % 3 == 2)
		input_fill(&input, &address, sizeof(address));
	file = input;
	switch (what % 3) {
	case 0:
		read_mounts();
		break;
	case 1:
		read_status();
		break;
	case 2:
		read_symbols(address);
		break;
	}
	return 0;
}
