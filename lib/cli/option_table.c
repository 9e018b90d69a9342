// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/option_table.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/duration.h"
#include "lib/base/list.h"
#include "lib/cli/options.h"
#include "lib/tables/attributes.h"
#include "lib/tables/units.h"
#include "lib/print/printer.h"
#include "lib/report/group_order.h"

#define MIN_INTERVAL_S 0.001
#define MAX_INTERVAL_S 86400
/* The buckets of all rows have numbers of 32 bits. */
#define MAX_GROUP_ROWS (UINT32_MAX / MAX_BUCKETS)

error_t option_mistake(struct argp_state *state, const char *label, const char *argument,
		       const char *expected)
{
	argp_error(state, "%s '%s': expected %s", label, argument, expected);
	return EINVAL;
}

const char *option_label(const struct option_entry *entry, char label[32])
{
	if (entry->letter)
		snprintf(label, 32, "-%c", entry->letter);
	else
		snprintf(label, 32, "--%s", entry->name);
	return label;
}

char *option_help(const struct option_entry *entry)
{
	const char *names = strstr(entry->help, "%s");
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!names)
		return strdup(entry->help);
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	fprintf(out, "%.*s", (int)(names - entry->help), entry->help);
	entry->names(out);
	fputs(names + strlen("%s"), out);
	fclose(out);
	return text;
}

static error_t mistake(struct argp_state *state, const struct option_entry *entry,
		       const char *argument, const char *expected)
{
	char label[32];

	return option_mistake(state, option_label(entry, label), argument, expected);
}

/* "expected" with the names of a table. */
static error_t mistake_of_names(struct argp_state *state, const struct option_entry *entry,
				const char *argument)
{
	char *names = NULL;
	size_t size;
	FILE *out = open_memstream(&names, &size);

	if (!out)
		return ENOMEM;
	entry->names(out);
	fclose(out);
	mistake(state, entry, argument, names);
	free(names);
	return EINVAL;
}

static void *field(struct argp_state *state, const struct option_entry *entry)
{
	return (char *)state->input + entry->field;
}

/* Parsers that are bound to a field. */

static error_t parse_flag(struct argp_state *state, const struct option_entry *entry,
			  const char *argument)
{
	(void)argument;
	*(bool *)field(state, entry) = true;
	return 0;
}

static error_t parse_path(struct argp_state *state, const struct option_entry *entry,
			  const char *argument)
{
	if (!*argument)
		return mistake(state, entry, argument, "the path of a file");
	*(const char **)field(state, entry) = argument;
	return 0;
}

static error_t parse_number(struct argp_state *state, const struct option_entry *entry,
			    const char *argument)
{
	char expected[64];
	uint64_t number;

	snprintf(expected, sizeof(expected), "a whole number from 1 to %" PRIu64, entry->value);
	if (!list_number(argument, entry->value, &number) || !number)
		return mistake(state, entry, argument, expected);
	*(uint32_t *)field(state, entry) = number;
	return 0;
}

/* Parsers with a value. */

static error_t parse_action(struct argp_state *state, const struct option_entry *entry,
			    const char *argument)
{
	(void)argument;
	((struct options *)state->input)->action = entry->value;
	return 0;
}

static error_t parse_limit(struct argp_state *state, const struct option_entry *entry,
			   const char *argument)
{
	struct options *options = state->input;
	int err = limit_parse(argument, &options->fail_if);

	if (err == -EINVAL)
		return mistake(state, entry, argument,
			       "a row, a figure (mean, p50, p90 or p99) and a limit, such as "
			       "'udp-socket-read p99 +20%'");
	return -err;
}

static error_t parse_filter(struct argp_state *state, const struct option_entry *entry,
			    const char *list)
{
	const char **lists = ((struct options *)state->input)->filters.lists;
	char element[LIST_ELEMENT_SIZE];
	const char *expected = filters_expected(entry->value, list, element);

	if (expected)
		return mistake(state, entry, element, expected);
	if (lists[entry->value])
		return mistake(state, entry, list, "that option only once");
	lists[entry->value] = list;
	return 0;
}

