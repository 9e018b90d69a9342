/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets of a network namespace that were lost since it was made, as the kernel counts them in
 * files. Programs at kfree_skb() see no reason for these.
 */
#ifndef NETSTACKLAT_NETNS_COUNTERS_H
#define NETSTACKLAT_NETNS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct netns_counters {
	/*
	 * Returns false without nf_conntrack, which this does not load, or without
	 * CONFIG_NF_CONNTRACK_PROCFS.
	 */
	bool has_conntrack;
	uint64_t conntrack_dropped; /* by netfilter's table of connections */
	uint64_t conntrack_failed; /* whose connection could not be entered there, dropped or not */
	bool has_syns, has_cookies;
	uint64_t refused;   /* SYNs, by a listener that sends no cookies */
	uint64_t overflows; /* packets for a listener, which found its accept queue full ... */
	uint64_t dropped;   /* ... and those that it dropped for other reasons */
	uint64_t unrouted;  /* of what was to be sent: there was no route */
	uint64_t wrong_checksums; /* of UDP, as readers found */
	uint64_t mptcp;		  /* connections that began by MPTCP, at both ends */
	uint64_t sctp;		  /* packets that came by SCTP */
};

/* Reads those of the namespace that this thread is in. */
void netns_counters_read(struct netns_counters *counters);

/*
 * Reads netfilter's counters from /proc/net/stat/nf_conntrack: names of columns, and a line for
 * each CPU.
 */
void conntrack_parse(FILE *file, struct netns_counters *counters);

/* Adds IPv4's counters to wrong_checksums and unrouted, from /proc/net/snmp. */
void snmp_parse(FILE *file, struct netns_counters *counters);

/* Reads those of listeners, and of MPTCP, from /proc/net/netstat. */
void netstat_parse(FILE *file, struct netns_counters *counters);

/*
 * Tells which SYNs listeners dropped in a watch. The kernel drops SYNs of a listener that refuses
 * cookies, and counts them in TCPReqQFullDrop. Without cookies, it also drops SYNs when three
 * quarters of the queue are taken, and counts these in ListenDrops alone. A full accept queue
 * counts in ListenDrops and ListenOverflows. A SYN that it has no route to answer counts in
 * ListenDrops and OutNoRoutes, and the latter counts other senders' packets, too
 * (tcp_conn_request(), inet_csk_route_req()).
 */
struct dropped_syns {
	uint64_t queue_full; /* of half-open connections */
	uint64_t unrouted;
};
struct dropped_syns syns_dropped_since(const struct netns_counters *before,
				       const struct netns_counters *now);

#endif
