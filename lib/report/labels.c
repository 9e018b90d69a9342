// SPDX-License-Identifier: GPL-2.0
#include "lib/report/labels.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "lib/host/cgroup.h"
#include "lib/host/container.h"
#include "lib/host/look.h"
#include "lib/base/clock.h"
#include "lib/base/find_or_add.h"
#include "lib/host/netns.h"
#include "lib/host/netns_names.h"
#include "lib/report/socket_addresses.h"
#include "lib/tables/hooks.h"
#include "lib/tables/attributes.h"
#include "lib/tables/units.h"

/* Others make and remove cgroups: so many are remembered, or one report's if those are more. */
#define MAX_CGROUPS 4096

struct cgroup_name {
	uint64_t id;
	uint64_t used; /* last in which report */
	TAILQ_ENTRY(cgroup_name) order;
	bool is_looked_up;
	/* NULL for one that was gone by then, or whose path is another's now, or too long. */
	char *path;
	const char *role;	    /* that the path tells, and ... */
	char *role_value;	    /* ... NULL for none */
	char *pod, *container_name; /* of a container, if they are known */
};

/* A namespace, and an interface in it or 0, as they are called in this report. */
struct netns_label {
	uint64_t netns;
	uint32_t ifindex;
	struct netns_answer answer;
	char *name; /* printable; NULL for none, or one that is too long */
};

struct label_names {
	/* tsearch(3): of cgroup_name, by id and, of those that have one, by path */
	void *cgroups, *cgroup_paths;
	TAILQ_HEAD(by_use, cgroup_name) by_use; /* the last one first */
	size_t nr_cgroups;
	bool has_new_cgroups;
	bool use_numbers;
	struct look_time cgroup_time; /* to look them up */
	void *netns_labels;	      /* tsearch(3) */
	struct netns_names *netns;
	struct reason_names *reasons; /* or NULL */
	uint64_t own_netns;
	uint64_t report; /* counted from 1 */
};

