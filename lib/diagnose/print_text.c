// SPDX-License-Identifier: GPL-2.0
/* The verdict for people. */
#include <inttypes.h>
#include <string.h>

#include "lib/base/duration.h"
#include "lib/diagnose/verdict.h"
#include "lib/tables/units.h"

static size_t count_of(const struct verdict *verdict, enum class class)
{
	size_t nr = 0;

	for (size_t i = 0; i < verdict->nr; i++)
		nr += verdict->findings[i].class == class;
	return nr;
}

/* "Two", and numbers from ten on. */
static void print_number(FILE *out, size_t number)
{
	static const char *const words[] = { "No",   "One", "Two",   "Three", "Four",
					     "Five", "Six", "Seven", "Eight", "Nine" };

	if (number < sizeof(words) / sizeof(*words))
		fputs(words[number], out);
	else
		fprintf(out, "%zu", number);
}

static bool has_seen_all(const struct verdict *verdict)
{
	return !verdict->no_room && !memchr(verdict->lacks, true, sizeof(verdict->lacks));
}

static void print_summary(FILE *out, const struct verdict *verdict)
{
	size_t dropped = count_of(verdict, CLASS_drop), lost = count_of(verdict, CLASS_loss);
	size_t late = verdict->nr - dropped - lost - count_of(verdict, CLASS_network);
	char text[DURATION_TEXT_SIZE];

	if (!verdict->packets && !verdict->nr) {
		fputs("There was nothing to look at.\n", out);
		return;
	}
	if (late) {
		print_number(out, late);
		fprintf(out, " %s late", late == 1 ? "thing is" : "things are");
	} else {
		fputs("Nothing is late", out);
		fputs(has_seen_all(verdict) ? "" : " of what was looked at", out);
	}
	if (dropped)
		fprintf(out, ", and packets were dropped for %zu %s", dropped,
			dropped == 1 ? "reason" : "reasons");
	if (lost)
		fputs(", and segments get lost", out);
	fprintf(out, "; all %stakes less than %s.\n", late ? "else " : "",
		duration_text(verdict->late_ns, text));
}

static void print_finding(FILE *out, const struct finding *finding, size_t number)
{
	fprintf(out, "\n%2zu  %s\n    %s\n    -> %s\n", number, finding->where, finding->cause,
		finding->next);
}

static const char *looked_at_name(enum class class)
{
	return class == CLASS_reader_asleep ? "readers" : classes[class].name;
}

static bool is_fine(const struct verdict *verdict, enum class class)
{
	for (size_t i = 0; i < verdict->nr; i++) {
		enum class found = verdict->findings[i].class;

		if (found == class ||
		    (class == CLASS_reader_asleep &&
		     (found == CLASS_reader_stopped || found == CLASS_reader_no_cpu ||
		      found == CLASS_reader_throttled || found == CLASS_reader_busy)))
			return false;
	}
	return verdict->looked_at[class].count && class != CLASS_drop;
}

/* A bucket that begins below what is late may end above. */
static uint64_t in_time_ns(const struct verdict *verdict, enum class class)
{
	uint64_t latest_ns = verdict->looked_at[class].latest_ns;

	return latest_ns < verdict->late_ns ? latest_ns : verdict->late_ns;
}

static void print_fine(FILE *out, const struct verdict *verdict)
{
	const char *separator = "\nLooked at, and fine: ";
	char text[DURATION_TEXT_SIZE];

	for (enum class class = 0; class < NR_CLASSES; class ++) {
		if (!is_fine(verdict, class))
			continue;
		fprintf(out, "%s%s", separator, looked_at_name(class));
		if (!class_is_lost(class))
			fprintf(out, " (%s)", duration_text(in_time_ns(verdict, class), text));
		separator = ", ";
	}
	if (*separator == ',')
		fputs(".\n", out);
}

static void print_lacking(FILE *out, const struct verdict *verdict)
{
	const char *separator = "\nNot looked at, as this kernel cannot: ";

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (!verdict->lacks[hook])
			continue;
		fprintf(out, "%s%s", separator, hooks[hook].name);
		separator = ", ";
	}
	if (*separator == ',')
		fputs(".\n", out);
}

void verdict_print_text(FILE *out, const struct verdict *verdict)
{
	fprintf(out, "%.3g s, %" PRIu64 " packets, %u %s. ", verdict->duration_ns / 1e9,
		verdict->packets, verdict->services,
		verdict->services == 1 ? "service" : "services");
	print_summary(out, verdict);
	for (size_t i = 0; i < verdict->nr; i++)
		print_finding(out, &verdict->findings[i], i + 1);
	print_fine(out, verdict);
	print_lacking(out, verdict);
	if (verdict->no_room)
		fprintf(out,
			"\nNot looked at: %" PRIu64 " times, a packet found no room; --max-groups "
			"makes more.\n",
			verdict->no_room);
}
