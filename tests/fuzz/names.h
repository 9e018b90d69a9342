/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What cgroups, network namespaces, interfaces and reasons are called, from the input: the linker
 * makes these the functions that ask the kernel.
 */
#ifndef NETSTACKLAT_FUZZ_NAMES_H
#define NETSTACKLAT_FUZZ_NAMES_H

#include "tests/fuzz/fuzz.h"

#include "lib/host/cgroup.h"
#include "lib/host/netns_names.h"
#include "lib/report/labels.h"

/* What has any name. */
#define NAMED_CGROUP 1
#define NAMED_NETNS 2
#define NAMED_REASON 3

static struct {
	char cgroup[PATH_MAX];
	struct netns_answer netns;
} named;

int __wrap_cgroup_for_each(bool (*found)(uint64_t id, const char *path, void *context),
			   void *context);
int __wrap_cgroup_for_each(bool (*found)(uint64_t id, const char *path, void *context),
			   void *context)
{
	found(NAMED_CGROUP, named.cgroup, context);
	return 0;
}

void __wrap_netns_names_find(struct netns_names *names, uint64_t netns, uint32_t ifindex,
			     struct netns_answer *answer);
void __wrap_netns_names_find(struct netns_names *names, uint64_t netns, uint32_t ifindex,
			     struct netns_answer *answer)
{
	(void)names;
	*answer = named.netns;
	answer->found = netns == NAMED_NETNS;
	if (!ifindex)
		*answer->interface = '\0';
}

/* A line each, as long as the kernel lets them be. */
static void read_name(struct input *input, const char *prefix, char *name, size_t size)
{
	char *line = input_line(input);

	snprintf(name, size, "%s%s", prefix, line);
	free(line);
}

/* Names to give with the reasons, which the caller frees with the label names. */
static struct label_names *read_names(struct input *input, struct reason_names **reasons)
{
	struct label_names *names = label_names_new();
	char *reason;

	*reasons = reason_names_new(NULL);
	require(names && *reasons);
	read_name(input, "/", named.cgroup, sizeof(named.cgroup));
	read_name(input, "", named.netns.name, sizeof(named.netns.name));
	read_name(input, "", named.netns.interface, sizeof(named.netns.interface));
	reason = input_line(input);
	require(!reason_names_add(*reasons, NAMED_REASON, reason));
	free(reason);
	label_names_set_reasons(names, *reasons);
	label_names_refresh(names);
	return names;
}

#endif
