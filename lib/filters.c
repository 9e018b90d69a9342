// SPDX-License-Identifier: GPL-2.0
#include "filters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "hooks.h"
#include "list.h"
#include "log.h"
#include "netns.h"

#define MAX_PORT 65535
#define ALL "all"

/* Whether an element can be meant; what is there is another question. */
static bool is_possible(enum fact fact, const char *element)
{
	uint64_t number;

	switch (fact) {
	case FACT_PORT:
		return list_number(element, MAX_PORT, &number) && number;
	case FACT_PID:
		return list_number(element, INT32_MAX, &number) && number;
	case FACT_COMM:
		return *element && strlen(element) < COMM_SIZE;
	default:
		return *element;
	}
}

const char *filters_expected(enum fact fact, const char *list, char *element)
{
	static const char *const expected[NR_FACTS] = {
		[FACT_INTERFACE] = "names or indexes of interfaces",
		[FACT_NETNS] =
			("network namespaces, each as a name, a path, a process id, an inode "
			 "number, self or all"),
		[FACT_CGROUP] = "paths or ids of cgroups",
		[FACT_PORT] = "ports from 1 to 65535",
		[FACT_PID] = "process ids",
		[FACT_COMM] = "names of 1 to 15 characters, as in /proc/PID/comm",
	};

	while (list_next(&list, element))
		if (!is_possible(fact, element))
			return expected[fact];
	return NULL;
}

/* An array with room for one more than nr, or NULL, which leaves the array as it is. */
static void *grow(void *array, size_t nr, size_t size)
{
	return reallocarray(array, nr + 1, size);
}

static int numbers_add(struct numbers *numbers, uint64_t value)
{
	uint64_t *values = grow(numbers->values, numbers->nr, sizeof(*values));
	size_t i = numbers->nr;

	if (!values)
		return -ENOMEM;
	for (; i > 0 && values[i - 1] > value; i--)
		values[i] = values[i - 1];
	values[i] = value;
	numbers->values = values;
	numbers->nr++;
	return 0;
}

static int add_port(struct filters *filters, const char *element)
{
	return numbers_add(&filters->ports, strtoull(element, NULL, 10));
}

/* The process that a number is of, be it its own or that of a thread; 0 for none. */
static uint64_t process_of(uint64_t number)
{
	char path[64], line[256];
	uint64_t process = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/status", number);
	status = fopen(path, "re");
	if (!status)
		return 0;
	while (!process && fgets(line, sizeof(line), status))
		sscanf(line, "Tgid: %" SCNu64, &process);
	fclose(status);
	return process;
}

static int add_pid(struct filters *filters, const char *element)
{
	uint64_t pid = strtoull(element, NULL, 10), process = process_of(pid);

	if (!process) {
		log_error("there is no process %s", element);
		return -ESRCH;
	}
	/* Threads have a folder in /proc, too, although none is listed there. */
	if (process != pid) {
		log_error("%s is a thread, of the process %" PRIu64, element, process);
		return -ESRCH;
	}
	return numbers_add(&filters->pids, pid);
}

static int add_cgroup(struct filters *filters, const char *element)
{
	uint64_t id;
	int err = cgroup_find(element, &id);

	switch (err) {
	case 0:
		return numbers_add(&filters->cgroups, id);
	case -ENODEV:
		log_error("-c needs cgroup v2, which is not mounted here; sockets know no other");
		return err;
	case -ENOENT:
		log_error("there is no cgroup '%s'", element);
		return err;
	case -EXDEV:
		log_error("'%s' is no cgroup, as it is outside the cgroup v2 hierarchy", element);
		return err;
	default:
		return log_failure(err, "cannot look at the cgroup '%s'", element);
	}
}

static int add_comm(struct filters *filters, const char *element)
{
	char(*comms)[COMM_SIZE] = grow(filters->comms, filters->nr_comms, sizeof(*comms));

	if (!comms)
		return -ENOMEM;
	filters->comms = comms;
	/* The kernel compares all of it. */
	strncpy(comms[filters->nr_comms++], element, COMM_SIZE);
	return 0;
}

/* What is to be found in namespaces. */
struct search {
	struct filters *filters;
	const char *interfaces; /* a list; NULL for none */
	bool *found;		/* for each element of the list */
	int err;
};

static int add_interfaces(struct search *search, int socket, struct numbers *indexes)
{
	const char *list = search->interfaces;
	char element[LIST_ELEMENT_SIZE];

	for (int i = 0; list_next(&list, element); i++) {
		unsigned int ifindex = netns_interface_index(socket, element);

		if (!ifindex)
			continue;
		search->found[i] = true;
		if (numbers_add(indexes, ifindex))
			return -ENOMEM;
	}
	return 0;
}

