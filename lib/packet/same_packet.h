/* SPDX-License-Identifier: GPL-2.0 */
/* Compares the bytes that were seen at two places: they may be of one packet. */
#ifndef NETSTACKLAT_SAME_PACKET_H
#define NETSTACKLAT_SAME_PACKET_H

#include <stdbool.h>

#include "lib/tables/slow_packet.h"

/*
 * Both must have bytes. Between the two places, TTL, type of service and checksums may have
 * changed; and if it may_be_translated, the source or the destination, as netfilter changes one of
 * them at each of its hooks.
 */
bool is_same_packet(const struct slow_packet *a, const struct slow_packet *b,
		    bool may_be_translated);

#endif
