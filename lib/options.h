/* SPDX-License-Identifier: GPL-2.0 */
/* The command line. */
#ifndef NETSTACKLAT_OPTIONS_H
#define NETSTACKLAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "../netstacklat.h"

enum options_action {
	ACTION_RUN,
	ACTION_LIST,
	ACTION_HELP,
	ACTION_USAGE,
	ACTION_VERSION,
};

struct options {
	enum options_action action;
	uint64_t interval_ns;	/* between reports */
	uint64_t count;		/* of reports; 0: until a signal */
	bool hooks[NR_HOOKS];	/* those to measure */
	bool some_enabled;	/* by -e, so that the others are not */
	bool include_hol_delay; /* count TCP data that waited behind a lost segment, too */
	bool verbose;
};

/*
 * Reads the command line into *options, without any other effect. A mistake is explained on stderr
 * and returns false.
 */
bool options_parse(struct options *options, int argc, char **argv);

/* Prints what an action other than ACTION_RUN asks for. Returns what output_flush() returns. */
int options_print(enum options_action action);

#endif