static error_t parse_group(struct argp_state *state, const struct option_entry *entry,
			   const char *argument)
{
	(void)argument;
	((struct options *)state->input)->plan.group_by |= 1U << entry->value;
	return 0;
}

/* Parsers of one option. */

static error_t parse_min_queue_length(struct argp_state *state, const struct option_entry *entry,
				      const char *argument)
{
	if (((struct options *)state->input)->filters.min_queue_length)
		return mistake(state, entry, argument, "that option only once");
	return parse_number(state, entry, argument);
}

error_t option_parse_interval(struct argp_state *state, const char *label, const char *argument)
{
	struct options *options = state->input;
	char *end;
	double seconds = strtod(argument, &end);

	/* The comparison is false for NaN, too. */
	if (end == argument || *end || !(seconds >= MIN_INTERVAL_S && seconds <= MAX_INTERVAL_S))
		return option_mistake(state, label, argument, "seconds from 0.001 to 86400");
	if (options->reports.interval_ns)
		return option_mistake(state, label, argument, "the interval only once");
	options->reports.interval_ns = seconds * NS_PER_S + 0.5;
	return 0;
}

static error_t parse_interval(struct argp_state *state, const struct option_entry *entry,
			      const char *argument)
{
	char label[32];

	return option_parse_interval(state, option_label(entry, label), argument);
}

static error_t select_hooks(struct argp_state *state, const struct option_entry *entry,
			    const char *list, bool enable)
{
	struct options *options = state->input;
	char pattern[LIST_ELEMENT_SIZE];

	while (list_next(&list, pattern))
		if (!hooks_select(pattern, enable, options->plan.hooks))
			return mistake(state, entry, pattern, "hooks that --list-probes lists");
	return 0;
}

/* The first -e turns "all that are on by default" into "these hooks". */
static error_t parse_enabled(struct argp_state *state, const struct option_entry *entry,
			     const char *list)
{
	struct options *options = state->input;

	if (!options->some_enabled)
		memset(options->plan.hooks, false, sizeof(options->plan.hooks));
	options->some_enabled = true;
	return select_hooks(state, entry, list, true);
}

static error_t parse_disabled(struct argp_state *state, const struct option_entry *entry,
			      const char *list)
{
	struct options *options = state->input;
	const char *patterns = list;
	char pattern[LIST_ELEMENT_SIZE];

	while (list_next(&patterns, pattern))
		hooks_select(pattern, true, options->disabled);
	return select_hooks(state, entry, list, false);
}

/* Prints one of several names, so that all of them read "a, b or c". */
static void print_name(FILE *out, const char *name, bool is_first, bool is_last)
{
	fprintf(out, "%s%s", is_first ? "" : is_last ? " or " : ", ", name);
}

static error_t parse_wakeups(struct argp_state *state, const struct option_entry *entry,
			     const char *argument)
{
	struct options *options = state->input;

	(void)entry;
	(void)argument;
	options->plan.stages = options->plan.wakeups = true;
	return 0;
}

static void print_formats(FILE *out)
{
	for (int i = 0; i < NR_PRINTERS; i++)
		print_name(out, printers[i]->name, !i, i == NR_PRINTERS - 1);
}

static error_t parse_output(struct argp_state *state, const struct option_entry *entry,
			    const char *name)
{
	struct options *options = state->input;

	options->reports.printer = printer_find(name);
	return options->reports.printer ? 0 : mistake_of_names(state, entry, name);
}

static error_t parse_json(struct argp_state *state, const struct option_entry *entry,
			  const char *argument)
{
	(void)argument;
	return parse_output(state, entry, printer_json.name);
}

static const char *const colour_names[] = {
	[COLOUR_AUTO] = "auto",
	[COLOUR_ALWAYS] = "always",
	[COLOUR_NEVER] = "never",
};
#define NR_COLOURS (int)(sizeof(colour_names) / sizeof(*colour_names))

