// SPDX-License-Identifier: GPL-2.0
/* What HTTP clients say that they accept. */
#include "tests/fuzz/fuzz.h"

#include "lib/http/negotiation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	char *header = input_text(&input);

	if (accepts_openmetrics(header))
		require(strcasestr(header, "openmetrics"));
	if (accepts_gzip(header))
		require(strcasestr(header, "gzip") || strchr(header, '*'));
	free(header);
	return 0;
}
