// SPDX-License-Identifier: GPL-2.0
#include "lib/base/duration.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NS (100 * 365 * 86400e9) /* a hundred years */

static const char *const units[] = { "ns", "us", "ms", "s" };
#define NR_UNITS (sizeof(units) / sizeof(*units))

const char *duration_text(double ns, char text[DURATION_TEXT_SIZE])
{
	size_t unit = 0;

	/* Three digits round to 1000 from 999.5 on, which is 1 of the next unit. */
	while (ns >= 999.5 && unit < NR_UNITS - 1) {
		ns /= 1000;
		unit++;
	}
	if (ns >= 999.5)
		snprintf(text, DURATION_TEXT_SIZE, "%.0f%s", ns, units[unit]);
	else
		snprintf(text, DURATION_TEXT_SIZE, "%.3g%s", ns, units[unit]);
	return text;
}

bool duration_parse(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} known[] = {
		{ "ns", 1 },   { "us", 1e3 },	{ "ms", 1e6 },	  { "s", 1e9 },
		{ "m", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 },
	};
	double value;
	char *unit;

	/* Refuses what strtod() takes besides: blanks, signs, "inf", hexadecimal. */
	if (!isdigit((unsigned char)*text) || strpbrk(text, "xX"))
		return false;
	value = strtod(text, &unit);
	*ns = 0;
	if (!*unit)
		return value == 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(unit, known[i].name) && value * known[i].ns <= MAX_NS) {
			*ns = value * known[i].ns + 0.5;
			return true;
		}
	return false;
}
