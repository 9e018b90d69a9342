/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What waits in sockets, from records of each way by which each is reached: processes may share a
 * socket.
 */
#ifndef NETSTACKLAT_QUEUED_LIST_H
#define NETSTACKLAT_QUEUED_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "lib/tables/queued.h"

struct queued_list {
	struct queued *list; /* whoever takes it frees it */
	size_t nr, room;
	struct peers *peers;
	size_t nr_peers;
	void *owners; /* tsearch(3): who has each socket */
};

/*
 * Adds a record, unless its socket was reached by another way before. How far away peers are is
 * summed up for each service, of which there may be many connections. Returns 0 or -ENOMEM.
 */
int queued_list_add(struct queued_list *list, const struct queued *record);

/*
 * Adds all records that a file has, which hands out whole ones, as the kernel's iterators do.
 * Returns 0 or a negative errno.
 */
int queued_list_read(struct queued_list *list, int fd);

/*
 * Adds the mean of each service's peers, names of each record the last process that has its socket,
 * says how many others have it, and forgets all but the list; to be called after a failure, too.
 * Returns 0 or -ENOMEM.
 */
int queued_list_end(struct queued_list *list);

#endif
