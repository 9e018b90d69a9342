/* SPDX-License-Identifier: GPL-2.0 */
/* What a report says, and the printers that put it on paper: one model, many printers. */
#ifndef NETSTACKLAT_REPORT_H
#define NETSTACKLAT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "lib/counts/groups.h"
#include "lib/tables/hooks.h"
#include "lib/host/clock_steps.h"
#include "lib/host/labels.h"
#include "lib/counts/snapshot.h"
#include "lib/base/duration.h"
#include "lib/base/terminal.h"
#include "lib/report/group_order.h"

enum report_kind {
	REPORT_INTERVAL,   /* since the report before */
	REPORT_CUMULATIVE, /* since the start, with more to come */
	REPORT_TOTAL,	   /* since the start, and the last one */
};

/* What stays as it is from report to report. */
struct report_setup {
	bool hooks[NR_HOOKS];	      /* those to measure ... */
	struct left_out left_out;     /* ... and what of them is not attached */
	clockid_t clock;	      /* that the programs read: CLOCK_TAI or CLOCK_MONOTONIC */
	bool summary;		      /* whether text has lines instead of histograms */
	bool full;		      /* whether to show every bucket where octaves would do */
	bool stages;		      /* whether to show stages ... */
	bool followed[NR_HOOKS];      /* ... which begin at these hooks */
	bool wakeups;		      /* whether to tell the parts of what waits for readers */
	unsigned int group_by;	      /* keys, a bit each; 0 for no groups */
	struct reason_names *reasons; /* if these are among them */
	unsigned int top;	      /* how many groups of a hook to show in text */
	bool slow;		      /* whether packets that are slow are told of: */
	uint64_t slow_ns;	      /* those that are as late as this; 0: all */
	bool overhead;		      /* whether to show what the programs cost: */
	bool programs[MAX_PROGRAMS];  /* those that are attached */
};

/* A group, or a stage of one, that was seen in the time that a report covers. */
struct report_group {
	const struct group *group;
	const struct bucket *buckets; /* as many as its hook's histogram has */
	uint64_t count;
	uint64_t weight; /* by which it is ordered */
};

/* What every printer is given. */
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
	const struct report_group *stages; /* all of a table in a row, see report_list_stages() */
	size_t nr_stages;
	struct label_names *names; /* of groups */
	struct terminal terminal;  /* that it is printed for */
	bool resized;		   /* that terminal, since the report before */
};

/* "interval", "cumulative" or "total". */
const char *report_kind_name(enum report_kind kind);

#define BOUND_TEXT_SIZE (DURATION_TEXT_SIZE + 1)

/*
 * A figure that lies somewhere in this bucket, given as the largest latency that it holds: "8.19us"
 * or, of those above the last bound, ">17.2s". Returns text.
 */
const char *report_bound_text(const struct histogram *latency, unsigned int bucket,
			      char text[BOUND_TEXT_SIZE]);

/* "clock changed at 12:00:03: wall clock +3600 s", on a line, for what changed; or nothing. */
void report_print_clock_change(FILE *out, const struct clock_change *change);

/* How many slow packets were not told of, and why, on a line; or nothing. */
void report_print_untold(FILE *out, const struct report *report);

/*
 * How many of all packets were slow, on a line: "0 of 518 packets were slower than 20ms". One
 * that was told of at two hooks, as it was later still, counts twice.
 */
void report_print_slow_share(FILE *out, const struct report *report);

/* Whether a hook is measured: asked for, and attached. */
bool report_shows(const struct report *report, enum hook hook);

/* The groups of a hook; returns how many there are. */
size_t report_groups(const struct report *report, enum hook hook,
		     const struct report_group **groups);

/* The histogram and the labels of a group. */
void report_group_latency(const struct report *report, const struct report_group *group,
			  struct histogram *latency);
void report_group_labels(const struct report *report, const struct report_group *group,
			 struct labels *labels);

/* Its labels as text, see labels_text(). */
char *report_group_text(const struct report *report, const struct report_group *group);

/* "tai" or "monotonic": the clock that the programs read. */
const char *report_clock_name(const struct report *report);

/*
 * The groups that were seen, as reports have them, in this order: an array of *nr, to be freed. It
 * refers to groups and counts. Returns 0, or -ENOMEM after saying so.
 */
int report_list_groups(const struct group *groups, const struct group_counts *counts,
		       const struct group_order *order, struct report_group **list, size_t *nr);

/*
 * The same of stages: by table, then by group, and then in packet order. What comes first is the
 * stage from the stamp to netif-receive, if that hook is_shown: it is the histogram there.
 */
int report_list_stages(const struct group *groups, const struct snapshot *counts, bool is_shown,
		       const struct group_order *order, struct report_group **list, size_t *nr);

/* What is known of the packets of a stage: at first nothing, then their IP version and protocol. */
const char *report_stage_table(const struct report_group *stage);

/*
 * The names of where a stage begins and ends, and what lies in between: of hooks or "stamp"; with
 * --wakeups, also of what a reader does ("udp-socket-woken", "udp-socket-running").
 */
#define STAGE_NAME_SIZE 32
struct stage_names {
	char from[STAGE_NAME_SIZE], to[STAGE_NAME_SIZE];
	const char *before;
};
struct stage_names report_stage_names(const struct report *report, __u8 from, enum hook to);

/* Whether a stage goes past a hook that packets are followed to. */
bool report_stage_skips(const struct report *report, __u8 stage_from, enum hook to);

/* Whether stages end at a hook. */
bool report_stages_end_at(const struct report *report, enum hook hook);

/*
 * How a report is put onto paper. A document has a beginning, reports and an end: each report is a
 * document of its own, or all of them are one.
 */
struct packet_report;
struct printer {
	const char *name;				      /* as users choose it: -o name */
	void (*begin)(FILE *out, const struct report *first); /* NULL: nothing to print */
	void (*report)(FILE *out, const struct report *report);
	void (*end)(FILE *out);
	void (*packet)(FILE *out, const struct packet_report *packet); /* NULL: has no room */
	bool is_document;	 /* each report, so that it may replace a file as a whole */
	bool cumulative;	 /* makes sense only for all since the start */
	bool is_silent;		 /* prints nothing, so nobody need count for it */
	bool no_groups;		 /* has no room for groups */
	bool no_overhead;	 /* nor for what the programs cost */
	unsigned int resolution; /* unless users choose another one */
};

#define NR_PRINTERS 6
extern const struct printer *const printers[NR_PRINTERS];

/* NULL if there is none of that name. */
const struct printer *printer_find(const char *name);

/*
 * Prints a report. If it is the first of its document, the beginning comes before it, and if it is
 * all of it, the end behind.
 */
void printer_print(const struct printer *printer, FILE *out, const struct report *report);

/*
 * The same into memory, to be freed; *size is without the zero behind. NULL with errno set: ENOMEM,
 * or EFBIG if it would take more than so many bytes.
 */
char *printer_print_to_memory(const struct printer *printer, const struct report *report,
			      size_t largest, size_t *size);

/* The printers. What they print is described in the manual page. */
extern const struct printer printer_text, printer_json, printer_openmetrics, printer_prometheus,
	printer_heatmap, printer_none;

#endif
