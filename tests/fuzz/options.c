// SPDX-License-Identifier: GPL-2.0
/* The command line, an argument a line. */
#include "tests/fuzz/fuzz.h"

#include "lib/cli/options.h"

#define MAX_ARGUMENTS 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *arguments[MAX_ARGUMENTS + 2] = { "netstacklat" }, *lines[MAX_ARGUMENTS];
	struct input input = { data, size };
	struct options options;
	int nr = 0;

	/* The parser changes the order of its arguments. */
	for (; input.size && nr < MAX_ARGUMENTS; nr++)
		arguments[nr + 1] = lines[nr] = input_line(&input);
	if (options_parse(&options, nr + 1, arguments) && options.action == ACTION_RUN) {
		require(options.reports.interval_ns && options.reports.printer);
		require(memchr(options.plan.hooks, true, sizeof(options.plan.hooks)));
		require(!options.plan.slow || packet_printer(&options));
	}
	while (nr)
		free(lines[--nr]);
	return 0;
}