static void print_colours(FILE *out)
{
	for (int i = 0; i < NR_COLOURS; i++)
		print_name(out, colour_names[i], !i, i == NR_COLOURS - 1);
}

static error_t parse_color(struct argp_state *state, const struct option_entry *entry,
			   const char *name)
{
	struct options *options = state->input;

	for (int i = 0; i < NR_COLOURS; i++)
		if (!strcmp(name, colour_names[i])) {
			options->reports.colour = i;
			return 0;
		}
	return mistake_of_names(state, entry, name);
}

static error_t parse_resolution(struct argp_state *state, const struct option_entry *entry,
				const char *argument)
{
	struct options *options = state->input;

	if (!isdigit((unsigned char)*argument) || argument[1] || *argument - '0' > MAX_RESOLUTION)
		return mistake(state, entry, argument, "0, 1, 2, 3 or 4");
	options->plan.resolution = *argument - '0';
	options->has_resolution = true;
	return 0;
}

static void print_group_keys(FILE *out)
{
	char name[KEY_NAME_SIZE];

	for (enum key key = 0; key < NR_KEYS; key++)
		print_name(out, key_name(key, name), !key, key == NR_KEYS - 1);
}

static enum key find_group_key(const char *element)
{
	char name[KEY_NAME_SIZE];
	enum key key = 0;

	while (key < NR_KEYS && strcmp(key_name(key, name), element))
		key++;
	return key;
}

static error_t parse_group_by(struct argp_state *state, const struct option_entry *entry,
			      const char *list)
{
	struct options *options = state->input;
	char element[LIST_ELEMENT_SIZE];

	while (list_next(&list, element)) {
		enum key key = find_group_key(element);

		if (key == NR_KEYS)
			return mistake_of_names(state, entry, element);
		options->plan.group_by |= 1U << key;
	}
	return 0;
}

static void print_group_orders(FILE *out)
{
	for (int i = 0; i < NR_GROUP_ORDERS; i++)
		print_name(out, group_orders[i].name, !i, i == NR_GROUP_ORDERS - 1);
}

static error_t parse_sort(struct argp_state *state, const struct option_entry *entry,
			  const char *name)
{
	struct options *options = state->input;

	options->reports.order = group_order_find(name);
	return options->reports.order ? 0 : mistake_of_names(state, entry, name);
}

/* A longer threshold is most likely a mistake. */
#define MAX_SLOW_NS (86400 * NS_PER_S)

static error_t parse_slow(struct argp_state *state, const struct option_entry *entry,
			  const char *argument)
{
	struct options *options = state->input;

	if (!duration_parse(argument, &options->plan.slow_ns) ||
	    options->plan.slow_ns > MAX_SLOW_NS)
		return mistake(state, entry, argument,
			       "a duration such as 10ms or 250us, up to a day");
	options->plan.slow = true;
	/* The former name of --trace. */
	options->plan.trace |= !options->plan.slow_ns;
	return 0;
}

static error_t parse_trace(struct argp_state *state, const struct option_entry *entry,
			   const char *argument)
{
	struct options *options = state->input;

	(void)entry;
	(void)argument;
	options->plan.slow = options->plan.trace = true;
	return 0;
}

static error_t parse_late(struct argp_state *state, const struct option_entry *entry,
			  const char *argument)
{
	uint64_t *ns = field(state, entry);

	if (!duration_parse(argument, ns) || !*ns || *ns > MAX_SLOW_NS)
		return mistake(state, entry, argument,
			       "a duration such as 1ms or 250us, up to a day");
	return 0;
}

#define FIELD(name) .field = offsetof(struct options, name)

static error_t parse_long_duration(struct argp_state *state, const struct option_entry *entry,
				   const char *argument)
{
	uint64_t *ns = field(state, entry);

	if (!duration_parse(argument, ns) || !*ns)
		return mistake(state, entry, argument, "a duration such as 90s, 10m, 1h or 7d");
	return 0;
}

