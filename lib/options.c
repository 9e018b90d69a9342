// SPDX-License-Identifier: GPL-2.0
#include "options.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"
#include "output.h"

#define PROGRAM "netstacklat"
#define NS_PER_S 1e9
#define DEFAULT_INTERVAL_S 5
#define MIN_INTERVAL_S 0.001
#define MAX_INTERVAL_S 86400

/* Of options without a letter. */
enum { KEY_USAGE = 256, KEY_CHECK, KEY_BTF, KEY_CUMULATIVE, KEY_FULL, KEY_OUTPUT_FILE };

static const struct argp_option option_table[] = {
	{ "report-interval", 'r', "SECONDS", 0,
	  "Print a report every SECONDS, 0.001 to 86400 (default 5)", 0 },
	{ "enable-probes", 'e', "LIST", 0,
	  "Measure at these hooks only: names, kernel functions or patterns such as tcp-*, "
	  "separated by commas",
	  0 },
	{ "disable-probes", 'd', "LIST", 0, "Do not measure at these hooks", 0 },
	{ "list-probes", 'l', NULL, 0,
	  "List the hooks in packet order, and whether this kernel has them", 0 },
	{ "include-tcp-hol-delay", 'y', NULL, 0,
	  "At tcp-socket-read, count data that waited behind a lost segment, too", 0 },
	{ "output", 'o', "FORMAT", 0,
	  "Print reports as text (the default), json, openmetrics or heatmap", 0 },
	{ NULL, 'j', NULL, 0, "The same as -o json", 0 },
	{ "output-file", KEY_OUTPUT_FILE, "FILE", 0,
	  "With -o openmetrics, replace FILE at each report", 0 },
	{ "resolution", 'k', "K", 0,
	  "Count in 2^K buckets an octave, K from 0 to 4 (default 0; 2 for heatmaps)", 0 },
	{ "full", KEY_FULL, NULL, 0, "Show every bucket in text, not just octaves", 0 },
	{ "cumulative", KEY_CUMULATIVE, NULL, 0,
	  "Report what was counted since the start, not in each interval", 0 },
	{ "check", KEY_CHECK, NULL, 0,
	  "Print what this host can do and what to do about the rest, hook by hook", 0 },
	{ "btf", KEY_BTF, "FILE", 0,
	  "Take the types of this very kernel from FILE, where /sys/kernel/btf is hidden", 0 },
	{ "verbose", 'v', NULL, 0, "Say what is being done, with libbpf's warnings", 0 },
	{ "help", 'h', NULL, 0, "Print this help", -1 },
	{ "usage", KEY_USAGE, NULL, 0, "Print a short usage message", -1 },
	{ "version", 'V', NULL, 0, "Print the version", -1 },
	{ 0 },
};

static const char doc[] =
	"Where in this host's receive path do packets wait, and how long?\n"
	"\n"
	"Measures the time from a packet's receive time stamp to each hook that it passes on its "
	"way up the network stack, and prints a histogram for each hook every INTERVAL seconds, "
	"COUNT times or until interrupted. Needs root and Linux 5.10 or newer."
	"\v"
	"SIGINT (Ctrl-C) and SIGTERM end a run with the last, partial interval and the total "
	"since the start.\n"
	"\n"
	"Exit status: 0 after a complete run, 1 if it failed, 64 for a mistake on the command "
	"line, 77 if this user or kernel cannot trace.";

/* Says what is wrong with the argument of what, and makes the parser stop. */
static error_t mistake(struct argp_state *state, const char *what, const char *argument,
		       const char *expected)
{
	argp_error(state, "%s '%s': expected %s", what, argument, expected);
	return EINVAL;
}

static error_t parse_interval(struct argp_state *state, const char *what, const char *argument)
{
	struct options *options = state->input;
	char *end;
	double seconds = strtod(argument, &end);

	/* The comparison is false for NaN, too. */
	if (end == argument || *end || !(seconds >= MIN_INTERVAL_S && seconds <= MAX_INTERVAL_S))
		return mistake(state, what, argument, "seconds from 0.001 to 86400");
	if (options->reports.interval_ns)
		return mistake(state, what, argument, "the interval only once");
	options->reports.interval_ns = seconds * NS_PER_S + 0.5;
	return 0;
}

static error_t parse_count(struct argp_state *state, const char *argument)
{
	struct options *options = state->input;
	char *end;

	errno = 0;
	options->count = strtoull(argument, &end, 10);
	if (errno || end == argument || *end || !options->count || strchr(argument, '-'))
		return mistake(state, "COUNT", argument, "a whole number of reports, 1 or more");
	return 0;
}

static error_t parse_output(struct argp_state *state, const char *name)
{
	struct options *options = state->input;

	options->reports.printer = printer_find(name);
	if (!options->reports.printer)
		return mistake(state, "-o", name, "text, json, openmetrics or heatmap");
	return 0;
}

