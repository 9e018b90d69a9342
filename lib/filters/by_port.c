// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/list.h"
#include "lib/filters/kind.h"

/* "80", or "8000-8100" with both ends. */
static bool parse_range(const char *element, uint64_t *first, uint64_t *last)
{
	char low[LIST_ELEMENT_SIZE];
	const char *dash = strchrnul(element, '-');

	strcpy(low, element);
	low[dash - element] = '\0';
	return list_number(low, NR_PORTS - 1, first) && *first &&
	       list_number(*dash ? dash + 1 : low, NR_PORTS - 1, last) && *first <= *last;
}

static bool is_possible(const char *element)
{
	uint64_t first, last;

	return parse_range(element, &first, &last);
}

static int add(struct filters *filters, const char *element)
{
	uint64_t first = 1, last = 0;
	int err = 0;

	parse_range(element, &first, &last);
	for (__u16 port = first; port <= last && port >= first && !err; port++)
		err = filter_add_key(filters, FILTER_PORT, &port);
	return err;
}

static void set_only(const void *key, struct filter_values *values)
{
	values->port = *(const __u16 *)key;
}

/* An array of bits, which takes programs fewer instructions than a hash. */
static int fill(const struct filter_keys *keys, filter_put put, void *map)
{
	__u64 words[NR_PORTS / PORTS_PER_WORD] = { 0 };
	const __u16 *ports = keys->keys;
	int err = 0;

	for (size_t i = 0; i < keys->nr; i++)
		words[ports[i] / PORTS_PER_WORD] |= 1ULL << ports[i] % PORTS_PER_WORD;
	for (__u32 i = 0; i < NR_PORTS / PORTS_PER_WORD && !err; i++)
		err = put(map, &i, &words[i]);
	return err;
}

const struct filter_kind filter_by_port = {
	.expected = "ports from 1 to 65535, or ranges such as 8000-8100",
	.is_possible = is_possible,
	.add = add,
	.map = "filter_ports",
	.key_size = sizeof(__u16),
	.set_only = set_only,
	.map_size = NR_PORTS / PORTS_PER_WORD,
	.fill = fill,
};
