/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets of a network namespace that were lost since it was made, as the kernel counts them in
 * files: programs at kfree_skb() see no reason for these.
 */
#ifndef NETSTACKLAT_NETNS_COUNTERS_H
#define NETSTACKLAT_NETNS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct netns_counters {
	/* False without nf_conntrack, which this does not load, or CONFIG_NF_CONNTRACK_PROCFS. */
	bool has_conntrack;
	uint64_t conntrack_dropped; /* by netfilter's table of connections */
	uint64_t conntrack_failed; /* whose connection could not be entered there, dropped or not */
	bool has_syns;
	uint64_t syns;		  /* which found a listener's queue of half-open connections full */
	uint64_t overflows;	  /* packets for a listener, which found its accept queue full */
	uint64_t wrong_checksums; /* of UDP, as readers found */
};

/* Reads those of the namespace that this thread is in. */
void netns_counters_read(struct netns_counters *counters);

/* Reads those of netfilter from /proc/net/stat/nf_conntrack: names of columns, and a line a CPU. */
void conntrack_parse(FILE *file, struct netns_counters *counters);

/*
 * Each of these reads a count from one of the files, or returns false if that does not tell:
 * /proc/net/snmp, and /proc/net/snmp6.
 */
bool udp_parse_wrong(FILE *file, uint64_t *count);
bool udp6_parse_wrong(FILE *file, uint64_t *count);

/*
 * Reads those of TCP from /proc/net/netstat. The kernel drops SYNs of a listener that refuses
 * cookies, as TCPReqQFullDrop counts. Without cookies, it also drops those that find three quarters
 * of the queue taken, and counts these in ListenDrops alone, with all that finds a full accept
 * queue, which ListenOverflows has, too (tcp_conn_request()).
 */
void tcp_parse_refused(FILE *file, bool has_cookies, struct netns_counters *counters);

#endif
