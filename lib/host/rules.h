/* SPDX-License-Identifier: GPL-2.0 */
/* The rules of netfilter, in the network namespace that this thread is in. */
#ifndef NETSTACKLAT_RULES_H
#define NETSTACKLAT_RULES_H

#include <stdbool.h>

/* The number of rules in nf_tables, and what holds most of them. */
struct rules {
	unsigned int nr;
	bool by_iptables; /* iptables-nft, or else nft */
};

/*
 * Returns whether netfilter has rules in this namespace. It takes CAP_NET_ADMIN there. Returns
 * false if the kernel does not tell, or would have to load nf_tables first.
 */
bool rules_count(struct rules *rules);

/* Returns whether iptables-legacy has tables, too, of which nf_tables knows nothing. */
bool rules_has_legacy(void);

/* Returns whether IPVS has services, whose packets it takes or drops behind these rules. */
bool rules_has_ipvs(void);

#endif
