// SPDX-License-Identifier: GPL-2.0
#include "lib/base/duration.h"

#include <stdio.h>

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
