/* SPDX-License-Identifier: GPL-2.0 */
/* Command lines of tests, parsed. */
#ifndef NETSTACKLAT_PARSED_OPTIONS_H
#define NETSTACKLAT_PARSED_OPTIONS_H

#include "lib/cli/options.h"

#define MAX_ARGUMENTS 16

/* Parses the arguments, a list that ends with NULL; argp may reorder its own copy. */
static inline struct options parse(const char *const *arguments)
{
	char *argv[MAX_ARGUMENTS + 2] = { "netstacklat" };
	struct options options;
	int argc = 1;

	for (; *arguments; arguments++)
		argv[argc++] = (char *)*arguments;
	assert_true(options_parse(&options, argc, argv));
	return options;
}

#endif
