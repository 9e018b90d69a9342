// SPDX-License-Identifier: GPL-2.0
#include "filter_maps.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static bool filters_by(const struct filters *filters, enum fact fact)
{
	return filters->facts & 1U << fact;
}

static uint64_t first(const struct numbers *numbers)
{
	return numbers->nr ? numbers->values[0] : 0;
}

static uint64_t last(const struct numbers *numbers)
{
	return numbers->nr ? numbers->values[numbers->nr - 1] : 0;
}

static uint64_t words(uint64_t nr_bits)
{
	return (nr_bits + SET_WORD_BITS - 1) / SET_WORD_BITS;
}

static int64_t set(uint64_t lowest, bool only)
{
	return only ? lowest : SET_LOWEST(lowest);
}

static int64_t set_of(const struct numbers *numbers)
{
	return set(first(numbers), first(numbers) == last(numbers));
}

static uint64_t set_words(const struct numbers *numbers)
{
	return SET_HAS_MAP(set_of(numbers)) ? words(last(numbers) - first(numbers) + 1) : 0;
}

/* Namespaces come in the order of the command line. */
static void netns_range(const struct filters *filters, uint64_t *lowest, uint64_t *highest)
{
	*lowest = *highest = filters->nr_netns ? filters->netns[0].netns : 0;
	for (size_t i = 0; i < filters->nr_netns; i++) {
		uint64_t netns = filters->netns[i].netns;

		*lowest = netns < *lowest ? netns : *lowest;
		*highest = netns > *highest ? netns : *highest;
	}
}

/* In several namespaces, only a map tells which is of which. */
static int64_t interface_set(const struct filters *filters)
{
	return filters->nr_netns == 1 ? set_of(&filters->netns[0].indexes) : set(0, false);
}

static uint64_t interface_words(const struct filters *filters)
{
	uint64_t highest = 0;

	for (size_t i = 0; i < filters->nr_netns; i++)
		if (last(&filters->netns[i].indexes) > highest)
			highest = last(&filters->netns[i].indexes);
	return words(highest + 1);
}

static int size_map(struct bpf_map *map, uint64_t nr_entries)
{
	if (!nr_entries)
		return bpf_map__set_autocreate(map, false);
	if (nr_entries > UINT32_MAX)
		return -E2BIG;
	return bpf_map__set_max_entries(map, nr_entries);
}

/* How large the maps are to be; 0 for those that are not needed. */
static int size_maps(struct bpf_object *object, const struct filters *filters,
		     uint64_t nr_netns_ids)
{
	bool by_interface =
		filters_by(filters, FACT_INTERFACE) && SET_HAS_MAP(interface_set(filters));
	const struct {
		const char *map;
		uint64_t nr_entries;
	} sizes[] = {
		{ "filter_netns", filters->nr_netns > 1 ? nr_netns_ids : 0 },
		{ "filter_interfaces",
		  by_interface ? interface_words(filters) * filters->nr_netns : 0 },
		{ "filter_ports", set_words(&filters->ports) },
		{ "filter_pids", set_words(&filters->pids) },
		{ "filter_cgroups", filters->cgroups.nr },
		{ "filter_comms", filters->nr_comms > 1 ? filters->nr_comms : 0 },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes) && !err; i++)
		err = size_map(bpf_object__find_map_by_name(object, sizes[i].map),
			       sizes[i].nr_entries);
	return err;
}

int filter_maps_configure(struct bpf_object *object, const struct filters *filters,
			  struct filter_values *values)
{
	uint64_t first_netns, last_netns;

	netns_range(filters, &first_netns, &last_netns);
	*values = (struct filter_values){
		.netns = set(first_netns, filters->nr_netns == 1),
		.interface = interface_set(filters),
		.port = set_of(&filters->ports),
		.pid = set_of(&filters->pids),
		.interface_words = interface_words(filters),
		.min_queue_length = filters->min_queue_length,
		.protocol = htons(filters->ip_version == 4 ? ETH_P_IP : ETH_P_IPV6),
	};
	if (filters->nr_comms == 1)
		memcpy(values->comm, filters->comms[0], sizeof(values->comm));
	return size_maps(object, filters, last_netns - first_netns + 1);
}

static int map_fd(struct bpf_object *object, const char *name)
{
	return kernel_map_fd(bpf_object__find_map_by_name(object, name));
}

/* Sets the bits of numbers in a set that begins at a word of the map. Without a map, does nothing.
 */
static int fill_set(int map, uint32_t first_word, uint64_t lowest, const struct numbers *numbers)
{
	int err = 0;

	for (size_t i = 0; map >= 0 && i < numbers->nr && !err; i++) {
		uint64_t bit = numbers->values[i] - lowest, word = 0;
		uint32_t key = first_word + bit / SET_WORD_BITS;

		err = bpf_map_lookup_elem(map, &key, &word);
		word |= 1ULL << bit % SET_WORD_BITS;
		if (!err)
			err = bpf_map_update_elem(map, &key, &word, BPF_ANY);
	}
	return err;
}

static int fill_devices(struct bpf_object *object, const struct filters *filters)
{
	int netns = map_fd(object, "filter_netns");
	int interfaces = map_fd(object, "filter_interfaces");
	uint64_t first_netns, last_netns;
	int err = 0;

	netns_range(filters, &first_netns, &last_netns);
	for (uint32_t i = 0; i < filters->nr_netns && !err; i++) {
		const struct netns_interfaces *chosen = &filters->netns[i];
		uint32_t key = chosen->netns - first_netns, number = i + 1;

		if (netns >= 0)
			err = bpf_map_update_elem(netns, &key, &number, BPF_ANY);
		if (!err)
			err = fill_set(interfaces, i * interface_words(filters), 0,
				       &chosen->indexes);
	}
	return err;
}

/* Without a map, does nothing. */
static int fill_hash(int map, const void *keys, size_t size, size_t nr)
{
	uint8_t present = 1;
	int err = 0;

	for (size_t i = 0; map >= 0 && i < nr && !err; i++)
		err = bpf_map_update_elem(map, (const char *)keys + i * size, &present, BPF_ANY);
	return err;
}

int filter_maps_fill(struct bpf_object *object, const struct filters *filters)
{
	int err = fill_devices(object, filters);

	if (!err)
		err = fill_set(map_fd(object, "filter_ports"), 0, first(&filters->ports),
			       &filters->ports);
	if (!err)
		err = fill_set(map_fd(object, "filter_pids"), 0, first(&filters->pids),
			       &filters->pids);
	if (!err)
		err = fill_hash(map_fd(object, "filter_cgroups"), filters->cgroups.values,
				sizeof(*filters->cgroups.values), filters->cgroups.nr);
	if (!err)
		err = fill_hash(map_fd(object, "filter_comms"), filters->comms,
				sizeof(*filters->comms), filters->nr_comms);
	return err;
}
