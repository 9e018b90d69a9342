// SPDX-License-Identifier: GPL-2.0
#include "lib/host/netns_counters.h"

#include <stdlib.h>
#include <string.h>

#include "lib/host/file_number.h"

/* Adds a number of a CPU's line, which is hexadecimal, if the line has such a column. */
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

/* Returns the number of a protocol's name, in a file of pairs of lines; 0 if it is not there. */
static uint64_t protocol_number(FILE *file, const char *protocol, const char *name)
{
	struct lines lines;
	uint64_t number;

	rewind(file);
	number = find_lines(file, protocol, &lines) ? number_of(&lines, name) : 0;
	lines_free(&lines);
	return number;
}

void netstat_parse(FILE *file, struct netns_counters *counters)
{
	struct lines lines;

	counters->has_syns = find_lines(file, "TcpExt:", &lines);
	if (counters->has_syns) {
		counters->refused = number_of(&lines, "TCPReqQFullDrop");
		counters->overflows = number_of(&lines, "ListenOverflows");
		/* The kernel may have raised only the overflows yet. */
		counters->dropped =
			number_since(counters->overflows, number_of(&lines, "ListenDrops"));
	}
	lines_free(&lines);
	counters->mptcp = protocol_number(file, "MPTcpExt:", "MPCapableACKRX") +
			  protocol_number(file, "MPTcpExt:", "MPCapableSYNACKRX");
}

void snmp_parse(FILE *file, struct netns_counters *counters)
{
	counters->wrong_checksums += protocol_number(file, "Udp:", "InCsumErrors");
	counters->unrouted += protocol_number(file, "Ip:", "OutNoRoutes");
}

struct dropped_syns syns_dropped_since(const struct netns_counters *before,
				       const struct netns_counters *now)
{
	uint64_t refused = number_since(before->refused, now->refused);
	uint64_t others = number_since(before->dropped, now->dropped);
	uint64_t unrouted = number_since(before->unrouted, now->unrouted);

	if (now->has_cookies)
		others = number_since(refused, others);
	if (unrouted > others)
		unrouted = others;
	return (struct dropped_syns){
		.queue_full = now->has_cookies ? refused : others - unrouted,
		.unrouted = unrouted,
	};
}

static void read_file(const char *path, void (*parse)(FILE *file, struct netns_counters *counters),
		      struct netns_counters *counters)
{
	FILE *file = fopen(path, "re");

	if (!file)
		return;
	parse(file, counters);
	fclose(file);
}

#define SNMP6 "/proc/thread-self/net/snmp6"

void netns_counters_read(struct netns_counters *counters)
{
	*counters = (struct netns_counters){
		.has_cookies = file_number("/proc/sys/net/ipv4/tcp_syncookies", 0),
		.wrong_checksums = file_named_number(SNMP6, "Udp6InCsumErrors"),
		.unrouted = file_named_number(SNMP6, "Ip6OutNoRoutes"),
		.sctp = file_named_number("/proc/thread-self/net/sctp/snmp", "SctpInSCTPPacks"),
	};
	read_file("/proc/thread-self/net/stat/nf_conntrack", conntrack_parse, counters);
	read_file("/proc/thread-self/net/netstat", netstat_parse, counters);
	read_file("/proc/thread-self/net/snmp", snmp_parse, counters);
}
