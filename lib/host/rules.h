/* SPDX-License-Identifier: GPL-2.0 */
/* The rules of netfilter, in the network namespace that this thread is in. */
#ifndef NETSTACKLAT_RULES_H
#define NETSTACKLAT_RULES_H

#include <stdbool.h>

/* How many there are in nf_tables, and what holds most of them. */
struct rules {
	unsigned int nr;
	bool by_iptables; /* iptables-nft, or else nft */
};

/* Takes CAP_NET_ADMIN in the namespace. Returns false if the kernel does not tell. */
bool rules_count(struct rules *rules);

#endif
