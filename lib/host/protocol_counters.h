/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel counts these of a protocol, since the network namespace was made. */
#ifndef NETSTACKLAT_PROTOCOL_COUNTERS_H
#define NETSTACKLAT_PROTOCOL_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The two lines of a protocol, in a file like /proc/net/netstat or /proc/net/snmp. */
struct protocol_counters {
	char *names, *numbers;
};

/*
 * Reads those of a protocol, named as the lines begin ("Udp:"). Returns false if the file has none.
 * Either way, protocol_counters_free() is for the caller to call.
 */
bool protocol_counters_read(FILE *file, const char *protocol, struct protocol_counters *counters);

/* Returns the counter of that name; 0 if there is none. */
uint64_t protocol_counter(const struct protocol_counters *counters, const char *name);

void protocol_counters_free(struct protocol_counters *counters);

#endif
