// SPDX-License-Identifier: GPL-2.0
#include "lib/host/netns_facts.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/helper.h"
#include "lib/host/netns.h"

struct request {
	uint64_t netns;
	uint32_t ifindex;
	uint32_t unused;
};

struct search {
	uint64_t id;
	char path[PATH_MAX];
};

static bool is_other(const struct netns *netns, void *context)
{
	struct search *search = context;

	if (netns->id != search->id)
		return true;
	snprintf(search->path, sizeof(search->path), "%s", netns->path);
	return false;
}

static bool enter(const char *path)
{
	int fd = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool entered = fd >= 0 && !setns(fd, CLONE_NEWNET);

	if (fd >= 0)
		close(fd);
	return entered;
}

/* Ours is left, and entered again: names of others are found from here. */
static void look(const struct request *request, int own, struct netns_facts *facts)
{
	struct search search = { .id = request->netns };

	netns_for_each(is_other, &search);
	if (!enter(search.path))
		return;
	facts->has_qdisc = request->ifindex && qdisc_kind(request->ifindex, facts->qdisc);
	facts->has_rules = rules_count(&facts->rules);
	facts->has_legacy_rules = rules_has_legacy();
	setns(own, CLONE_NEWNET);
}

void netns_facts_serve(int socket)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	struct request request;

	while (helper_receive(socket, &request, sizeof(request))) {
		struct netns_facts facts = { 0 };

		look(&request, own, &facts);
		helper_send(socket, &facts, sizeof(facts));
	}
	close(own);
}

static int asked_at = -1;

void netns_facts_ask_at(int socket)
{
	asked_at = socket;
}

void netns_facts_find(uint64_t netns, uint32_t ifindex, struct netns_facts *facts)
{
	const struct request request = { .netns = netns, .ifindex = ifindex };

	if (asked_at < 0 || !helper_send(asked_at, &request, sizeof(request)) ||
	    !helper_receive(asked_at, facts, sizeof(*facts)))
		memset(facts, 0, sizeof(*facts));
}
