// SPDX-License-Identifier: GPL-2.0
#include "lib/base/duration.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *duration_text(double ns, char text[DURATION_TEXT_SIZE])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;

	/* From 999.5 on, three digits round to 1000, which is 1 of the next unit. */
	while (ns >= 999.5 && unit < sizeof(units) / sizeof(units[0]) - 1) {
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
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", 60 * 1000000000ULL },
		{ "h", 3600 * 1000000000ULL },
		{ "d", 86400 * 1000000000ULL },
	};
	char *unit;
	uint64_t number;

	errno = 0;
	number = strtoull(text, &unit, 10);
	if (errno || !isdigit((unsigned char)*text))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(unit, units[i].name))
			return !__builtin_mul_overflow(number, units[i].ns, ns);
	return false;
}
