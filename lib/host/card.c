// SPDX-License-Identifier: GPL-2.0
#include "lib/host/card.h"

#include <errno.h>
#include <linux/if_link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/host/file_number.h"
#include "lib/host/netlink.h"

struct adding {
	struct cards *cards;
	uint64_t netns;
	int err;
};

/*
 * The kernel tells the kind of a device that it made itself, such as veth; for any other, this is
 * NULL.
 */
static const struct rtattr *kind_of(const struct nlmsghdr *message)
{
	const struct rtattr *info =
		netlink_attribute(message, sizeof(struct ifinfomsg), IFLA_LINKINFO);

	return info ? netlink_nested(info, IFLA_INFO_KIND) : NULL;
}

/* The kinds have shorter names. */
#define KIND_SIZE 16

static bool is_tun(const char *kind)
{
	return !strcmp(kind, "tun");
}

static bool is_read_by_process(const char *kind)
{
	return is_tun(kind) || !strcmp(kind, "macvtap") || !strcmp(kind, "ipvtap");
}

static bool is_tunnel(const char *kind)
{
	static const char *const kinds[] = { "vxlan",	 "geneve", "gre",	"gretap",
					     "ip6gre",	 "erspan", "ip6gretap", "ip6erspan",
					     "ipip",	 "sit",	   "ip6tnl",	"vti",
					     "vti6",	 "xfrm",   "gtp",	"bareudp",
					     "wireguard" };
	size_t i = 0;

	while (i < sizeof(kinds) / sizeof(*kinds) && strcmp(kind, kinds[i]) != 0)
		i++;
	return i < sizeof(kinds) / sizeof(*kinds);
}

/* Newer kernels have more numbers behind these, and older ones have fewer, which are zero then. */
static struct rtnl_link_stats64 statistics_of(const struct nlmsghdr *message)
{
	const struct rtattr *attribute =
		netlink_attribute(message, sizeof(struct ifinfomsg), IFLA_STATS64);
	struct rtnl_link_stats64 statistics = { 0 };
	size_t size = attribute ? RTA_PAYLOAD(attribute) : 0;

	/* Attributes begin at any multiple of four, and these numbers take eight. */
	if (size)
		memcpy(&statistics, RTA_DATA(attribute),
		       size < sizeof(statistics) ? size : sizeof(statistics));
	return statistics;
}

/* Linux 4.16 has it (b2d3bcfa26a7). */
static uint32_t links_lost(const struct nlmsghdr *message)
{
	const struct rtattr *attribute =
		netlink_attribute(message, sizeof(struct ifinfomsg), IFLA_CARRIER_DOWN_COUNT);
	uint32_t count = 0;

	if (attribute && RTA_PAYLOAD(attribute) == sizeof(count))
		memcpy(&count, RTA_DATA(attribute), sizeof(count));
	return count;
}

/* Generic XDP is left out: what that drops has a reason. */
static bool has_early_xdp(const struct nlmsghdr *message)
{
	const struct rtattr *xdp = netlink_attribute(message, sizeof(struct ifinfomsg), IFLA_XDP);
	const struct rtattr *how = xdp ? netlink_nested(xdp, IFLA_XDP_ATTACHED) : NULL;
	uint8_t attached = how && RTA_PAYLOAD(how) ? *(uint8_t *)RTA_DATA(how) : XDP_ATTACHED_NONE;

	return attached != XDP_ATTACHED_NONE && attached != XDP_ATTACHED_SKB;
}

static void copy_name(const struct nlmsghdr *message, char name[IFNAMSIZ])
{
	const struct rtattr *attribute =
		netlink_attribute(message, sizeof(struct ifinfomsg), IFLA_IFNAME);

	if (attribute)
		netlink_copy_text(attribute, name, IFNAMSIZ);
}

bool interfaces_have(const struct interfaces *interfaces, uint64_t netns, uint32_t ifindex)
{
	uint32_t nr = interfaces_nr_listed(interfaces), i = 0;

	while (i < nr && !interface_is(&interfaces->list[i], netns, ifindex))
		i++;
	return i < nr;
}

void interfaces_add(struct interfaces *interfaces, const struct interface *interface)
{
	if (interfaces->nr < MAX_LISTED_INTERFACES)
		interfaces->list[interfaces->nr] = *interface;
	interfaces->nr++;
}

void interfaces_join(struct interfaces *interfaces, const struct interfaces *others)
{
	uint32_t nr = interfaces->nr + others->nr;

	for (uint32_t i = 0; i < interfaces_nr_listed(others); i++)
		interfaces_add(interfaces, &others->list[i]);
	interfaces->nr = nr;
}

