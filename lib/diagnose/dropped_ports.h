/* SPDX-License-Identifier: GPL-2.0 */
/* The ports at which packets were dropped for a reason. */
#ifndef NETSTACKLAT_DROPPED_PORTS_H
#define NETSTACKLAT_DROPPED_PORTS_H

#include "lib/diagnose/tally.h"
#include "lib/report/report.h"

struct dropped_port {
	const struct report_group *group; /* the report's largest there; NULL: it has none */
	uint64_t netns;
	uint16_t port;	/* 0 where it is not known */
	uint64_t count; /* of packets, in all groups there */
};

struct dropped_ports {
	struct dropped_port *ports;
	size_t nr;
	uint64_t unmissed; /* of packets besides, which nobody misses there */
};

/* Sums up what a report has of a reason. Returns 0 or -ENOMEM. */
int dropped_ports_make(struct dropped_ports *dropped, const struct report *report,
		       const char *reason);

/* Makes it a list of one port, where no group tells of it. Returns 0 or -ENOMEM. */
int dropped_ports_make_one(struct dropped_ports *dropped, const struct place *at, uint64_t count);
void dropped_ports_free(struct dropped_ports *dropped);

/* Returns the port at which most packets were dropped; NULL if the report has no such group. */
const struct dropped_port *dropped_ports_most(const struct dropped_ports *dropped);

/* Returns how many packets were dropped at that port. */
uint64_t dropped_ports_most_count(const struct dropped_ports *dropped);

/* Returns how many packets were dropped in a namespace. */
uint64_t dropped_ports_in_netns(const struct dropped_ports *dropped, uint64_t netns);

/*
 * Returns how many packets were dropped at other ports of a service's namespace. None of them is
 * the service's.
 */
uint64_t dropped_ports_elsewhere(const struct dropped_ports *dropped, const struct place *service);

#endif
