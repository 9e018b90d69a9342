// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cli/option_table.h"
#include "lib/counts/stages.h"
#include "lib/serve/diagnosis.h"
#include "lib/serve/output.h"
#include "lib/tables/units.h"
#include "lib/print/printer.h"
#include "lib/report/group_order.h"

/* This is for pictures, in which an interval is a column. */
#define DEFAULT_COLUMN_S 1

#define PROGRAM "netstacklat"

static const char doc[] =
	"Where do packets wait in this host, for how long, and why?\n"
	"\n"
	"Measures the time from a packet's receive time stamp to each hook that it passes on its "
	"way up the network stack, and prints a histogram for each hook every INTERVAL seconds, "
	"COUNT times or until interrupted. --diagnose says in sentences what is late, and why. Needs "
	"root and Linux 5.10 or newer."
	"\v"
	"SIGINT (Ctrl-C), SIGTERM and SIGHUP end a run with the last, partial interval and the total "
	"since the start.\n"
	"\n"
	"Exit status: 0 after a complete run, 3 if --diagnose found something or --compare more than "
	"its limit, 4 if that cannot be told, 1 if it failed, 64 for a mistake on the command line, "
	"77 if this user or kernel cannot trace.";

static error_t parse_count(struct argp_state *state, const char *argument)
{
	struct options *options = state->input;
	char *end;

	errno = 0;
	options->count = strtoull(argument, &end, 10);
	if (errno || end == argument || *end || !options->count || strchr(argument, '-'))
		return option_mistake(state, "COUNT", argument,
				      "a whole number of reports, 1 or more");
	return 0;
}

static error_t parse_argument(struct argp_state *state, const char *argument)
{
	switch (state->arg_num) {
	case 0:
		return option_parse_interval(state, "INTERVAL", argument);
	case 1:
		return parse_count(state, argument);
	default:
		return option_mistake(state, "argument", argument,
				      "nothing after INTERVAL and COUNT");
	}
}

/* The files behind -- are of the side after. */
static error_t add_compared(struct argp_state *state, const char *path)
{
	struct options *options = state->input;
	enum side side = state->quoted ? SIDE_AFTER : SIDE_BEFORE;

	if (options->nr_compared[side] == MAX_RUNS) {
		argp_error(state, "--compare takes no more than %u files a side", MAX_RUNS);
		return EINVAL;
	}
	options->compared[side][options->nr_compared[side]++] = path;
	return 0;
}

/* Returns what is wrong if a terminal would get the page, or NULL. */
static const char *page_on_terminal(const struct options *options)
{
	if (options->reports.printer->records && !options->output_file && isatty(STDOUT_FILENO))
		return "-o html prints a page for a browser: redirect it, as in '> report.html'";
	return NULL;
}

static error_t complete_comparison(struct argp_state *state)
{
	struct options *options = state->input;
	char label[32];

	if (!options->nr_compared[SIDE_BEFORE] || !options->nr_compared[SIDE_AFTER]) {
		argp_error(state, "--compare takes files of -j, before and after: a1.json "
				  "a2.json a3.json -- b1.json b2.json b3.json");
		return EINVAL;
	}
	if (options->measures) {
		argp_error(state, "--compare reads what was measured: %s is of no use there",
			   option_label(options->measures, label));
		return EINVAL;
	}
	if (!options->reports.printer)
		options->reports.printer = &printer_text;
	if (options->reports.printer != &printer_text &&
	    options->reports.printer != &printer_json &&
	    options->reports.printer != &printer_html) {
		argp_error(state, "--compare goes with -o text, -o html and -j only");
		return EINVAL;
	}
	if (page_on_terminal(options)) {
		argp_error(state, "%s", page_on_terminal(options));
		return EINVAL;
	}
	return 0;
}

static bool leaves_hooks(const struct options *options)
{
	unsigned int filter_by = filter_lists_active(&options->filters);

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (options->plan.hooks[hook] && filter_unknown_at(hook, filter_by) == NR_FILTERS)
			return true;
	return false;
}

static bool leaves_stages(const struct options *options)
{
	const bool *hooks = options->plan.hooks;
	stage_blocks blocks;

	return stages_number(hooks, hooks, false, blocks);
}

const struct printer *packet_printer(const struct options *options)
{
	const struct printer *printer = options->reports.printer;

	/* Standard output is free if reports go to a file, or if there are none. */
	if (options->output_file || printer->is_silent)
		return &printer_text;
	return printer->packet ? printer : NULL;
}

