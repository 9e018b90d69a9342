/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The packets and connections that wait in sockets. Processes may share a socket, so there is a
 * record for each way by which it is reached.
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
 * Adds a record, unless its socket was reached by another way before. Distances of peers are summed
 * up for each service, which may have many connections. Returns 0 or -ENOMEM.
 */
int queued_list_add(struct queued_list *list, const struct queued *record);

/*
 * Adds all records that a file has, which hands out whole ones, as the kernel's iterators do.
 * Returns 0 or a negative errno.
 */
int queued_list_read(struct queued_list *list, int fd);

/*
 * Completes the list: adds the mean distance of each service's peers, names in each record the last
 * process that has its socket, and says how many others have it. Frees all but the list; call it
 * after a failure, too. Returns 0 or -ENOMEM.
 */
int queued_list_end(struct queued_list *list);

#endif
