// SPDX-License-Identifier: GPL-2.0
/* Lists to filter by: the kind, then the list. Those that ask the kernel have fuzzers of their own.
 */
#include "tests/fuzz/fuzz.h"

#include "lib/base/list.h"
#include "lib/filters/filters.h"

static const enum filter kinds[] = { FILTER_PORT, FILTER_COMM, FILTER_REMOTE };

static int put(void *map, const void *key, const void *value)
{
	(void)key, (void)value;
	(*(size_t *)map)++;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	enum filter filter = kinds[input_byte(&input) % (sizeof(kinds) / sizeof(*kinds))];
	struct filter_lists lists = { 0 };
	char element[LIST_ELEMENT_SIZE];
	struct filters filters;
	size_t nr = 0;
	char *list;

	/* As long as lists are in real life: each range of ports is 65535 keys at most. */
	if (input.size > 256)
		return -1;
	list = input_text(&input);
	if (!filters_expected(filter, list, element)) {
		lists.lists[filter] = list;
		/* What looks right is right. */
		require(!filters_find(&lists, &filters));
		require(filters.active && filters.keys[filter].nr);
		filters_values(&filters);
		filter_map_fill(&filters, filter, put, &nr);
		require(nr);
		filters_free(&filters);
	}
	free(list);
	return 0;
}
