// SPDX-License-Identifier: GPL-2.0
#include "lib/generate/completion.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli/option_table.h"
#include "lib/tables/hooks.h"

/*
 * The command that prints an option's values on the host where it is used, a line each, in sh and
 * in fish.
 */
static const struct {
	const char *option, *command;
} host_values[] = {
	{ "interfaces", "ls /sys/class/net" },
	{ "network-namespace", "printf '%s\\n' self all; ls /run/netns 2>/dev/null" },
	{ "cgroups", "find /sys/fs/cgroup -mindepth 1 -type d -printf '/%P\\n' 2>/dev/null" },
	{ "pids", "ls /proc | grep '^[0-9]'" },
	/* Sockets that listen or are bound have the ports that clients ask for. */
	{ "ports", "ss -Hltun | awk '{ sub(/.*:/, \"\", $5); print $5 }' | sort -nu" },
};

static const char *host_command(const struct option_entry *entry)
{
	for (size_t i = 0; i < sizeof(host_values) / sizeof(*host_values); i++)
		if (entry->name && !strcmp(entry->name, host_values[i].option))
			return host_values[i].command;
	return NULL;
}

static bool is_about_hooks(const struct option_entry *entry)
{
	return entry->name && strstr(entry->name, "able-probes");
}

static bool is_file(const struct option_entry *entry)
{
	return entry->argument && !strcmp(entry->argument, "FILE");
}

static bool is_list(const struct option_entry *entry)
{
	return entry->argument && !strcmp(entry->argument, "LIST");
}

static bool has_values(const struct option_entry *entry)
{
	return entry->names || is_about_hooks(entry) || host_command(entry);
}

/* The names that messages list as "a, b or c", a space before each. */
static void print_names(FILE *out, const struct option_entry *entry)
{
	char *text = NULL;
	size_t size;
	FILE *names = open_memstream(&text, &size);

	if (!names)
		return;
	entry->names(names);
	fclose(names);
	for (char *rest = text, *word = strtok_r(text, ", ", &rest); word;
	     word = strtok_r(NULL, ", ", &rest))
		if (strcmp(word, "or"))
			fprintf(out, " %s", word);
	free(text);
}

static void print_command(FILE *out, const struct option_entry *entry)
{
	const char *command = host_command(entry);

	if (command) {
		fputs(command, out);
		return;
	}
	fputs("printf '%s\\n'", out);
	if (entry->names)
		print_names(out, entry);
	else
		for (enum hook hook = 0; hook < NR_HOOKS; hook++)
			fprintf(out, " %s", hooks[hook].name);
}

typedef void print_entry(FILE *out, const struct option_entry *entry);

static void for_each_option(FILE *out, print_entry *print)
{
	for (int i = 0; i < NR_OPTION_SECTIONS; i++)
		for (size_t j = 0; j < option_sections[i].nr_entries; j++)
			print(out, &option_sections[i].entries[j]);
}

static void print_note(FILE *out)
{
	fputs("# Made from the table of options by lib/generate/completion.c.\n\n", out);
}

/* Writes the help within single quotes of sh, with a backslash before each escaped character. */
static void print_help(FILE *out, const struct option_entry *entry, const char *escaped,
		       const char *quote)
{
	char *help = option_help(entry);

	for (const char *text = help ? help : ""; *text; text++)
		if (*text == '\'')
			fputs(quote, out);
		else
			fprintf(out, "%s%c", strchr(escaped, *text) ? "\\" : "", *text);
	free(help);
}

/* "-o | --output", with or without dashes of their own: a case of sh. */
static void print_case(FILE *out, const struct option_entry *entry)
{
	fputc('\t', out);
	if (entry->letter)
		fprintf(out, "-%c%s", entry->letter, entry->name ? " | " : "");
	if (entry->name)
		fprintf(out, "--%s", entry->name);
	fputs(") ", out);
}

static void print_sh_values(FILE *out, const struct option_entry *entry)
{
	if (!has_values(entry))
		return;
	print_case(out, entry);
	print_command(out, entry);
	fputs(" ;;\n", out);
}

static void print_bash_values(FILE *out, const struct option_entry *entry)
{
	print_sh_values(out, entry);
	if (!entry->argument || has_values(entry))
		return;
	print_case(out, entry);
	fputs(is_file(entry) ? "compgen -f -- \"$2\" ;;\n" : ";;\n", out);
}

static void print_bash_file(FILE *out, const struct option_entry *entry)
{
	if (is_file(entry))
		fprintf(out, " --%s", entry->name);
}

static void print_bash_option(FILE *out, const struct option_entry *entry)
{
	if (entry->letter)
		fprintf(out, " -%c", entry->letter);
	if (entry->name)
		fprintf(out, " --%s%s", entry->name, entry->argument ? "=" : "");
}

