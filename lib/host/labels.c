// SPDX-License-Identifier: GPL-2.0
#include "lib/host/labels.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/host/cgroup.h"
#include "lib/host/clock.h"
#include "lib/host/netns.h"
#include "lib/tables/hooks.h"
#include "lib/tables/units.h"

struct cgroup_name {
	uint64_t id;
	bool is_looked_up;
	/* NULL for one that was gone by the first look, or whose path is another's now. */
	char *path;
	const char *role; /* that the path tells, and ... */
	char *role_value; /* ... NULL for none */
};

struct netns_name {
	uint64_t id;
	ino_t inode;
	char *path;	/* NULL if none ever led to it */
	char *name;	/* empty for none */
	uint64_t found; /* in the last report in which a path led to it */
	uint64_t gone;	/* and the last one in which none did */
};

/* Sockets are kept open for a few namespaces only, as there may be more of these than of files. */
#define NR_SOCKETS 64
struct netns_socket {
	const struct netns_name *netns;
	int fd;
};

/* To look up cgroups takes some of the time at most, after a second that is there for the first. */
#define CGROUP_TIME_SHARE 10
#define MAX_CGROUP_TIME_NS ((int64_t)NS_PER_S)

struct label_names {
	/* tsearch(3): of cgroup_name, by id and by path, and of netns_name, by id */
	void *cgroups, *cgroup_paths, *netns;
	struct netns_socket sockets[NR_SOCKETS];
	struct reason_names *reasons; /* or NULL */
	uint64_t own_netns;
	uint64_t report;   /* counted from 1 */
	uint64_t searched; /* all namespaces, in which report */
	bool has_new_cgroups;
	int64_t cgroup_time_ns;	  /* that is left to look them up */
	uint64_t cgroup_timed_ns; /* and when it was */
};

static int compare_ids(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b; /* the first member of both structs */

	return *x < *y ? -1 : *x > *y;
}

static int compare_paths(const void *a, const void *b)
{
	const struct cgroup_name *x = a, *y = b;

	return strcmp(x->path, y->path);
}

struct label_names *label_names_new(void)
{
	struct label_names *names = calloc(1, sizeof(*names));
	struct netns own;

	if (!names)
		return NULL;
	names->cgroup_time_ns = MAX_CGROUP_TIME_NS;
	names->cgroup_timed_ns = clock_monotonic_ns();
	if (!netns_find("self", &own))
		names->own_netns = own.id;
	return names;
}

void label_names_set_reasons(struct label_names *names, struct reason_names *reasons)
{
	names->reasons = reasons;
}

static void free_cgroup(void *name)
{
	free(((struct cgroup_name *)name)->path);
	free(((struct cgroup_name *)name)->role_value);
	free(name);
}

static void free_netns(void *name)
{
	free(((struct netns_name *)name)->path);
	free(((struct netns_name *)name)->name);
	free(name);
}

static void leave(void *name)
{
	(void)name;
}

void label_names_free(struct label_names *names)
{
	if (!names)
		return;
	label_names_release(names);
	tdestroy(names->cgroup_paths, leave);
	tdestroy(names->cgroups, free_cgroup);
	tdestroy(names->netns, free_netns);
	free(names);
}

void label_names_refresh(struct label_names *names)
{
	names->report++;
}

void label_names_release(struct label_names *names)
{
	for (int i = 0; i < NR_SOCKETS; i++) {
		if (names->sockets[i].netns)
			close(names->sockets[i].fd);
		names->sockets[i].netns = NULL;
	}
}

/* No two cgroups have one path: if another one had it, that one is gone. */
static void take_path(struct label_names *names, struct cgroup_name *name)
{
	struct cgroup_name **holder = tsearch(name, &names->cgroup_paths, compare_paths);

	if (!holder || *holder == name)
		return;
	free((*holder)->path);
	(*holder)->path = NULL;
	*holder = name;
}

/* What a cgroup is called; NULL without memory. */
static struct cgroup_name *find_cgroup(struct label_names *names, uint64_t id)
{
	struct cgroup_name *name = calloc(1, sizeof(*name)), **found;

