/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Peers that processes of this host ask by TCP or DNS, such as databases and other services, here
 * or elsewhere, and how long these take to answer.
 */
#ifndef NETSTACKLAT_UPSTREAMS_H
#define NETSTACKLAT_UPSTREAMS_H

#include <netinet/in.h>

#include "lib/diagnose/facts.h"
#include "lib/report/report.h"
#include "lib/tables/upstream.h"

/* A process and a peer, as programs count them. */
struct upstream_count {
	struct upstream_key key;
	struct upstream_answers answers;
};

struct upstream {
	struct upstream_count count; /* of all processes of that name together */
	char address[INET6_ADDRSTRLEN];
	/* The process that asks, and figures; after verdict_explain() also "service". */
	struct facts facts;
};

struct upstreams {
	struct upstream *upstreams; /* those that were waited for longest, all in all, first */
	size_t nr;
	uint64_t others; /* so often, others were asked, for which there was no room */
};

/*
 * Makes a list of them. Processes of one name that ask the same, such as workers, are one, without
 * a pid. Returns 0 or -ENOMEM; the caller frees it in any case.
 */
int upstreams_make(struct upstreams *upstreams, const struct report *report,
		   const struct upstream_count *counts, size_t nr);
/* Returns how often it did not answer, which is known of SYNs and of DNS. */
uint64_t upstream_unanswered(const struct upstream_count *count);

/* Returns how long it takes to answer on average; 0 if it never did. */
uint64_t upstream_mean_ns(const struct upstream *upstream);

void upstreams_free(struct upstreams *upstreams);

#endif
