// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/needs.h"

#include "lib/confine/privileges.h"
#include "lib/confine/syscall_filter.h"
#include "lib/filters/netns_list.h"
#include "lib/serve/helpers.h"
#include "lib/tables/attributes.h"

static bool groups_by_names(const struct options *options)
{
	return options->plan.group_by & (1U << KEY_NETNS | 1U << KEY_INTERFACE);
}

bool tells_netns_apart(const struct options *options)
{
	return groups_by_names(options) || filter_lists_active(&options->filters) &
						   (1U << FILTER_NETNS | 1U << FILTER_INTERFACE);
}

bool names_interfaces(const struct options *options)
{
	return groups_by_names(options) || options->plan.slow;
}

bool reports_reasons(const struct plan *plan)
{
	return plan->group_by & 1U << KEY_REASON || plan->drops ||
	       (plan->slow && plan->hooks[HOOK_drop]);
}

/* These return whether the command line asks for what a row below is about. */
static bool measures(const struct options *options)
{
	(void)options;
	return true;
}

static bool filter_netns(const struct options *options)
{
	const char *netns = options->filters.lists[FILTER_NETNS];

	return netns && !netns_list_is_own(netns);
}

static bool filter_cgroup(const struct options *options)
{
	return options->filters.lists[FILTER_CGROUP];
}

static bool names_containers(const struct options *options)
{
	return options->plan.group_by & 1U << KEY_CGROUP || options->plan.slow;
}

static bool diagnose(const struct options *options)
{
	return options->diagnose;
}

static bool names_stacks(const struct options *options)
{
	return options->plan.stacks;
}

static bool overhead(const struct options *options)
{
	return options->plan.overhead;
}

static bool writes_file(const struct options *options)
{
	return options->output_file;
}

static bool pcap(const struct options *options)
{
	return options->pcap;
}

static bool draws(const struct options *options)
{
	return options->live;
}

static bool serve(const struct options *options)
{
	return options->listen.nr;
}

static bool reads_web_config(const struct options *options)
{
	return options->web_config;
}

static bool serve_at_file(const struct options *options)
{
	return listen_has_file(&options->listen);
}

#define RIGHT(name) (1U << RIGHT_TO_##name)
#define HELPER(name) (1U << HELPER_##name)
static const struct {
	bool (*is_asked_for)(const struct options *options);
	struct needs needs;
} rows[] = {
	{ measures, { RIGHT(COUNT), SYSCALLS_MEASURE | SYSCALLS_FILES, 0 } },
	{ filter_netns, { RIGHT(FILTER_NETNS), 0, 0 } },
	{ filter_cgroup, { 0, SYSCALLS_CGROUPS, 0 } },
	{ names_interfaces, { RIGHT(FIND_NAMES), SYSCALLS_HELPERS, HELPER(NAMES) } },
	{ names_containers, { 0, SYSCALLS_HELPERS, HELPER(CONTAINERS) } },
	{ diagnose, { RIGHT(FIND_FACTS), SYSCALLS_HELPERS, HELPER(FACTS) } },
	{ names_stacks, { RIGHT(NAME_STACKS), 0, 0 } },
	{ overhead, { RIGHT(TIME_PROGRAMS), 0, 0 } },
	{ writes_file, { RIGHT(WRITE_FILE), SYSCALLS_HELPERS, HELPER(WRITER) } },
	{ pcap, { 0, SYSCALLS_PCAP, 0 } },
	{ draws, { 0, SYSCALLS_TERMINAL, 0 } },
	{ serve, { 0, SYSCALLS_HTTP, 0 } },
	{ reads_web_config, { 0, SYSCALLS_HELPERS, HELPER(PASSWORDS) | HELPER(WEB_CONFIG) } },
	{ serve_at_file, { RIGHT(REMOVE_SOCKET), SYSCALLS_HELPERS, HELPER(REMOVER) } },
};

struct needs needs_of(const struct options *options, const struct plan *plan)
{
	struct needs all = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!rows[i].is_asked_for(options))
			continue;
		all.rights |= rows[i].needs.rights;
		all.system_calls |= rows[i].needs.system_calls;
		all.helpers |= rows[i].needs.helpers;
	}
	/* Hooks that were left out report none. */
	if (reports_reasons(plan))
		all.rights |= RIGHT(FIND_SYMBOLS);
	return all;
}
