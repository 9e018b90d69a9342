/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that were dropped on their way from hook to hook. */
#ifndef NETSTACKLAT_REPORT_DROPS_H
#define NETSTACKLAT_REPORT_DROPS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/host/reasons.h"
#include "lib/tables/stage.h"

/* Packets that were dropped for one reason, and where they were last. */
struct report_drop {
	enum hook from;		 /* NR_HOOKS: none, as in a CPU's backlog, or no room for more */
	unsigned int ip_version; /* 0: not known, as at netif-receive */
	const char *name;	 /* on loan, or NULL: see report_drop_reason() */
	char number[sizeof("number/4294967295")];
	uint64_t count;
};

/*
 * Lists the drops that were counted, of NR_STAGE_DROPS keys: an array of *nr, to be freed, by hook
 * and IP version, and then by count, descending. Reasons with the same name are one. Returns 0, or
 * -ENOMEM after saying so.
 */
int report_list_drops(const struct stage_drop *keys, const uint64_t *counts,
		      struct reason_names *names, struct report_drop **list, size_t *nr);

/*
 * Returns the kernel's name of the reason; "number/7" if it has no name, and "NO_ROOM" for drops
 * without room.
 */
const char *report_drop_reason(const struct report_drop *drop);

#endif
