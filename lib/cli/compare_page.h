/* SPDX-License-Identifier: GPL-2.0 */
/* A comparison as a page: both sides on one scale, a column a run, and their difference. */
#ifndef NETSTACKLAT_COMPARE_PAGE_H
#define NETSTACKLAT_COMPARE_PAGE_H

#include <stdio.h>

#include "lib/compare/comparison.h"

/* Returns 0 or, after saying so, -ENOMEM. */
int compare_page_print(FILE *out, const struct comparison *comparison, bool full,
		       char *const *command);

#endif
