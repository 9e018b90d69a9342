// SPDX-License-Identifier: GPL-2.0
#include "lib/base/duration.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NS 86400e9

static const char *const units[] = { "ns", "us", "ms", "s" };
#define NR_UNITS (sizeof(units) / sizeof(*units))

const char *duration_text(double ns, char text[DURATION_TEXT_SIZE])
{
	size_t unit = 0;

	/* From 999.5 on, three digits round to 1000, which is 1 of the next unit. */
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
	double value, factor = 1;
	char *unit;

	/* Not what strtod() takes, too: blanks, signs, "inf", hexadecimal. */
	if (!isdigit((unsigned char)*text) || strpbrk(text, "xX"))
		return false;
	value = strtod(text, &unit);
	*ns = 0;
	if (!*unit)
		return value == 0;
	for (size_t i = 0; i < NR_UNITS; i++, factor *= 1000)
		if (!strcmp(unit, units[i]) && value * factor <= MAX_NS) {
			*ns = value * factor + 0.5;
			return true;
		}
	return false;
}