static error_t parse_listen(struct argp_state *state, const struct option_entry *entry,
			    const char *argument)
{
	struct listen_addresses *addresses = field(state, entry);

	if (addresses->nr == MAX_LISTEN_ADDRESSES)
		return mistake(state, entry, argument, "no more than four of these");
	if (!listen_parse(argument, &addresses->list[addresses->nr]))
		return mistake(state, entry, argument,
			       "PORT, ADDRESS:PORT, [IPV6]:PORT, unix:PATH or systemd");
	addresses->nr++;
	return 0;
}

/* Browsers send names of these characters as Host. */
#define HOST_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"

static error_t parse_hosts(struct argp_state *state, const struct option_entry *entry,
			   const char *list)
{
	const char **hosts = field(state, entry);
	const char *names = list;
	char name[LIST_ELEMENT_SIZE];

	if (*hosts)
		return mistake(state, entry, list, "that option only once, with all names");
	while (list_next(&names, name))
		if (!*name || name[strspn(name, HOST_CHARACTERS)])
			return mistake(state, entry, name, "names of hosts, without a port");
	*hosts = list;
	return 0;
}

static const struct option_entry what[] = {
	{ 'r', "report-interval", "SECONDS",
	  "Print a report every SECONDS, 0.001 to 86400 (default 5)", .parse = parse_interval },
	{ 0, "duration", "DURATION", "End after DURATION, such as 10s or 5m, as by a signal",
	  .parse = parse_long_duration, FIELD(duration_ns),
	  .detail = "Or after COUNT reports, whichever comes first." },
	{ 'e', "enable-probes", "LIST",
	  "Measure at these hooks only: names, kernel functions or patterns such as tcp-*, "
	  "separated by commas; patterns leave out what is off by default, if they name others",
	  .parse = parse_enabled },
	{ 'd', "disable-probes", "LIST", "Do not measure at these hooks", .parse = parse_disabled },
	{ 0, "stages", NULL,
	  "Also measure how long packets take from each hook to the next, and count those at "
	  "netif-receive and ip-deliver",
	  .parse = parse_flag, FIELD(plan.stages) },
	{ 0, "wakeups", NULL,
	  "Like --stages, and show what readers did while a packet was in their queue: slept, waited "
	  "for a CPU, ran",
	  .parse = parse_wakeups,
	  .detail =
		  "Of tasks that had read before. It takes programs where the scheduler wakes and "
		  "switches tasks, which run for all tasks of this host." },
	{ 'l', "list-probes", NULL,
	  "List the hooks in packet order, and whether this kernel has them", .parse = parse_action,
	  .value = ACTION_LIST },
	{ 'y', "include-tcp-hol-delay", NULL,
	  "At tcp-socket-read, count data that waited behind a lost segment, too",
	  .parse = parse_flag, FIELD(plan.include_hol_delay), .alias = "include-hol-delay" },
};

static const struct option_entry diagnosis[] = {
	{ 0, "diagnose", NULL,
	  "Watch for 10 seconds (or DURATION, or INTERVAL, COUNT times), and say in sentences what is late or dropped, "
	  "why, and what to look at next",
	  .parse = parse_flag, FIELD(diagnose),
	  .detail = "With --listen, it goes on: each watch takes 60 seconds or INTERVAL, and its "
		    "verdict is served as metrics. With --live, it goes on, too, and verdicts "
		    "stand below what is drawn. See DIAGNOSIS." },
	{ 0, "late", "DURATION",
	  "With --diagnose, what takes DURATION or more is late (default 1ms), and what waits for a task from 10ms on",
	  .parse = parse_late, FIELD(late.stack_ns) },
	{ 0, "late-application", "DURATION",
	  "With --diagnose, an application that takes DURATION or more to reply is late (default 100ms)",
	  .parse = parse_late, FIELD(late.application_ns), .detail = "See DIAGNOSIS." },
	{ 0, "stack", NULL,
	  "With --diagnose, show in what code of the kernel tasks let packets wait",
	  .parse = parse_flag, FIELD(plan.stacks),
	  .detail =
		  "The stack of a sleep is taken as it ends, if it was as long as what is late for a task. "
		  "See DIAGNOSIS." },
};

