/* SPDX-License-Identifier: GPL-2.0 */
/* The time that each service takes for its requests, late or not. Pure arithmetic on a report. */
#ifndef NETSTACKLAT_SERVICES_H
#define NETSTACKLAT_SERVICES_H

#include "lib/diagnose/facts.h"
#include "lib/diagnose/tally.h"
#include "lib/host/card.h"

/* The parts of the way of a request and its reply, one after the other. */
enum service_part {
	SERVICE_IN,	     /* from the stamp until it is read */
	SERVICE_APPLICATION, /* until the reply is written */
	SERVICE_OUT,	     /* until the reply leaves for the device */
	SERVICE_PEERS,	     /* no part of this host's: the minimal round trip ... */
	SERVICE_BULK,	     /* ... and that of bulk, which is longer where it queues on the way */
	NR_SERVICE_PARTS,
};

struct service {
	struct place place;
	uint32_t pid;	    /* of its reader; 0: not known */
	struct facts facts; /* likewise; after verdict_explain() also its name: service */
	uint64_t packets;   /* that it has read */
	uint64_t answers;
	uint64_t segments; /* that it has sent by TCP, with data */
	/* TCP connections that it has read from, and not answered for long; the longest time. */
	uint64_t unanswered, unanswered_ns;
	/*
	 * Datagrams that were late only because of others before them; zero if another finding
	 * tells of that.
	 */
	struct lateness behind_others;
	/* A mean of all packets that were measured there; 0: nothing was. */
	uint64_t part_ns[NR_SERVICE_PARTS];
	uint64_t sent;	  /* packets that IP has sent, ... */
	uint64_t sent_ns; /* ... and how long all of them took from there to the device */
};

struct services {
	struct service *services; /* those that have read most first */
	size_t nr;
};

/*
 * Makes a list of the services at such ports, whose answers may take so long. Returns 0 or -ENOMEM;
 * the caller frees it in any case.
 */
int services_make(struct services *services, const struct report *report,
		  const struct service_ports *ports, uint64_t late_answer_ns);
void services_free(struct services *services);

/*
 * A packet that a tunnel sends in another one was sent by IP twice: corrects the mean time on the
 * way out, which is of both together.
 */
void services_count_tunneled_once(struct services *services, const struct report *report,
				  const struct service_ports *ports,
				  const struct interfaces *tunnels);

#endif
