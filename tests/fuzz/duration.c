// SPDX-License-Identifier: GPL-2.0
/* Durations, as users write them and as they are printed. */
#include "tests/fuzz/fuzz.h"

#include "lib/base/duration.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	char printed[DURATION_TEXT_SIZE];
	char *text = input_text(&input);
	uint64_t ns, again;

	if (duration_parse(text, &ns)) {
		duration_text(ns, printed);
		require(duration_parse(printed, &again));
		/* Three digits of it are right. */
		require((ns > again ? ns - again : again - ns) <= ns / 200 + 1);
	}
	if (size >= sizeof(ns)) {
		memcpy(&ns, data, sizeof(ns));
		duration_text(ns, printed);
		require_printable(printed);
	}
	free(text);
	return 0;
}
