/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The measurement that a verdict needs: at each hook, the times that classes.def and the services'
 * lines are about, and the keys that tell whose they are. Everything else would cost packets time
 * for nothing.
 */
#ifndef NETSTACKLAT_WATCH_H
#define NETSTACKLAT_WATCH_H

#include <stdbool.h>

#include "lib/tables/bucket.h"
#include "lib/tables/hooks.h"

struct watch {
	bool is_followed;      /* packets are: stages begin there, and drops are told from there */
	bool counts[NR_SINCE]; /* these times; none: nothing is counted there */
	unsigned int keys;     /* to group by, a bit each; on top of these, all are by CPU */
};

extern const struct watch watches[NR_HOOKS];

#endif
