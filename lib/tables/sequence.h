/* SPDX-License-Identifier: GPL-2.0 */
/* TCP's sequence numbers, which wrap every 4 GiB: for BPF programs and user space. */
#ifndef NETSTACKLAT_SEQUENCE_H
#define NETSTACKLAT_SEQUENCE_H

#include <stdbool.h>

#include "lib/tables/integers.h"

/* The place of a TCP segment in its stream when it came to its socket; 0: not known. */
enum sequence {
	SEQUENCE_NO_DATA = 1, /* nor SYN nor FIN */
	SEQUENCE_IN_ORDER,
	SEQUENCE_BEHIND_GAP,
	SEQUENCE_RECEIVED_BEFORE,
	END_OF_SEQUENCES
};

/* Returns whether seq is after other: less than 2 GiB ahead of it (RFC 9293, 3.4). */
static inline __attribute__((always_inline)) bool seq_is_after(__u32 seq, __u32 other)
{
	return (__s32)(seq - other) > 0;
}

/*
 * Returns whether data that is read up to seq may be from before *end. Once it is from behind, *end
 * follows what is read: otherwise it would seem to lie ahead again, 2 GiB later.
 */
static inline __attribute__((always_inline)) bool seq_is_up_to(__u32 seq, __u32 *end)
{
	if (!seq_is_after(seq, *end))
		return true;
	*end = seq - 1;
	return false;
}

#endif
