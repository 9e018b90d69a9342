/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Facts of network namespaces that make packets late, or drop them. Finding them takes
 * CAP_SYS_PTRACE, CAP_SYS_ADMIN and CAP_NET_ADMIN, so a process of its own does it for this one.
 */
#ifndef NETSTACKLAT_NETNS_FACTS_H
#define NETSTACKLAT_NETNS_FACTS_H

#include <stdint.h>

#include "lib/host/card.h"
#include "lib/host/netns.h"
#include "lib/host/nfqueue.h"
#include "lib/host/qdisc.h"
#include "lib/host/rules.h"

#define NETNS_PATH_SIZE 128

struct netns_facts {
	char path[NETNS_PATH_SIZE]; /* to enter it by; empty: not known, or too long */
	bool can_enter;		    /* any namespace; our own is known without */
	bool has_netlink;	    /* without, qdiscs, rules and cards cannot be asked for */
	bool has_qdisc, has_rules;  /* whether what follows is known */
	char qdisc[QDISC_KIND_SIZE];
	bool has_no_carrier; /* the interface */
	struct rules rules;
	bool has_legacy_rules;	    /* of iptables, besides */
	bool has_ipvs;		    /* services of it */
	bool has_conntrack;	    /* whether what follows is known */
	uint64_t conntrack_dropped; /* since netns_facts_begin(), as its table was full ... */
	uint32_t conntrack_max;	    /* ... which takes so many connections; 0: not known ... */
	uint64_t conntrack_clashed; /* ... or as it had one with the same addresses and ports */
	uint32_t queued_packets;    /* went through NFQUEUE in that time, by most of all ... */
	struct nfqueues nfqueues;   /* ... the queue that these name */
};

/*
 * Packets that were lost in a namespace since netns_facts_begin(), for which the kernel gives no
 * reason.
 */
struct netns_losses {
	uint64_t netns;
	char name[NETNS_NAME_SIZE]; /* or "inode/1" */
	uint64_t syns;		    /* which found a queue of half-open connections full */
	uint64_t unrouted_syns;	    /* of listeners: there is no route for an answer */
	uint64_t overflows;	    /* which found an accept queue full */
	uint64_t wrong_checksums;   /* of UDP */
};

struct card_losses {
	char netns[NETNS_NAME_SIZE]; /* as above */
	struct card card;	     /* what it counted in that time */
};

/* More would hide what else is to read. */
#define MAX_NETNS_WITH_LOSSES 8
#define MAX_CARDS_WITH_LOSSES 8

struct losses {
	uint32_t nr_looked_at, nr, nr_cards;
	uint32_t nr_mptcp; /* ends of connections that began, of which nothing was lost */
	uint64_t nr_sctp;  /* packets that came, of which nothing was lost */
	struct netns_losses list[MAX_NETNS_WITH_LOSSES];
	struct card_losses cards[MAX_CARDS_WITH_LOSSES];
	uint64_t came_to_cards; /* to all of them: what they received, and what they missed */
	struct interfaces blind[NR_BLIND_SPOTS], tunnels; /* of all namespaces */
};

/*
 * Tells why netfilter's table of connections dropped packets in a watch, while so many connections
 * could not be entered. The kernel counts a clash in both counters (nf_ct_resolve_clash()), and a
 * full table only in the first. Totals since the start tell nothing, as a connection may also fail
 * without a drop.
 */
void conntrack_tell_apart(uint64_t dropped, uint64_t failed, struct netns_facts *facts);

/* Answers what is asked at the other end of a socket, until that is closed. */
void netns_facts_serve(int socket);

/*
 * Has a process at the other end of a socket answer all questions from now on; -1: nothing is
 * known.
 */
void netns_facts_ask_at(int socket);

/* Counts from now on what is counted, in all namespaces. */
void netns_facts_begin(void);

/* Finds the facts of a namespace, as BPF programs know it, and of an interface in it, or 0. */
void netns_facts_find(uint64_t netns, uint32_t ifindex, struct netns_facts *facts);

/* Looks at all namespaces. */
void netns_facts_find_losses(struct losses *losses);

#endif
