/* SPDX-License-Identifier: GPL-2.0 */
/* Datagrams whose checksums are wrong, as their readers find. */
#ifndef NETSTACKLAT_UDP_CHECKSUMS_H
#define NETSTACKLAT_UDP_CHECKSUMS_H

#include <stdint.h>
#include <stdio.h>

/*
 * Counts those that came to the network namespace that this thread is in, by IPv4 and IPv6, since
 * that was made; 0 if the kernel does not tell.
 */
uint64_t udp_checksums_count_wrong(void);

/* The same from files like /proc/net/snmp, and /proc/net/snmp6: each line a name and a number. */
uint64_t udp_checksums_parse_wrong(FILE *ipv4);
uint64_t udp_checksums_parse_wrong_ipv6(FILE *ipv6);

#endif