static const struct option_entry filters[] = {
	{ 'i', "interfaces", "LIST",
	  "Names or indexes, in the network namespaces of -n or, without -n, in this one",
	  .parse = parse_filter, .value = FILTER_INTERFACE,
	  .detail = "The interface is the one that handed the packet to the stack last: a bridge, "
		    "bond, VLAN or VRF rather than its port." },
	{ 'n', "network-namespace", "LIST",
	  "Names, paths, process ids, inode numbers, self or all (default all)",
	  .parse = parse_filter, .value = FILTER_NETNS, .alias = "netns" },
	{ 'c', "cgroups", "LIST",
	  "Of sockets: paths or ids of cgroups (v2), with all that is below them",
	  .parse = parse_filter, .value = FILTER_CGROUP,
	  .detail =
		  "The cgroup is the one in which the socket was made. A path stands for whatever "
		  "cgroup is there, also when it is removed and made anew. At drop, it is known "
		  "since Linux 6.11, if a socket was found." },
	{ 'm', "cgroup-mount", "PATH",
	  "The folder at which cgroups (v2) are mounted, where paths of -c begin and names are found "
	  "(default: the first such mount)",
	  .parse = parse_path, FIELD(cgroup_mount) },
	{ 'p', "pids", "LIST", "Of processes that read, at *-socket-read", .parse = parse_filter,
	  .value = FILTER_PID, .detail = "Process ids are those of the initial PID namespace." },
	{ 0, "comm", "LIST", "The names of threads that read, at *-socket-read",
	  .parse = parse_filter, .value = FILTER_COMM },
	{ 'P', "ports", "LIST",
	  "Local ports, or ranges such as 8000-8100, where a TCP or UDP socket is known",
	  .parse = parse_filter, .value = FILTER_PORT },
	{ 0, "sequence", "LIST",
	  "TCP segments that came in-order, behind-gap, received-before or with no-data, at "
	  "tcp-do-rcv",
	  .parse = parse_filter, .value = FILTER_SEQUENCE,
	  .detail = "As the socket stood when the segment came. A FIN is data, a SYN is not." },
	{ 0, "remote", "LIST",
	  "IPv4 and IPv6 addresses that packets come from, or prefixes such as 192.0.2.0/24",
	  .parse = parse_filter, .value = FILTER_REMOTE,
	  .detail = "At tcp-socket-read, the address of the peer is the connection's; at all "
		    "other hooks it is the source address of the packet. ::/0 is all of IPv6, and "
		    "nothing of IPv4." },
	{ '4', NULL, NULL, "IPv4", .parse = parse_flag, FIELD(filters.ipv4) },
	{ '6', NULL, NULL, "IPv6", .parse = parse_flag, FIELD(filters.ipv6) },
	{ 'q', "min-queuelength", "N",
	  "Packets that find N or more on their socket's receive queue",
	  .parse = parse_min_queue_length, FIELD(filters.min_queue_length), .value = UINT32_MAX,
	  .detail = "For example, -q 100 -e udp-socket-enqueued shows the latency of packets that "
		    "come while the reader is 100 or more packets behind." },
};

static const struct option_entry grouping[] = {
	{ 'g', "group-by", "LIST", "A histogram each by %s, in any combination", print_group_keys,
	  .parse = parse_group_by },
	{ 'I', "groupby-interface", NULL, "The same as -g interface", .parse = parse_group,
	  .value = KEY_INTERFACE },
	{ 'C', "groupby-cgroup", NULL, "The same as -g cgroup", .parse = parse_group,
	  .value = KEY_CGROUP },
	{ 0, "sort", "BY", "Order the groups of a hook by %s, descending (default count)",
	  print_group_orders, .parse = parse_sort,
	  .detail = "Those with the same p99 are ordered by count. That is the order in text and "
		    "JSON; tables of stages are ordered by the stage with the most." },
	{ 0, "top", "N",
	  "In text, show the first N groups of a hook, or of all stages (default 10)",
	  .parse = parse_number, FIELD(top), .value = UINT32_MAX },
	{ 0, "max-groups", "N",
	  "Room for N rows: each group takes one for each kernel function and CPU that it is "
	  "seen at (default 8192)",
	  .parse = parse_number, FIELD(plan.max_groups), .value = MAX_GROUP_ROWS,
	  .detail = "What finds no room is counted as not measured. A row takes about 0.7 KiB of "
		    "kernel memory, and up to 8 KiB with -k 4." },
	{ 0, "forget", "DURATION",
	  "With --listen, -o openmetrics or -o prometheus, move the counts of groups that were not "
	  "seen for DURATION to one called other",
	  .parse = parse_long_duration, FIELD(forget_ns),
	  .detail = "For example 1h or 7d. A group that comes again starts from zero." },
};

