// SPDX-License-Identifier: GPL-2.0
#include "lib/counts/queued.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Counts it as the hook will: from the queue to the read, or from the handshake on. */
static struct group group_of(const struct queued *queued)
{
	struct group group = {
		.hook = queued->hook,
		.key = queued->key,
		.nr_sharing = queued->nr_sharing,
	};

	if (queued->hook == HOOK_tcp_socket_read)
		group.from = STAGE_FROM(HOOK_tcp_socket_enqueued, 0);
	if (queued->hook == HOOK_udp_socket_read)
		group.from = STAGE_FROM(HOOK_udp_socket_enqueued, 0);
	/* Nobody knows whether an answer is due: it counts in no class, and in no mean. */
	if (queued->hook == HOOK_tcp_send)
		group.from = STAGE_FROM(HOOK_tcp_socket_read, 0);
	memcpy(group.comm, queued->comm, sizeof(group.comm));
	return group;
}

static bool is_same_queue(const struct queued *queued, const struct queued *other)
{
	return queued->socket == other->socket && queued->hook == other->hook;
}

int queued_groups_make(struct queued_groups *groups, const struct queued *list, size_t nr,
		       unsigned int resolution)
{
	const struct queued *last = NULL;
	size_t nr_groups = 0;
	struct bucket *bucket;

	*groups = (struct queued_groups){ 0 };
	groups->groups = calloc(nr + 1, sizeof(*groups->groups));
	if (!groups->groups || group_counts_resize(&groups->counts, nr, NR_BUCKETS(resolution)))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (list[i].hook == NR_HOOKS)
			continue;
		if (!last || !is_same_queue(&list[i], last))
			groups->groups[nr_groups++] = group_of(&list[i]);
		last = &list[i];
		bucket = group_buckets(&groups->counts, nr_groups - 1);
		bucket += bucket_index(list[i].age_ns, resolution);
		bucket->count += 1 + list[i].nr_merged;
		bucket->sum_ns += (1 + list[i].nr_merged) * list[i].age_ns;
	}
	groups->counts.nr = nr_groups;
	return 0;
}

void queued_groups_free(struct queued_groups *groups)
{
	free(groups->groups);
	group_counts_free(&groups->counts);
	*groups = (struct queued_groups){ 0 };
}
