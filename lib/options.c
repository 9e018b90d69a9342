// SPDX-License-Identifier: GPL-2.0
#include "options.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"
#include "list.h"
#include "output.h"

#define PROGRAM "netstacklat"
#define NS_PER_S 1e9
#define DEFAULT_INTERVAL_S 5
#define MIN_INTERVAL_S 0.001
#define MAX_INTERVAL_S 86400
#define DEFAULT_TOP 10
#define DEFAULT_GROUP_ROWS 8192
/* The buckets of all rows have numbers of 32 bits. */
#define MAX_GROUP_ROWS (UINT32_MAX / MAX_BUCKETS)

/* Of options without a letter. */
enum {
	KEY_USAGE = 256,
	KEY_CHECK,
	KEY_BTF,
	KEY_CUMULATIVE,
	KEY_FULL,
	KEY_OUTPUT_FILE,
	KEY_COMM,
	KEY_TOP,
	KEY_MAX_GROUPS,
};

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
	{ NULL, 0, NULL, 0, "Whose packets; lists are separated by commas:", 1 },
	{ "interfaces", 'i', "LIST", 0,
	  "Names or indexes, in the network namespaces of -n or, without -n, in this one", 1 },
	{ "network-namespace", 'n', "LIST", 0,
	  "Names, paths, process ids, inode numbers, self or all (default all)", 1 },
	{ "cgroups", 'c', "LIST", 0,
	  "Of sockets: paths or ids of cgroups (v2), with all that is below them", 1 },
	{ "pids", 'p', "LIST", 0, "Of processes that read, at *-socket-read", 1 },
	{ "comm", KEY_COMM, "LIST", 0, "The names of threads that read, at *-socket-read", 1 },
	{ "ports", 'P', "LIST", 0, "Local ports, where a TCP or UDP socket is known", 1 },
	{ NULL, '4', NULL, 0, "IPv4", 1 },
	{ NULL, '6', NULL, 0, "IPv6", 1 },
	{ "min-queuelength", 'q', "N", 0,
	  "Packets that find N or more on their socket's receive queue", 1 },
	{ NULL, 0, NULL, 0, "Grouped how:", 2 },
	{ "group-by", 'g', "LIST", 0,
	  "A histogram each by interface, netns, cgroup, port, pid, comm, cpu or ip-version, in "
	  "any combination",
	  2 },
	{ "groupby-interface", 'I', NULL, 0, "The same as -g interface", 2 },
	{ "groupby-cgroup", 'C', NULL, 0, "The same as -g cgroup", 2 },
	{ "top", KEY_TOP, "N", 0, "In text, show the N busiest groups of a hook (default 10)", 2 },
	{ "max-groups", KEY_MAX_GROUPS, "N", 0,
	  "Have room for N rows: each group takes one for each kernel function and CPU that it is "
	  "seen at (default 8192)",
	  2 },
	{ NULL, 0, NULL, 0, "Reports:", 3 },
	{ "output", 'o', "FORMAT", 0,
	  "Print reports as text (the default), json, openmetrics or heatmap", 3 },
	{ NULL, 'j', NULL, 0, "The same as -o json", 3 },
	{ "output-file", KEY_OUTPUT_FILE, "FILE", 0,
	  "With -o openmetrics, replace FILE at each report", 3 },
	{ "resolution", 'k', "K", 0,
	  "Count in 2^K buckets an octave, K from 0 to 4 (default 0; 2 for heatmaps)", 3 },
	{ "full", KEY_FULL, NULL, 0, "Show every bucket in text, not just octaves", 3 },
	{ "cumulative", KEY_CUMULATIVE, NULL, 0,
	  "Report what was counted since the start, not in each interval", 3 },
	{ NULL, 0, NULL, 0, "About this host and this program:", 4 },
	{ "check", KEY_CHECK, NULL, 0,
	  "Print what this host can do and what to do about the rest, hook by hook", 4 },
	{ "btf", KEY_BTF, "FILE", 0,
	  "Take the types of this very kernel from FILE, where /sys/kernel/btf is hidden", 4 },
	{ "verbose", 'v', NULL, 0, "Say what is being done, with libbpf's warnings", 4 },
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
	char pattern[LIST_ELEMENT_SIZE];

	while (list_next(&list, pattern))
		if (!hooks_select(pattern, enable, options->programs.hooks))
			return mistake(state, what, pattern, "hooks that --list-probes lists");
	return 0;
}

