// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/slow_reader.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

struct slow_reader {
	struct ring_buffer *ring;
	slow_handler handler;
	void *context;
	int nr_read; /* at once */
};

/* What ends reading is an error to libbpf, which then keeps what comes behind this packet. */
static int handle(void *context, void *data, size_t size)
{
	struct slow_reader *reader = context;

	(void)size;
	reader->nr_read++;
	if (reader->handler(reader->context, data) && reader->nr_read < MAX_SLOW_AT_ONCE)
		return 0;
	return -ECANCELED;
}

struct slow_reader *slow_reader_new(int map, slow_handler handler, void *context)
{
	struct slow_reader *reader = calloc(1, sizeof(*reader));
	int err;

	if (!reader)
		return NULL;
	reader->handler = handler;
	reader->context = context;
	reader->ring = ring_buffer__new(map, handle, reader, NULL);
	if (reader->ring)
		return reader;
	err = errno;
	free(reader);
	errno = err;
	return NULL;
}

void slow_reader_free(struct slow_reader *reader)
{
	if (!reader)
		return;
	ring_buffer__free(reader->ring);
	free(reader);
}

int slow_reader_fd(const struct slow_reader *reader)
{
	return ring_buffer__epoll_fd(reader->ring);
}

int slow_reader_read(struct slow_reader *reader)
{
	int err;

	reader->nr_read = 0;
	err = ring_buffer__consume(reader->ring);
	return err < 0 && err != -ECANCELED ? err : reader->nr_read;
}
