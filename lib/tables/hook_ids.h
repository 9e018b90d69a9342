/* SPDX-License-Identifier: GPL-2.0 */
/* The ids of hooks and probes (hooks.def), and what may stand in their columns. */
#ifndef NETSTACKLAT_HOOK_IDS_H
#define NETSTACKLAT_HOOK_IDS_H

enum hook {
#define HOOK(id, ...) HOOK_##id,
#include "lib/tables/hooks.def"
	NR_HOOKS
};

/*
 * One for each place in the kernel. FIRST_PROBE_<hook> has the same number as the hook's first
 * probe: NUMBER_BEFORE_<hook> sets the enum back by one, so that the probe gets it again.
 */
enum probe {
#define HOOK(id, ...) FIRST_PROBE_##id, NUMBER_BEFORE_##id = FIRST_PROBE_##id - 1,
#define PROBE(hook, id, ...) PROBE_##id,
#define HELPER(hook, id, ...) PROBE_##id,
#include "lib/tables/hooks.def"
	NR_PROBES
};

/* Column "has": what the programs of a hook have at hand, from which follows what they know. */
enum {
	HAS_SKB = 1 << 0, /* the packet, or what was kept of it */
	HAS_SOCKET = 1 << 1,
	HAS_PORT = 1 << 2,	 /* a local port: a socket's or, of what is dropped, its header's */
	HAS_QUEUE = 1 << 3,	 /* the length of the socket's receive queue */
	HAS_PEER = 1 << 4,	 /* a socket that is connected, to where the packet came from */
	HAS_READER = 1 << 5,	 /* the task that reads, accepts or sends: it runs the hook */
	HAS_ANY_STAMP = 1 << 6,	 /* one that may be a transmit time, up to local delivery */
	HAS_NEW_STAMP = 1 << 7,	 /* one of microseconds ago: no reader or lock was waited for */
	HAS_REASON = 1 << 8,	 /* why the packet was dropped */
	HAS_SPAN = 1 << 9,	 /* no packet, but how long a CPU or a socket took for something */
	HAS_POLL = 1 << 10,	 /* how many packets it handled meanwhile */
	HAS_SENT = 1 << 11,	 /* a packet on its way out: there is no receive stamp */
	HAS_DEPARTURE = 1 << 12, /* likewise; if its sender paces it, when it is to leave */
	HAS_SEQUENCE = 1 << 13,	 /* a TCP segment, with its sequence numbers */
	HAS_HOLDER = 1 << 15,	 /* the task that held the socket's lock: it runs the hook then */
	HAS_TCP_LIMIT = 1 << 14, /* what held it back since it was written */
	HAS_RETRANSMIT = 1 << 17, /* why TCP sends it again */
	HAS_RX_SOCKET = 1 << 16,  /* of what is dropped: the socket that it was for, or none */
};

/* Column "paths": ways through the stack. A packet goes from hook to hook of one of them. */
enum {
	PATH_NONE = 0,
	PATH_TCP = 1 << 0,
	PATH_UDP = 1 << 1,
	PATH_ICMP = 1 << 2, /* and raw sockets, which get copies */
	PATH_FORWARD = 1 << 3,
	PATH_OUT = 1 << 4,			      /* of what is sent from here */
	PATH_LOCAL = PATH_TCP | PATH_UDP | PATH_ICMP, /* of what is for this host */
	PATH_ANY = PATH_LOCAL | PATH_FORWARD,
};

/* Column "way": where on the way of a request to its answer a socket waits. */
enum socket_way {
	WAY_NONE,
	WAY_ACCEPT, /* once for each connection */
	WAY_APPLICATION,
	WAY_OUT,
	WAY_NETWORK,
	WAY_AGAIN, /* in the network, in vain */
};

/* Column "journey": the hook's place in that of a packet. */
enum journey_place {
	JOURNEY_NONE,	/* on no path: no stage begins or ends there */
	JOURNEY_BEGINS, /* every packet comes by: what was at the skb's address before is gone */
	JOURNEY_CONTINUES,
	JOURNEY_BY_FEW, /* the same, but most packets go past it: it is no part of their way */
	JOURNEY_ENDS,	/* the packet is read, or merged with others: nothing is left of its skb */
};

/*
 * Column "ip": the IP version of all packets there; or that of the journey, as far as it is known.
 */
enum probe_ip { IP_ANY, IP_V4, IP_V6 };

/* Column "when": the run needs it. */
enum probe_when {
	ALWAYS,
	WITH_HOL_DELAY,
	IF_THERE,
	WITH_WAKEUPS,
	WITH_READER_WAITS,
	WITH_ITS_HOOK
};

#endif
