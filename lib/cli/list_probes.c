// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/list_probes.h"

#include <bpf/btf.h>

#include "lib/kernel/btf.h"
#include "lib/tables/hooks.h"

#define NAME_COLUMNS 20

static void print_targets(FILE *out, const struct btf *btf, const int targets[NR_PROBES],
			  enum hook hook)
{
	const char *separator = "";

	for_each_probe_of(hook, probe) {
		fprintf(out, "%s%s%s%s", separator, probes[probe].is_fallback ? "or else " : "",
			probe_target(probe), !btf || targets[probe] ? "" : " (not in this kernel)");
		separator = ", ";
	}
}

static void print_filters(FILE *out, enum hook hook)
{
	const char *separator = "filters: ";

	for (enum fact fact = 0; fact < NR_FACTS; fact++) {
		if (!facts[fact].option || !hook_knows(hook, fact))
			continue;
		fprintf(out, "%s%s", separator, facts[fact].option);
		separator = ", ";
	}
}

/* As they may be typed. */
static void print_groups(FILE *out, enum hook hook)
{
	const char *separator = "-g ";
	char key[FACT_KEY_SIZE];

	for (enum fact fact = 0; fact < NR_FACTS; fact++) {
		if (!facts[fact].name || !hook_knows(hook, fact))
			continue;
		fprintf(out, "%s%s", separator, fact_group_key(fact, key));
		separator = ",";
	}
}

static void print_hook(FILE *out, const struct btf *btf, const int targets[NR_PROBES],
		       enum hook hook)
{
	fprintf(out, "%-*s %s\n%*s", NAME_COLUMNS, hooks[hook].name, hooks[hook].meaning,
		NAME_COLUMNS + 1, "");
	print_targets(out, btf, targets, hook);
	fprintf(out, "\n%*s", NAME_COLUMNS + 1, "");
	print_filters(out, hook);
	fprintf(out, "\n%*s", NAME_COLUMNS + 1, "");
	print_groups(out, hook);
	if (hooks[hook].note)
		fprintf(out, "\n%*s%s", NAME_COLUMNS + 1, "", hooks[hook].note);
	if (!hooks[hook].is_default)
		fprintf(out, "\n%*soff unless chosen with -e", NAME_COLUMNS + 1, "");
	fputc('\n', out);
}

void list_probes(FILE *out, const char *btf_path)
{
	struct btf *btf = kernel_btf(btf_path);
	int targets[NR_PROBES];

	if (btf)
		kernel_find_targets(btf, targets);
	fprintf(out, "%-*s the packet has ...\n\n", NAME_COLUMNS, "At each hook,");
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		print_hook(out, btf, targets, hook);
	if (!btf)
		fputs("\nThis kernel shows no types, so it is unknown which of these it has.\n",
		      out);
	btf__free(btf);
}
