// SPDX-License-Identifier: GPL-2.0
#include "lib/packet/ipv6.h"

#include <netinet/ip6.h>
#include <stddef.h>
#include <string.h>

/* No extension header is shorter (RFC 6564). */
#define MIN_EXTENSION 8

/* 0 for what is no extension header, or hides what is behind it (ESP). */
static unsigned int extension_size(uint8_t protocol, const struct ip6_ext *header)
{
	switch (protocol) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_DSTOPTS:
		return (header->ip6e_len + 1) * 8;
	case IPPROTO_FRAGMENT:
		return sizeof(struct ip6_frag);
	case IPPROTO_AH:
		return (header->ip6e_len + 2) * 4;
	default:
		return 0;
	}
}

static bool is_later_fragment(uint8_t protocol, const uint8_t *bytes)
{
	struct ip6_frag header;

	memcpy(&header, bytes, sizeof(header));
	return protocol == IPPROTO_FRAGMENT && header.ip6f_offlg & IP6F_OFF_MASK;
}

struct ipv6_payload ipv6_find_payload(const uint8_t *bytes, unsigned int nr)
{
	struct ipv6_payload payload = {
		.protocol = bytes[offsetof(struct ip6_hdr, ip6_nxt)],
		.offset = sizeof(struct ip6_hdr),
	};
	struct ip6_ext header;
	unsigned int size;

	while (!payload.is_rest && payload.offset + MIN_EXTENSION <= nr) {
		memcpy(&header, bytes + payload.offset, sizeof(header));
		size = extension_size(payload.protocol, &header);
		if (!size)
			break;
		payload.is_rest = is_later_fragment(payload.protocol, bytes + payload.offset);
		payload.protocol = header.ip6e_nxt;
		payload.offset += size;
	}
	return payload;
}
