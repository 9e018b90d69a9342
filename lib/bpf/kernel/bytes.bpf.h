/* SPDX-License-Identifier: GPL-2.0 */
/* The part of an skb that is at hand, for BPF programs. */
#ifndef NETSTACKLAT_BYTES_BPF_H
#define NETSTACKLAT_BYTES_BPF_H

#include <stdbool.h>

#include "lib/tables/slow_packet.h"

/*
 * Returns how many bytes to copy from a packet's network header on. Header and tail are offsets
 * from skb->head. A new skb has 0 for the header, and drivers may drop it as it is; nothing else
 * makes sure that the header is in front of the tail.
 */
static __always_inline __u32 bytes_at_hand(__u32 network_header, __u32 tail)
{
	bool is_set = network_header && network_header != (__u16)~0;

	if (!is_set || network_header >= tail)
		return 0;
	return tail - network_header < SLOW_BYTES ? tail - network_header : SLOW_BYTES;
}

#endif
