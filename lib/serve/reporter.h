/* SPDX-License-Identifier: GPL-2.0 */
/* Prints reports when they are due, to where they go. */
#ifndef NETSTACKLAT_REPORTER_H
#define NETSTACKLAT_REPORTER_H

#include "lib/base/terminal.h"
#include "lib/live/live.h"
#include "lib/serve/meter.h"

struct reporter_config {
	const struct printer *printer;
	const struct group_order *order;
	enum colour colour;
	bool quiet;	      /* no reports, only how many slow packets were not reported */
	bool cumulative;      /* reports since the start instead of intervals */
	uint64_t interval_ns; /* at which reports are due */
	uint64_t forget_ns;   /* groups that were not seen for so long, if not 0 */
};

struct reporter;

/* Begins where the meter does, which the caller owns. NULL with errno set. */
struct reporter *reporter_new(const struct reporter_config *config, struct meter *meter);
void reporter_free(struct reporter *reporter);

/* Has the process at a socket (see writer.h) write the reports; -1: standard output. */
void reporter_write_at(struct reporter *reporter, int writer);

/*
 * Has intervals recorded, and drawn for as long as the view is open. Both are the caller's, or
 * NULL.
 */
void reporter_record_at(struct reporter *reporter, struct recording *recording, struct live *live);

/*
 * Prints how many packets were slow since the start, behind the last report. Returns as those do.
 */
int reporter_slow_share(const struct reporter *reporter);

/*
 * Has a page of the recording written to the file, and says what became of that, so that the user
 * can look on.
 */
void reporter_write_page(struct reporter *reporter);

/*
 * Print the report that is due, and the last ones: the interval that just ends and the total. Both
 * return what output_flush() or writer_write() does.
 */
int reporter_interval(struct reporter *reporter);
int reporter_end(struct reporter *reporter);

#endif
