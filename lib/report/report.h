/* SPDX-License-Identifier: GPL-2.0 */
/* The content of a report, and its printers: one model, many printers. */
#ifndef NETSTACKLAT_REPORT_H
#define NETSTACKLAT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/utsname.h>
#include <stdio.h>
#include <time.h>

#include "lib/counts/groups.h"
#include "lib/host/self_usage.h"
#include "lib/host/settings.h"
#include "lib/tables/hooks.h"
#include "lib/counts/clock_steps.h"
#include "lib/report/drops.h"
#include "lib/report/labels.h"
#include "lib/tables/plan.h"
#include "lib/counts/snapshot.h"
#include "lib/base/terminal.h"

enum report_kind {
	REPORT_INTERVAL,   /* since the report before */
	REPORT_CUMULATIVE, /* since the start, with more to come */
	REPORT_TOTAL,	   /* since the start, and the last one */
};

/* The part that stays as it is from report to report. */
struct report_setup {
	struct plan plan;		 /* of what is measured ... */
	struct left_out left_out;	 /* ... but for what is not attached */
	clockid_t clock;		 /* that the programs read: CLOCK_TAI or CLOCK_MONOTONIC */
	bool summary;			 /* whether text has lines instead of histograms */
	bool full;			 /* whether to show every bucket where octaves would do */
	bool drops;			 /* whether to show what is dropped between hooks */
	struct reason_names *reasons;	 /* if these are shown */
	unsigned int served_resolution;	 /* of what Prometheus gets: that of histograms, or less */
	unsigned int top;		 /* how many groups of a hook to show in text */
	bool programs[MAX_PROGRAMS];	 /* those that are attached, for what they cost */
	char *const *command;		 /* the command line, up to NULL ... */
	struct utsname host;		 /* ... where it runs, and ... */
	const struct settings *settings; /* ... how that is set up; NULL: not asked */
};

/* A group, or a stage of one, that was seen in the time that a report covers. */
struct report_group {
	const struct group *group;
	const struct bucket *buckets; /* as many as its hook's histogram has */
	uint64_t count;
	uint64_t weight; /* by which it is ordered */
};

struct recording;

/* The input of every printer. */
struct report {
	const struct report_setup *setup;
	enum report_kind kind;
	uint64_t number;	 /* of this report, from 0 on */
	uint64_t time_ns;	 /* wall clock at its end, since 1970 */
	uint64_t duration_ns;	 /* the time it covers */
	int64_t clock_offset_ns; /* how far the programs' clock is ahead of the wall clock */
	struct clock_change clock_change; /* since the report before */
	uint64_t nr_clock_changes;	  /* since the start */
	uint64_t nr_missed; /* intervals without a report of their own, since the start */
	const struct hook_counts *hooks;       /* NR_HOOKS of them, counted in that time */
	const struct program_counts *programs; /* MAX_PROGRAMS of them, likewise */
	const uint64_t *slow;		       /* NR_SLOW_COUNTS of them, likewise */
	const struct report_group *groups;     /* all of a hook in a row, in some order */
	size_t nr_groups;
	struct rows_used rows;		   /* for groups, since the start */
	const struct report_group *stages; /* all of a table in a row, see report_list_stages() */
	size_t nr_stages;
	const struct report_group *queued; /* what is still on its way to a hook, by its age */
	size_t nr_queued;
	const struct report_drop *drops; /* see report_list_drops() */
	size_t nr_drops;
	struct label_names *names;	   /* of groups */
	const struct recording *recording; /* of all intervals so far, or NULL */
	const char *verdict;		   /* on it, for people; NULL: none */
	struct self_usage self;		   /* up to now; zero: not asked */
	uint64_t started_ns;		   /* likewise: since when; wall clock, since 1970 */
	struct terminal terminal;	   /* that it is printed for */
	bool resized;			   /* that terminal, since the report before */
};

/* "interval", "cumulative" or "total". */
const char *report_kind_name(enum report_kind kind);

/*
 * Prints which clocks changed, such as "clock changed at 12:00:03: wall clock +3600 s", on a line;
 * or nothing.
 */
void report_print_clock_change(FILE *out, const struct clock_change *change);

/* Prints how many slow packets were not reported, and why, on a line; or nothing. */
void report_print_unreported(FILE *out, const struct report *report);

/*
 * Prints how many of all packets were slow, on a line: "0 of 518 packets were slower than 20ms". A
 * packet that was reported at two hooks, as it got slower still, counts twice.
 */
void report_print_slow_share(FILE *out, const struct report *report);

/*
 * Prints how many packets at each hook have no latency, or no stage, and so are missing in a
 * drawing, on a line; or nothing.
 */
void report_print_undrawn(FILE *out, const struct report *report);

/* Returns whether a hook is measured: asked for, and attached. */
bool report_shows(const struct report *report, enum hook hook);

/* Returns whether stages that end there are. */
bool report_shows_stages_to(const struct report *report, enum hook hook);

/* The groups of a hook; returns how many there are. */
size_t report_groups(const struct report *report, enum hook hook,
		     const struct report_group **groups);

/* Call this before the labels of any group are asked for. */
void report_look_up_names(const struct report *report);

/* The histogram and the labels of a group. */
void report_group_latency(const struct report *report, const struct report_group *group,
			  struct histogram *latency);
void report_group_labels(const struct report *report, const struct report_group *group,
			 struct labels *labels);

/* Its labels as text, see labels_text(). */
char *report_group_text(const struct report *report, const struct report_group *group);

/* "tai" or "monotonic": the clock that the programs read. */
const char *report_clock_name(const struct report *report);

#endif
