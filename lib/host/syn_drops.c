// SPDX-License-Identifier: GPL-2.0
#include "lib/host/syn_drops.h"

#include <stdlib.h>
#include <string.h>

#include "lib/host/file_number.h"

/* The two lines of a protocol. */
struct counters {
	char *names, *numbers;
};

static bool read_counters(FILE *file, const char *protocol, struct counters *counters)
{
	size_t names_size = 0, numbers_size = 0;

	*counters = (struct counters){ 0 };
	while (getline(&counters->names, &names_size, file) > 0 &&
	       getline(&counters->numbers, &numbers_size, file) > 0)
		if (!strncmp(counters->names, protocol, strlen(protocol)))
			return true;
	return false;
}

/* 0 if there is none of that name. */
static uint64_t counter(const struct counters *counters, const char *name)
{
	int column = file_column(counters->names, name);

	return column < 0 ? 0 : file_column_number(counters->numbers, column, 10);
}

/* The kernel may have added to the one only of two that it adds to. */
static uint64_t drops_without_overflows(const struct counters *counters)
{
	uint64_t drops = counter(counters, "ListenDrops");
	uint64_t overflows = counter(counters, "ListenOverflows");

	return drops > overflows ? drops - overflows : 0;
}

bool syn_drops_parse(FILE *file, bool has_cookies, uint64_t *dropped)
{
	struct counters counters;
	bool found = read_counters(file, "TcpExt:", &counters);

	*dropped = 0;
	if (found && has_cookies)
		*dropped = counter(&counters, "TCPReqQFullDrop");
	else if (found)
		*dropped = drops_without_overflows(&counters);
	free(counters.names);
	free(counters.numbers);
	return found;
}

bool syn_drops_count(uint64_t *dropped)
{
	FILE *file = fopen("/proc/thread-self/net/netstat", "re");
	bool has_cookies = file_number("/proc/sys/net/ipv4/tcp_syncookies", 0);
	bool found = file && syn_drops_parse(file, has_cookies, dropped);

	if (file)
		fclose(file);
	return found;
}
