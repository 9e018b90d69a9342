// SPDX-License-Identifier: GPL-2.0
#include "lib/host/netns_counters.h"

#include <stdlib.h>
#include <string.h>

#include "lib/host/file_number.h"

/* Adds a number of a CPU's line, which is hexadecimal, if there is such a column. */
static void add_column(uint64_t *sum, const char *line, int column)
{
	if (column >= 0)
		*sum += file_column_number(line, column, 16);
}

void conntrack_parse(FILE *file, struct netns_counters *counters)
{
	int dropped = -1, failed = -1;
	char *line = NULL;
	size_t size = 0;

	counters->conntrack_dropped = counters->conntrack_failed = 0;
	if (getline(&line, &size, file) > 0) {
		dropped = file_column(line, "drop");
		failed = file_column(line, "insert_failed");
	}
	while (dropped >= 0 && getline(&line, &size, file) > 0) {
		add_column(&counters->conntrack_dropped, line, dropped);
		add_column(&counters->conntrack_failed, line, failed);
	}
	counters->has_conntrack = dropped >= 0;
	free(line);
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

static void lines_free(struct lines *lines)
{
	free(lines->names);
	free(lines->numbers);
}

static uint64_t number_of(const struct lines *lines, const char *name)
{
	int column = file_column(lines->names, name);

	return column < 0 ? 0 : file_column_number(lines->numbers, column, 10);
}

void tcp_parse_refused(FILE *file, bool has_cookies, struct netns_counters *counters)
{
	struct lines lines;

	counters->has_syns = find_lines(file, "TcpExt:", &lines);
	if (counters->has_syns) {
		counters->overflows = number_of(&lines, "ListenOverflows");
		/* The kernel may have raised only the overflows yet. */
		counters->syns = has_cookies ? number_of(&lines, "TCPReqQFullDrop")
					     : number_since(counters->overflows,
							    number_of(&lines, "ListenDrops"));
	}
	lines_free(&lines);
}

bool udp_parse_wrong(FILE *file, uint64_t *count)
{
	struct lines lines;
	bool found = find_lines(file, "Udp:", &lines);

	*count = found ? number_of(&lines, "InCsumErrors") : 0;
	lines_free(&lines);
	return found;
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

static void read_conntrack(struct netns_counters *counters)
{
	FILE *file = fopen("/proc/thread-self/net/stat/nf_conntrack", "re");

	if (!file)
		return;
	conntrack_parse(file, counters);
	fclose(file);
}

static void read_refused(bool has_cookies, struct netns_counters *counters)
{
	FILE *file = fopen("/proc/thread-self/net/netstat", "re");

	if (!file)
		return;
	tcp_parse_refused(file, has_cookies, counters);
	fclose(file);
}

void netns_counters_read(struct netns_counters *counters)
{
	uint64_t udp = 0, udp6 = 0;

	*counters = (struct netns_counters){ 0 };
	read_conntrack(counters);
	read_refused(file_number("/proc/sys/net/ipv4/tcp_syncookies", 0), counters);
	read_count("/proc/thread-self/net/snmp", udp_parse_wrong, &udp);
	read_count("/proc/thread-self/net/snmp6", udp6_parse_wrong, &udp6);
	counters->wrong_checksums = udp + udp6;
}
