// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/list.h"
#include "lib/base/log.h"
#include "lib/filters/kind.h"
#include "lib/host/task.h"

static bool is_possible(const char *element)
{
	uint64_t number;

	return list_number(element, INT32_MAX, &number) && number;
}

/* Returns the process with this number, or with a thread of this number; 0 if there is none. */
static uint64_t process_of(uint64_t number)
{
	char path[64], line[256];
	uint64_t process = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/status", number);
	status = fopen(path, "re");
	if (!status)
		return 0;
	while (!process && fgets(line, sizeof(line), status))
		sscanf(line, "Tgid: %" SCNu64, &process);
	fclose(status);
	return process;
}

static int add(struct filters *filters, const char *element)
{
	uint64_t number = strtoull(element, NULL, 10), process;
	__u32 pid = number;

	/* Nobody here knows that process. */
	if (!task_ids_are_initial())
		return filter_add_key(filters, FILTER_PID, &pid);
	process = process_of(number);
	if (!process) {
		log_error("there is no process %s", element);
		return -ESRCH;
	}
	/* Threads have a folder in /proc, too, although none is listed there. */
	if (process != number) {
		log_error("%s is a thread, of the process %" PRIu64, element, process);
		return -ESRCH;
	}
	return filter_add_key(filters, FILTER_PID, &pid);
}

static void set_only(const void *key, struct filter_values *values)
{
	values->pid = *(const __u32 *)key;
}

const struct filter_kind filter_by_pid = {
	.expected = "process ids (names go with --comm)",
	.is_possible = is_possible,
	.add = add,
	.map = "filter_pids",
	.key_size = sizeof(__u32),
	.set_only = set_only,
};
