/* SPDX-License-Identifier: GPL-2.0 */
/* SYNs that found a listener's queue of half-open connections full. */
#ifndef NETSTACKLAT_SYN_DROPS_H
#define NETSTACKLAT_SYN_DROPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Counts those that were dropped in the network namespace that this thread is in, since that was
 * made. Returns false if the kernel does not tell.
 */
bool syn_drops_count(uint64_t *dropped);

/*
 * The same from a file like /proc/net/netstat: names, and numbers in the line behind. With cookies,
 * the kernel drops SYNs of a listener that refuses them, as TCPReqQFullDrop counts. Without any, it
 * also drops those that find three quarters of the queue taken, and counts these in ListenDrops
 * alone, with all that finds a full accept queue, which ListenOverflows has, too
 * (tcp_conn_request()).
 */
bool syn_drops_parse(FILE *file, bool has_cookies, uint64_t *dropped);

#endif
