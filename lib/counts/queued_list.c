// SPDX-License-Identifier: GPL-2.0
#include "lib/counts/queued_list.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/find_or_add.h"
#include "lib/tables/hook_ids.h"

/* The connections of a service are told as one. */
struct peers {
	struct queued first;
	uint64_t count, sum_ns;
};

struct owner {
	uint64_t socket;
	uint32_t pid, fd; /* by which way it was reached first */
	struct {
		uint32_t pid;
		char comm[COMM_SIZE];
	} last; /* of the processes that have it: their pids only grow */
	uint16_t nr_sharing;
};

static int compare_sockets(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return x->socket < y->socket ? -1 : x->socket > y->socket;
}

/* Returns whether the socket was reached by another way before. Without memory to know, it was. */
static bool is_shared(struct queued_list *list, const struct queued *record)
{
	const struct owner first = {
		.socket = record->socket,
		.pid = record->key.pid,
		.fd = record->fd,
		.last.pid = record->key.pid,
	};
	struct owner *owner;
	bool is_new;

	owner = find_or_add(&list->owners, &first, sizeof(first), compare_sockets, &is_new);
	if (!owner)
		return true;
	if (owner->last.pid != first.pid && owner->nr_sharing < UINT16_MAX)
		owner->nr_sharing++;
	owner->last.pid = first.pid;
	memcpy(owner->last.comm, record->comm, sizeof(record->comm));
	return owner->pid != first.pid || owner->fd != first.fd;
}

/*
 * Names the last of the processes that have the socket: a process that starts others to read for it
 * does not read itself.
 */
static void name_process(const struct queued_list *list, struct queued *record)
{
	const struct owner wanted = { .socket = record->socket };
	struct owner **found = tfind(&wanted, &list->owners, compare_sockets);

	if (!found)
		return;
	record->nr_sharing = (*found)->nr_sharing;
	record->key.pid = (*found)->last.pid;
	memcpy(record->comm, (*found)->last.comm, sizeof(record->comm));
}

static bool are_of_same_service(const struct queued *record, const struct queued *other)
{
	return record->key.netns == other->key.netns && record->key.port == other->key.port &&
	       record->hook == other->hook;
}

/* A process's sockets follow each other, so the last service is likely the same. */
static struct peers *find_peers(struct queued_list *list, const struct queued *record)
{
	struct peers *peers;

	for (size_t i = list->nr_peers; i--;)
		if (are_of_same_service(&list->peers[i].first, record))
			return &list->peers[i];
	peers = reallocarray(list->peers, list->nr_peers + 1, sizeof(*peers));
	if (!peers)
		return NULL;
	list->peers = peers;
	peers += list->nr_peers++;
	*peers = (struct peers){ .first = *record };
	return peers;
}

/* It makes no difference to the mean that some processes share a socket. */
static int add_peer(struct queued_list *list, const struct queued *record)
{
	struct peers *peers = find_peers(list, record);

	if (!peers)
		return -ENOMEM;
	peers->count++;
	peers->sum_ns += record->age_ns;
	return 0;
}

static int append(struct queued_list *list, const struct queued *record)
{
	struct queued *records = list->list;

	if (list->nr == list->room) {
		size_t room = list->room ? 2 * list->room : 64;

		records = reallocarray(records, room, sizeof(*records));
		if (!records)
			return -ENOMEM;
		list->list = records;
		list->room = room;
	}
	records[list->nr++] = *record;
	return 0;
}

int queued_list_add(struct queued_list *list, const struct queued *record)
{
	if (record->hook == HOOK_tcp_min_rtt || record->hook == HOOK_tcp_rtt)
		return add_peer(list, record);
	return is_shared(list, record) ? 0 : append(list, record);
}

int queued_list_read(struct queued_list *list, int fd)
{
	struct queued records[64];
	ssize_t size;
	int err = 0;

	while (!err && (size = read(fd, records, sizeof(records))) != 0) {
		if (size < 0 && errno != EINTR && errno != EAGAIN)
			err = -errno;
		for (ssize_t i = 0; !err && i < size / (ssize_t)sizeof(*records); i++)
			err = queued_list_add(list, &records[i]);
	}
	return err;
}

int queued_list_end(struct queued_list *list)
{
	int err = 0;

	for (size_t i = 0; i < list->nr; i++)
		name_process(list, &list->list[i]);
	for (size_t i = 0; i < list->nr_peers && !err; i++) {
		struct peers *peers = &list->peers[i];

		peers->first.age_ns = peers->sum_ns / peers->count;
		err = append(list, &peers->first);
	}
	free(list->peers);
	tdestroy(list->owners, free);
	list->peers = NULL;
	list->owners = NULL;
	list->nr_peers = 0;
	return err;
}
