/* SPDX-License-Identifier: GPL-2.0 */
/* The command line. */
#ifndef NETSTACKLAT_OPTIONS_H
#define NETSTACKLAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/compare/limit.h"
#include "lib/filters/filters.h"
#include "lib/kernel/loader.h"
#include "lib/http/listen.h"
#include "lib/serve/diagnosis.h"
#include "lib/serve/reporter.h"

enum options_action {
	ACTION_RUN,
	ACTION_CHECK,
	ACTION_LIST,
	ACTION_TIMESTAMPING,
	ACTION_COMPARE,
	ACTION_HELP,
	ACTION_USAGE,
	ACTION_VERSION,
};

struct options {
	enum options_action action;
	char *const *command; /* the command line, up to NULL */
	struct plan plan;
	struct filter_lists filters;
	struct reporter_config reports;
	struct listen_addresses listen; /* where to serve */
	const char *hosts;		/* names that are served; NULL: see served_hosts() */
	const char *web_config;		/* a file, of how to serve; NULL: none */
	const char *cgroup_mount;	/* NULL: the first one */
	uint64_t forget_ns;		/* 0: never */
	uint32_t top;			/* groups of a hook to show in text */
	uint64_t count;			/* of reports; 0: until a signal */
	uint64_t duration_ns;		/* of all; 0: until a signal */
	uint32_t packet_count;		/* of slow packets; 0: until a signal */
	const char *pcap;		/* a file for their bytes; NULL: none */
	const char *output_file;	/* that each report replaces; NULL: standard output */
	bool diagnose;			/* say what is late and why, instead of reports ... */
	struct thresholds late;		/* ... if it takes as long as this */
	bool live;			/* draw reports on the terminal */
	bool summary;			/* show lines instead of histograms */
	bool full;			/* show every bucket where octaves would do */
	bool some_enabled;		/* by -e, so that the others are not */
	bool disabled[NR_HOOKS];	/* by -d */
	bool has_resolution;		/* by -k, so that it is not the printer's */
	bool verbose;
	const char *compared[NR_SIDES][MAX_RUNS]; /* files of --compare ... */
	unsigned int nr_compared[NR_SIDES];
	const struct option_entry *measures; /* one that --compare has no use for; NULL: none */
	struct limit fail_if; /* ... and by how much they may differ; without a row, by any */
};

/*
 * Reads the command line into *options, without any other effect. A mistake is explained on stderr
 * and returns false.
 */
bool options_parse(struct options *options, int argc, char **argv);

/* Returns how slow packets are printed; NULL if they cannot be. */
const struct printer *packet_printer(const struct options *options);

/* Prints what ACTION_HELP, _USAGE and _VERSION ask for. Returns what output_flush() returns. */
int options_print(enum options_action action);

#endif
