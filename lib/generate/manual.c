// SPDX-License-Identifier: GPL-2.0
#include "lib/generate/manual.h"

#include <stdlib.h>

#include "lib/cli/option_table.h"
#include "lib/tables/hooks.h"

/* A dash would be a hyphen, and a line that starts with a dot a command. */
static void print_text(FILE *out, const char *text)
{
	if (*text == '.')
		fputs("\\&", out);
	for (; *text; text++)
		if (*text == '-' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
}

static void print_names(FILE *out, const struct option_entry *entry)
{
	fputs(".TP\n.B ", out);
	if (entry->letter)
		fprintf(out, "\\-%c%s", entry->letter, entry->name ? ", " : "");
	if (entry->name) {
		fputs("\\-\\-", out);
		print_text(out, entry->name);
	}
	if (entry->argument)
		fprintf(out, "=\\fI%s\\fR", entry->argument);
	fputc('\n', out);
}

static void print_option(FILE *out, const struct option_entry *entry)
{
	char *help = option_help(entry);

	print_names(out, entry);
	print_text(out, help ? help : "");
	fputs(".\n", out);
	if (entry->detail) {
		print_text(out, entry->detail);
		fputc('\n', out);
	}
	free(help);
}

void manual_print_options(FILE *out)
{
	for (int i = 0; i < NR_OPTION_SECTIONS; i++) {
		const struct option_section *section = &option_sections[i];

		if (section->title)
			fprintf(out, ".SS %s\n", section->title);
		for (size_t j = 0; j < section->nr_entries; j++)
			print_option(out, &section->entries[j]);
	}
}

static void print_hook(FILE *out, enum hook hook)
{
	const char *separator = "(";

	fputs(".TP\n.B ", out);
	print_text(out, hooks[hook].name);
	fprintf(out, "\nThe %s has ", hook_subject(hook));
	print_text(out, hooks[hook].meaning);
	fputc('\n', out);
	for_each_probe_of(hook, probe) {
		fprintf(out, "%s%s%s", separator, probes[probe].is_fallback ? "or else " : "",
			probe_target(probe));
		separator = ", ";
	}
	fputs(").\n", out);
	if (hook_default_text(hook)) {
		print_text(out, hook_default_text(hook));
		fputc('\n', out);
	}
	if (hooks[hook].note) {
		print_text(out, hooks[hook].note);
		fputc('\n', out);
	}
}

void manual_print_hooks(FILE *out)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		print_hook(out, hook);
}
