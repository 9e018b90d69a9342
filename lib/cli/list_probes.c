// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/list_probes.h"

#include <string.h>

#include "lib/kernel/btf.h"
#include "lib/tables/hooks.h"

#define NAME_WIDTH 20
#define LINE_WIDTH 80

/* A line behind the column of names; returns how much of it is in use. */
static int begin_line(FILE *out, const char *text)
{
	return fprintf(out, "\n%-*s %s", NAME_WIDTH, "", text) - 1;
}

static void print_targets(FILE *out, bool has_btf, const int targets[NR_PROBES], enum hook hook)
{
	const char *separator = "";

	begin_line(out, "");
	for_each_probe_of(hook, probe) {
		fprintf(out, "%s%s%s%s", separator, probes[probe].is_fallback ? "or else " : "",
			probe_target(probe),
			!has_btf || targets[probe] ? "" : " (not in this kernel)");
		separator = ", ";
	}
}

static const char *option_of(enum fact fact, char text[FACT_KEY_SIZE])
{
	(void)text;
	return facts[fact].option;
}

/* What a hook can filter or group by, in as many lines as it takes. */
static void print_known(FILE *out, const char *what, enum hook hook,
			const char *(*name_of)(enum fact fact, char text[FACT_KEY_SIZE]))
{
	const char *separator = "";
	char text[FACT_KEY_SIZE];
	int column = 0;

	for (enum fact fact = 0; fact < NR_FACTS; fact++) {
		const char *name = name_of(fact, text);

		if (!name || !hook_knows(hook, fact))
			continue;
		if (!column)
			column = begin_line(out, what);
		fputs(separator, out);
		/* With a comma on either side. */
		if (column + strlen(name) + 3 > LINE_WIDTH)
			column = begin_line(out, name);
		else
			column += strlen(separator) + fprintf(out, " %s", name);
		separator = ",";
	}
}

static void print_hook(FILE *out, bool has_btf, const int targets[NR_PROBES], enum hook hook)
{
	fprintf(out, "%-*s ", NAME_WIDTH, hooks[hook].name);
	if (hooks[hook].has & HAS_SPAN)
		fprintf(out, "the %s has ", hook_subject(hook));
	fputs(hooks[hook].meaning, out);
	print_targets(out, has_btf, targets, hook);
	print_known(out, "filters:", hook, option_of);
	print_known(out, "groups:", hook, fact_key);
	if (hooks[hook].note)
		begin_line(out, hooks[hook].note);
	if (hook_default_text(hook))
		begin_line(out, hook_default_text(hook));
	fputc('\n', out);
}

void list_probes(FILE *out, const char *btf_path)
{
	int targets[NR_PROBES];
	bool has_btf = kernel_look_for_targets(btf_path, targets);

	fprintf(out, "At each hook,        the packet has ...\n\n");
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		print_hook(out, has_btf, targets, hook);
	if (!has_btf)
		fputs("\nThis kernel shows no types, so it is unknown which of these it has.\n",
		      out);
}
