// SPDX-License-Identifier: GPL-2.0
#include "list_probes.h"

#include <bpf/btf.h>

#include "hooks.h"
#include "kernel.h"

static void print_functions(FILE *out, const struct btf *btf, const int functions[NR_PROBES],
			    enum hook hook)
{
	const char *separator = "";

	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		if (probes[probe].hook != hook)
			continue;
		fprintf(out, "%s%s%s", separator, probes[probe].function,
			!btf || functions[probe] ? "" : " (not in this kernel)");
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

void list_probes(FILE *out, const char *btf_path)
{
	struct btf *btf = kernel_btf(btf_path);
	int functions[NR_PROBES];

	if (btf)
		kernel_find_functions(btf, functions);
	fprintf(out, "At each hook,        the packet has ...\n\n");
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		fprintf(out, "%-20s %s\n%-20s ", hooks[hook].name, hooks[hook].meaning, "");
		print_functions(out, btf, functions, hook);
		fprintf(out, "\n%-20s ", "");
		print_filters(out, hook);
		fputc('\n', out);
	}
	if (!btf)
		fputs("\nThis kernel shows no types, so it is unknown which of these it has.\n",
		      out);
	btf__free(btf);
}
