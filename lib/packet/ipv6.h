/* SPDX-License-Identifier: GPL-2.0 */
/* The content of an IPv6 packet, behind its extension headers. */
#ifndef NETSTACKLAT_IPV6_H
#define NETSTACKLAT_IPV6_H

#include <stdbool.h>
#include <stdint.h>

struct ipv6_payload {
	uint8_t protocol;    /* or the extension header that is not whole */
	unsigned int offset; /* from the IPv6 header on; may be beyond what is at hand */
	bool is_rest;	     /* of a fragment that is not the first: without a header of its own */
};

/* Looks at the first nr bytes of a packet, which have the IPv6 header. */
struct ipv6_payload ipv6_find_payload(const uint8_t *bytes, unsigned int nr);

#endif
