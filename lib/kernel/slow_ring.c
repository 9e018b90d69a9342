// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/slow_ring.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

struct slow_ring {
	struct ring_buffer *ring;
	slow_handler handler;
	void *context;
	int nr_read; /* at once */
};

/* An error ends reading, and libbpf then keeps the packets behind this one. */
static int handle(void *context, void *data, size_t size)
{
	struct slow_ring *slow_ring = context;

	(void)size;
	slow_ring->nr_read++;
	if (slow_ring->handler(slow_ring->context, data) && slow_ring->nr_read < MAX_SLOW_AT_ONCE)
		return 0;
	return -ECANCELED;
}

struct slow_ring *slow_ring_new(int map, slow_handler handler, void *context)
{
	struct slow_ring *slow_ring = calloc(1, sizeof(*slow_ring));
	int err;

	if (!slow_ring)
		return NULL;
	slow_ring->handler = handler;
	slow_ring->context = context;
	slow_ring->ring = ring_buffer__new(map, handle, slow_ring, NULL);
	if (slow_ring->ring)
		return slow_ring;
	err = errno;
	free(slow_ring);
	errno = err;
	return NULL;
}

void slow_ring_free(struct slow_ring *slow_ring)
{
	if (!slow_ring)
		return;
	ring_buffer__free(slow_ring->ring);
	free(slow_ring);
}

int slow_ring_fd(const struct slow_ring *slow_ring)
{
	return ring_buffer__epoll_fd(slow_ring->ring);
}

int slow_ring_read(struct slow_ring *slow_ring)
{
	int err;

	slow_ring->nr_read = 0;
	err = ring_buffer__consume(slow_ring->ring);
	return err < 0 && err != -ECANCELED ? err : slow_ring->nr_read;
}