static const struct option_entry slow[] = {
	{ 0, "slow", "DURATION",
	  "Report each packet that is as late as DURATION at a hook (or, with --stages, from one hook "
	  "to the next), as it happens",
	  .parse = parse_slow, .detail = "0 is the same as --trace. See SLOW PACKETS." },
	{ 0, "trace", NULL, "Report the whole way of each packet, out and in", .parse = parse_trace,
	  .detail = "See SLOW PACKETS." },
	{ 0, "slow-limit", "RATE",
	  "Report RATE slow packets a second at most (default 100), and count the others; with "
	  "--trace, of RATE places where packets were (default 10000)",
	  .parse = parse_number, FIELD(plan.slow_limit), .value = MAX_SLOW_LIMIT },
	{ 0, "count", "N", "End after N slow packets", .parse = parse_number, FIELD(packet_count),
	  .value = UINT32_MAX },
	{ 0, "pcap", "FILE",
	  "Write their first 128 bytes from the IP header on to FILE, as pcapng for Wireshark",
	  .parse = parse_path, FIELD(pcap),
	  .detail = "For its owner only. Or to Wireshark itself, by a pipe. See SLOW PACKETS." },
};

static const struct option_entry reports[] = {
	{ 'o', "output", "FORMAT",
	  "Print reports as %s (default text; none with --listen, if neither INTERVAL nor --slow is "
	  "given)",
	  print_formats, .parse = parse_output, .compares = true },
	{ 0, "live", NULL,
	  "Draw the last ten minutes on the terminal, a panel for each hook, stage or group, every "
	  "second or INTERVAL, and print the total at the end",
	  .parse = parse_flag, FIELD(live), .detail = "See LIVE." },
	{ 'j', "json", NULL, "The same as -o json", .parse = parse_json, .compares = true },
	{ 0, "output-file", "FILE",
	  "With -o html, openmetrics or prometheus, replace FILE at each report; with --live, when w is pressed",
	  .parse = parse_path, FIELD(output_file),
	  .detail =
		  "The umask says who may read it. The folder is the one that is there at the start." },
	{ 0, "listen", "[ADDRESS:]PORT",
	  "Serve all since the start at http://ADDRESS:PORT/metrics, for Prometheus (default address "
	  "127.0.0.1); or at unix:PATH, or at the socket that systemd passes",
	  .parse = parse_listen, FIELD(listen),
	  .detail = "That one is called systemd. Up to four may be given. See SERVING." },
	{ 0, "host", "NAMES",
	  "With --listen, answer only where this host is asked for by an address, as localhost, or by one "
	  "of NAMES, separated by commas (default: none at a loopback address, any at others)",
	  .parse = parse_hosts, FIELD(hosts),
	  .detail =
		  "A proxy that passes the name on by which it is asked has one. The check keeps web "
		  "pages, in the browser of somebody on this host, from reading the metrics by a name "
		  "that they make lead here." },
	{ 0, "web.config.file", "FILE",
	  "With --listen, serve by TLS, and only to those who have a certificate or a password, as FILE "
	  "says, in the format of Prometheus' exporters",
	  .parse = parse_path, FIELD(web_config), .detail = "See SERVING." },
	{ 'k', "resolution", "K",
	  "Count in 2^K buckets an octave, K from 0 to 4 (default 3, or 2 for heatmaps and --live; "
	  "Prometheus gets octaves)",
	  .parse = parse_resolution },
	{ 's', "summary", NULL,
	  "In text, show a line for each hook and group instead of its histogram",
	  .parse = parse_flag, FIELD(summary),
	  .detail = "The largest jump of the mean from hook to hook is marked, see FORMATS." },
	{ 0, "color", "WHEN", "Colour heatmaps and --live %s (default auto: on terminals that can)",
	  print_colours, .parse = parse_color,
	  .detail = "What it says comes before the variable NO_COLOR." },
	{ 0, "full", NULL, "Show every bucket in text, not just octaves", .parse = parse_flag,
	  FIELD(full), .compares = true },
	{ 0, "cumulative", NULL, "Report what was counted since the start, not in each interval",
	  .parse = parse_flag, FIELD(reports.cumulative) },
	{ 0, "overhead", NULL, "Show what each program costs this host, in CPU time",
	  .parse = parse_flag, FIELD(plan.overhead),
	  .detail = "The kernel then times each run of all BPF programs, for as long as "
		    "netstacklat runs; this takes CAP_SYS_ADMIN." },
};

