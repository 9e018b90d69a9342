// SPDX-License-Identifier: GPL-2.0
#include "lib/base/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "lib/base/log.h"

#define LARGEST_WINDOW 15
#define WITH_GZIP_HEADER 16
#define DEFAULT_MEMORY 8

/* Returns a buffer with room for the worst case, with all of it compressed; NULL without memory. */
static char *compress_all(z_stream *stream, char *data, size_t size)
{
	size_t room = deflateBound(stream, size);
	char *compressed = malloc(room);

	stream->next_in = (Bytef *)data;
	stream->avail_in = size;
	stream->next_out = (Bytef *)compressed;
	stream->avail_out = room;
	if (compressed && deflate(stream, Z_FINISH) == Z_STREAM_END)
		return compressed;
	free(compressed);
	return NULL;
}

static const int levels[] = { [GZIP_QUICKLY] = Z_BEST_SPEED, [GZIP_WELL] = Z_BEST_COMPRESSION };

char *gzip_instead(char *data, size_t *size, enum gzip_effort effort)
{
	z_stream stream = { 0 };
	char *compressed = NULL, *fitting;

	if (deflateInit2(&stream, levels[effort], Z_DEFLATED, LARGEST_WINDOW + WITH_GZIP_HEADER,
			 DEFAULT_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK) {
		compressed = compress_all(&stream, data, *size);
		*size = stream.total_out;
		deflateEnd(&stream);
	}
	free(data);
	if (!compressed) {
		log_failure(-ENOMEM, "cannot compress what is printed");
		return NULL;
	}
	/* The buffer had room for the worst case. */
	fitting = realloc(compressed, *size);
	return fitting ? fitting : compressed;
}
