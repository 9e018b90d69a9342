// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/finding.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/tables/hooks.h"

#define NAME_COLUMN 6
#define TEXT_COLUMN 28
#define TEXT_WIDTH (80 - TEXT_COLUMN)

void finding_print(FILE *out, const char *verdict, const char *name, const char *text)
{
	fprintf(out, "%-*s%-*s", NAME_COLUMN, verdict, TEXT_COLUMN - NAME_COLUMN, name);
	while (strlen(text) > TEXT_WIDTH) {
		int length = TEXT_WIDTH;

		while (length > 0 && text[length] != ' ')
			length--;
		if (!length)
			length = TEXT_WIDTH;
		fprintf(out, "%.*s\n%*s", length, text, TEXT_COLUMN, "");
		text += length + (text[length] == ' ');
	}
	fprintf(out, "%s\n", text);
}

/* "CAP_BPF, CAP_PERFMON" */
static void write_capabilities(uint64_t capabilities, FILE *out)
{
	const char *separator = "";

	for (cap_value_t capability = 0; capability < 64; capability++) {
		char *name = capabilities >> capability & 1 ? cap_to_name(capability) : NULL;

		if (!name)
			continue;
		fputs(separator, out);
		for (const char *letter = name; *letter; letter++)
			fputc(toupper(*letter), out);
		cap_free(name);
		separator = ", ";
	}
}

void finding_print_right(FILE *out, enum right right, bool has)
{
	const char *otherwise = rights[right].otherwise;
	char text[200] = "";
	FILE *words = fmemopen(text, sizeof(text), "w");

	if (!words)
		return;
	write_capabilities(rights[right].capabilities, words);
	if (!has)
		fprintf(words, ": not here, so %s", otherwise ? otherwise : "this fails");
	fclose(words);
	finding_print(out, has ? "ok" : otherwise ? "part" : "NO", rights[right].name, text);
}

void finding_print_clock(FILE *out, clockid_t clock)
{
	struct clock_offsets offsets;
	char text[160];

	if (clock_read_offsets(&offsets))
		return;
	snprintf(text, sizeof(text), "%+.0f s%s", offsets.tai_ns / 1e9,
		 offsets.tai_ns ? "" : ": not set in the kernel, which does no harm");
	finding_print(out, "ok", "TAI offset", text);
	finding_print(out, "ok", "clock of the programs",
		      clock == CLOCK_TAI ? "TAI"
					 : "monotonic, as with --stages and before Linux 6.1");
}

void finding_print_stamps(FILE *out, const struct snapshot *counts)
{
	uint64_t stamped = 0, unstamped = 0;
	const char *text;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (hooks[hook].has & HAS_SPAN)
			continue;
		stamped += histogram_count(&counts->hooks[hook].latency);
		unstamped += counts->hooks[hook].discarded[DISCARD_NO_STAMP];
	}
	text = stamped	   ? "on already, for another program"
	       : unstamped ? "off; netstacklat turns them on while it runs"
			   : "on while netstacklat runs; no packet showed whether they are already";
	finding_print(out, "ok", "receive time stamps", text);
}

void finding_print_prequeue(FILE *out, const char *path)
{
	FILE *sysctl = fopen(path, "re");
	int prequeue = sysctl ? fgetc(sysctl) : EOF;

	if (sysctl)
		fclose(sysctl);
	if (prequeue == EOF)
		return;
	finding_print(out, "ok", "stamps are taken",
		      prequeue == '0'
			      ? "after RPS (net.core.netdev_tstamp_prequeue is 0): the wait for "
				"another CPU is not measured"
			      : "before RPS (net.core.netdev_tstamp_prequeue is 1)");
}

void finding_print_hook(FILE *out, enum hook hook, const struct left_out *left_out)
{
	char targets[HOOK_TEXT_SIZE], reason[HOOK_TEXT_SIZE];
	bool complete = !*hook_reason(hook, left_out, reason);

	if (!hook_is_attached(hook, left_out)) {
		finding_print(out, "NO", hooks[hook].name, reason);
		return;
	}
	finding_print(out, complete ? "ok" : "part", hooks[hook].name,
		      hook_targets(hook, left_out, targets));
	if (!complete)
		finding_print(out, "", "", reason);
}