/* The way out has nothing but stages. */
static bool has_sent(const struct options *options)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (options->plan.hooks[hook] && hooks[hook].has & HAS_SENT)
			return true;
	return false;
}

/* Names the option that was given. */
static const char *few_stages(const struct options *options)
{
	if (options->plan.trace)
		return "--trace takes two or more hooks that packets pass one after the other; "
		       "--slow=1ns reports packets at a single one";
	if (options->plan.wakeups)
		return "--wakeups takes two or more hooks that packets pass one after the other";
	if (has_sent(options))
		return "on the way out, packets wait from one hook to the next: measure at two or "
		       "more, such as -e 'tx-*'";
	return "--stages takes two or more hooks that packets pass one after the other";
}

static bool prints_no_reports(const struct options *options)
{
	return options->reports.quiet || options->reports.printer->is_silent;
}

/* Returns whether an option is given that only printed reports have a use for. */
static bool shapes_reports(const struct options *options)
{
	return options->summary || options->full || options->reports.cumulative ||
	       options->reports.order || options->top;
}

/* Returns whether anything is asked for that a diagnosis decides. */
static bool names_what_to_measure(const struct options *options)
{
	const struct plan *plan = &options->plan;

	return options->some_enabled ||
	       memchr(options->disabled, true, sizeof(options->disabled)) || plan->group_by ||
	       plan->slow || plan->include_hol_delay || options->has_resolution ||
	       shapes_reports(options) || options->plan.overhead || options->output_file ||
	       options->forget_ns || options->reports.printer->no_verdict;
}

/* INTERVAL is known by now. */
static bool has_several_watches(const struct options *options)
{
	return options->count > 1 || options->listen.nr ||
	       options->duration_ns > options->reports.interval_ns;
}

/* Returns what does not go with --diagnose, or not without it; or NULL. */
static const char *conflict_of_diagnosis(const struct options *options)
{
	const struct printer *printer = options->reports.printer;

	if (options->diagnose && names_what_to_measure(options))
		return "--diagnose chooses itself what to measure and to report: it goes with filters, "
		       "--late, --late-application, --stack, --max-groups, --duration, --listen, --live, "
		       "-o text, -o html, -o collapsed, -j, INTERVAL and COUNT only";
	if (options->diagnose && printer->records && has_several_watches(options))
		return "--diagnose -o html prints a page with one verdict: it does not go with COUNT, "
		       "--listen and a --duration of several watches";
	if (options->plan.stacks && !options->diagnose)
		return "--stack and -o collapsed show in what code packets wait by --diagnose, which is "
		       "not given";
	if ((options->late.stack_ns || options->late.application_ns) && !options->diagnose)
		return "--late and --late-application say what is late for --diagnose, which is not "
		       "given";
	return NULL;
}

/* --live and -o html draw intervals. Returns the option that does not go with that, or NULL. */
static const char *conflict_of_drawing(const struct options *options)
{
	const struct printer *printer = options->reports.printer;

	if (options->live && printer != &printer_text)
		return "--live goes with -o text only";
	if (options->live && (options->plan.overhead || options->reports.cumulative))
		return "--live draws intervals: it does not go with --overhead and --cumulative";
	if (printer->records && options->reports.cumulative)
		return "-o html draws intervals, and so does -o heatmap in a pipe: that does not go "
		       "with --cumulative";
	return page_on_terminal(options);
}

