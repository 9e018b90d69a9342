// SPDX-License-Identifier: GPL-2.0
/* Files to compare, as anybody may have written them. The first byte says how many runs a side has.
 */
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/compare/print.h"
#include "tests/fuzz/printed.h"

/* A file with this text, by its path. */
static int open_file(const void *data, size_t size, char path[64])
{
	int fd = memfd_create("runs", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

/* What is compared has bounds about it, none of which is no number. */
static void require_sense(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->nr; i++) {
		const struct difference *difference = &comparison->differences[i];

		require(isfinite(difference->factor) && difference->least > 0);
		require(difference->least <= difference->factor);
		require(difference->factor <= difference->most);
	}
}

static void print(const struct sides *sides)
{
	struct comparison comparison;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	require(!comparison_make(&comparison, sides));
	require_sense(&comparison);
	comparison_print(out, &comparison, true);
	fflush(out);
	require_printable(text);
	rewind(out);
	comparison_print_json(out, &comparison, NULL, LIMIT_KEPT);
	fflush(out);
	require_json(text, size);
	fclose(out);
	free(text);
	comparison_free(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	unsigned int nr = 1 + input_byte(&input) % 2;
	size_t half;
	char before[64], after[64];
	const char *const befores[] = { before, before }, *const afters[] = { after, after };
	const char *const *const paths[NR_SIDES] = { befores, afters };
	struct sides sides;
	int fds[NR_SIDES];

	half = input.size / 2;
	fds[0] = open_file(input.data, half, before);
	fds[1] = open_file(input.data + half, input.size - half, after);
	if (!sides_read(&sides, paths, (const unsigned int[]){ nr, nr }))
		print(&sides);
	sides_free(&sides);
	close(fds[0]);
	close(fds[1]);
	return 0;
}
