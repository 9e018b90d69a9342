// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/list.h"
#include "lib/base/log.h"
#include "lib/filters/kind.h"
#include "lib/filters/netns_list.h"

struct search {
	struct filters *filters;
	const char *interfaces; /* the list */
	bool *found;		/* for each of its elements */
};

static size_t list_length(const char *list)
{
	char element[LIST_ELEMENT_SIZE];
	size_t length = 0;

	while (list_next(&list, element))
		length++;
	return length;
}

/* Adds those of a namespace; socket is in it. */
static int add_interfaces(struct search *search, uint64_t netns, int socket)
{
	const char *list = search->interfaces;
	char element[LIST_ELEMENT_SIZE];
	int err = 0;

	for (int i = 0; !err && list_next(&list, element); i++) {
		struct interface_key key = { netns, netns_interface_index(socket, element) };

		if (!key.ifindex)
			continue;
		search->found[i] = true;
		err = filter_add_key(search->filters, FILTER_INTERFACE, &key);
	}
	return err;
}

/* A namespace that has gone meanwhile has no interfaces. */
static int search_netns(const struct netns *netns, void *context)
{
	uint64_t id;
	int socket = netns_open_socket(netns->path, &id), err;

	if (socket < 0)
		return 0;
	err = add_interfaces(context, id, socket);
	close(socket);
	return err;
}

static int say_what_is_missing(const struct search *search, bool in_others)
{
	const char *list = search->interfaces;
	char element[LIST_ELEMENT_SIZE];

	for (int i = 0; list_next(&list, element); i++) {
		if (search->found[i])
			continue;
		log_error("there is no interface '%s' in %s", element,
			  in_others ? "the network namespaces of -n"
				    : "this network namespace; -n looks in others");
		return -ENODEV;
	}
	return 0;
}

static int find(const struct filter_lists *lists, struct filters *filters)
{
	const char *netns = lists->lists[FILTER_NETNS];
	struct search search = { filters, lists->lists[FILTER_INTERFACE], NULL };
	int err;

	search.found = calloc(list_length(search.interfaces), sizeof(*search.found));
	if (!search.found)
		return log_failure(-ENOMEM, "cannot prepare the filters");
	err = netns_list_for_each(netns ? netns : "self", search_netns, &search);
	if (!err)
		err = say_what_is_missing(&search, netns);
	free(search.found);
	return err;
}

static void set_only(const void *key, struct filter_values *values)
{
	const struct interface_key *only = key;

	values->netns = only->netns;
	values->ifindex = only->ifindex;
}

const struct filter_kind filter_by_interface = {
	.expected = "names or indexes of interfaces",
	.find = find,
	.map = "filter_interfaces",
	.key_size = sizeof(struct interface_key),
	.set_only = set_only,
};
