// SPDX-License-Identifier: GPL-2.0
#include "lib/host/udp_checksums.h"

#include <stdlib.h>

#include "lib/host/file_number.h"
#include "lib/host/protocol_counters.h"

uint64_t udp_checksums_parse_wrong(FILE *ipv4)
{
	struct protocol_counters counters;
	uint64_t wrong = 0;

	if (protocol_counters_read(ipv4, "Udp:", &counters))
		wrong = protocol_counter(&counters, "InCsumErrors");
	protocol_counters_free(&counters);
	return wrong;
}

uint64_t udp_checksums_parse_wrong_ipv6(FILE *ipv6)
{
	uint64_t wrong = 0;
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, ipv6) > 0)
		if (!file_column(line, "Udp6InCsumErrors"))
			wrong = file_column_number(line, 1, 10);
	free(line);
	return wrong;
}

static uint64_t count(const char *path, uint64_t (*parse)(FILE *file))
{
	FILE *file = fopen(path, "re");
	uint64_t wrong;

	if (!file)
		return 0;
	wrong = parse(file);
	fclose(file);
	return wrong;
}

uint64_t udp_checksums_count_wrong(void)
{
	return count("/proc/thread-self/net/snmp", udp_checksums_parse_wrong) +
	       count("/proc/thread-self/net/snmp6", udp_checksums_parse_wrong_ipv6);
}
