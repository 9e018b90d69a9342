// SPDX-License-Identifier: GPL-2.0
#include "lib/base/list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool list_next(const char **list, char element[LIST_ELEMENT_SIZE])
{
	size_t length;

	if (!*list)
		return false;
	length = strcspn(*list, ",");
	snprintf(element, LIST_ELEMENT_SIZE, "%.*s", (int)length, *list);
	*list = (*list)[length] ? *list + length + 1 : NULL;
	return true;
}

bool list_number(const char *element, uint64_t max, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)*element))
		return false;
	errno = 0;
	*number = strtoull(element, &end, 10);
	return !errno && !*end && *number <= max;
}
