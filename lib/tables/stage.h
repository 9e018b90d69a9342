/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The begin of a stage, and a packet's last place, as the programs write and user space reads them.
 */
#ifndef NETSTACKLAT_STAGE_H
#define NETSTACKLAT_STAGE_H

#include "lib/tables/hook_ids.h"
#include "lib/tables/integers.h"

/* A hook, part or mark, whatever the IP version: from 1 to 63, or 0 for none. */
#define PLACE(hook) ((hook) + 1)

/*
 * The begin of a stage: a hook, and the IP version of the packet there. 0 and 1 are none: a time
 * that is no stage counts from the stamp.
 */
#define FROM_STAMP 0
#define STAGE_FROM_BITS 7
#define NR_STAGE_FROMS (1 << STAGE_FROM_BITS)
#define STAGE_FROM(hook, is_ipv6) (PLACE(hook) << 1 | (is_ipv6))

/*
 * The place where a packet was last and when, in one word, so that no other CPU sees one without
 * the other: ns since boot, and the begin of a stage from there. 0 is nowhere, and so is 1, for
 * IPv6.
 */
#define LAST_HOOK(now_ns, from) ((now_ns) << STAGE_FROM_BITS | (from))
#define LAST_HOOK_NS(last) ((last) >> STAGE_FROM_BITS)
#define LAST_HOOK_FROM(last) ((last) & (NR_STAGE_FROMS - 1))
#define LAST_PLACE(last) (LAST_HOOK_FROM(last) >> 1)

/*
 * The parts of the stage that ends with the read, by what the reader does while the packet is in
 * its queue. Their numbers are behind the hooks'.
 */
enum reader_part {
	PART_ASLEEP = NR_HOOKS, /* until it is woken */
	PART_READY,		/* until it gets a CPU */
	PART_RUNNING,		/* until it reads */
	END_OF_PARTS,
};

/*
 * Places where a packet may have been last, but which are no hooks. Their numbers are behind the
 * hooks'.
 */
enum journey_mark {
	IN_BACKLOG = END_OF_PARTS, /* of a CPU, without a receive stamp */
	IS_SEGMENT, /* of a packet that the kernel segmented in a queue, but its first */
	END_OF_MARKS,
};
_Static_assert(STAGE_FROM(END_OF_MARKS, 0) <= NR_STAGE_FROMS,
	       "a number for each hook, part and mark, and IP version");

/*
 * Key of the map netstack_stage_drops, whose values are counts of packets that come to no other
 * hook. The key of zeros counts all for which there was no room.
 */
struct stage_drop {
	__u32 from;   /* where they were last: STAGE_FROM(); at netif-receive, of any IP version;
		       * FROM_STAMP: at no hook */
	__u32 reason; /* as in struct group_key */
};
#define NR_STAGE_DROPS 512

#endif
