// SPDX-License-Identifier: GPL-2.0
#include "lib/host/labels.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "lib/host/cgroup.h"
#include "lib/host/netns.h"
#include "lib/tables/hooks.h"
#include "lib/tables/attributes.h"
#include "lib/tables/units.h"

/* Others make and remove what has names: as many are remembered, or those of one report. */
#define MAX_NAMES 4096

/* What is known of something that has a name. */
struct named {
	uint64_t id;
	uint64_t used; /* last in which report */
	TAILQ_ENTRY(named) order;
};

struct name_table {
	size_t size;
	void (*free)(struct label_names *names, struct named *named);
	void *by_id;			  /* tsearch(3) */
	TAILQ_HEAD(by_use, named) by_use; /* the last one first */
	size_t nr;
};

struct cgroup_name {
	struct named named;
	bool is_looked_up;
	/* NULL for one that was gone by then, or whose path is another's now, or too long. */
	char *path;
	const char *role; /* that the path tells, and ... */
	char *role_value; /* ... NULL for none */
};

struct netns_name {
	struct named named;
	ino_t inode;
	char *path;	/* NULL if none ever led to it */
	char *name;	/* NULL for none, or one that is too long */
	uint64_t found; /* in the last report in which a path led to it */
	uint64_t gone;	/* and the last one in which none did */
};

/* Sockets are kept open for a few namespaces only, as there may be more of these than of files. */
#define NR_SOCKETS 64
struct netns_socket {
	const struct netns_name *netns;
	int fd;
};

struct label_names {
	struct name_table cgroups, netns;
	void *cgroup_paths; /* tsearch(3): of those that have one */
	struct netns_socket sockets[NR_SOCKETS];
	struct reason_names *reasons; /* or NULL */
	uint64_t own_netns;
	uint64_t report;   /* counted from 1 */
	uint64_t searched; /* all namespaces, in which report */
};