static error_t parse_filter(struct argp_state *state, enum fact fact, const char *list)
{
	struct options *options = state->input;
	char element[LIST_ELEMENT_SIZE];
	const char *expected = filters_expected(fact, list, element);

	if (expected)
		return mistake(state, facts[fact].option, element, expected);
	if (options->filters.lists[fact])
		return mistake(state, facts[fact].option, list, "that option only once");
	options->filters.lists[fact] = list;
	return 0;
}

static error_t parse_number(struct argp_state *state, const char *what, const char *argument,
			    uint32_t max, uint32_t *number)
{
	char expected[64];
	uint64_t value;

	snprintf(expected, sizeof(expected), "a whole number from 1 to %" PRIu32, max);
	if (!list_number(argument, max, &value) || !value)
		return mistake(state, what, argument, expected);
	*number = value;
	return 0;
}

static error_t parse_min_queue_length(struct argp_state *state, const char *argument)
{
	struct filter_lists *filters = &((struct options *)state->input)->filters;

	if (filters->has_min_queue_length)
		return mistake(state, "-q", argument, "that option only once");
	filters->has_min_queue_length = true;
	return parse_number(state, "-q", argument, UINT32_MAX, &filters->min_queue_length);
}

static void group_by(struct argp_state *state, enum fact fact)
{
	((struct options *)state->input)->programs.group_by |= 1U << fact;
}

/* Names are spelled with a dash here, and with an underscore where they are labels. */
static bool is_group_key(const char *name, const char *element)
{
	if (!name || strlen(name) != strlen(element))
		return false;
	for (; *name; name++, element++)
		if (*element != (*name == '_' ? '-' : *name))
			return false;
	return true;
}

static error_t parse_group_by(struct argp_state *state, const char *list)
{
	char element[LIST_ELEMENT_SIZE];

	while (list_next(&list, element)) {
		enum fact fact = 0;

		while (fact < NR_FACTS && !is_group_key(facts[fact].name, element))
			fact++;
		if (fact == NR_FACTS)
			return mistake(state, "-g", element,
				       "interface, netns, cgroup, port, pid, comm, cpu or "
				       "ip-version");
		group_by(state, fact);
	}
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

static bool leaves_hooks(const struct options *options)
{
	unsigned int filter_by = filter_lists_facts(&options->filters);

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (options->programs.hooks[hook] && filter_unknown_at(hook, filter_by) == NR_FACTS)
			return true;
	return false;
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
	if (!leaves_hooks(options)) {
		argp_error(state, "at no hook is all known that is filtered by, see --list-probes");
		return EINVAL;
	}
	if (!reports->printer)
		reports->printer = &printers[0];
	if (reports->path && !reports->printer->to_file) {
		argp_error(state, "--output-file goes with -o openmetrics only; redirect others");
		return EINVAL;
	}
	if (options->programs.group_by && reports->printer->no_groups) {
		argp_error(state, "-o %s has no room for groups", reports->printer->name);
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
	case 'i':
		return parse_filter(state, FACT_INTERFACE, argument);
	case 'n':
		return parse_filter(state, FACT_NETNS, argument);
	case 'c':
		return parse_filter(state, FACT_CGROUP, argument);
	case 'p':
		return parse_filter(state, FACT_PID, argument);
	case KEY_COMM:
		return parse_filter(state, FACT_COMM, argument);
	case 'P':
		return parse_filter(state, FACT_PORT, argument);
	case '4':
		options->filters.ipv4 = true;
		return 0;
	case '6':
		options->filters.ipv6 = true;
		return 0;
	case 'q':
		return parse_min_queue_length(state, argument);
	case 'g':
		return parse_group_by(state, argument);
	case 'I':
		group_by(state, FACT_INTERFACE);
		return 0;
	case 'C':
		group_by(state, FACT_CGROUP);
		return 0;
	case KEY_TOP:
		return parse_number(state, "--top", argument, UINT32_MAX, &options->top);
	case KEY_MAX_GROUPS:
		return parse_number(state, "--max-groups", argument, MAX_GROUP_ROWS,
				    &options->programs.max_groups);
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
	*options = (struct options){
		.action = ACTION_RUN,
		.programs.max_groups = DEFAULT_GROUP_ROWS,
		.top = DEFAULT_TOP,
	};
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
