/* SPDX-License-Identifier: GPL-2.0 */
/* Network cards count packets themselves, also those that this host never saw. */
#ifndef NETSTACKLAT_CARD_H
#define NETSTACKLAT_CARD_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct card {
	uint64_t netns; /* that it is in, by its id */
	uint32_t ifindex;
	char name[IFNAMSIZ]; /* as it is: may have any bytes */
	uint64_t received;
	uint64_t missed;     /* as their ring was full */
	uint64_t damaged;    /* by their checksum */
	uint64_t links_lost; /* how often */
};

/* Interfaces of any kind at which packets are handled in a way that our programs do not see. */
enum blind_spot {
	BLIND_XDP,	 /* an XDP program takes them before the kernel sees them */
	BLIND_TUN,	 /* a process reads what is sent there, which waits until then */
	BLIND_WIREGUARD, /* they wait for a CPU that encrypts or decrypts them */
	BLIND_WIFI,	 /* they wait in queues of its own */
	BLIND_OVS,	 /* they wait for its daemon, as its datapath has no flow for them yet */
	NR_BLIND_SPOTS,
};

struct interface {
	uint64_t netns; /* as above */
	uint32_t ifindex;
	char name[IFNAMSIZ];
	bool is_tun; /* what is read there is seen (tun-read), other than at a macvtap */
};

#define MAX_LISTED_INTERFACES 16

struct interfaces {
	uint32_t nr; /* may be more than are listed */
	struct interface list[MAX_LISTED_INTERFACES];
};

static inline bool interface_is(const struct interface *interface, uint64_t netns, uint32_t ifindex)
{
	return interface->netns == netns && interface->ifindex == ifindex;
}

static inline uint32_t interfaces_nr_listed(const struct interfaces *interfaces)
{
	return interfaces->nr < MAX_LISTED_INTERFACES ? interfaces->nr : MAX_LISTED_INTERFACES;
}

/* Returns whether one is listed. */
bool interfaces_have(const struct interfaces *interfaces, uint64_t netns, uint32_t ifindex);
/* Counts one more, and lists it if there is room. */
void interfaces_add(struct interfaces *interfaces, const struct interface *interface);
/* Adds all others. */
void interfaces_join(struct interfaces *interfaces, const struct interfaces *others);

struct cards {
	struct card *list;
	size_t nr;
	struct interfaces blind[NR_BLIND_SPOTS];
	struct interfaces tunnels; /* that have IP send their packets again, in others */
};

/* Returns whether a process may have made a tun or tap: the kernel has loaded their driver. */
bool host_may_have_tuns(void);

/*
 * Adds the cards of the network namespace that this thread is in, which has this id. A virtual
 * device is no card: a tunnel counts packets that came out of order where a card counts those that
 * it missed. Returns 0 or a negative errno.
 */
int cards_add(struct cards *cards, uint64_t netns);
void cards_free(struct cards *cards);

/* Returns what a card has counted since an older list was made; zero if it is not in there. */
struct card card_since(const struct card *card, const struct cards *before);

#endif
