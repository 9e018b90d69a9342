// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/tun.h"

#include "lib/diagnose/classes.h"
#include "lib/diagnose/tally.h"

/*
 * A smaller share may be unread as packets are still on their way, or as only samples of them are
 * counted.
 */
#define MIN_UNREAD_PERCENT 10

static bool is_at(const struct interface *interface, const struct report_group *group)
{
	const struct group_key *key = &group->group->key;

	return interface_is(interface, key->netns, key->ifindex);
}

/* A packet whose reader's parts are known counts in each of them. */
static bool is_once(const struct report_group *group)
{
	int from = class_from_hook(group->group);

	return from != PART_READY && from != PART_RUNNING;
}

static uint64_t count_at(const struct interface *interface, enum hook hook,
			 const struct report_group *groups, size_t nr)
{
	uint64_t count = 0;

	for (size_t i = 0; i < nr; i++)
		if (groups[i].group->hook == hook && is_at(interface, &groups[i]) &&
		    is_once(&groups[i]))
			count += groups[i].count;
	return count;
}

static bool is_unread(const struct interface *interface, const struct report *report)
{
	uint64_t sent, gone;

	if (!interface->is_tun)
		return true;
	sent = count_at(interface, HOOK_tx_start, report->stages, report->nr_stages);
	gone = count_at(interface, HOOK_tun_read, report->stages, report->nr_stages) +
	       count_at(interface, HOOK_drop, report->groups, report->nr_groups);
	return sent >= gone + MIN_LATE && 100 * (sent - gone) >= MIN_UNREAD_PERCENT * sent;
}

void tuns_leave_unread(struct interfaces *interfaces, const struct report *report)
{
	const struct interfaces all = *interfaces;

	*interfaces = (struct interfaces){ 0 };
	for (uint32_t i = 0; i < interfaces_nr_listed(&all); i++)
		if (is_unread(&all.list[i], report))
			interfaces_add(interfaces, &all.list[i]);
	/* Nothing is known of those for which there was no room in the list. */
	interfaces->nr += all.nr - interfaces_nr_listed(&all);
}
