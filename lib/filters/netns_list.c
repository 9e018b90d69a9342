// SPDX-License-Identifier: GPL-2.0
#include "lib/filters/netns_list.h"

#include <errno.h>
#include <string.h>

#include "lib/base/list.h"
#include "lib/base/log.h"

#define ALL "all"
#define SELF "self"
#define TOO_MANY                                                                                      \
	"there are more processes and network namespaces than are looked at: -n with names or paths " \
	"needs no look at all of them"

/* bcc's netstacklat has numbers for two of them. */
static const char *in_words(const char *element)
{
	if (!strcmp(element, "-1"))
		return ALL;
	return strcmp(element, "0") ? element : SELF;
}

static bool is_all(const char *element)
{
	return !strcmp(in_words(element), ALL);
}

bool netns_list_has_all(const char *list)
{
	char element[LIST_ELEMENT_SIZE];

	while (list_next(&list, element))
		if (is_all(element))
			return true;
	return false;
}

bool netns_list_is_own(const char *list)
{
	char element[LIST_ELEMENT_SIZE];

	while (list_next(&list, element))
		if (strcmp(in_words(element), SELF))
			return false;
	return true;
}

struct search {
	int (*found)(const struct netns *netns, void *context);
	void *context;
	int err;
};

static bool found_one_of_all(const struct netns *netns, void *context)
{
	struct search *search = context;

	search->err = search->found(netns, search->context);
	return !search->err;
}

static int find_all(struct search *search)
{
	int err = netns_for_each(found_one_of_all, search);

	if (err == -E2BIG)
		log_error(TOO_MANY);
	else if (err)
		log_failure(err, "cannot look for network namespaces");
	return err ? err : search->err;
}

static int find_named(const char *name, struct search *search)
{
	struct netns netns;
	int err = netns_find(name, &netns);

	if (err == -ENOENT && !strcmp(name, SELF))
		log_error("cannot look at this network namespace: /proc is hidden or not mounted");
	else if (err == -ENOENT || err == -EINVAL)
		log_error("there is no network namespace '%s'", name);
	else if (err == -E2BIG)
		log_error(TOO_MANY);
	else if (err)
		log_failure(err, "cannot look at the network namespace '%s'", name);
	return err ? err : search->found(&netns, search->context);
}

int netns_list_for_each(const char *list, int (*found)(const struct netns *netns, void *context),
			void *context)
{
	struct search search = { found, context, 0 };
	char element[LIST_ELEMENT_SIZE];
	int err = 0;

	while (!err && list_next(&list, element))
		err = is_all(element) ? find_all(&search) : find_named(in_words(element), &search);
	return err;
}
