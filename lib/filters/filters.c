// SPDX-License-Identifier: GPL-2.0
#include "lib/filters/filters.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/list.h"
#include "lib/base/log.h"
#include "lib/filters/kind.h"
#include "lib/filters/netns_list.h"
#include "lib/tables/hooks.h"

/* Filters by other facts are single values. */
static const struct filter_kind *const kinds[NR_FACTS] = {
	[FACT_INTERFACE] = &filter_by_interface,
	[FACT_NETNS] = &filter_by_netns,
	[FACT_CGROUP] = &filter_by_cgroup,
	[FACT_PORT] = &filter_by_port,
	[FACT_PID] = &filter_by_pid,
	[FACT_COMM] = &filter_by_comm,
	[FACT_REMOTE] = &filter_by_remote,
};

static bool is_possible(enum fact fact, const char *element)
{
	return kinds[fact]->is_possible ? kinds[fact]->is_possible(element) : *element;
}

const char *filters_expected(enum fact fact, const char *list, char *element)
{
	while (list_next(&list, element))
		if (!is_possible(fact, element))
			return kinds[fact]->expected;
	return NULL;
}

int filter_add_key(struct filters *filters, enum fact fact, const void *key)
{
	struct filter_keys *keys = &filters->keys[fact];
	size_t size = kinds[fact]->key_size;
	char *grown = reallocarray(keys->keys, keys->nr + 1, size);

	if (!grown)
		return log_failure(-ENOMEM, "cannot prepare the filters");
	memcpy(grown + keys->nr++ * size, key, size);
	keys->keys = grown;
	return 0;
}

static int find(const struct filter_lists *lists, enum fact fact, struct filters *filters)
{
	const char *list = lists->lists[fact];
	char element[LIST_ELEMENT_SIZE];
	int err = 0;

	if (kinds[fact]->find)
		return kinds[fact]->find(lists, filters);
	while (!err && list_next(&list, element))
		err = kinds[fact]->add(filters, element);
	return err;
}

unsigned int filter_lists_facts(const struct filter_lists *lists)
{
	unsigned int by = 0;

	for (enum fact fact = 0; fact < NR_FACTS; fact++)
		if (lists->lists[fact])
			by |= 1U << fact;
	if (netns_list_has_all(lists->lists[FACT_NETNS]))
		by &= ~(1U << FACT_NETNS);
	if (lists->ipv4 != lists->ipv6)
		by |= 1U << FACT_IP_VERSION;
	if (lists->min_queue_length)
		by |= 1U << FACT_QUEUE_LENGTH;
	return facts_without_implied(by);
}

enum fact filter_unknown_at(enum hook hook, unsigned int by)
{
	enum fact fact = 0;

	while (fact < NR_FACTS && (!(by & 1U << fact) || hook_knows(hook, fact)))
		fact++;
	return fact;
}

int filters_find(const struct filter_lists *lists, struct filters *filters)
{
	int err = 0;

	*filters = (struct filters){
		.facts = filter_lists_facts(lists),
		.min_queue_length = lists->min_queue_length,
		.ip_version = lists->ipv4 ? 4 : 6,
	};
	for (enum fact fact = 0; fact < NR_FACTS && !err; fact++)
		if (lists->lists[fact])
			err = find(lists, fact, filters);
	if (err)
		filters_free(filters);
	return err;
}

void filters_free(struct filters *filters)
{
	for (enum fact fact = 0; fact < NR_FACTS; fact++)
		free(filters->keys[fact].keys);
	*filters = (struct filters){ 0 };
}

static bool is_filtered_by(const struct filters *filters, enum fact fact)
{
	return kinds[fact] && filters->facts & 1U << fact;
}

/* Whether one value says it all, so that it takes no map. */
static bool is_one_value(const struct filters *filters, enum fact fact)
{
	return kinds[fact]->set_only && filters->keys[fact].nr == 1;
}

struct filter_values filters_values(const struct filters *filters)
{
	struct filter_values values = {
		.min_queue_length = filters->min_queue_length,
		.protocol = htons(filters->ip_version == 4 ? ETH_P_IP : ETH_P_IPV6),
	};

	for (enum fact fact = 0; fact < NR_FACTS; fact++)
		if (is_filtered_by(filters, fact) && is_one_value(filters, fact))
			kinds[fact]->set_only(filters->keys[fact].keys, &values);
	return values;
}

const char *filter_map(enum fact fact)
{
	return kinds[fact] ? kinds[fact]->map : NULL;
}

uint32_t filter_map_size(const struct filters *filters, enum fact fact)
{
	if (!is_filtered_by(filters, fact) || is_one_value(filters, fact))
		return 0;
	return kinds[fact]->map_size ? kinds[fact]->map_size : filters->keys[fact].nr;
}

int filter_map_fill(const struct filters *filters, enum fact fact, filter_put put, void *map)
{
	const struct filter_keys *keys = &filters->keys[fact];
	const uint8_t present = 1;
	int err = 0;

	if (kinds[fact]->fill)
		return kinds[fact]->fill(keys, put, map);
	for (size_t i = 0; i < keys->nr && !err; i++)
		err = put(map, (char *)keys->keys + i * kinds[fact]->key_size, &present);
	return err;
}