	if (!name)
		return NULL;
	name->id = id;
	found = tsearch(name, &names->cgroups, compare_ids);
	if (found && *found == name)
		names->has_new_cgroups = true;
	else
		free(name);
	return found ? *found : NULL;
}

void label_names_meet(struct label_names *names, const struct group *group)
{
	if (group->key.cgroup)
		find_cgroup(names, group->key.cgroup);
}

static bool name_cgroup(uint64_t id, const char *path, void *context)
{
	struct label_names *names = context;
	struct cgroup_name **found = tfind(&id, &names->cgroups, compare_ids), *name;
	char role[CGROUP_ROLE_SIZE];

	if (!found || (*found)->is_looked_up)
		return true;
	name = *found;
	name->is_looked_up = true;
	name->role = cgroup_role(path, role);
	if (name->role)
		name->role_value = printable_dup(role);
	name->path = printable_dup(path);
	if (name->path)
		take_path(names, name);
	return true;
}

static void give_up(const void *node, VISIT visit, int depth)
{
	(void)depth;
	if (visit == preorder || visit == leaf)
		(*(struct cgroup_name *const *)node)->is_looked_up = true;
}

/* Those that are not found are gone, and will not be back: ids are not used again. */
void label_names_look_up(struct label_names *names)
{
	uint64_t now_ns = clock_monotonic_ns();

	names->cgroup_time_ns += (now_ns - names->cgroup_timed_ns) / CGROUP_TIME_SHARE;
	if (names->cgroup_time_ns > MAX_CGROUP_TIME_NS)
		names->cgroup_time_ns = MAX_CGROUP_TIME_NS;
	names->cgroup_timed_ns = now_ns;
	if (!names->has_new_cgroups || names->cgroup_time_ns < 0)
		return;
	if (!cgroup_for_each(name_cgroup, names)) {
		twalk(names->cgroups, give_up);
		names->has_new_cgroups = false;
	}
	names->cgroup_time_ns -= clock_monotonic_ns() - now_ns;
}

/* An entry for a namespace, which may be new; or NULL without memory. */
static struct netns_name *entry_of(struct label_names *names, uint64_t id)
{
	struct netns_name *name = calloc(1, sizeof(*name)), **found;

	if (!name)
		return NULL;
	name->id = id;
	found = tsearch(name, &names->netns, compare_ids);
	if (!found || *found != name)
		free(name);
	return found ? *found : NULL;
}

/* Takes note of a namespace, even if no packet of it was seen yet. */
static bool note_netns(const struct netns *netns, void *context)
{
	struct label_names *names = context;
	struct netns_name *entry = entry_of(names, netns->id);

	if (!entry)
		return false;
	free(entry->path);
	free(entry->name);
	entry->inode = netns->inode;
	entry->path = strdup(netns->path);
	entry->name = printable_dup(netns->name);
	if (entry->path && entry->name)
		entry->found = names->report;
	return true;
}

/* A socket in a namespace, if its path still leads there. */
static int socket_of(struct label_names *names, const struct netns_name *name)
{
	struct netns_socket *slot = &names->sockets[name->id % NR_SOCKETS];
	uint64_t id;
	int fd;

	if (slot->netns == name)
		return slot->fd;
	fd = name->path ? netns_open_socket(name->path, &id) : -1;
	if (fd < 0)
		return -1;
	if (id != name->id) {
		close(fd);
		return -1;
	}
	if (slot->netns)
		close(slot->fd);
	*slot = (struct netns_socket){ name, fd };
	return fd;
}

/* What a namespace is called now; NULL if it is gone. Searches them all once a report at most. */
static const struct netns_name *find_netns(struct label_names *names, uint64_t id)
{
	struct netns_name *name = entry_of(names, id);

	if (!name || name->gone == names->report)
		return NULL;
	if (name->found < names->report && socket_of(names, name) >= 0)
		name->found = names->report;
	if (name->found < names->report && names->searched < names->report) {
		names->searched = names->report;
		netns_for_each(note_netns, names);
	}
	if (name->found < names->report)
		name->gone = names->report;
	return name->found == names->report ? name : NULL;
}

/* With room for a number, which every name may have to be replaced by. */
static char *new_text(struct labels *labels)
{
	return labels->texts[labels->nr];
}

/* What the number stands for goes in front, with a slash, which no name of its kind may have. */
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

