/* SPDX-License-Identifier: GPL-2.0 */
/* The two ends of a packet's way, from its own headers or, without them, from its socket. */
#ifndef NETSTACKLAT_FLOW_H
#define NETSTACKLAT_FLOW_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/tables/slow_packet.h"

#define PROTOCOL_SIZE 20

struct flow {
	char protocol[PROTOCOL_SIZE]; /* "UDP", or a number: "ip/253", "ethertype/0x0806" */
	bool is_ip;
	char saddr[INET6_ADDRSTRLEN]; /* empty: not known, as of a socket that is not connected */
	char daddr[INET6_ADDRSTRLEN]; /* empty: not known, as of one that is bound to any */
	bool has_sport, has_dport;
	uint16_t sport, dport;
	uint32_t length; /* of the IP packet; 0 if it is not known */
};

void flow_of(const struct slow_packet *packet, struct flow *flow);

#endif
