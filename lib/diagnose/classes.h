/* SPDX-License-Identifier: GPL-2.0 */
/* The table of classes (classes.def), as the rest of this room sees it. */
#ifndef NETSTACKLAT_CLASSES_H
#define NETSTACKLAT_CLASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/counts/groups.h"
#include "lib/tables/hooks.h"

enum class {
#define CLASS(id, ...) CLASS_##id,
#include "lib/diagnose/classes.def"
	NR_CLASSES
};

/* Classes that causes have in common. Rows of EXPLAINS name a class or a family, so each number is
 * one of both. */
enum family {
	FAMILY_WORK = NR_CLASSES, /* what a CPU does for one packet after the other */
	FAMILY_STACK,		  /* other waits in the stack */
	FAMILY_READER,		  /* does something else than to read ... */
	FAMILY_HELD_UP,		  /* ... or would read, and cannot run */
	FAMILY_TASK,		  /* takes long for something else */
	FAMILY_LOST,		  /* what is gone, not late: nothing takes long there */
	FAMILY_PEER,		  /* waits for the other end */
};

/* A part of a way is late alone if it is for one of so many parts of the time, or more. */
#define LATE_ALONE 2

/* The kinds of places that findings of a class have. */
enum scope { SCOPE_CPU, SCOPE_INTERFACE, SCOPE_NETNS, SCOPE_SERVICE, SCOPE_REASON };

/* A cause was measured itself, or it follows from where and when packets are late. */
enum basis { MEASURED, INFERRED };

/* The evidence of a reader: how long it did each thing while its late packets waited. */
#define READER_PARTS "asleep_ns,ready_ns,running_ns,sharing"

struct class_info {
	const char *name;
	enum family family;
	enum scope scope;
	enum basis basis;
	const char *culprit, *evidence; /* names of facts, separated by commas */
	const char *brief, *where, *cause, *next;
};
extern const struct class_info classes[NR_CLASSES];

static inline bool class_is_lost(enum class class)
{
	return classes[class].family == FAMILY_LOST;
}

/* The places where packets may be late. */
struct class_stage {
	enum class class;
	enum hook to;
	int from; /* a hook, or ANY */
	const char *between;
	unsigned int limits; /* bits of enum tcp_limit, of what waits to be sent; 0: all */
	bool is_unheld;	     /* of packets that did not wait for the socket's lock */
};
#define ANY (-1)

/*
 * Returns the class at a place; NULL if nothing is found there. If packets may wait for a socket's
 * lock, it is the class of those that did.
 */
const struct class_stage *class_stage_find(int from, enum hook to);

/* The hook or part that a group's packets come from; ANY if it counts since their stamp. */
int class_from_hook(const struct group *group);

/* Finds the stage of a group of packets, which tells whether they waited for the lock. */
const struct class_stage *class_stage_of(const struct group *group);

/* Returns the place of packets that do not wait for a lock, where others do; else NULL. */
const struct class_stage *class_stage_beside(const struct class_stage *stage);

/*
 * Returns the first place of a hook that measures how long a socket took, or the place behind
 * another; NULL if there is no more.
 */
const struct class_stage *class_span_next(enum hook hook, const struct class_stage *span);

/* Reasons of which more is known than their sentences. */
#define DROP_QUEUE_FULL "SOCKET_RCVBUFF"
#define DROP_TUN_FULL "FULL_RING"
#define DROP_UNACCEPTED "TCP_LISTEN_OVERFLOW"
#define DROP_OLDER "TCP_RFC7323_PAWS"
#define DROP_IN_CIRCLE "IP_INHDR"
/*
 * The kernel gives this reason, too, for an ACK with a SYN cookie whose connection finds no room in
 * the accept queue (cookie_v4_check(), Linux 6.9). By then, the packet's device is forgotten.
 */
#define DROP_NO_SOCKET "NO_SOCKET"
/* The same where somebody has one: see enum port_held. */
#define DROP_BY_ADDRESS "an address"
#define DROP_BY_KIND "another kind"
#define DROP_BY_NETNS "a namespace"
#define DROP_BY_NETFILTER "NETFILTER_DROP"
/* The kernel has one reason for all of these, and counts the last two besides. */
#define DROP_BY_RULE "a rule"
#define DROP_BY_CONNTRACK "conntrack"
#define DROP_BY_CLASH "a clash"
#define DROP_BY_UDP_CHECKSUM "UDP_CSUM"
#define DROP_NO_ROUTE "IP_OUTNOROUTES"
/* The same for an answer that is not even made: the packet that is dropped is the SYN. */
#define DROP_NO_ROUTE_BACK "a route back"
#define DROP_BY_QDISC "QDISC_DROP"
/* The kernel gives that reason, too, where the device is down or has no carrier. */
#define DROP_NO_CARRIER "a carrier"
/* Any other reason that the kernel has a name for, and that is not known to be harmless. */
#define DROP_FOR_OTHER "another reason"

/* Nobody misses what is dropped for a reason that has no cause. */
struct class_drop {
	const char *reason, *cause, *next;
};

/* NULL for a reason that has no row. */
const struct class_drop *class_drop_find(const char *reason);
/*
 * The same, but a reason without a row is another reason; NULL for one whose packets nobody misses.
 */
const struct class_drop *class_drop_judge(const char *reason);

#endif
