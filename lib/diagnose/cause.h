/* SPDX-License-Identifier: GPL-2.0 */
/* Why a finding is there, as far as its numbers and the host's facts tell. */
#ifndef NETSTACKLAT_CAUSE_H
#define NETSTACKLAT_CAUSE_H

#include "lib/diagnose/verdict.h"

/*
 * Returns whether a limit keeps its tasks from running for more than a tenth of the watch, or while
 * nobody else runs: a cgroup that is at its limit now and then is no reason.
 */
bool cause_is_limit(const struct verdict *verdict, const struct host_facts *host);

/* Finds what its reader did while packets waited, and has the finding's class say so. */
void cause_of_reader(const struct verdict *verdict, struct finding *finding);

/* Has the class say so where netfilter asks a process about most of the packets. */
void cause_of_netfilter(struct finding *finding);

/*
 * Drops the finding of a process that waits, until it answers, for what others send: it is not late
 * itself.
 */
void cause_of_application(struct finding *finding);

/*
 * A finding that was late in one second of several, and not by much, is none; nor is one of few
 * packets on a way that has no part which is slow.
 */
void cause_of_chance(struct finding *finding);

/* Marks findings that are there because of another one as its effects. */
void causes_absorb(struct verdict *verdict);

#endif
