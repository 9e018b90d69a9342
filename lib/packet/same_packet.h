/* SPDX-License-Identifier: GPL-2.0 */
/* The comparison of what was seen at two places: it may be one packet, as far as its bytes tell. */
#ifndef NETSTACKLAT_SAME_PACKET_H
#define NETSTACKLAT_SAME_PACKET_H

#include <stdbool.h>

#include "lib/tables/slow_packet.h"

/*
 * Both must have bytes. Between the two, TTL, type of service and checksums may have changed, and
 * if it may_be_translated, source or destination, one of both, as netfilter does it at each of its
 * hooks.
 */
bool is_same_packet(const struct slow_packet *a, const struct slow_packet *b,
		    bool may_be_translated);

#endif
