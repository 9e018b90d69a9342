/* SPDX-License-Identifier: GPL-2.0 */
/* The ports of services, as opposed to those of clients. */
#ifndef NETSTACKLAT_SERVICE_PORTS_H
#define NETSTACKLAT_SERVICE_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/tables/group_row.h"

struct service_port {
	uint64_t netns;
	uint16_t port;
	uint8_t protocol;	  /* IPPROTO_* */
	bool is_bound;		  /* each of its sockets is, to an address or to a device */
	uint32_t pid;		  /* of a process that has one ... */
	char comm[COMM_SIZE + 1]; /* ... and its name, of any bytes */
	uint32_t pid_before;	  /* that had one when all were looked at before */
	uint64_t drops;	       /* of packets by its sockets so far, as /proc/net/udp has them ... */
	uint64_t drops_before; /* ... and when all sockets were looked at before */
};

/*
 * The ports of sockets that were seen, and the range from which the kernel chooses the ports of
 * clients.
 */
struct service_ports {
	struct service_port *ports; /* in order */
	size_t nr, room;
	uint16_t first_of_clients, last_of_clients;
};

/* Begins without any, and with the kernel's default of net.ipv4.ip_local_port_range. */
void service_ports_init(struct service_ports *ports);

/* All sockets are looked at anew: each service's socket is added next. */
void service_ports_look(struct service_ports *ports);

/* Adds the port of a socket, and its drops to those of others there. Returns 0 or -ENOMEM. */
int service_ports_add(struct service_ports *ports, const struct service_port *port);
void service_ports_free(struct service_ports *ports);

/*
 * Returns the port of the protocol's only socket that has dropped packets since the look before;
 * NULL if there is none, or more than one.
 */
const struct service_port *service_ports_only_dropper(const struct service_ports *ports,
						      uint8_t protocol);

/*
 * A port may belong to a socket that does not take a packet. As of the last look at all sockets,
 * the port is held:
 */
enum port_held {
	HELD_BY_NOBODY,	 /* or by one that may have come after what was sent */
	HELD_AT_ADDRESS, /* all its sockets are bound, to an address or to a device */
	HELD_FOR_OTHERS, /* its sockets are for another IP version, or another VRF */
	HELD_IN_NETNS,	 /* in another network namespace, for all */
};

/* Finds that, and one of those who have it; NULL for HELD_BY_NOBODY. */
const struct service_port *service_ports_holder(const struct service_ports *ports,
						const struct service_port *port,
						enum port_held *held);

/* Returns whether it was seen, or no client has it. A service may have come and gone unseen. */
bool service_ports_has(const struct service_ports *ports, const struct service_port *port);

#endif