/* NULL if all options go together, or what is wrong. */
static const char *find_conflict(const struct options *options)
{
	const struct printer *printer = options->reports.printer;

	if (!memchr(options->plan.hooks, true, sizeof(options->plan.hooks)))
		return "-d leaves no hook to measure at";
	if (options->plan.stages && !leaves_stages(options))
		return few_stages(options);
	if (!leaves_hooks(options))
		return "none of these hooks knows all that is filtered by, see --list-probes";
	if (conflict_of_diagnosis(options))
		return conflict_of_diagnosis(options);
	if (conflict_of_drawing(options))
		return conflict_of_drawing(options);
	if (options->output_file && !printer->is_document && !options->live)
		return "--output-file goes with --live and -o html, openmetrics and prometheus only; "
		       "redirect others";
	if (options->plan.group_by && printer->no_groups)
		return "heatmaps have no room for groups";
	if (options->plan.overhead && printer->no_overhead)
		return "heatmaps have no room for the overhead";
	if (printer->is_silent && !options->listen.nr && !options->plan.slow)
		return "-o none goes with --listen, --slow and --trace only: nothing would be reported";
	if (prints_no_reports(options) && shapes_reports(options))
		return "no reports are printed that -s, --full, --cumulative, --sort or --top "
		       "would change: INTERVAL asks for them, and -o none does not";
	if (options->hosts && !options->listen.nr)
		return "--host says by which names --listen is asked, which is not given";
	if (options->web_config && !options->listen.nr)
		return "--web.config.file says how --listen serves, which is not given";
	if (options->forget_ns && !options->listen.nr && !printer->cumulative)
		return "--forget goes with --listen, -o openmetrics and -o prometheus only";
	if (options->forget_ns && !options->plan.group_by)
		return "--forget forgets groups, so it takes -g";
	if (!options->plan.slow &&
	    (options->packet_count || options->plan.slow_limit || options->pcap))
		return "--slow-limit, --count and --pcap are for slow packets: they take --slow "
		       "or --trace";
	if (options->plan.trace && options->plan.slow_ns)
		return "--trace reports all packets, --slow those that are late: give one of "
		       "both";
	if (options->plan.slow && !packet_printer(options))
		return "--slow and --trace go with -o text, -o json and -o none, or with "
		       "--output-file";
	if (options->fail_if.row)
		return "--fail-if says by how much the sides of --compare may differ, which is not "
		       "given";
	return NULL;
}

/* Other options, in whatever order they come, decide which hooks are on by default. */
static void select_hooks_of_stages(struct options *options)
{
	bool defaults[NR_HOOKS];

	hooks_select_default(options->plan.trace ? HOOK_TRACE : HOOK_STAGES, defaults);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (defaults[hook] && !options->disabled[hook] && !options->some_enabled)
			options->plan.hooks[hook] = true;
}

/*
 * A service prints nothing, unless its options ask for reports: a format, a file, or an interval;
 * or for slow packets, which are printed, too.
 */
static const struct printer *default_printer(const struct options *options)
{
	const struct reporter_config *reports = &options->reports;

	if (options->listen.nr && !options->live && !options->output_file &&
	    !reports->interval_ns && !options->plan.slow)
		return &printer_none;
	return printers[0];
}

static uint64_t default_watch_ns(const struct options *options)
{
	if (options->listen.nr)
		return DEFAULT_SERVED_WATCH_S * NS_PER_S;
	return options->duration_ns ? options->duration_ns : DEFAULT_WATCH_S * NS_PER_S;
}

static void complete_diagnosis(struct options *options)
{
	diagnosis_complete(&options->late);
	diagnosis_select(&options->plan, &options->late);
	if (!options->count && !options->duration_ns && !options->listen.nr && !options->live)
		options->count = 1;
}

/*
 * Prometheus gets octaves, whatever is printed besides. Programs without filters and groups still
 * count at the default resolution, which takes the fewest instructions.
 */
static unsigned int default_resolution(const struct options *options)
{
	bool is_served = options->listen.nr || options->reports.printer->cumulative;

	if (options->live || !is_served)
		return options->reports.printer->resolution;
	return options->plan.group_by || filter_lists_active(&options->filters)
		       ? 0
		       : DEFAULT_RESOLUTION;
}

