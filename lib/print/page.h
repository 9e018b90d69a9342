/* SPDX-License-Identifier: GPL-2.0 */
/* A page for a browser, which draws a timeline. */
#ifndef NETSTACKLAT_PAGE_H
#define NETSTACKLAT_PAGE_H

#include "lib/print/recording.h"

/* The caller keeps all of it. */
struct page {
	const char *host, *kernel;
	char *const *command; /* up to NULL */
	const char *verdict;  /* for people, on top; NULL: none */
	const struct timeline *timeline;
	unsigned int split; /* of its stages and groups, those that are drawn */
	size_t nr_before; /* columns of the first side of two that are compared; 0: there is one */
	const struct recording *recording; /* with slow packets, or NULL */
	const struct report *total;	   /* with what is not drawn, or NULL */
};

/* Returns 0 or, after saying so, -ENOMEM. */
int page_print(FILE *out, const struct page *page);

#endif
