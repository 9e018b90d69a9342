/* SPDX-License-Identifier: GPL-2.0 */
/* The queues of interfaces, in the network namespace that this thread is in. */
#ifndef NETSTACKLAT_QDISC_H
#define NETSTACKLAT_QDISC_H

#include <net/if.h>
#include <stdbool.h>

#define QDISC_KIND_SIZE 16

/* Finds the kind of an interface's root qdisc: "netem", "fq_codel". Returns whether there is one.
 */
bool qdisc_kind(unsigned int ifindex, char kind[QDISC_KIND_SIZE]);

/*
 * Returns whether an interface is down, or has no carrier. Then, the kernel puts another qdisc in
 * place of all of its own, which drops each packet (noop_qdisc), and does not tell so.
 */
bool qdisc_has_no_carrier(unsigned int ifindex);

#endif