static int compare_ids(const void *a, const void *b)
{
	const struct cgroup_name *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_paths(const void *a, const void *b)
{
	const struct cgroup_name *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int compare_netns(const void *a, const void *b)
{
	const struct netns_label *x = a, *y = b;

	if (x->netns != y->netns)
		return x->netns < y->netns ? -1 : 1;
	return x->ifindex < y->ifindex ? -1 : x->ifindex > y->ifindex;
}

/* Frees all that the path tells, too. */
static void free_path(struct label_names *names, struct cgroup_name *name)
{
	if (name->path)
		tdelete(name, &names->cgroup_paths, compare_paths);
	free(name->path);
	free(name->role_value);
	free(name->pod);
	free(name->container_name);
	name->path = name->role_value = name->pod = name->container_name = NULL;
}

/* All cgroups beyond max that were not used since a report. */
static void forget(struct label_names *names, size_t max, uint64_t since)
{
	while (names->nr_cgroups > max) {
		struct cgroup_name *name = TAILQ_LAST(&names->by_use, by_use);

		if (name->used >= since)
			return;
		TAILQ_REMOVE(&names->by_use, name, order);
		tdelete(name, &names->cgroups, compare_ids);
		free_path(names, name);
		free(name);
		names->nr_cgroups--;
	}
}

static void free_netns_label(void *label)
{
	free(((struct netns_label *)label)->name);
	free(label);
}

struct label_names *label_names_new(void)
{
	struct label_names *names = calloc(1, sizeof(*names));
	struct netns own;

	if (!names)
		return NULL;
	names->netns = netns_names_new();
	if (!names->netns) {
		free(names);
		return NULL;
	}
	TAILQ_INIT(&names->by_use);
	if (!netns_find("self", &own))
		names->own_netns = own.id;
	return names;
}

void label_names_set_reasons(struct label_names *names, struct reason_names *reasons)
{
	names->reasons = reasons;
}

void label_names_free(struct label_names *names)
{
	if (!names)
		return;
	forget(names, 0, UINT64_MAX);
	tdestroy(names->netns_labels, free_netns_label);
	netns_names_free(names->netns);
	free(names);
}

void label_names_use_numbers(struct label_names *names, bool numbers)
{
	names->use_numbers = numbers;
}

void label_names_refresh(struct label_names *names)
{
	names->report++;
	tdestroy(names->netns_labels, free_netns_label);
	names->netns_labels = NULL;
	netns_names_refresh(names->netns);
}

void label_names_release(struct label_names *names)
{
	netns_names_release(names->netns);
	forget(names, MAX_CGROUPS, names->report);
}

/* No two cgroups have one path: if another one had it, that one is gone. */
static void take_path(struct label_names *names, struct cgroup_name *name)
{
	struct cgroup_name **holder = tfind(name, &names->cgroup_paths, compare_paths);

	if (holder)
		free_path(names, *holder);
	if (tsearch(name, &names->cgroup_paths, compare_paths))
		return;
	free(name->path);
	name->path = NULL;
}

/* The name of a cgroup; NULL without memory. */
static struct cgroup_name *find_cgroup(struct label_names *names, uint64_t id)
{
	const struct cgroup_name wanted = { .id = id };
	struct cgroup_name *name;
	bool is_new;

	name = find_or_add(&names->cgroups, &wanted, sizeof(wanted), compare_ids, &is_new);
	if (!name)
		return NULL;
	if (is_new) {
		names->nr_cgroups++;
		names->has_new_cgroups = true;
	} else {
		TAILQ_REMOVE(&names->by_use, name, order);
	}
	TAILQ_INSERT_HEAD(&names->by_use, name, order);
	name->used = names->report;
	return name;
}

void label_names_add(struct label_names *names, const struct group *group)
{
	if (group->key.cgroup)
		find_cgroup(names, group->key.cgroup);
}

/* Leaves of the id what docker and crictl show. */
static void name_container(struct cgroup_name *name, char *id)
{
	struct container_names names;

	container_names_find(id, &names);
	if (*names.pod)
		name->pod = printable_dup(names.pod);
	if (*names.name)
		name->container_name = printable_dup(names.name);
	id[CONTAINER_SHORT_ID_LENGTH] = '\0';
}

static bool name_cgroup(uint64_t id, const char *path, void *context)
{
	struct label_names *names = context;
	const struct cgroup_name wanted = { .id = id };
	struct cgroup_name **found = tfind(&wanted, &names->cgroups, compare_ids), *name;
	char role[CGROUP_ROLE_SIZE];

	if (!found || (*found)->is_looked_up)
		return true;
	name = *found;
	name->is_looked_up = true;
	name->role = cgroup_role(path, cgroup_is_roots, role);
	if (name->role && !strcmp(name->role, "container"))
		name_container(name, role);
	if (name->role)
		name->role_value = printable_dup(role);
	name->path = printable_dup(path);
	if (name->path)
		take_path(names, name);
	return true;
}

/*
 * A cgroup that is not found is gone for good, as ids are not used again. If there are too many to
 * look at all of them, they keep their ids.
 */
static void give_up_cgroups(struct label_names *names)
{
	struct cgroup_name *name;

	TAILQ_FOREACH(name, &names->by_use, order)
	name->is_looked_up = true;
	names->has_new_cgroups = false;
}

void label_names_look_up(struct label_names *names)
{
	uint64_t now_ns = clock_monotonic_ns();
	int err;

	if (!names->has_new_cgroups || !look_has_time(&names->cgroup_time, now_ns))
		return;
	err = cgroup_for_each(name_cgroup, names);
	if (!err || err == -E2BIG)
		give_up_cgroups(names);
	look_took_time(&names->cgroup_time, now_ns);
}

/* NULL if the namespace is gone, or without memory. Asks once a report for each. */
static const struct netns_label *find_netns(struct label_names *names, uint64_t netns,
					    uint32_t ifindex)
{
	const struct netns_label wanted = { .netns = netns, .ifindex = ifindex };
	struct netns_label *label;
	bool is_new;

	label = find_or_add(&names->netns_labels, &wanted, sizeof(wanted), compare_netns, &is_new);
	if (is_new)
		netns_names_find(names->netns, netns, ifindex, &label->answer);
	if (is_new && *label->answer.name)
		label->name = printable_dup(label->answer.name);
	return label && label->answer.found ? label : NULL;
}

/* It has room for a number, which every name may have to be replaced by. */
static char *new_text(struct labels *labels)
{
	return labels->texts[labels->nr];
}

/* The kind of the number comes first, with a slash, which no name of that kind may have. */
static const char *number_text(struct labels *labels, const char *what, uint64_t number)
{
	char *text = new_text(labels);

	snprintf(text, LABEL_TEXT_SIZE, "%s%" PRIu64, what, number);
	return text;
}

static void add(struct labels *labels, const char *name, const char *value, bool is_number)
{
	labels->labels[labels->nr++] = (struct label){ name, value, is_number };
}

static void add_number(struct labels *labels, enum key key, uint64_t number)
{
	add(labels, key_table[key].name, number_text(labels, "", number), true);
}

/* The value is in seconds since boot. No two processes with the same id have the same. */
static void add_started(struct labels *labels, uint64_t started_ns)
{
	char *text = new_text(labels);

	snprintf(text, LABEL_TEXT_SIZE, "%llu.%09llu", started_ns / NS_PER_S,
		 started_ns % NS_PER_S);
	add(labels, "started", text, true);
}

static void add_comm(struct labels *labels, const char comm[COMM_SIZE])
{
	char name[COMM_SIZE];

	snprintf(name, sizeof(name), "%.*s", COMM_SIZE, comm);
	add(labels, key_table[KEY_COMM].name, printable_copy(new_text(labels), name), false);
}

static void add_interface(struct label_names *names, struct labels *labels,
			  const struct group_key *key)
{
	const struct netns_label *netns = find_netns(names, key->netns, key->ifindex);
	const char *value;

	if (netns && *netns->answer.interface)
		value = printable_copy(new_text(labels), netns->answer.interface);
	else
		value = number_text(labels, "index/", key->ifindex);
	add(labels, key_table[KEY_INTERFACE].name, value, false);
}

static void add_netns(struct label_names *names, struct labels *labels, uint64_t id)
{
	const struct netns_label *netns = find_netns(names, id, 0);
	const char *value;

	if (netns && netns->name && !names->use_numbers)
		value = netns->name;
	else if (netns)
		value = number_text(labels, NETNS_NUMBER, netns->answer.inode);
	else
		value = number_text(labels, "cookie/", id);
	add(labels, key_table[KEY_NETNS].name, value, false);
}

static void add_cgroup(struct label_names *names, struct labels *labels, uint64_t id)
{
	const struct cgroup_name *name = names->use_numbers ? NULL : find_cgroup(names, id);

	/* Paths begin with a slash. */
	const char *value = name && name->path ? name->path : number_text(labels, "", id);

	add(labels, key_table[KEY_CGROUP].name, value, false);
	if (name && name->role_value)
		add(labels, name->role, name->role_value, false);
	if (name && name->pod)
		add(labels, "pod", name->pod, false);
	if (name && name->container_name)
		add(labels, "container_name", name->container_name, false);
}

/* Prints its cookie as ss -e does. */
static void add_socket(struct labels *labels, const struct group *group)
{
	char *text = new_text(labels);

	snprintf(text, LABEL_TEXT_SIZE, "%" PRIx64, (uint64_t)group->key.socket);
	add(labels, key_table[KEY_SOCKET].name, text, false);
	if (!group->addresses.family)
		return;
	text = new_text(labels);
	socket_addresses_print(&group->addresses, text, LABEL_TEXT_SIZE);
	add(labels, "addresses", text, false);
}

static void add_other(struct labels *labels, enum hook hook, unsigned int by)
{
	for (enum key key = 0; key < NR_KEYS; key++)
		if (by & 1U << key && hook_can_group(hook, key))
			add(labels, key_table[key].name, "other", false);
}

static void add_reason(struct label_names *names, struct labels *labels, uint32_t reason)
{
	const char *name = reason_names_find(names->reasons, reason);

	add(labels, key_table[KEY_REASON].name,
	    name ? name : number_text(labels, "number/", reason), false);
}

/* Unless it is not known, or of a later version. */
static void add_named(struct labels *labels, enum key key, const char *const *names,
		      unsigned int nr, unsigned int value)
{
	if (value < nr && names[value])
		add(labels, key_table[key].name, names[value], false);
}

void labels_of(struct label_names *names, const struct group *group, unsigned int by,
	       struct labels *labels)
{
	const struct group_key *key = &group->key;
	const char *comm = by & 1U << KEY_COMM ? key->comm : group->comm;

	labels->nr = 0;
	if (group->is_other) {
		add_other(labels, group->hook, by);
		return;
	}
	if (key->ifindex)
		add_interface(names, labels, key);
	/* An interface comes with its namespace, unless that is our own. 0 is not known. */
	if (key->netns && (by & 1U << KEY_NETNS || key->netns != names->own_netns))
		add_netns(names, labels, key->netns);
	if (key->cgroup)
		add_cgroup(names, labels, key->cgroup);
	if (key->port)
		add_number(labels, KEY_PORT, key->port);
	if (key->socket)
		add_socket(labels, group);
	if (key->pid)
		add_number(labels, KEY_PID, key->pid);
	if (group->is_later_process)
		add_started(labels, key->started_ns);
	if (key->tid)
		add_number(labels, KEY_TID, key->tid);
	if (*comm || key->pid || key->tid)
		add_comm(labels, comm);
	if (by & 1U << KEY_CPU)
		add_number(labels, KEY_CPU, key->cpu);
	if (key->ip_version)
		add_number(labels, KEY_IP_VERSION, key->ip_version);
	if (key->reason)
		add_reason(names, labels, key->reason);
	add_named(labels, KEY_SEQUENCE, sequence_names, END_OF_SEQUENCES, key->sequence);
	add_named(labels, KEY_LIMIT, tcp_limit_names, END_OF_TCP_LIMITS, key->limit);
	add_named(labels, KEY_RETRANSMIT, retransmit_names, END_OF_RETRANSMITS, key->retransmit);
	if (by & 1U << KEY_PACKETS && hook_can_group(group->hook, KEY_PACKETS))
		add_number(labels, KEY_PACKETS, key->packets);
}

bool group_is_nameless(const struct group *group, unsigned int by)
{
	static const struct group_key nothing;

	if (group->is_other)
		return false;
	if (by & 1U << KEY_PACKETS && hook_can_group(group->hook, KEY_PACKETS))
		return false;
	return !(by & 1U << KEY_CPU) && !memcmp(&group->key, &nothing, sizeof(nothing));
}

void label_value_print(FILE *out, const char *value)
{
	for (; *value; value++)
		fprintf(out, *value == '"' || *value == '\\' ? "\\%c" : "%c", *value);
}

char *labels_text(const struct labels *labels)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (unsigned int i = 0; i < labels->nr; i++) {
		fprintf(out, "%s%s=\"", i ? "," : "", labels->labels[i].name);
		label_value_print(out, labels->labels[i].value);
		fputc('"', out);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
