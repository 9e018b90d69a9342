// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts: names, a line each, then what is late, a stage or at a hook, and dropped there, then
 * what the host tells.
 */
#include "tests/fuzz/names.h"
#include "tests/fuzz/printed.h"

#include "lib/counts/stages.h"
#include "lib/diagnose/lost.h"
#include "lib/diagnose/verdict.h"
#include "lib/tables/retransmit.h"
#include "lib/tables/tcp_limit.h"
#include "lib/tables/units.h"

#define ROOT "/sys/fs/cgroup"
#define FIND "$(find " ROOT " -inum "
#define MANY 1000

/* Where a command line is outside of quotes: no name leads a shell to anything there. */
static void require_command(const char *command)
{
	char quote = '\0';

	for (; *command; command++) {
		if (quote == '\'' ? *command == '\'' : *command == '"') {
			quote = quote ? '\0' : '"';
		} else if (*command == '\'' && !quote) {
			quote = '\'';
		} else if (*command == '\\' && !quote) {
			require(command[1] == '\'');
			command++;
		} else if (quote != '\'') {
			require(*command != '`');
			require(*command != '$' || !strncmp(command, FIND, strlen(FIND)));
		}
	}
	require(!quote);
}

static void require_sentences(const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nr; i++) {
		const struct finding *finding = &verdict->findings[i];

		require(finding->where && finding->cause && finding->next);
		require_command(finding->next);
	}
}

static void print(const struct verdict *verdict)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	verdict_print_text(out, verdict);
	fflush(out);
	require(size == strlen(text));
	require_printable(text);
	rewind(out);
	verdict_print_json(out, verdict);
	fflush(out);
	require_json(text, size);
	fclose(out);
	free(text);
}

/* Behind a label's value, from its quotation mark on: whatever it is, the next one ends it. */
static const char *behind_value(const char *text)
{
	require(*text++ == '"');
	while (*text != '"') {
		if (*text == '\\')
			text++;
		require(*text && *text != '\n');
		text++;
	}
	return text + 1;
}

/* Behind the labels of a sample: {name="value",name="value"} */
static const char *behind_labels(const char *text)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

	do {
		text++;
		text += strspn(text, name);
		require(*text++ == '=');
		text = behind_value(text);
	} while (*text == ',');
	require(*text++ == '}');
	return text;
}

static void require_metrics(const char *text)
{
	while (*text) {
		const char *end = strchr(text, '\n'), *value = text + strcspn(text, "{ ");

		require(end);
		if (*text != '#') {
			if (*value == '{')
				value = behind_labels(value);
			require(*value == ' ' && value < end);
		}
		text = end + 1;
	}
}

static void print_metrics(const struct verdict *verdict)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	verdict_print_metrics(out, verdict, OPENMETRICS);
	fclose(out);
	require(size == strlen(text));
	require_printable(text);
	require_metrics(text);
	free(text);
}

static const struct memory_limit *memory_limit_at(const char *path)
{
	static struct memory_limit limit = { .root = ROOT, .file = "memory.max", .bytes = "4096" };

	snprintf(limit.path, sizeof(limit.path), "%s", path);
	return &limit;
}

/* Names are any bytes; numbers are any, too, where they are the kernel's. */
static void read_host(struct input *input, struct host_facts *host, char throttled[PATH_MAX])
{
	static const char states[] = "RSDTtZ";

	host->state = states[input_byte(input) % (sizeof(states) - 1)];
	host->was_stopped = input_byte(input) & 1;
	host->was_frozen = input_byte(input) & 1;
	host->nobody_ran = input_byte(input) & 1;
	input_fill(input, &host->running_ns, sizeof(host->running_ns));
	input_fill(input, &host->ready_ns, sizeof(host->ready_ns));
	input_fill(input, &host->other_pid, sizeof(host->other_pid));
	input_fill(input, host->other_comm, sizeof(host->other_comm) - 1);
	input_fill(input, host->cpu_max, sizeof(host->cpu_max) - 1);
	input_fill(input, host->qdisc_kind, sizeof(host->qdisc_kind) - 1);
	host->has_conntrack = input_byte(input) & 1;
	host->has_no_carrier = input_byte(input) & 1;
	host->conntrack_dropped = input_byte(input);
	host->conntrack_clashed = input_byte(input);
	read_name(input, "/", throttled, PATH_MAX);
	read_name(input, "/", host->netns_path, sizeof(host->netns_path));
	host->waited_for_memory = input_byte(input) & 1;
	if (host->waited_for_memory && *throttled)
		host->memory_limit = memory_limit_at(throttled);
	host->throttled = throttled;
	host->throttled_ns = 5 * NS_PER_S;
	host->cgroup_root = ROOT;
	host->rules_by = "nft";
}

