/* SPDX-License-Identifier: GPL-2.0 */
/* The table of discards (discards.def) as user space sees it. */
#ifndef NETSTACKLAT_DISCARDS_H
#define NETSTACKLAT_DISCARDS_H

#include "netstacklat.h"

struct discard_info {
	const char *name;    /* for programs */
	const char *meaning; /* for people */
};

extern const struct discard_info discards[NR_DISCARDS];

#endif