/* Defaults, and mistakes that only all options together show. */
static error_t complete(struct argp_state *state)
{
	struct options *options = state->input;
	struct reporter_config *reports = &options->reports;
	const char *conflict;

	if (options->plan.trace || has_sent(options))
		options->plan.stages = true;
	if (options->plan.stages)
		select_hooks_of_stages(options);
	if (!reports->printer)
		reports->printer = default_printer(options);
	/* A pipe gets a heatmap as a whole, at the end. */
	if (reports->printer == &printer_heatmap && !isatty(STDOUT_FILENO))
		reports->printer = &printer_heatmap_blocks;
	options->plan.stacks |= reports->printer->shows_stacks;
	reports->cumulative |= reports->printer->cumulative;
	reports->forget_ns = options->forget_ns;
	if (!options->has_resolution)
		options->plan.resolution = default_resolution(options);
	if (!reports->interval_ns && !options->diagnose &&
	    (options->live || reports->printer->records))
		reports->interval_ns = DEFAULT_COLUMN_S * NS_PER_S;
	/* Users who watch packets go by ask for reports in between, or get none. */
	reports->quiet = options->plan.slow &&
			 (reports->printer->is_silent ||
			  (reports->printer == &printer_text && !reports->interval_ns));
	if (!reports->interval_ns && options->diagnose)
		reports->interval_ns = default_watch_ns(options);
	if (!reports->interval_ns)
		reports->interval_ns = DEFAULT_INTERVAL_S * NS_PER_S;

	conflict = find_conflict(options);
	if (conflict) {
		argp_error(state, "%s", conflict);
		return EINVAL;
	}
	if (options->diagnose)
		complete_diagnosis(options);
	if (!reports->order)
		reports->order = &group_orders[0];
	if (!options->top)
		options->top = DEFAULT_TOP;
	if (!options->plan.slow_limit)
		options->plan.slow_limit =
			options->plan.trace ? DEFAULT_TRACE_LIMIT : DEFAULT_SLOW_LIMIT;
	return 0;
}

#define MAX_OPTIONS 80
/*
 * argp knows options by numbers: by their letters or, from this number on, by their places in the
 * table.
 */
#define FIRST_KEY 256

/* argp's form of the option table, made once. */
static struct argp_option argp_options[MAX_OPTIONS];
static const struct option_entry *entries[MAX_OPTIONS];
static int nr_options;

static void add_argp_option(const struct argp_option *option, const struct option_entry *entry)
{
	/* One is for the end of the table. */
	if (nr_options == MAX_OPTIONS - 1)
		abort();
	argp_options[nr_options] = *option;
	entries[nr_options++] = entry;
}

/* Another name of the option before. */
static void add_alias(const char *name)
{
	const struct argp_option alias = { .name = name, .flags = OPTION_ALIAS | OPTION_HIDDEN };

	add_argp_option(&alias, NULL);
}

static void make_argp_options(void)
{
	if (nr_options)
		return;
	for (int i = 0; i < NR_OPTION_SECTIONS; i++) {
		const struct option_section *section = &option_sections[i];
		/* argp prints the last section, of help itself, last. */
		int group = i == NR_OPTION_SECTIONS - 1 ? -1 : i;
		const struct argp_option title = { .doc = section->title, .group = group };

		if (section->title)
			add_argp_option(&title, NULL);
		for (size_t j = 0; j < section->nr_entries; j++) {
			const struct option_entry *entry = &section->entries[j];
			const struct argp_option option = {
				.name = entry->name,
				.key = entry->letter ? entry->letter : FIRST_KEY + nr_options,
				.arg = entry->argument,
				.doc = option_help(entry),
				.group = group,
			};

			add_argp_option(&option, entry);
			if (entry->alias)
				add_alias(entry->alias);
		}
	}
}

static error_t parse_option(struct argp_state *state, const struct option_entry *entry,
			    const char *argument)
{
	struct options *options = state->input;

	if (!entry->compares)
		options->measures = entry;
	return entry->parse(state, entry, argument);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	const struct options *options = state->input;
	bool compares = options->action == ACTION_COMPARE;

	if (key == ARGP_KEY_ARG)
		return compares ? add_compared(state, argument) : parse_argument(state, argument);
	if (key == ARGP_KEY_END)
		return compares ? complete_comparison(state) : complete(state);
	for (int i = 0; i < nr_options; i++)
		if (entries[i] && argp_options[i].key == key)
			return parse_option(state, entries[i], argument);
	return ARGP_ERR_UNKNOWN;
}

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "[INTERVAL [COUNT]]\n--compare FILE... -- FILE...",
	.doc = doc,
};

bool options_parse(struct options *options, int argc, char **argv)
{
	*options = (struct options){
		.action = ACTION_RUN,
		.command = argv,
		.plan.max_groups = DEFAULT_GROUP_ROWS,
	};
	hooks_select_default(HOOK_ON, options->plan.hooks);
	make_argp_options();

	/*
	 * argp's own --help and --version print and exit on the spot; here, the caller does that.
	 * ARGP_IN_ORDER keeps the "--" between the sides of --compare in its place.
	 */
	return !argp_parse(&parser, argc, argv, ARGP_NO_HELP | ARGP_NO_EXIT | ARGP_IN_ORDER, NULL,
			   options);
}

int options_print(enum options_action action)
{
	make_argp_options();
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
