// SPDX-License-Identifier: GPL-2.0
#include "lib/host/qdisc.h"

#include <linux/pkt_sched.h>
#include <stdio.h>

#include "lib/host/netlink.h"

struct search {
	int ifindex;
	char *kind;
	bool found;
};

static void look(const struct nlmsghdr *message, void *context)
{
	const struct tcmsg *qdisc = NLMSG_DATA(message);
	const struct rtattr *kind = netlink_attribute(message, sizeof(*qdisc), TCA_KIND);
	struct search *search = context;

	if (qdisc->tcm_ifindex != search->ifindex || qdisc->tcm_parent != TC_H_ROOT || !kind)
		return;
	snprintf(search->kind, QDISC_KIND_SIZE, "%.*s", (int)RTA_PAYLOAD(kind),
		 (const char *)RTA_DATA(kind));
	search->found = true;
}

bool qdisc_kind(unsigned int ifindex, char kind[QDISC_KIND_SIZE])
{
	const struct tcmsg header = { .tcm_family = AF_UNSPEC };
	struct search search = { .ifindex = ifindex, .kind = kind };

	netlink_dump(NETLINK_ROUTE, RTM_GETQDISC, &header, sizeof(header), look, &search);
	return search.found;
}
