// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/socket_queue_reader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/find_or_add.h"
#include "lib/base/log.h"
#include "lib/host/netns.h"
#include "lib/bpf/socket_queues.skel.h"
#include "lib/kernel/refusal.h"

struct socket_queue_reader {
	struct socket_queues *skeleton;
	struct bpf_link *link;
};

/* The connections of a service, of which there may be many, are told as one. */
struct peers {
	struct queued first;
	uint64_t count, sum_ns;
};

/* All that is read, and by which way each socket was reached first. */
struct reading {
	struct queued *list;
	size_t nr, room;
	struct peers *peers;
	size_t nr_peers;
	void *owners; /* tsearch(3): of struct owner */
};

struct owner {
	uint64_t socket;
	uint32_t pid, fd;
};

static int load_and_attach(struct socket_queue_reader *queues)
{
	int err;

	queues->skeleton->rodata->netns_has_cookie = netns_has_cookie();
	err = socket_queues__load(queues->skeleton);
	if (is_refusal(-err)) {
		log_verbose("what is queued cannot be read on this kernel");
		return 0;
	}
	if (err)
		return err;
	queues->link = bpf_program__attach_iter(queues->skeleton->progs.socket_queues, NULL);
	return queues->link ? 0 : -errno;
}

struct socket_queue_reader *socket_queue_reader_new(const char *btf_path)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path);
	struct socket_queue_reader *queues = calloc(1, sizeof(*queues));
	int err;

	if (!queues)
		return NULL;
	queues->skeleton = socket_queues__open_opts(&opts);
	err = queues->skeleton ? load_and_attach(queues) : -errno;
	if (!err)
		return queues;
	socket_queue_reader_free(queues);
	errno = -err;
	return NULL;
}

void socket_queue_reader_free(struct socket_queue_reader *queues)
{
	if (!queues)
		return;
	bpf_link__destroy(queues->link);
	socket_queues__destroy(queues->skeleton);
	free(queues);
}

static int compare_sockets(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return x->socket < y->socket ? -1 : x->socket > y->socket;
}

/*
 * Returns whether a socket was reached by another way before. If there is no memory to know, it
 * was.
 */
static bool is_shared(struct reading *reading, const struct queued *queued)
{
	const struct owner first = { queued->socket, queued->key.pid, queued->fd }, *owner;
	bool is_new;

	owner = find_or_add(&reading->owners, &first, sizeof(first), compare_sockets, &is_new);
	return !owner || owner->pid != first.pid || owner->fd != first.fd;
}

static bool are_of_same_service(const struct queued *queued, const struct queued *other)
{
	return queued->key.netns == other->key.netns && queued->key.port == other->key.port &&
	       queued->hook == other->hook;
}

/* The sockets of a process come one after the other, so the last service is the likeliest. */
static struct peers *find_peers(struct reading *reading, const struct queued *queued)
{
	struct peers *peers;

	for (size_t i = reading->nr_peers; i--;)
		if (are_of_same_service(&reading->peers[i].first, queued))
			return &reading->peers[i];
	peers = reallocarray(reading->peers, reading->nr_peers + 1, sizeof(*peers));
	if (!peers)
		return NULL;
	reading->peers = peers;
	peers += reading->nr_peers++;
	*peers = (struct peers){ .first = *queued };
	return peers;
}

/* It makes no difference to the mean that some processes share a socket. */
static int add_peer(struct reading *reading, const struct queued *queued)
{
	struct peers *peers = find_peers(reading, queued);

	if (!peers)
		return -ENOMEM;
	peers->count++;
	peers->sum_ns += queued->age_ns;
	return 0;
}

static int append(struct reading *reading, const struct queued *queued)
{
	struct queued *list = reading->list;

	if (reading->nr == reading->room) {
		reading->room = reading->room ? 2 * reading->room : 64;
		list = reallocarray(list, reading->room, sizeof(*list));
		if (!list)
			return -ENOMEM;
		reading->list = list;
	}
	list[reading->nr++] = *queued;
	return 0;
}

static int add(struct reading *reading, const struct queued *queued)
{
	if (queued->hook == HOOK_tcp_min_rtt || queued->hook == HOOK_tcp_rtt)
		return add_peer(reading, queued);
	return is_shared(reading, queued) ? 0 : append(reading, queued);
}

static int append_peers(struct reading *reading)
{
	int err = 0;

	for (size_t i = 0; i < reading->nr_peers && !err; i++) {
		struct peers *peers = &reading->peers[i];

		peers->first.age_ns = peers->sum_ns / peers->count;
		err = append(reading, &peers->first);
	}
	return err;
}

/* The kernel hands out whole records. */
static int read_all(int iterator, struct reading *reading)
{
	struct queued records[64];
	ssize_t size;
	int err = 0;

	while (!err && (size = read(iterator, records, sizeof(records))) != 0) {
		if (size < 0 && errno != EINTR && errno != EAGAIN)
			err = -errno;
		for (ssize_t i = 0; !err && i < size / (ssize_t)sizeof(*records); i++)
			err = add(reading, &records[i]);
	}
	return err;
}

int socket_queue_reader_read(struct socket_queue_reader *queues, uint64_t late_ns,
			     uint64_t watch_ns, struct queued **list, size_t *nr)
{
	struct reading reading = { 0 };
	int64_t monotonic_ahead_ns;
	int err = clock_offset_ns(CLOCK_MONOTONIC, &monotonic_ahead_ns), iterator;

	*list = NULL;
	*nr = 0;
	if (err || !queues->link)
		return err;
	iterator = bpf_iter_create(bpf_link__fd(queues->link));
	if (iterator < 0)
		return -errno;
	queues->skeleton->bss->wall_ahead_ns = -monotonic_ahead_ns;
	queues->skeleton->bss->late_ns = late_ns;
	queues->skeleton->bss->watch_ns = watch_ns;
	err = read_all(iterator, &reading);
	if (!err)
		err = append_peers(&reading);
	close(iterator);
	free(reading.peers);
	tdestroy(reading.owners, free);
	*list = reading.list;
	*nr = reading.nr;
	return err;
}
