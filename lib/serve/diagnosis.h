/* SPDX-License-Identifier: GPL-2.0 */
/* Watches for a while, and says what is late, why, and what to do about it. */
#ifndef NETSTACKLAT_DIAGNOSIS_H
#define NETSTACKLAT_DIAGNOSIS_H

#include "lib/diagnose/tally.h"
#include "lib/kernel/loader.h"
#include "lib/kernel/stacks.h"
#include "lib/kernel/wait_maps.h"
#include "lib/live/live.h"
#include "lib/serve/meter.h"
#include "lib/serve/verdict_page.h"

#define DEFAULT_WATCH_S 10
/* Prometheus comes by once in such a time. */
#define DEFAULT_SERVED_WATCH_S 60

struct diagnosis_config {
	struct thresholds late;	       /* complete */
	const struct printer *printer; /* of text, JSON, a page, collapsed stacks or nothing */
	const char *btf_path;	       /* of the kernel's types, or NULL */
	struct wait_maps waits;
	struct stack_maps stacks;
	struct recording *recording; /* for whoever draws seconds, the caller's; or NULL */
	struct live *live;	     /* where they are drawn, with verdicts; likewise */
	FILE *symbols; /* of stacks, the diagnosis's own then; NULL: none are asked for */
};

/* Sets what is late where it is zero, and what follows from that. */
void diagnosis_complete(struct thresholds *late);

/* Switches on what a verdict needs to find what is late: hooks, stages, groups. */
void diagnosis_select(struct plan *plan, const struct thresholds *late);

struct diagnosis;

/* Begins a watch now, with the meter, which the caller owns. NULL with errno set. */
struct diagnosis *diagnosis_new(const struct diagnosis_config *config, struct meter *meter);
void diagnosis_free(struct diagnosis *diagnosis);

/* Serves each verdict from now on, too. The page is the caller's, and must live as long. */
void diagnosis_serve_at(struct diagnosis *diagnosis, struct verdict_page *page);

/*
 * Call this each second: it tells apart what is late in this second only. Returns 0 or, after
 * saying what failed, a negative errno.
 */
int diagnosis_look(struct diagnosis *diagnosis);

/* Prints the verdict on the watch that ends, and begins another. Returns as output_flush(). */
int diagnosis_end_watch(struct diagnosis *diagnosis);

/* Returns whether any verdict had findings. */
bool diagnosis_found(const struct diagnosis *diagnosis);

#endif
