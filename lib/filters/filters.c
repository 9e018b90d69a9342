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
#include "lib/tables/attributes.h"

static const struct filter_kind *const kinds[NR_FILTERS] = {
	[FILTER_INTERFACE] = &filter_by_interface,
	[FILTER_NETNS] = &filter_by_netns,
	[FILTER_CGROUP] = &filter_by_cgroup,
	[FILTER_PORT] = &filter_by_port,
	[FILTER_PID] = &filter_by_pid,
	[FILTER_COMM] = &filter_by_comm,
	[FILTER_SEQUENCE] = &filter_by_sequence,
	[FILTER_REMOTE] = &filter_by_remote,
	/* The others are single values. */
};

static bool is_possible(enum filter filter, const char *element)
{
	return kinds[filter]->is_possible ? kinds[filter]->is_possible(element) : *element;
}

const char *filters_expected(enum filter filter, const char *list, char *element)
{
	while (list_next(&list, element))
		if (!is_possible(filter, element))
			return kinds[filter]->expected;
	return NULL;
}

int filter_add_key(struct filters *filters, enum filter filter, const void *key)
{
	struct filter_keys *keys = &filters->keys[filter];
	size_t size = kinds[filter]->key_size;
	/* Room doubles whenever it is full, at powers of two: a range has up to 65535 ports. */
	bool is_full = !(keys->nr & (keys->nr - 1));
	char *grown = keys->keys;

	if (is_full)
		grown = reallocarray(grown, keys->nr ? 2 * keys->nr : 1, size);
	if (!grown)
		return log_failure(-ENOMEM, "cannot prepare the filters");
	memcpy(grown + keys->nr++ * size, key, size);
	keys->keys = grown;
	return 0;
}

static int find(const struct filter_lists *lists, enum filter filter, struct filters *filters)
{
	const char *list = lists->lists[filter];
	char element[LIST_ELEMENT_SIZE];
	int err = 0;

	if (kinds[filter]->find)
		return kinds[filter]->find(lists, filters);
	while (!err && list_next(&list, element))
		err = kinds[filter]->add(filters, element);
	return err;
}

unsigned int filter_lists_active(const struct filter_lists *lists)
{
	unsigned int by = 0;

	for (enum filter filter = 0; filter < NR_FILTERS; filter++)
		if (lists->lists[filter])
			by |= 1U << filter;
	if (netns_list_has_all(lists->lists[FILTER_NETNS]))
		by &= ~(1U << FILTER_NETNS);
	if (lists->ipv4 != lists->ipv6)
		by |= 1U << FILTER_IP_VERSION;
	if (lists->min_queue_length)
		by |= 1U << FILTER_QUEUE_LENGTH;
	return filters_without_implied(by);
}

enum filter filter_unknown_at(enum hook hook, unsigned int by)
{
	enum filter filter = 0;

	while (filter < NR_FILTERS && (!(by & 1U << filter) || hook_can_filter(hook, filter)))
		filter++;
	return filter;
}

int filters_find(const struct filter_lists *lists, struct filters *filters)
{
	int err = 0;

	*filters = (struct filters){
		.active = filter_lists_active(lists),
		.min_queue_length = lists->min_queue_length,
		.ip_version = lists->ipv4 ? 4 : 6,
	};
	for (enum filter filter = 0; filter < NR_FILTERS && !err; filter++)
		if (lists->lists[filter])
			err = find(lists, filter, filters);
	if (err)
		filters_free(filters);
	return err;
}

void filters_free(struct filters *filters)
{
	for (enum filter filter = 0; filter < NR_FILTERS; filter++)
		free(filters->keys[filter].keys);
	*filters = (struct filters){ 0 };
}

static bool is_filtered_by(const struct filters *filters, enum filter filter)
{
	return kinds[filter] && filters->active & 1U << filter;
}

/* Returns whether one value says it all, so that it takes no map. */
static bool is_one_value(const struct filters *filters, enum filter filter)
{
	return kinds[filter]->set_only && filters->keys[filter].nr == 1;
}

struct filter_values filters_values(const struct filters *filters)
{
	struct filter_values values = {
		.min_queue_length = filters->min_queue_length,
		.protocol = htons(filters->ip_version == 4 ? ETH_P_IP : ETH_P_IPV6),
	};

	for (enum filter filter = 0; filter < NR_FILTERS; filter++)
		if (is_filtered_by(filters, filter) && is_one_value(filters, filter))
			kinds[filter]->set_only(filters->keys[filter].keys, &values);
	return values;
}

const char *filter_map(enum filter filter)
{
	return kinds[filter] ? kinds[filter]->map : NULL;
}

uint32_t filter_map_size(const struct filters *filters, enum filter filter)
{
	if (!is_filtered_by(filters, filter) || is_one_value(filters, filter))
		return 0;
	return kinds[filter]->map_size ? kinds[filter]->map_size : filters->keys[filter].nr;
}

int filter_map_fill(const struct filters *filters, enum filter filter, filter_put put, void *map)
{
	const struct filter_keys *keys = &filters->keys[filter];
	const uint8_t present = 1;
	int err = 0;

	if (kinds[filter]->fill)
		return kinds[filter]->fill(keys, put, map);
	for (size_t i = 0; i < keys->nr && !err; i++)
		err = put(map, (char *)keys->keys + i * kinds[filter]->key_size, &present);
	return err;
}
