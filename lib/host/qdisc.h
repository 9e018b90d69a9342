/* SPDX-License-Identifier: GPL-2.0 */
/* The queues of interfaces, in the network namespace that this thread is in. */
#ifndef NETSTACKLAT_QDISC_H
#define NETSTACKLAT_QDISC_H

#include <net/if.h>
#include <stdbool.h>

#define QDISC_KIND_SIZE 16

/* The kind of an interface's root qdisc: "netem", "fq_codel". Returns whether it was found.
 */
bool qdisc_kind(unsigned int ifindex, char kind[QDISC_KIND_SIZE]);

#endif
