/* SPDX-License-Identifier: GPL-2.0 */
/* Two sides may differ in more than times: in how the host was set up. */
#ifndef NETSTACKLAT_COMPARE_SETTINGS_H
#define NETSTACKLAT_COMPARE_SETTINGS_H

#include "lib/compare/sides.h"

/* The sides own all of it. */
struct setting_change {
	const char *name;
	bool varies[NR_SIDES];	      /* from run to run of one side; otherwise, all have ... */
	const char *values[NR_SIDES]; /* ... this, or none (NULL) */
};

struct setting_changes {
	bool are_known; /* all runs tell how the host was set up */
	struct setting_change *changes;
	size_t nr;
};

/* The sides must live as long. Returns 0 or -ENOMEM; to be freed in any case. */
int setting_changes_find(struct setting_changes *changes, const struct sides *sides);
void setting_changes_free(struct setting_changes *changes);

#endif
