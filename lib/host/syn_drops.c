// SPDX-License-Identifier: GPL-2.0
#include "lib/host/syn_drops.h"

#include "lib/host/file_number.h"
#include "lib/host/protocol_counters.h"

/* The kernel may have added to the one only of two that it adds to. */
static uint64_t drops_without_overflows(const struct protocol_counters *counters)
{
	uint64_t drops = protocol_counter(counters, "ListenDrops");
	uint64_t overflows = protocol_counter(counters, "ListenOverflows");

	return drops > overflows ? drops - overflows : 0;
}

bool syn_drops_parse(FILE *file, bool has_cookies, uint64_t *dropped)
{
	struct protocol_counters counters;
	bool found = protocol_counters_read(file, "TcpExt:", &counters);

	*dropped = 0;
	if (found && has_cookies)
		*dropped = protocol_counter(&counters, "TCPReqQFullDrop");
	else if (found)
		*dropped = drops_without_overflows(&counters);
	protocol_counters_free(&counters);
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
