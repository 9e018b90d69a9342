// SPDX-License-Identifier: GPL-2.0
#include "lib/generate/ebpf_exporter.h"

#include <fnmatch.h>
#include <string.h>

#include "lib/base/list.h"
#include "lib/base/log.h"
#include "lib/kernel/selection.h"
#include "lib/tables/discards.h"
#include "lib/tables/exporter_key.h"
#include "lib/tables/hooks.h"

static bool choose_hooks(const char *list, bool chosen[NR_HOOKS])
{
	char pattern[LIST_ELEMENT_SIZE];

	if (!*list) {
		hooks_select_default(HOOK_ON, chosen);
		return true;
	}
	while (list_next(&list, pattern))
		if (!hooks_select(pattern, true, chosen)) {
			log_error("'%s' is no hook that --list-probes lists", pattern);
			return false;
		}
	return true;
}

/* Finds it by the name of its hook or of its function. */
static bool is_named(enum probe probe, const char *pattern)
{
	return !fnmatch(pattern, hooks[probes[probe].hook].name, 0) ||
	       !fnmatch(pattern, probe_target(probe), 0);
}

static bool do_without(const char *list, struct left_out *left_out)
{
	char pattern[LIST_ELEMENT_SIZE];

	if (!*list)
		return true;
	while (list_next(&list, pattern)) {
		bool found = false;

		for (enum probe probe = 0; probe < NR_PROBES; probe++)
			if (is_named(probe, pattern)) {
				left_out->why[probe] = "this is to do without";
				found = true;
			}
		if (!found) {
			log_error("'%s' is no hook or function that --list-probes lists", pattern);
			return false;
		}
	}
	return true;
}

static bool tells_the_time(enum hook hook)
{
	return hooks[hook].has & HAS_NEW_STAMP;
}

static bool have_the_time(const __u32 tasks[NR_PROBES])
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (tasks[probe] & TASK_COUNT && tells_the_time(probes[probe].hook))
			return true;
	log_error("programs learn the time from new packets; choose one of these hooks, too:");
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (tells_the_time(hook))
			log_error("  %s", hooks[hook].name);
	return false;
}

/* Its programs count the time since the stamp, and packets that are sent have no stamp. */
static bool have_latencies(const __u32 tasks[NR_PROBES])
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		const struct hook_info *hook = &hooks[probes[probe].hook];

		if (!(tasks[probe] & TASK_COUNT) || !(hook->has & HAS_SENT))
			continue;
		log_error("%s has stages only, which programs for ebpf_exporter do not count; "
			  "leave it out",
			  hook->name);
		return false;
	}
	return true;
}

bool exporter_choose(const char *list, const char *without, __u32 tasks[NR_PROBES])
{
	/* A kernel that has all, and so needs no fallback. */
	struct selection kernel = { .has_sk_storage = true };
	struct left_out left_out = { 0 };
	struct plan plan = { 0 };

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		kernel.targets[probe] = !probes[probe].is_fallback;
	if (!choose_hooks(list, plan.hooks) || !do_without(without, &left_out))
		return false;
	selection_make(&kernel, &plan, &left_out);
	memcpy(tasks, kernel.tasks, sizeof(kernel.tasks));
	return have_latencies(tasks) && have_the_time(tasks);
}

static void print_number_label(FILE *out, const char *name, size_t size)
{
	fprintf(out,
		"        - name: %s\n"
		"          size: %zu\n"
		"          decoders:\n"
		"            - name: uint\n",
		name, size);
}

static void print_static_map(FILE *out)
{
	fputs("            - name: static_map\n"
	      "              static_map:\n",
	      out);
}

/* ebpf_exporter adds up series with the same labels, as a hook's probes have. */
static void print_hook_label(FILE *out, const __u32 tasks[NR_PROBES])
{
	print_number_label(out, "hook", sizeof((struct exporter_key){ 0 }.probe));
	print_static_map(out);
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (tasks[probe] & TASK_COUNT)
			fprintf(out, "                \"%d\": %s\n", probe,
				hooks[probes[probe].hook].name);
}

static void print_cause_label(FILE *out)
{
	print_number_label(out, "cause", sizeof((struct exporter_key){ 0 }.slot));
	print_static_map(out);
	for (enum discard cause = 0; cause < NR_DISCARDS; cause++)
		fprintf(out, "                \"%d\": %s\n", cause, discards[cause].name);
}

void exporter_print_config(FILE *out, const __u32 tasks[NR_PROBES])
{
	fputs("# Of netstacklat, for ebpf_exporter; made by \"make ebpf_exporter\".\n"
	      "metrics:\n"
	      "  counters:\n"
	      "    - name: netstacklat_discarded_total\n"
	      "      help: Packets at each hook that are not in its histogram, by cause\n"
	      "      labels:\n",
	      out);
	print_hook_label(out, tasks);
	print_cause_label(out);
	fprintf(out,
		"  histograms:\n"
		"    - name: netstacklat_latency_seconds\n"
		"      help: Time from a packet's receive time stamp to each hook\n"
		"      bucket_type: exp2\n"
		"      bucket_min: 0\n"
		"      bucket_max: %d\n"
		"      bucket_multiplier: 0.000000001\n"
		"      labels:\n",
		EXPORTER_SUM_SLOT - 1);
	print_hook_label(out, tasks);
	print_number_label(out, "bucket", sizeof((struct exporter_key){ 0 }.slot));
}

/*
 * A program that is not to be in the object is declared as static here, so that the compiler takes
 * the definition that follows for static, too, and drops it.
 */
void exporter_print_programs(FILE *out, const __u32 tasks[NR_PROBES])
{
	fputs("/* Made by \"make ebpf_exporter\". */\n"
	      "#define FOR_EBPF_EXPORTER 1\n"
	      "#define FOR_NETSTACKLAT 0\n"
	      "#define EXPORTER_BRANCHES {",
	      out);
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		for (unsigned int task = 1; task < 1U << NR_TASKS; task <<= 1)
			if (tasks[probe] & task)
				fprintf(out, " [%u] = true,", BRANCH_TASK(probe, task));
	fputs(" }\n", out);
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		if (!selection_loads(tasks, PROBE_OF(program)))
			fprintf(out,
				"static int %s(unsigned long long *) __attribute__((unused));\n",
				program_names[program]);
}