static void judge(const struct report *report, const struct host_facts *host)
{
	const struct thresholds late = { NS_PER_MS, 10 * NS_PER_MS, 100 * NS_PER_MS };
	struct card card = {
		.ifindex = 4, .received = MANY, .missed = MANY, .damaged = MANY, .links_lost = MANY
	};
	struct netns_losses losses = {
		.netns = 3,
		.syns = MANY,
		.unrouted_syns = MANY,
		.overflows = MANY,
		.wrong_checksums = MANY,
	};
	struct upstream_count upstream = {
		.key = { .netns = host->running_ns, .address = { host->other_pid } },
		.answers = { .count = MANY, .ns = host->ready_ns, .longest_ns = host->ready_ns },
	};
	struct service_ports ports;
	struct verdict *verdict;

	service_ports_init(&ports);
	verdict = verdict_new(report, &late, &ports);
	require(verdict && !lost_find(verdict, report));
	memcpy(card.name, host->asleep_in, sizeof(card.name) - 1);
	require(!lost_add_card(verdict, host->netns_path, &card));
	memcpy(losses.name, host->decider_comm, sizeof(host->decider_comm));
	require(!lost_add_netns(verdict, &losses));
	memcpy(upstream.answers.comm, host->other_comm, sizeof(upstream.answers.comm));
	require(!upstreams_make(&verdict->upstreams, report, &upstream, 1));
	for (size_t i = 0; i < verdict->nr; i++)
		verdict->findings[i].host = *host;
	verdict_explain(verdict);
	require_sentences(verdict);
	print(verdict);
	print_metrics(verdict);
	verdict_free(verdict);
	service_ports_free(&ports);
}

static void make_late(struct bucket *buckets, unsigned int nr)
{
	buckets[nr - 2] = (struct bucket){ MANY, MANY * NS_PER_S };
}

/* A stage begins at a hook, or at what readers do. */
static void read_group(struct input *input, struct group *group)
{
	group->hook = input_byte(input) % NR_HOOKS;
	group->from = STAGE_FROM(input_byte(input) % NR_HOOKS, input_byte(input) & 1);
	input_fill(input, group->comm, sizeof(group->comm));
	input_fill(input, &group->key, sizeof(group->key));
	group->key.probe %= NR_PROBES;
	group->key.limit %= END_OF_TCP_LIMITS;
	group->key.retransmit %= END_OF_RETRANSMITS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hook_counts counts[NR_HOOKS];
	static uint64_t dropped[NR_STAGE_DROPS] = { MANY };
	static char throttled[PATH_MAX];
	struct stage_drop drops[NR_STAGE_DROPS] = { 0 };
	struct bucket buckets[MAX_BUCKETS] = { 0 };
	struct reason_names *reasons;
	struct input input = { data, size };
	struct label_names *names = read_names(&input, &reasons);
	struct host_facts host = { 0 };
	struct group group = { 0 };
	const struct report_group groups[] = { { &group, buckets, MANY, 0 } };
	struct report_setup setup = {
		.plan = { .stages = true, .group_by = (1U << NR_KEYS) - 1 },
		.drops = true,
		.reasons = reasons,
	};
	struct report report = {
		.setup = &setup,
		.hooks = counts,
		.names = names,
		.duration_ns = 10 * NS_PER_S,
		.stages = groups,
		.groups = groups,
	};
	struct report_drop *listed;

	if (input_byte(&input) & 1)
		report.nr_groups = 1;
	else
		report.nr_stages = 1;
	drops[0].reason = input_byte(&input) % (NAMED_REASON + 1);
	read_group(&input, &group);
	drops[0].from = group.from;
	read_host(&input, &host, throttled);
	make_late(buckets, histogram_nr_buckets(&counts[0].latency));
	label_names_add(names, &group);
	label_names_look_up(names);
	require(!report_list_drops(drops, dropped, reasons, &listed, &report.nr_drops));
	report.drops = listed;
	judge(&report, &host);
	free(listed);
	label_names_free(names);
	reason_names_free(reasons);
	return 0;
}
