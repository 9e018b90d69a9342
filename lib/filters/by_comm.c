// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "lib/filters/kind.h"

static bool is_possible(const char *element)
{
	return *element && strlen(element) < COMM_SIZE;
}

static int add(struct filters *filters, const char *element)
{
	/* The programs compare all of it, with zeros behind the name. */
	char comm[COMM_SIZE] = { 0 };

	memcpy(comm, element, strlen(element));
	return filter_add_key(filters, FILTER_COMM, comm);
}

static void set_only(const void *key, struct filter_values *values)
{
	memcpy(values->comm, key, sizeof(values->comm));
}

const struct filter_kind filter_by_comm = {
	.expected = "names of 1 to 15 characters, as in /proc/PID/comm",
	.is_possible = is_possible,
	.add = add,
	.map = "filter_comms",
	.key_size = COMM_SIZE,
	.set_only = set_only,
};
