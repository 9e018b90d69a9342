// SPDX-License-Identifier: GPL-2.0
/* Reports in all formats: names, a line each, then a group and a drop, and the printer. */
#include "tests/fuzz/names.h"
#include "tests/fuzz/printed.h"

#include "lib/print/printer.h"

/* Behind a sample's name: {name="value",...}, with a backslash before what ends a value. */
static const char *skip_labels(const char *text)
{
	require(*text == '{');
	do {
		text++;
		text += strspn(text, "abcdefghijklmnopqrstuvwxyz_");
		require(!strncmp(text, "=\"", 2));
		for (text += 2; *text != '"'; text++) {
			if (*text == '\\')
				text++;
			require(*text && *text != '\n');
		}
		text++;
	} while (*text == ',');
	require(*text == '}');
	return text + 1;
}

/* Lines are comments or samples. */
static void require_samples(const char *text)
{
	for (; *text; text = strchr(text, '\n') + 1) {
		const char *end = strchr(text, '\n'), *name = text;

		require(end);
		if (*text == '#')
			continue;
		text += strspn(text, "abcdefghijklmnopqrstuvwxyz_");
		require(text > name && (*text == '{' || *text == ' '));
		if (*text == '{')
			text = skip_labels(text);
		require(*text == ' ' && text < end);
		text += 1 + strspn(text + 1, "0123456789.eE+-Inf ");
		require(text == end);
	}
}

static void print(const struct printer *printer, const struct report *report)
{
	size_t size;
	char *text = printer_print_to_memory(printer, report, 1U << 18, &size);

	require(text && size == strlen(text));
	require_printable(text);
	if (printer == &printer_openmetrics || printer == &printer_prometheus)
		require_samples(text);
	if (printer == &printer_json)
		require_json(text, size);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hook_counts counts[NR_HOOKS];
	static uint64_t dropped[NR_STAGE_DROPS] = { 1 };
	static const struct printer *const formats[] = { &printer_text, &printer_json,
							 &printer_openmetrics,
							 &printer_prometheus };
	struct stage_drop drops[NR_STAGE_DROPS] = { 0 };
	struct bucket buckets[MAX_BUCKETS] = { { 1, 1000 } };
	struct report_drop *listed;
	struct reason_names *reasons;
	struct input input = { data, size };
	struct label_names *names = read_names(&input, &reasons);
	struct group group = { .hook = input_byte(&input) % NR_HOOKS };
	const struct report_group groups[] = { { &group, buckets, 1, 1 } };
	struct report_setup setup = { .plan = { .hooks = { [0] = true }, .stages = true },
				      .drops = true };
	struct report report = { .setup = &setup, .hooks = counts, .names = names };

	setup.plan.hooks[group.hook] = setup.plan.followed[group.hook] = true;
	setup.top = 1;
	input_fill(&input, &setup.plan.group_by, sizeof(setup.plan.group_by));
	setup.plan.group_by %= 1U << NR_KEYS;
	/* As programs count it. */
	drops[0].from = STAGE_FROM(input_byte(&input) % NR_HOOKS, input_byte(&input) & 1);
	drops[0].reason = input_byte(&input) % (NAMED_REASON + 1);
	input_fill(&input, group.comm, sizeof(group.comm));
	input_fill(&input, &group.key, sizeof(group.key));
	group.key.probe %= NR_PROBES;
	label_names_add(names, &group);
	label_names_look_up(names);
	require(!report_list_drops(drops, dropped, reasons, &listed, &report.nr_drops));
	report.drops = listed;
	if (setup.plan.group_by) {
		report.groups = groups;
		report.nr_groups = 1;
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		print(formats[i], &report);
	free(listed);
	label_names_free(names);
	reason_names_free(reasons);
	return 0;
}