static void add_number(struct labels *labels, enum fact fact, uint64_t number)
{
	add(labels, facts[fact].name, number_text(labels, "", number), true);
}

/* In seconds since boot, of which no two processes of one id have the same. */
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
	add(labels, facts[FACT_COMM].name, printable_copy(new_text(labels), name), false);
}

static void add_interface(struct label_names *names, struct labels *labels,
			  const struct group_key *key)
{
	const struct netns_name *netns = find_netns(names, key->netns);
	int socket = netns ? socket_of(names, netns) : -1;
	char name[IF_NAMESIZE];
	const char *value;

	if (socket >= 0 && netns_interface_name(socket, key->ifindex, name))
		value = printable_copy(new_text(labels), name);
	else
		value = number_text(labels, "index/", key->ifindex);
	add(labels, facts[FACT_INTERFACE].name, value, false);
}

static void add_netns(struct label_names *names, struct labels *labels, uint64_t id)
{
	const struct netns_name *name = find_netns(names, id);
	const char *value;

	if (name && *name->name)
		value = name->name;
	else if (name)
		value = number_text(labels, "inode/", name->inode);
	else
		value = number_text(labels, "cookie/", id);
	add(labels, facts[FACT_NETNS].name, value, false);
}

static void add_cgroup(struct label_names *names, struct labels *labels, uint64_t id)
{
	const struct cgroup_name *name = find_cgroup(names, id);

	/* Paths begin with a slash. */
	if (!name || !name->path) {
		add(labels, facts[FACT_CGROUP].name, number_text(labels, "", id), false);
		return;
	}
	add(labels, facts[FACT_CGROUP].name, name->path, false);
	if (name->role_value)
		add(labels, name->role, name->role_value, false);
}

static void add_other(struct labels *labels, enum hook hook, unsigned int by)
{
	for (enum fact fact = 0; fact < NR_FACTS; fact++)
		if (by & 1U << fact && hook_knows(hook, fact))
			add(labels, facts[fact].name, "other", false);
}

static void add_reason(struct label_names *names, struct labels *labels, uint32_t reason)
{
	const char *name = reason_names_find(names->reasons, reason);

	add(labels, facts[FACT_REASON].name, name ? name : number_text(labels, "number/", reason),
	    false);
}

void labels_of(struct label_names *names, const struct group *group, unsigned int by,
	       struct labels *labels)
{
	const struct group_key *key = &group->key;
	const char *comm = by & 1U << FACT_COMM ? key->comm : group->comm;

	labels->nr = 0;
	if (group->is_other) {
		add_other(labels, group->hook, by);
		return;
	}
	if (key->ifindex)
		add_interface(names, labels, key);
	/* An interface needs its namespace with it, unless that is our own. */
	if (by & 1U << FACT_NETNS || (key->netns && key->netns != names->own_netns))
		add_netns(names, labels, key->netns);
	if (key->cgroup)
		add_cgroup(names, labels, key->cgroup);
	if (key->port)
		add_number(labels, FACT_PORT, key->port);
	if (key->pid)
		add_number(labels, FACT_PID, key->pid);
	if (group->is_later_process)
		add_started(labels, key->started_ns);
	if (*comm || key->pid)
		add_comm(labels, comm);
	if (by & 1U << FACT_CPU)
		add_number(labels, FACT_CPU, key->cpu);
	if (key->ip_version)
		add_number(labels, FACT_IP_VERSION, key->ip_version);
	if (key->reason)
		add_reason(names, labels, key->reason);
	if (by & 1U << FACT_PACKETS && hook_knows(group->hook, FACT_PACKETS))
		add_number(labels, FACT_PACKETS, key->packets);
}

bool group_is_nameless(const struct group *group, unsigned int by)
{
	static const struct group_key nothing;

	if (group->is_other)
		return false;
	if (by & 1U << FACT_PACKETS && hook_knows(group->hook, FACT_PACKETS))
		return false;
	return !(by & 1U << FACT_CPU) && !memcmp(&group->key, &nothing, sizeof(nothing));
}

static void print_escaped(FILE *out, const char *value)
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
		print_escaped(out, labels->labels[i].value);
		fputc('"', out);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
