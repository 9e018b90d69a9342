// SPDX-License-Identifier: GPL-2.0
#include "lib/host/netns_counters.h"

#include <stdlib.h>
#include <string.h>

#include "lib/host/file_number.h"

bool conntrack_parse_dropped(FILE *file, uint64_t *count)
{
	char *line = NULL;
	size_t size = 0;
	int column = getline(&line, &size, file) > 0 ? file_column(line, "drop") : -1;

	*count = 0;
	/* Its numbers are hexadecimal. */
	while (column >= 0 && getline(&line, &size, file) > 0)
		*count += file_column_number(line, column, 16);
	free(line);
	return column >= 0;
}

/* The two lines of a protocol: names, and numbers. */
struct lines {
	char *names, *numbers;
};

/* Both are to be freed, also if there are none. */
static bool find_lines(FILE *file, const char *protocol, struct lines *lines)
{
	size_t names_size = 0, numbers_size = 0;

	*lines = (struct lines){ 0 };
	while (getline(&lines->names, &names_size, file) > 0 &&
	       getline(&lines->numbers, &numbers_size, file) > 0)
		if (!strncmp(lines->names, protocol, strlen(protocol)))
			return true;
	return false;
}

static uint64_t number_of(const struct lines *lines, const char *name)
{
	int column = file_column(lines->names, name);

	return column < 0 ? 0 : file_column_number(lines->numbers, column, 10);
}

/*
 * Counts one name's number less another's, of which the kernel may have raised only the latter yet.
 */
static bool parse_lines(FILE *file, const char *protocol, const char *name, const char *less,
			uint64_t *count)
{
	struct lines lines;
	bool found = find_lines(file, protocol, &lines);
	uint64_t all = found ? number_of(&lines, name) : 0;
	uint64_t others = found && less ? number_of(&lines, less) : 0;

	*count = all > others ? all - others : 0;
	free(lines.names);
	free(lines.numbers);
	return found;
}

bool syns_parse_dropped(FILE *file, uint64_t *count)
{
	return parse_lines(file, "TcpExt:", "TCPReqQFullDrop", NULL, count);
}

bool syns_parse_dropped_without_cookies(FILE *file, uint64_t *count)
{
	return parse_lines(file, "TcpExt:", "ListenDrops", "ListenOverflows", count);
}

bool overflows_parse(FILE *file, uint64_t *count)
{
	return parse_lines(file, "TcpExt:", "ListenOverflows", NULL, count);
}

bool udp_parse_wrong(FILE *file, uint64_t *count)
{
	return parse_lines(file, "Udp:", "InCsumErrors", NULL, count);
}

/* Each line is a name and a number. */
bool udp6_parse_wrong(FILE *file, uint64_t *count)
{
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	*count = 0;
	while (!found && getline(&line, &size, file) > 0) {
		found = !file_column(line, "Udp6InCsumErrors");
		if (found)
			*count = file_column_number(line, 1, 10);
	}
	free(line);
	return found;
}

static bool read_count(const char *path, bool (*parse)(FILE *file, uint64_t *count),
		       uint64_t *count)
{
	FILE *file = fopen(path, "re");
	bool found = file && parse(file, count);

	if (file)
		fclose(file);
	return found;
}

void netns_counters_read(struct netns_counters *counters)
{
	bool has_cookies = file_number("/proc/sys/net/ipv4/tcp_syncookies", 0);
	uint64_t udp = 0, udp6 = 0;

	*counters = (struct netns_counters){ 0 };
	counters->has_conntrack = read_count("/proc/thread-self/net/stat/nf_conntrack",
					     conntrack_parse_dropped, &counters->conntrack_dropped);
	counters->has_syns =
		read_count("/proc/thread-self/net/netstat",
			   has_cookies ? syns_parse_dropped : syns_parse_dropped_without_cookies,
			   &counters->syns);
	read_count("/proc/thread-self/net/netstat", overflows_parse, &counters->overflows);
	read_count("/proc/thread-self/net/snmp", udp_parse_wrong, &udp);
	read_count("/proc/thread-self/net/snmp6", udp6_parse_wrong, &udp6);
	counters->wrong_checksums = udp + udp6;
}
