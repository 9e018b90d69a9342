// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/list_probes.h"

#include <string.h>

#include "lib/kernel/btf.h"
#include "lib/tables/attributes.h"
#include "lib/tables/hooks.h"

#define NAME_WIDTH 20
#define LINE_WIDTH 80

/* A line behind the column of names; returns how much of it is in use. */
static int begin_line(FILE *out, const char *text)
{
	return fprintf(out, "\n%-*s %s", NAME_WIDTH, "", text) - 1;
}

/* Names in as many lines as they take, with a comma between them. */
struct name_list {
	FILE *out;
	const char *what; /* these are, if that is said */
	int column;	  /* 0 before the first */
};

static void print_next(struct name_list *list, const char *name)
{
	const char *separator = list->column ? "," : "";

	if (!list->column && !list->what) {
		list->column = begin_line(list->out, name);
		return;
	}
	if (!list->column)
		list->column = begin_line(list->out, list->what);
	fputs(separator, list->out);
	/* Compares with a comma on either side. */
	if (list->column + strlen(name) + 3 > LINE_WIDTH)
		list->column = begin_line(list->out, name);
	else
		list->column += (int)strlen(separator) + fprintf(list->out, " %s", name);
}

static void print_targets(FILE *out, bool has_btf, const int targets[NR_PROBES], enum hook hook)
{
	struct name_list list = { .out = out };
	char text[LINE_WIDTH];

	for_each_probe_of(hook, probe) {
		snprintf(text, sizeof(text), "%s%s%s", probes[probe].is_fallback ? "or else " : "",
			 probe_target(probe),
			 !has_btf || targets[probe] ? "" : " (not in this kernel)");
		print_next(&list, text);
	}
}

static void print_filters(FILE *out, enum hook hook)
{
	struct name_list list = { out, "filters:", 0 };

	for (enum filter filter = 0; filter < NR_FILTERS; filter++)
		if (hook_can_filter(hook, filter))
			print_next(&list, filter_table[filter].option);
}

static void print_keys(FILE *out, enum hook hook)
{
	struct name_list list = { out, "groups:", 0 };
	char name[KEY_NAME_SIZE];

	for (enum key key = 0; key < NR_KEYS; key++)
		if (hook_can_group(hook, key))
			print_next(&list, key_name(key, name));
}

static void print_hook(FILE *out, bool has_btf, const int targets[NR_PROBES], enum hook hook)
{
	fprintf(out, "%-*s ", NAME_WIDTH, hooks[hook].name);
	if (hooks[hook].has & HAS_SPAN)
		fprintf(out, "the %s has ", hook_subject(hook));
	fputs(hooks[hook].meaning, out);
	print_targets(out, has_btf, targets, hook);
	print_filters(out, hook);
	print_keys(out, hook);
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
