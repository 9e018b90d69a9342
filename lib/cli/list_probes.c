// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/list_probes.h"

#include <bpf/btf.h>

#include "lib/kernel/btf.h"
#include "lib/tables/hooks.h"

static void print_targets(FILE *out, const struct btf *btf, const int targets[NR_PROBES],
			  enum hook hook)
{
	const char *separator = "";

	for_each_probe_of(hook, probe)
	{
		fprintf(out, "%s%s%s", separator, probe_target(probe),
			!btf || targets[probe] ? "" : " (not in this kernel)");
		separator = ", ";
	}
}

static const char *option_of(enum fact fact)
{
	return facts[fact].option;
}

static const char *name_of(enum fact fact)
{
	return facts[fact].name;
}

/* What a hook can filter or group by. */
static void print_known(FILE *out, const char *what, enum hook hook,
			const char *(*name)(enum fact fact))
{
	const char *separator = " ";

	fprintf(out, "\n%-20s %s", "", what);
	for (enum fact fact = 0; fact < NR_FACTS; fact++) {
		if (!name(fact) || !hook_knows(hook, fact))
			continue;
		fprintf(out, "%s%s", separator, name(fact));
		separator = ", ";
	}
}

void list_probes(FILE *out, const char *btf_path)
{
	struct btf *btf = kernel_btf(btf_path);
	int targets[NR_PROBES];

	if (btf)
		kernel_find_targets(btf, targets);
	fprintf(out, "At each hook,        the packet has ...\n\n");
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		fprintf(out, "%-20s %s\n%-20s ", hooks[hook].name, hooks[hook].meaning, "");
		print_targets(out, btf, targets, hook);
		print_known(out, "filters:", hook, option_of);
		print_known(out, "groups:", hook, name_of);
		fputs(hooks[hook].is_default ? "\n" : " (off unless chosen with -e)\n", out);
	}
	if (!btf)
		fputs("\nThis kernel shows no types, so it is unknown which of these it has.\n",
		      out);
	btf__free(btf);
}
