// SPDX-License-Identifier: GPL-2.0
#include "lib/report/drops.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/counts/stages.h"

const char *report_drop_reason(const struct report_drop *drop)
{
	return drop->name ? drop->name : drop->number;
}

static void set_last_hook(struct report_drop *drop, uint32_t from)
{
	drop->from = stage_from_hook(from);
	if (hooks[drop->from].journey != JOURNEY_BEGINS || hooks[drop->from].has & HAS_SENT)
		drop->ip_version = stage_ip_version(from);
}

static struct report_drop new_drop(const struct stage_drop *key, struct reason_names *names)
{
	struct report_drop drop = { .from = NR_HOOKS, .name = "NO_ROOM" };

	if (key->from == FROM_STAMP && !key->reason)
		return drop;
	if (key->from != FROM_STAMP)
		set_last_hook(&drop, key->from);
	drop.name = reason_names_find(names, key->reason);
	snprintf(drop.number, sizeof(drop.number), "number/%u", key->reason);
	return drop;
}

static bool is_same(const struct report_drop *drop, const struct report_drop *other)
{
	return drop->from == other->from && drop->ip_version == other->ip_version &&
	       !strcmp(report_drop_reason(drop), report_drop_reason(other));
}

/* The one that is counted with these, or room for it at the end. */
static struct report_drop *find(struct report_drop *list, size_t nr, const struct report_drop *drop)
{
	while (nr && !is_same(list, drop)) {
		list++;
		nr--;
	}
	return list;
}

static int compare(const void *a, const void *b)
{
	const struct report_drop *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->ip_version != y->ip_version)
		return x->ip_version < y->ip_version ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(report_drop_reason(x), report_drop_reason(y));
}

int report_list_drops(const struct stage_drop *keys, const uint64_t *counts,
		      struct reason_names *names, struct report_drop **list, size_t *nr)
{
	*nr = 0;
	*list = calloc(NR_STAGE_DROPS, sizeof(**list));
	if (!*list)
		return log_failure(-ENOMEM, "cannot list what was dropped");
	for (size_t i = 0; i < NR_STAGE_DROPS; i++) {
		struct report_drop drop, *listed;

		if (!counts[i])
			continue;
		drop = new_drop(&keys[i], names);
		listed = find(*list, *nr, &drop);
		if (listed == *list + *nr) {
			*listed = drop;
			++*nr;
		}
		listed->count += counts[i];
	}
	qsort(*list, *nr, sizeof(**list), compare);
	return 0;
}