/*
 * Where the kernel's mac80211 queues what is sent, it has no qdisc. This folder is that of our
 * network namespace, where such a device is: it would have to be moved by its hardware (phy).
 */
static bool is_wifi(const char *name)
{
	char path[sizeof("/sys/class/net//phy80211") + IFNAMSIZ];

	snprintf(path, sizeof(path), "/sys/class/net/%s/phy80211", name);
	return !access(path, F_OK);
}

static bool is_blind(enum blind_spot spot, const struct nlmsghdr *message, const char *kind,
		     const char *name)
{
	const struct ifinfomsg *link = NLMSG_DATA(message);

	switch (spot) {
	case BLIND_XDP:
		return has_early_xdp(message);
	case BLIND_TUN:
		/* One that no process has sends nothing. */
		return link->ifi_flags & IFF_RUNNING && is_read_by_process(kind);
	case BLIND_WIREGUARD:
		return link->ifi_flags & IFF_UP && !strcmp(kind, "wireguard");
	case BLIND_WIFI:
		return link->ifi_flags & IFF_UP && is_wifi(name);
	case BLIND_OVS:
		/* Its datapath is in use while its own devices are down. */
		return !strcmp(kind, "openvswitch");
	default:
		return false;
	}
}

static void note_kind(const struct nlmsghdr *message, const struct adding *adding)
{
	const struct ifinfomsg *link = NLMSG_DATA(message);
	const struct rtattr *attribute = kind_of(message);
	struct interface interface = { .netns = adding->netns, .ifindex = link->ifi_index };
	char kind[KIND_SIZE] = "";

	if (attribute)
		netlink_copy_text(attribute, kind, sizeof(kind));
	interface.is_tun = is_tun(kind);
	copy_name(message, interface.name);
	for (enum blind_spot spot = 0; spot < NR_BLIND_SPOTS; spot++)
		if (is_blind(spot, message, kind, interface.name))
			interfaces_add(&adding->cards->blind[spot], &interface);
	/* Most namespaces have some that nobody uses, and so are down. */
	if (link->ifi_flags & IFF_UP && is_tunnel(kind))
		interfaces_add(&adding->cards->tunnels, &interface);
}

static void add(const struct nlmsghdr *message, void *context)
{
	const struct ifinfomsg *link = NLMSG_DATA(message);
	struct adding *adding = context;
	struct cards *cards = adding->cards;
	struct rtnl_link_stats64 statistics;
	struct card *list;

	note_kind(message, adding);
	if (kind_of(message) || adding->err)
		return;
	list = reallocarray(cards->list, cards->nr + 1, sizeof(*list));
	if (!list) {
		adding->err = -ENOMEM;
		return;
	}
	cards->list = list;
	statistics = statistics_of(message);
	list[cards->nr] = (struct card){
		.netns = adding->netns,
		.ifindex = link->ifi_index,
		.received = statistics.rx_packets,
		/* Drivers count in one of them, or the same in both. */
		.missed = statistics.rx_missed_errors > statistics.rx_fifo_errors
				  ? statistics.rx_missed_errors
				  : statistics.rx_fifo_errors,
		.damaged = statistics.rx_crc_errors + statistics.rx_frame_errors,
		.links_lost = links_lost(message),
	};
	copy_name(message, list[cards->nr++].name);
}

bool host_may_have_tuns(void)
{
	return !access("/sys/class/misc/tun", F_OK);
}

int cards_add(struct cards *cards, uint64_t netns)
{
	const struct ifinfomsg header = { .ifi_family = AF_UNSPEC };
	struct adding adding = { .cards = cards, .netns = netns };
	int err = netlink_dump(NETLINK_ROUTE, RTM_GETLINK, &header, sizeof(header), add, &adding);

	return err ? err : adding.err;
}

void cards_free(struct cards *cards)
{
	free(cards->list);
	*cards = (struct cards){ 0 };
}

static bool is_same(const struct card *card, const struct card *before)
{
	return before->netns == card->netns && before->ifindex == card->ifindex &&
	       !strcmp(before->name, card->name);
}

/* A driver may have begun anew. */
struct card card_since(const struct card *card, const struct cards *before)
{
	for (size_t i = 0; i < before->nr; i++) {
		const struct card *old = &before->list[i];
		struct card since = *card;

		if (!is_same(card, old) || old->received > card->received ||
		    old->missed > card->missed)
			continue;
		since.received -= old->received;
		since.missed -= old->missed;
		since.damaged = number_since(old->damaged, card->damaged);
		since.links_lost = number_since(old->links_lost, card->links_lost);
		return since;
	}
	return (struct card){ 0 };
}
