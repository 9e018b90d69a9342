// SPDX-License-Identifier: GPL-2.0
#include "lib/host/netns_names.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/find_or_add.h"
#include "lib/base/helper.h"
#include "lib/base/log.h"
#include "lib/host/look.h"

struct netns_entry {
	uint64_t id;
	ino_t inode;
	char *path;
	char *name;
	uint64_t found; /* after which refresh the path led to it last */
};

/*
 * Sockets are kept open for a few namespaces only, as there may be more namespaces than a process
 * may have files.
 */
#define NR_SOCKETS 64
struct netns_socket {
	const struct netns_entry *netns;
	int fd;
};

struct netns_names {
	void *entries; /* tsearch(3): by id */
	struct netns_socket sockets[NR_SOCKETS];
	uint64_t refresh;  /* counted from 1 */
	uint64_t searched; /* all namespaces, after which refresh */
	struct look_time search_time;
};

static int compare_ids(const void *a, const void *b)
{
	const struct netns_entry *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void free_entry(void *entry)
{
	free(((struct netns_entry *)entry)->path);
	free(((struct netns_entry *)entry)->name);
	free(entry);
}

static void close_sockets(struct netns_names *names)
{
	for (int i = 0; i < NR_SOCKETS; i++) {
		if (names->sockets[i].netns)
			close(names->sockets[i].fd);
		names->sockets[i].netns = NULL;
	}
}

static void forget_all(struct netns_names *names)
{
	close_sockets(names);
	tdestroy(names->entries, free_entry);
	names->entries = NULL;
}

struct netns_names *netns_names_new(void)
{
	struct netns_names *names = calloc(1, sizeof(*names));

	if (names)
		names->refresh = 1;
	return names;
}

void netns_names_free(struct netns_names *names)
{
	if (!names)
		return;
	forget_all(names);
	free(names);
}

/* Takes note of a namespace, even if no packet of it was seen yet. */
static bool note_netns(const struct netns *netns, void *context)
{
	struct netns_names *names = context;
	struct netns_entry wanted = {
		.id = netns->id,
		.inode = netns->inode,
		.path = strdup(netns->path),
		.name = strdup(netns->name),
		.found = names->refresh,
	}, *entry = NULL;
	bool is_new = false;

	if (wanted.path && wanted.name)
		entry = find_or_add(&names->entries, &wanted, sizeof(wanted), compare_ids, &is_new);
	if (!is_new) {
		free(wanted.path);
		free(wanted.name);
	}
	return entry;
}

static struct netns_entry *entry_of(struct netns_names *names, uint64_t id)
{
	const struct netns_entry wanted = { .id = id };
	struct netns_entry **found = tfind(&wanted, &names->entries, compare_ids);

	return found ? *found : NULL;
}

/* A socket in a namespace, if its path still leads there. */
static int socket_of(struct netns_names *names, const struct netns_entry *entry)
{
	struct netns_socket *slot = &names->sockets[entry->id % NR_SOCKETS];
	uint64_t id;
	int fd;

	if (slot->netns == entry)
		return slot->fd;
	fd = netns_open_socket(entry->path, &id);
	if (fd < 0)
		return -1;
	if (id != entry->id) {
		close(fd);
		return -1;
	}
	if (slot->netns)
		close(slot->fd);
	*slot = (struct netns_socket){ entry, fd };
	return fd;
}

/* NULL if it is gone, or was not looked for, as there are too many to look again so soon. */
static const struct netns_entry *find_entry(struct netns_names *names, uint64_t id)
{
	struct netns_entry *entry = entry_of(names, id);
	uint64_t now_ns;

	if (entry && entry->found < names->refresh && socket_of(names, entry) >= 0)
		entry->found = names->refresh;
	if (entry && entry->found == names->refresh)
		return entry;
	now_ns = clock_monotonic_ns();
	if (names->searched == names->refresh || !look_has_time(&names->search_time, now_ns))
		return NULL;
	names->searched = names->refresh;
	forget_all(names);
	netns_for_each(note_netns, names);
	look_took_time(&names->search_time, now_ns);
	return entry_of(names, id);
}

static void find(struct netns_names *names, uint64_t netns, uint32_t ifindex,
		 struct netns_answer *answer)
{
	const struct netns_entry *entry = find_entry(names, netns);
	int socket = entry && ifindex ? socket_of(names, entry) : -1;

	if (!entry)
		return;
	answer->found = true;
	answer->inode = entry->inode;
	strcpy(answer->name, entry->name);
	if (socket >= 0)
		netns_interface_name(socket, ifindex, answer->interface);
}

/* Messages to the process that is asked. Only the first is answered. */
struct request {
	enum { REQUEST_FIND, REQUEST_REFRESH, REQUEST_RELEASE } what;
	uint32_t ifindex;
	uint64_t netns;
};

static int asked_at = -1;

void netns_names_ask_at(int socket)
{
	asked_at = socket;
}

static void ask(const struct request *request, struct netns_answer *answer)
{
	if (helper_send(asked_at, request, sizeof(*request)) &&
	    (!answer || helper_receive(asked_at, answer, sizeof(*answer))))
		return;
	log_error("what finds the names of interfaces and network namespaces has ended: from now "
		  "on, numbers stand for them");
	asked_at = -1;
}

void netns_names_find(struct netns_names *names, uint64_t netns, uint32_t ifindex,
		      struct netns_answer *answer)
{
	const struct request request = { REQUEST_FIND, ifindex, netns };

	memset(answer, 0, sizeof(*answer));
	if (asked_at >= 0)
		ask(&request, answer);
	else
		find(names, netns, ifindex, answer);
}

void netns_names_refresh(struct netns_names *names)
{
	if (asked_at >= 0)
		ask(&(struct request){ .what = REQUEST_REFRESH }, NULL);
	names->refresh++;
}

void netns_names_release(struct netns_names *names)
{
	if (asked_at >= 0)
		ask(&(struct request){ .what = REQUEST_RELEASE }, NULL);
	close_sockets(names);
}

static void answer_request(struct netns_names *names, const struct request *request, int socket)
{
	struct netns_answer answer;

	switch (request->what) {
	case REQUEST_FIND:
		netns_names_find(names, request->netns, request->ifindex, &answer);
		helper_send(socket, &answer, sizeof(answer));
		break;
	case REQUEST_REFRESH:
		netns_names_refresh(names);
		break;
	case REQUEST_RELEASE:
		netns_names_release(names);
		break;
	}
}

void netns_names_serve(int socket)
{
	struct netns_names *names = netns_names_new();
	struct request request;

	while (names && helper_receive(socket, &request, sizeof(request)))
		answer_request(names, &request, socket);
	netns_names_free(names);
}
