/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the ring buffer of slow packets. */
#ifndef NETSTACKLAT_SLOW_RING_H
#define NETSTACKLAT_SLOW_RING_H

#include <stdbool.h>

#include "lib/tables/slow_packet.h"

struct slow_ring;

/* Called for each packet. Returns whether to go on. */
typedef bool (*slow_handler)(void *context, const struct slow_packet *packet);

/* Reads the map with this descriptor. NULL with errno set. */
struct slow_ring *slow_ring_new(int map, slow_handler handler, void *context);
void slow_ring_free(struct slow_ring *slow_ring);

/* Ready for EPOLLIN while there are packets. */
int slow_ring_fd(const struct slow_ring *slow_ring);

/*
 * Hands on packets until there are none, the handler has enough, or so many were handed on that
 * other work is due. Returns how many there were, or a negative errno.
 */
#define MAX_SLOW_AT_ONCE 256
int slow_ring_read(struct slow_ring *slow_ring);

#endif
