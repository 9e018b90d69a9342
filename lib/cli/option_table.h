/* SPDX-License-Identifier: GPL-2.0 */
/* The one table of options: parser, help and manual page derive from it. */
#ifndef NETSTACKLAT_OPTION_TABLE_H
#define NETSTACKLAT_OPTION_TABLE_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct option_entry {
	char letter;		  /* 0: none */
	const char *name;	  /* of the long form; NULL: none */
	const char *argument;	  /* what stands for it in the help; NULL: none */
	const char *help;	  /* a sentence without its full stop; %s stands for names */
	void (*names)(FILE *out); /* prints these: "a, b or c" */
	const char *detail;	  /* more sentences, for the manual page; NULL: none */

	/* Called where the option is given. Returns 0, or EINVAL after option_mistake(). */
	error_t (*parse)(struct argp_state *state, const struct option_entry *entry,
			 const char *argument);
	size_t field;	   /* of struct options, for parsers that are bound to one */
	uint64_t value;	   /* the largest one, or the one to set */
	bool compares;	   /* goes with --compare, which measures nothing */
	const char *alias; /* what bcc's netstacklat calls it, not in the help; NULL: the same */
};

struct option_section {
	const char *title; /* NULL: none */
	const struct option_entry *entries;
	size_t nr_entries;
};

#define NR_OPTION_SECTIONS 9
extern const struct option_section option_sections[NR_OPTION_SECTIONS];

/* The help with the names filled in, to be freed. */
char *option_help(const struct option_entry *entry);

/* Returns what messages call an option: "-r", or "--top" for those without a letter. */
const char *option_label(const struct option_entry *entry, char label[32]);

/* Says what is wrong with an argument, and makes the parser stop: returns EINVAL. */
error_t option_mistake(struct argp_state *state, const char *label, const char *argument,
		       const char *expected);

/* Reads an interval in seconds; label is what the user wrote it for. */
error_t option_parse_interval(struct argp_state *state, const char *label, const char *argument);

#define DEFAULT_INTERVAL_S 5
#define DEFAULT_TOP 10
#define DEFAULT_GROUP_ROWS 8192
#define DEFAULT_SLOW_LIMIT 100
#define DEFAULT_TRACE_LIMIT 10000
#define MAX_SLOW_LIMIT 1000000

#endif