/* Adds a namespace, with those of the interfaces that are in it. */
static int add_netns(struct search *search, const struct netns *netns)
{
	struct filters *filters = search->filters;
	struct netns_interfaces *all = filters->netns, *added;
	uint64_t id;
	int fd, err;

	for (size_t i = 0; i < filters->nr_netns; i++)
		if (all[i].netns == netns->id)
			return 0;
	all = grow(all, filters->nr_netns, sizeof(*all));
	if (!all)
		return -ENOMEM;
	filters->netns = all;
	added = &all[filters->nr_netns++];
	*added = (struct netns_interfaces){ .netns = netns->id };

	fd = search->interfaces ? netns_open_socket(netns->path, &id) : -1;
	if (fd < 0)
		return 0;
	err = add_interfaces(search, fd, &added->indexes);
	close(fd);
	return err;
}

static bool add_found_netns(const struct netns *netns, void *context)
{
	struct search *search = context;

	search->err = add_netns(search, netns);
	return !search->err;
}

static int add_named_netns(struct search *search, const char *element)
{
	struct netns netns;
	int err;

	if (!strcmp(element, ALL)) {
		err = netns_for_each(add_found_netns, search);
		return err ? err : search->err;
	}
	err = netns_find(element, &netns);
	if (err == -ENOENT || err == -EINVAL)
		log_error("there is no network namespace '%s'", element);
	else if (err)
		log_failure(err, "cannot look at the network namespace '%s'", element);
	return err ? err : add_netns(search, &netns);
}

static size_t list_length(const char *list)
{
	char element[LIST_ELEMENT_SIZE];
	size_t length = 0;

	while (list_next(&list, element))
		length++;
	return length;
}

static int check_interfaces(const struct search *search, bool in_others)
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

/* Namespaces and interfaces, which say nothing without one another. */
static int find_devices(const struct filter_lists *lists, struct filters *filters)
{
	const char *list = lists->lists[FACT_NETNS];
	struct search search = { .filters = filters, .interfaces = lists->lists[FACT_INTERFACE] };
	bool in_others = list;
	char element[LIST_ELEMENT_SIZE];
	int err = 0;

	if (!(filters->facts & 1U << FACT_NETNS))
		return 0;
	if (search.interfaces) {
		search.found = calloc(list_length(search.interfaces), sizeof(*search.found));
		if (!search.found)
			return -ENOMEM;
	}
	if (!in_others)
		list = "self";
	while (!err && list_next(&list, element))
		err = add_named_netns(&search, element);
	if (!err)
		err = check_interfaces(&search, in_others);
	free(search.found);
	return err;
}

/* Those that need nothing but their own list. */
static const struct {
	enum fact fact;
	int (*add)(struct filters *filters, const char *element);
} simple_filters[] = {
	{ FACT_CGROUP, add_cgroup },
	{ FACT_PORT, add_port },
	{ FACT_PID, add_pid },
	{ FACT_COMM, add_comm },
};

static int find_simple(const struct filter_lists *lists, struct filters *filters)
{
	char element[LIST_ELEMENT_SIZE];
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(simple_filters) / sizeof(*simple_filters); i++) {
		const char *list = lists->lists[simple_filters[i].fact];

		while (!err && list_next(&list, element))
			err = simple_filters[i].add(filters, element);
	}
	return err;
}

static bool is_all(const char *list)
{
	char element[LIST_ELEMENT_SIZE];

	while (list_next(&list, element))
		if (!strcmp(element, ALL))
			return true;
	return false;
}

unsigned int filter_lists_facts(const struct filter_lists *lists)
{
	const char *netns = lists->lists[FACT_NETNS];
	unsigned int by = 0;

	for (enum fact fact = 0; fact < NR_FACTS; fact++)
		if (lists->lists[fact])
			by |= 1U << fact;
	if (netns && is_all(netns))
		by &= ~(1U << FACT_NETNS);
	if (by & 1U << FACT_INTERFACE)
		by |= 1U << FACT_NETNS;
	if (lists->ipv4 != lists->ipv6)
		by |= 1U << FACT_IP_VERSION;
	if (lists->has_min_queue_length)
		by |= 1U << FACT_QUEUE_LENGTH;
	return by;
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
	int err;

	*filters = (struct filters){
		.facts = filter_lists_facts(lists),
		.min_queue_length = lists->min_queue_length,
		.ip_version = lists->ipv4 ? 4 : 6,
	};
	err = find_devices(lists, filters);
	if (!err)
		err = find_simple(lists, filters);
	if (err == -ENOMEM)
		log_failure(err, "cannot prepare the filters");
	if (err)
		filters_free(filters);
	return err;
}

void filters_free(struct filters *filters)
{
	for (size_t i = 0; i < filters->nr_netns; i++)
		free(filters->netns[i].indexes.values);
	free(filters->netns);
	free(filters->ports.values);
	free(filters->pids.values);
	free(filters->cgroups.values);
	free(filters->comms);
	*filters = (struct filters){ 0 };
}
