// SPDX-License-Identifier: GPL-2.0
#include "lib/print/shades.h"

const int level_colours[NR_LEVELS] = { 54, 55, 92, 127, 162, 203, 209, 221 };

const char *level_shade(int level, bool unicode)
{
	static const char *const shades[][NR_LEVELS / 2] = {
		{ ".", ":", "*", "#" },
		{ "░", "▒", "▓", "█" },
	};

	return shades[unicode][(level - 1) / 2];
}
