// SPDX-License-Identifier: GPL-2.0
#include "lib/base/find_or_add.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

void *find_or_add(void **tree, const void *element, size_t size,
		  int (*compare)(const void *a, const void *b), bool *is_new)
{
	void **found = tfind(element, tree, compare), *copy;

	*is_new = false;
	if (found)
		return *found;
	copy = malloc(size);
	if (!copy)
		return NULL;
	memcpy(copy, element, size);
	if (!tsearch(copy, tree, compare)) {
		free(copy);
		return NULL;
	}
	*is_new = true;
	return copy;
}
