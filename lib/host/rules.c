// SPDX-License-Identifier: GPL-2.0
#include "lib/host/rules.h"

#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/host/netlink.h"

struct count {
	unsigned int nr, of_iptables;
};

/* iptables-nft has the tables and chains of old, with names in upper case. */
static bool is_of_iptables(const struct nlmsghdr *message)
{
	const struct rtattr *chain =
		netlink_attribute(message, sizeof(struct nfgenmsg), NFTA_RULE_CHAIN);
	static const char *const names[] = { "INPUT", "OUTPUT", "FORWARD", "PREROUTING",
					     "POSTROUTING" };

	if (netlink_attribute(message, sizeof(struct nfgenmsg), NFTA_RULE_COMPAT))
		return true;
	for (size_t i = 0; chain && i < sizeof(names) / sizeof(*names); i++)
		if (RTA_PAYLOAD(chain) > strlen(names[i]) && !strcmp(RTA_DATA(chain), names[i]))
			return true;
	return false;
}

static void count_rule(const struct nlmsghdr *message, void *context)
{
	struct count *counts = context;

	counts->nr++;
	counts->of_iptables += is_of_iptables(message);
}

bool rules_count(struct rules *rules)
{
	const struct nfgenmsg header = { .nfgen_family = AF_UNSPEC };
	struct count counts = { 0 };

	if (access("/sys/module/nf_tables", F_OK) ||
	    netlink_dump(NETLINK_NETFILTER, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETRULE, &header,
			 sizeof(header), count_rule, &counts))
		return false;
	rules->nr = counts.nr;
	rules->by_iptables = 2 * counts.of_iptables > counts.nr;
	return true;
}

/*
 * Returns whether a file of /proc has anything behind so many lines. Reading it does not load a
 * module.
 */
static bool has_text(const char *path, unsigned int lines)
{
	FILE *file = fopen(path, "re");
	int character;

	if (!file)
		return false;
	while ((character = fgetc(file)) != EOF && lines)
		lines -= character == '\n';
	fclose(file);
	return character != EOF;
}

bool rules_has_legacy(void)
{
	return has_text("/proc/thread-self/net/ip_tables_names", 0) ||
	       has_text("/proc/thread-self/net/ip6_tables_names", 0);
}

/* There are three lines before the first service (ip_vs_info_seq_show()). */
bool rules_has_ipvs(void)
{
	return has_text("/proc/thread-self/net/ip_vs", 3);
}