static int compare_ids(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_paths(const void *a, const void *b)
{
	const struct cgroup_name *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* With what it tells. */
static void free_path(struct label_names *names, struct cgroup_name *name)
{
	if (name->path)
		tdelete(name, &names->cgroup_paths, compare_paths);
	free(name->path);
	free(name->role_value);
	name->path = name->role_value = NULL;
}

static void free_cgroup(struct label_names *names, struct named *named)
{
	struct cgroup_name *name = (struct cgroup_name *)named;

	free_path(names, name);
	free(name);
}

static void free_netns(struct label_names *names, struct named *named)
{
	struct netns_name *name = (struct netns_name *)named;

	(void)names;
	free(name->path);
	free(name->name);
	free(name);
}

/* What is known of it, which is all zero if it is new; or NULL without memory. */
static struct named *use_name(struct label_names *names, struct name_table *table, uint64_t id)
{
	struct named *new = calloc(1, table->size), *named, **found;

	if (!new)
		return NULL;
	new->id = id;
	found = tsearch(new, &table->by_id, compare_ids);
	if (!found) {
		free(new);
		return NULL;
	}
	named = *found;
	if (named == new) {
		table->nr++;
	} else {
		free(new);
		TAILQ_REMOVE(&table->by_use, named, order);
	}
	TAILQ_INSERT_HEAD(&table->by_use, named, order);
	named->used = names->report;
	return named;
}

/* All beyond max that were not used since a report. */
static void forget(struct label_names *names, struct name_table *table, size_t max, uint64_t since)
{
	while (table->nr > max) {
		struct named *named = TAILQ_LAST(&table->by_use, by_use);

		if (named->used >= since)
			return;
		TAILQ_REMOVE(&table->by_use, named, order);
		tdelete(named, &table->by_id, compare_ids);
		table->free(names, named);
		table->nr--;
	}
}

struct label_names *label_names_new(void)
{
	struct label_names *names = calloc(1, sizeof(*names));
	struct netns own;

	if (!names)
		return NULL;
	names->cgroups =
		(struct name_table){ .size = sizeof(struct cgroup_name), .free = free_cgroup };
	names->netns = (struct name_table){ .size = sizeof(struct netns_name), .free = free_netns };
	TAILQ_INIT(&names->cgroups.by_use);
	TAILQ_INIT(&names->netns.by_use);
	if (!netns_find("self", &own))
		names->own_netns = own.id;
	return names;
}

void label_names_set_reasons(struct label_names *names, struct reason_names *reasons)
{
	names->reasons = reasons;
}

static void close_sockets(struct label_names *names)
{
	for (int i = 0; i < NR_SOCKETS; i++) {
		if (names->sockets[i].netns)
			close(names->sockets[i].fd);
		names->sockets[i].netns = NULL;
	}
}

void label_names_free(struct label_names *names)
{
	if (!names)
		return;
	close_sockets(names);
	forget(names, &names->cgroups, 0, UINT64_MAX);
	forget(names, &names->netns, 0, UINT64_MAX);
	free(names);
}

void label_names_refresh(struct label_names *names)
{
	names->report++;
}

void label_names_release(struct label_names *names)
{
	close_sockets(names);
	forget(names, &names->cgroups, MAX_NAMES, names->report);
	forget(names, &names->netns, MAX_NAMES, names->report);
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

static void look_up_cgroup(struct label_names *names, struct cgroup_name *name)
{
	char path[PATH_MAX], role[CGROUP_ROLE_SIZE];

	name->is_looked_up = true;
	if (!cgroup_path(name->named.id, path))
		return;
	name->role = cgroup_role(path, role);
	if (name->role)
		name->role_value = printable_dup(role);
	name->path = printable_dup(path);
	if (name->path)
		take_path(names, name);
}

/* What a cgroup is called; NULL without memory. Looks up each once: they are never renamed. */
static const struct cgroup_name *find_cgroup(struct label_names *names, uint64_t id)
{
	struct cgroup_name *name = (void *)use_name(names, &names->cgroups, id);

	if (name && !name->is_looked_up)
		look_up_cgroup(names, name);
	return name;
}

void label_names_meet(struct label_names *names, const struct group *group)
{
	if (group->key.cgroup)
		find_cgroup(names, group->key.cgroup);
}

/* Takes note of a namespace, even if no packet of it was seen yet. */
static bool note_netns(const struct netns *netns, void *context)
{
	struct label_names *names = context;
	struct netns_name *name = (void *)use_name(names, &names->netns, netns->id);

	if (!name)
		return false;
	free(name->path);
	free(name->name);
	name->inode = netns->inode;
	name->path = strdup(netns->path);
	name->name = *netns->name ? printable_dup(netns->name) : NULL;
	if (name->path)
		name->found = names->report;
	return true;
}

/* A socket in a namespace, if its path still leads there. */
static int socket_of(struct label_names *names, const struct netns_name *name)
{
	struct netns_socket *slot = &names->sockets[name->named.id % NR_SOCKETS];
	uint64_t id;
	int fd;

	if (slot->netns == name)
		return slot->fd;
	fd = name->path ? netns_open_socket(name->path, &id) : -1;
	if (fd < 0)
		return -1;
	if (id != name->named.id) {
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
	struct netns_name *name = (void *)use_name(names, &names->netns, id);

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

static void add_number(struct labels *labels, enum key key, uint64_t number)
{
	add(labels, key_table[key].name, number_text(labels, "", number), true);
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
	add(labels, key_table[KEY_COMM].name, printable_copy(new_text(labels), name), false);
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
	add(labels, key_table[KEY_INTERFACE].name, value, false);
}

static void add_netns(struct label_names *names, struct labels *labels, uint64_t id)
{
	const struct netns_name *name = find_netns(names, id);
	const char *value;

	if (name && name->name)
		value = name->name;
	else if (name)
		value = number_text(labels, "inode/", name->inode);
	else
		value = number_text(labels, "cookie/", id);
	add(labels, key_table[KEY_NETNS].name, value, false);
}

static void add_cgroup(struct label_names *names, struct labels *labels, uint64_t id)
{
	const struct cgroup_name *name = find_cgroup(names, id);

	/* Paths begin with a slash. */
	const char *value = name && name->path ? name->path : number_text(labels, "", id);

	add(labels, key_table[KEY_CGROUP].name, value, false);
	if (name && name->role_value)
		add(labels, name->role, name->role_value, false);
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
	/* An interface needs its namespace with it, unless that is our own. */
	if (by & 1U << KEY_NETNS || (key->netns && key->netns != names->own_netns))
		add_netns(names, labels, key->netns);
	if (key->cgroup)
		add_cgroup(names, labels, key->cgroup);
	if (key->port)
		add_number(labels, KEY_PORT, key->port);
	if (key->pid)
		add_number(labels, KEY_PID, key->pid);
	if (group->is_later_process)
		add_started(labels, key->started_ns);
	if (*comm || key->pid)
		add_comm(labels, comm);
	if (by & 1U << KEY_CPU)
		add_number(labels, KEY_CPU, key->cpu);
	if (key->ip_version)
		add_number(labels, KEY_IP_VERSION, key->ip_version);
	if (key->reason)
		add_reason(names, labels, key->reason);
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
