/* SPDX-License-Identifier: GPL-2.0 */
/* The network card's own stamp of a packet, for BPF programs. */
#ifndef NETSTACKLAT_HARDWARE_BPF_H
#define NETSTACKLAT_HARDWARE_BPF_H

#include "lib/bpf/path/record.bpf.h"

/*
 * TAI is ahead of the wall clock by this; the loader keeps it right. PTP sets the clocks of cards
 * to TAI, unless it is told to use UTC.
 */
__s64 tai_ahead_ns;

/* 0 if the card stamped none. */
static __always_inline __s64 hardware_stamp_ns(const struct sk_buff *skb)
{
	const struct sk_buff___bytes *bytes = (const void *)skb;
	const struct skb_shared_info *info = (const void *)(skb->head + bytes->end);

	return BPF_CORE_READ(info, hwtstamps.hwtstamp);
}

/* The time lies between that stamp and the kernel's own. */
static __always_inline int record_hardware(enum probe probe, struct packet *packet)
{
	__s64 card_ns = hardware_stamp_ns(packet->skb), ns;

	packet_begin(packet, probe);
	if (packet_stamp_is_for_tx(packet))
		return discard(probe, DISCARD_NOT_RX);
	if (!card_ns || !packet->skb->tstamp)
		return discard(probe, DISCARD_NO_STAMP);
	ns = packet->skb->tstamp - card_ns;
	/* This leaves out cards whose clock is just a little fast. */
	if (ns < 0 && ns + tai_ahead_ns < (__s64)LAST_BUCKET_NS)
		ns += tai_ahead_ns;
	if (ns < 0)
		return discard(probe, DISCARD_FUTURE);
	/* A clock that nobody has set. */
	if (bucket_octave(ns) > NR_OCTAVES)
		return discard(probe, DISCARD_NOT_RX);
	return record_ns(probe, packet, ns);
}

#endif
