// SPDX-License-Identifier: GPL-2.0
#include "lib/host/qdisc.h"

#include <linux/if.h>
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <string.h>

#include "lib/host/netlink.h"

struct search {
	int ifindex;
	char *kind;
	bool found, is_mq;
	__u32 handle; /* of the root */
};

/* It has a queue of its own for each of the device's, where packets wait. */
static bool is_mq(const char *kind)
{
	return !strcmp(kind, "mq") || !strcmp(kind, "mqprio");
}

static bool is_leaf(const struct search *search, const struct tcmsg *qdisc)
{
	return search->is_mq && qdisc->tcm_parent != TC_H_INGRESS &&
	       TC_H_MAJ(qdisc->tcm_parent) == search->handle;
}

/* The kernel tells of the root before it tells of what is in that. */
static void look(const struct nlmsghdr *message, void *context)
{
	const struct tcmsg *qdisc = NLMSG_DATA(message);
	const struct rtattr *kind = netlink_attribute(message, sizeof(*qdisc), TCA_KIND);
	struct search *search = context;
	bool is_root = qdisc->tcm_parent == TC_H_ROOT;

	if (qdisc->tcm_ifindex != search->ifindex || !kind || (!is_root && !is_leaf(search, qdisc)))
		return;
	netlink_copy_text(kind, search->kind, QDISC_KIND_SIZE);
	search->found = true;
	search->is_mq = is_root && is_mq(search->kind);
	search->handle = TC_H_MAJ(qdisc->tcm_handle);
}

bool qdisc_kind(unsigned int ifindex, char kind[QDISC_KIND_SIZE])
{
	const struct tcmsg header = { .tcm_family = AF_UNSPEC };
	struct search search = { .ifindex = ifindex, .kind = kind };

	netlink_dump(NETLINK_ROUTE, RTM_GETQDISC, &header, sizeof(header), look, &search);
	return search.found;
}

struct carrier_search {
	int ifindex;
	bool is_missing;
};

static void look_at_carrier(const struct nlmsghdr *message, void *context)
{
	const struct ifinfomsg *link = NLMSG_DATA(message);
	struct carrier_search *search = context;

	if (link->ifi_index == search->ifindex)
		search->is_missing = !(link->ifi_flags & IFF_UP && link->ifi_flags & IFF_LOWER_UP);
}

bool qdisc_has_no_carrier(unsigned int ifindex)
{
	const struct ifinfomsg header = { .ifi_family = AF_UNSPEC };
	struct carrier_search search = { .ifindex = ifindex };

	netlink_dump(NETLINK_ROUTE, RTM_GETLINK, &header, sizeof(header), look_at_carrier, &search);
	return search.is_missing;
}