static const struct option_entry comparison[] = {
	{ 0, "compare", NULL,
	  "Say whether the runs in files of -j differ from those in the files behind --, and how sure that is",
	  .parse = parse_action, .value = ACTION_COMPARE, .compares = true,
	  .detail = "It comes before the files. See COMPARISON." },
	{ 0, "fail-if", "LIMIT",
	  "With --compare, exit with 3 if a figure changed by more than LIMIT, such as 'udp-socket-read p99 +20%', and "
	  "with 4 if that cannot be told",
	  .parse = parse_limit, .compares = true },
};

static const struct option_entry about[] = {
	{ 0, "check", NULL,
	  "Print what this host can do and what to do about the rest, hook by hook",
	  .parse = parse_action, .value = ACTION_CHECK,
	  .detail =
		  "It also names the capabilities that the other options take, and which of them are "
		  "missing. The programs are attached for a moment. Exits with 0 if a run could measure "
		  "something, with 77 if not." },
	{ 0, "btf", "FILE",
	  "Take the types of this very kernel from FILE, where /sys/kernel/btf is hidden",
	  .parse = parse_path, FIELD(plan.btf_path),
	  .detail = "With the types of another kernel, programs may be attached to the wrong "
		    "functions. It is refused where the rights to trace come from setcap(8)." },
	{ 0, "timestamping-only", NULL,
	  "Only turn on receive time stamps, for other tools, until a signal",
	  .parse = parse_action, .value = ACTION_TIMESTAMPING,
	  .detail = "This is what ebpf_exporter lacks. It needs no privileges." },
	{ 'v', "verbose", NULL, "Log each step, with the warnings of libbpf", .parse = parse_flag,
	  FIELD(verbose), .compares = true },
};

static const struct option_entry help[] = {
	{ 'h', "help", NULL, "Print this help", .parse = parse_action, .value = ACTION_HELP },
	{ 0, "usage", NULL, "Print a short usage message", .parse = parse_action,
	  .value = ACTION_USAGE },
	{ 'V', "version", NULL, "Print the version", .parse = parse_action,
	  .value = ACTION_VERSION },
};

#define SECTION(title, entries)                                      \
	{                                                            \
		title, entries, sizeof(entries) / sizeof(*(entries)) \
	}

const struct option_section option_sections[NR_OPTION_SECTIONS] = {
	SECTION(NULL, what),
	SECTION("What is wrong:", diagnosis),
	SECTION("Filters (lists are separated by commas):", filters),
	SECTION("Grouping:", grouping),
	SECTION("Slow packets, one by one:", slow),
	SECTION("Reports:", reports),
	SECTION("Did a change help:", comparison),
	SECTION("About this host and this program:", about),
	SECTION(NULL, help),
};