static error_t parse_resolution(struct argp_state *state, const char *argument)
{
	struct options *options = state->input;

	if (!isdigit((unsigned char)*argument) || argument[1] || *argument - '0' > MAX_RESOLUTION)
		return mistake(state, "-k", argument, "0, 1, 2, 3 or 4");
	options->programs.resolution = *argument - '0';
	options->has_resolution = true;
	return 0;
}

static error_t parse_hooks(struct argp_state *state, const char *what, const char *list,
			   bool enable)
{
	struct options *options = state->input;
	char pattern[64];

	/* Also for an empty list, and for an empty element at its end. */
	do {
		size_t length = strcspn(list, ",");

		snprintf(pattern, sizeof(pattern), "%.*s", (int)length, list);
		if (!hooks_select(pattern, enable, options->programs.hooks))
			return mistake(state, what, pattern, "hooks that --list-probes lists");
		list += length;
	} while (*list++);
	return 0;
}

/* The first -e turns "all hooks" into "these hooks". */
static error_t parse_enabled(struct argp_state *state, const char *list)
{
	struct options *options = state->input;

	if (!options->some_enabled)
		memset(options->programs.hooks, false, sizeof(options->programs.hooks));
	options->some_enabled = true;
	return parse_hooks(state, "-e", list, true);
}

/* What only all options together tell, and what is left to defaults. */
static error_t complete(struct argp_state *state)
{
	struct options *options = state->input;
	struct reporter_config *reports = &options->reports;

	if (!memchr(options->programs.hooks, true, sizeof(options->programs.hooks))) {
		argp_error(state, "-d leaves no hook to measure at");
		return EINVAL;
	}
	if (!reports->printer)
		reports->printer = &printers[0];
	if (reports->path && !reports->printer->to_file) {
		argp_error(state, "--output-file goes with -o openmetrics only; redirect others");
		return EINVAL;
	}
	if (reports->printer->cumulative)
		reports->cumulative = true;
	if (!options->has_resolution)
		options->programs.resolution = reports->printer->resolution;
	if (!reports->interval_ns)
		reports->interval_ns = DEFAULT_INTERVAL_S * NS_PER_S;
	return 0;
}

static error_t parse_argument(struct argp_state *state, const char *argument)
{
	switch (state->arg_num) {
	case 0:
		return parse_interval(state, "INTERVAL", argument);
	case 1:
		return parse_count(state, argument);
	default:
		return mistake(state, "argument", argument, "nothing after INTERVAL and COUNT");
	}
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'r':
		return parse_interval(state, "-r", argument);
	case 'e':
		return parse_enabled(state, argument);
	case 'd':
		return parse_hooks(state, "-d", argument, false);
	case 'o':
		return parse_output(state, argument);
	case 'j':
		return parse_output(state, "json");
	case KEY_OUTPUT_FILE:
		options->reports.path = argument;
		return 0;
	case 'k':
		return parse_resolution(state, argument);
	case KEY_FULL:
		options->full = true;
		return 0;
	case KEY_CUMULATIVE:
		options->reports.cumulative = true;
		return 0;
	case KEY_CHECK:
		options->action = ACTION_CHECK;
		return 0;
	case KEY_BTF:
		options->programs.btf_path = argument;
		return 0;
	case 'l':
		options->action = ACTION_LIST;
		return 0;
	case 'y':
		options->programs.include_hol_delay = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case 'h':
		options->action = ACTION_HELP;
		return 0;
	case KEY_USAGE:
		options->action = ACTION_USAGE;
		return 0;
	case 'V':
		options->action = ACTION_VERSION;
		return 0;
	case ARGP_KEY_ARG:
		return parse_argument(state, argument);
	case ARGP_KEY_END:
		return complete(state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = option_table,
	.parser = parse_option,
	.args_doc = "[INTERVAL [COUNT]]",
	.doc = doc,
};

bool options_parse(struct options *options, int argc, char **argv)
{
	*options = (struct options){ .action = ACTION_RUN };
	memset(options->programs.hooks, true, sizeof(options->programs.hooks));

	/* argp's own --help and --version print and exit on the spot; here that is left to the
	 * caller. */
	if (argp_parse(&parser, argc, argv, ARGP_NO_HELP | ARGP_NO_EXIT, NULL, options))
		return false;
	return true;
}

int options_print(enum options_action action)
{
	switch (action) {
	case ACTION_HELP:
		argp_help(&parser, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK, PROGRAM);
		break;
	case ACTION_USAGE:
		argp_help(&parser, stdout, ARGP_HELP_USAGE, PROGRAM);
		break;
	case ACTION_VERSION:
		puts(PROGRAM " " VERSION);
		break;
	default:
		break;
	}
	return output_flush();
}