/* Readline cuts --option=value in three. A list's next value follows the values that it has. */
static const char bash_function[] =
	"_netstacklat() {\n"
	"\tlocal current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} before value\n"
	"\tif [[ $option == '=' ]]; then\n"
	"\t\toption=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\telif [[ $current == '=' ]]; then\n"
	"\t\tcurrent=\n"
	"\tfi\n"
	"\tbefore=${current%\"${current##*,}\"}\n"
	"\tCOMPREPLY=()\n"
	"\twhile read -r value; do\n"
	"\t\tvalue=$before$value\n"
	"\t\t[[ $value != \"$current\"* ]] || COMPREPLY+=(\"${value//\\\\/\\\\\\\\}\")\n"
	"\tdone < <(_netstacklat_values \"$option\" \"$current\")\n"
	"\t[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n"
	"\t[[ $_netstacklat_files != *\" $option \"* ]] || compopt -o filenames 2>/dev/null\n"
	"}\n\n"
	"complete -F _netstacklat netstacklat\n";

void completion_print_bash(FILE *out)
{
	fputs("# shellcheck shell=bash disable=SC2010,SC2012\n", out);
	print_note(out);
	fputs("# Of what stands behind an option, or all options.\n_netstacklat_values() {\n\tcase $1 in\n",
	      out);
	for_each_option(out, print_bash_values);
	fputs("\t*) printf '%s\\n'", out);
	for_each_option(out, print_bash_option);
	fputs(" ;;\n\tesac\n}\n\n_netstacklat_files='", out);
	for_each_option(out, print_bash_file);
	fputs(" '\n\n", out);
	fputs(bash_function, out);
}

static void print_zsh_forms(FILE *out, const struct option_entry *entry)
{
	const char *before = entry->argument ? "+" : "";

	if (entry->letter && entry->name)
		fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}'", entry->letter, entry->name,
			entry->letter, before, entry->name, entry->argument ? "=" : "");
	else if (entry->letter)
		fprintf(out, "'-%c%s", entry->letter, before);
	else
		fprintf(out, "'--%s%s", entry->name, entry->argument ? "=" : "");
}

static void print_zsh_option(FILE *out, const struct option_entry *entry)
{
	char label[32];

	fputs("\t", out);
	print_zsh_forms(out, entry);
	fputs("[", out);
	print_help(out, entry, "[]:\\", "'\\''");
	fputs("]", out);
	if (entry->argument)
		fprintf(out, ":%s:", entry->argument[0] == '[' ? "ADDRESS" : entry->argument);
	if (is_file(entry))
		fputs("_files", out);
	else if (has_values(entry))
		fprintf(out, "{%scompadd - ${(f)\"$(_netstacklat_values %s)\"}}",
			is_list(entry) ? "_sequence " : "", option_label(entry, label));
	fputs("' \\\n", out);
}

void completion_print_zsh(FILE *out)
{
	fputs("#compdef netstacklat\n", out);
	print_note(out);
	fputs("_netstacklat_values() {\n\tcase $1 in\n", out);
	for_each_option(out, print_sh_values);
	fputs("\tesac\n}\n\n_arguments -s -S \\\n", out);
	for_each_option(out, print_zsh_option);
	fputs("\t'1:INTERVAL in seconds: ' '2:COUNT of reports: '\n", out);
}

static void print_fish_values(FILE *out, const struct option_entry *entry)
{
	char label[32];

	if (!has_values(entry))
		return;
	fprintf(out, "\tcase %s\n\t\t", option_label(entry, label));
	print_command(out, entry);
	fputc('\n', out);
}

static void print_fish_option(FILE *out, const struct option_entry *entry)
{
	char label[32];

	fputs("complete -c netstacklat", out);
	if (entry->letter)
		fprintf(out, " -s %c", entry->letter);
	if (entry->name)
		fprintf(out, " -l %s", entry->name);
	if (entry->argument)
		fputs(is_file(entry) ? " -r -F" : " -x", out);
	if (has_values(entry))
		fprintf(out, " -a '(__netstacklat_values %s | __netstacklat_list)'",
			option_label(entry, label));
	fputs(" -d '", out);
	print_help(out, entry, "\\", "\\'");
	fputs("'\n", out);
}

void completion_print_fish(FILE *out)
{
	print_note(out);
	fputs("function __netstacklat_values\n\tswitch $argv[1]\n", out);
	for_each_option(out, print_fish_values);
	fputs("\tend\nend\n\n"
	      "# Behind what is in a list already.\n"
	      "function __netstacklat_list\n"
	      "\tset -l before (string match -r '^(?:--[^=]*=|-.)?(.*,)' -- (commandline -ct))\n"
	      "\twhile read -l value\n"
	      "\t\techo \"$before[2]$value\"\n"
	      "\tend\n"
	      "end\n\n"
	      "complete -c netstacklat -f\n",
	      out);
	for_each_option(out, print_fish_option);
}
