// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "lib/base/list.h"
#include "lib/filters/kind.h"
#include "lib/tables/attributes.h"

/* Its bit, or 0. */
static uint32_t bit_of(const char *name)
{
	for (enum sequence sequence = 1; sequence < END_OF_SEQUENCES; sequence++)
		if (!strcmp(name, sequence_names[sequence]))
			return 1U << sequence;
	return 0;
}

static bool is_possible(const char *element)
{
	return bit_of(element);
}

/* All that pass are bits of one value. */
static int find(const struct filter_lists *lists, struct filters *filters)
{
	const char *list = lists->lists[FILTER_SEQUENCE];
	char element[LIST_ELEMENT_SIZE];
	uint32_t sequences = 0;

	while (list_next(&list, element))
		sequences |= bit_of(element);
	return filter_add_key(filters, FILTER_SEQUENCE, &sequences);
}

static void set_only(const void *key, struct filter_values *values)
{
	memcpy(&values->sequences, key, sizeof(values->sequences));
}

const struct filter_kind filter_by_sequence = {
	.expected = "in-order, behind-gap, received-before or no-data",
	.is_possible = is_possible,
	.find = find,
	.key_size = sizeof(uint32_t),
	.set_only = set_only,
};
