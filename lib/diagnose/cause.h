/* SPDX-License-Identifier: GPL-2.0 */
/* Why a finding is there, as far as its numbers and the host's facts tell. */
#ifndef NETSTACKLAT_CAUSE_H
#define NETSTACKLAT_CAUSE_H

#include "lib/diagnose/verdict.h"

/*
 * Returns whether a limit is a reason: it keeps its tasks from running for more than a tenth of the
 * watch, or while nobody else runs. A cgroup that is at its limit now and then is none.
 */
bool cause_is_limit(const struct verdict *verdict, const struct host_facts *host);

/* Finds what the reader did while packets waited, and has the finding's class say so. */
void cause_of_reader(const struct verdict *verdict, struct finding *finding);

/* Has the class say so if a process decides on most of the packets for netfilter. */
void cause_of_netfilter(struct finding *finding);

/* Drops the finding of a process that waits for others before it answers: it is not late itself. */
void cause_of_application(struct finding *finding);

/*
 * Returns whether a finding is none: it was late in one second of several, and not by much; or few
 * packets were late, on a way that has no slow part.
 */
void cause_of_chance(struct finding *finding);

/* Marks findings that are there because of another one as its effects. */
void causes_absorb(struct verdict *verdict);

#endif
