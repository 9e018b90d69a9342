// SPDX-License-Identifier: GPL-2.0
#include "lib/host/netns_facts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/helper.h"
#include "lib/host/file_number.h"
#include "lib/host/netlink.h"
#include "lib/host/netns_counters.h"

struct request {
	enum { BEGIN, FIND, FIND_LOSSES } what;
	uint32_t ifindex; /* of FIND, and */
	uint64_t netns;
};

/* The helper's counts from when a watch began. */
#define MAX_BEFORE 1024
struct before {
	int own; /* our namespace */
	ino_t own_inode;
	struct cards cards;
	unsigned int nr;
	bool is_whole; /* other namespaces had counted nothing, or are new */
	struct counted {
		uint64_t netns;
		struct netns_counters counters;
		uint32_t queued;
	} list[MAX_BEFORE];
};

struct search {
	uint64_t id;
	struct netns netns;
};

static bool is_other(const struct netns *netns, void *context)
{
	struct search *search = context;

	if (netns->id != search->id)
		return true;
	search->netns = *netns;
	return false;
}

/* Ours takes no right, as this process is there. */
static bool enter(const struct before *before, const struct netns *netns)
{
	int fd;
	bool entered;

	if (netns->inode == before->own_inode)
		return true;
	fd = *netns->path ? open(netns->path, O_RDONLY | O_CLOEXEC) : -1;
	entered = fd >= 0 && !setns(fd, CLONE_NEWNET);
	if (fd >= 0)
		close(fd);
	return entered;
}

static void leave(const struct before *before, const struct netns *netns)
{
	if (netns->inode != before->own_inode)
		setns(before->own, CLONE_NEWNET);
}

static bool has_counted(const struct counted *counted)
{
	const struct netns_counters *counters = &counted->counters;

	return counters->conntrack_dropped || counters->conntrack_failed || counters->refused ||
	       counters->overflows || counters->dropped || counters->unrouted ||
	       counters->wrong_checksums || counters->mptcp || counters->sctp || counted->queued;
}

static bool note_before(const struct netns *netns, void *context)
{
	struct before *before = context;
	struct counted counted = { .netns = netns->id };
	struct nfqueues queues;

	if (!enter(before, netns))
		return true;
	cards_add(&before->cards, netns->id);
	netns_counters_read(&counted.counters);
	if (nfqueues_find(&queues))
		counted.queued = queues.packets;
	if (has_counted(&counted) && before->nr < MAX_BEFORE)
		before->list[before->nr++] = counted;
	leave(before, netns);
	return before->nr < MAX_BEFORE;
}

static void begin(struct before *before)
{
	before->nr = 0;
	cards_free(&before->cards);
	before->is_whole = !netns_for_each(note_before, before) && before->nr < MAX_BEFORE;
}

static struct counted counted_before(const struct before *before, uint64_t netns)
{
	for (unsigned int i = 0; i < before->nr; i++)
		if (before->list[i].netns == netns)
			return before->list[i];
	return (struct counted){ 0 };
}

void conntrack_tell_apart(uint64_t dropped, uint64_t failed, struct netns_facts *facts)
{
	facts->conntrack_clashed = failed < dropped ? failed : dropped;
	facts->conntrack_dropped = dropped - facts->conntrack_clashed;
}

static void look_at_conntrack(const struct before *before, uint64_t netns,
			      struct netns_facts *facts)
{
	const struct netns_counters then = counted_before(before, netns).counters;
	struct netns_counters now;
	uint64_t dropped, failed;

	if (!before->is_whole)
		return;
	netns_counters_read(&now);
	if (!now.has_conntrack)
		return;
	facts->has_conntrack = true;
	dropped = number_since(then.conntrack_dropped, now.conntrack_dropped);
	failed = number_since(then.conntrack_failed, now.conntrack_failed);
	conntrack_tell_apart(dropped, failed, facts);
	facts->conntrack_max = file_number("/proc/sys/net/netfilter/nf_conntrack_max", 0);
}

static void look_at_nfqueues(const struct before *before, uint64_t netns, struct netns_facts *facts)
{
	if (before->is_whole && nfqueues_find(&facts->nfqueues))
		facts->queued_packets =
			facts->nfqueues.packets - counted_before(before, netns).queued;
}

/*
 * Looks from within the namespace, and comes back to ours, from where other namespaces are found.
 */
static void look_at_netns(const struct request *request, const struct before *before,
			  struct netns_facts *facts)
{
	struct search search = { .id = request->netns };

	netns_for_each(is_other, &search);
	if (!search.netns.id || !enter(before, &search.netns))
		return;
	if (strlen(search.netns.path) < sizeof(facts->path))
		strcpy(facts->path, search.netns.path);
	facts->has_netlink = netlink_is_allowed();
	facts->has_qdisc = request->ifindex && qdisc_kind(request->ifindex, facts->qdisc);
	facts->has_no_carrier = request->ifindex && qdisc_has_no_carrier(request->ifindex);
	facts->has_rules = rules_count(&facts->rules);
	facts->has_legacy_rules = rules_has_legacy();
	facts->has_ipvs = rules_has_ipvs();
	look_at_conntrack(before, request->netns, facts);
	look_at_nfqueues(before, request->netns, facts);
	/* To leave takes the same right, also where there was nothing to leave. */
	facts->can_enter = !setns(before->own, CLONE_NEWNET);
}

static void answer(int socket, const struct request *request, const struct before *before)
{
	struct netns_facts facts = { 0 };

	look_at_netns(request, before, &facts);
	helper_send(socket, &facts, sizeof(facts));
}

struct losses_search {
	const struct before *before;
	struct losses found;
};

/* Counts those of the namespace that this process is in. */
static void count_since(const struct netns_counters *before, struct losses *found,
			struct netns_losses *losses)
{
	struct netns_counters now;
	struct dropped_syns syns;

	netns_counters_read(&now);
	syns = syns_dropped_since(before, &now);
	losses->syns = syns.queue_full;
	losses->unrouted_syns = syns.unrouted;
	losses->overflows = number_since(before->overflows, now.overflows);
	losses->wrong_checksums = number_since(before->wrong_checksums, now.wrong_checksums);
	/* Older kernels tell of no SYNs. */
	found->nr_looked_at += now.has_syns;
	found->nr_mptcp += number_since(before->mptcp, now.mptcp);
	found->nr_sctp += number_since(before->sctp, now.sctp);
}

static void copy_label(const struct netns *netns, char label[NETNS_NAME_SIZE])
{
	if (*netns->name)
		strcpy(label, netns->name);
	else
		snprintf(label, NETNS_NAME_SIZE, NETNS_NUMBER "%" PRIu64, (uint64_t)netns->inode);
}

/* Counts those of the namespace that this process is in. */
static void count_cards_since(const struct cards *before, const struct netns *netns,
			      struct losses *found)
{
	struct cards now = { 0 };

	cards_add(&now, netns->id);
	for (enum blind_spot spot = 0; spot < NR_BLIND_SPOTS; spot++)
		interfaces_join(&found->blind[spot], &now.blind[spot]);
	interfaces_join(&found->tunnels, &now.tunnels);
	for (size_t i = 0; i < now.nr; i++) {
		struct card card = card_since(&now.list[i], before);

		found->came_to_cards += card.received + card.missed;
		if (!(card.missed || card.damaged || card.links_lost) ||
		    found->nr_cards == MAX_CARDS_WITH_LOSSES)
			continue;
		copy_label(netns, found->cards[found->nr_cards].netns);
		found->cards[found->nr_cards++].card = card;
	}
	cards_free(&now);
}

static bool find_losses(const struct netns *netns, void *context)
{
	struct losses_search *search = context;
	struct losses *found = &search->found;
	struct counted before = counted_before(search->before, netns->id);
	struct netns_losses losses = { .netns = netns->id };

	if (!enter(search->before, netns))
		return true;
	count_since(&before.counters, found, &losses);
	count_cards_since(&search->before->cards, netns, found);
	leave(search->before, netns);
	if ((losses.syns || losses.unrouted_syns || losses.overflows || losses.wrong_checksums) &&
	    found->nr < MAX_NETNS_WITH_LOSSES) {
		copy_label(netns, losses.name);
		found->list[found->nr++] = losses;
	}
	return true;
}

static void answer_losses(int socket, const struct before *before)
{
	struct losses_search search = { .before = before };

	if (before->is_whole)
		netns_for_each(find_losses, &search);
	helper_send(socket, &search.found, sizeof(search.found));
}

void netns_facts_serve(int socket)
{
	static struct before before;
	struct request request;
	struct stat status;

	before.own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	before.own_inode = fstat(before.own, &status) ? 0 : status.st_ino;
	while (helper_receive(socket, &request, sizeof(request))) {
		if (request.what == FIND)
			answer(socket, &request, &before);
		else if (request.what == FIND_LOSSES)
			answer_losses(socket, &before);
		else
			begin(&before);
	}
	close(before.own);
}

static int asked_at = -1;

void netns_facts_ask_at(int socket)
{
	asked_at = socket;
}

void netns_facts_begin(void)
{
	const struct request request = { .what = BEGIN };

	if (asked_at >= 0)
		helper_send(asked_at, &request, sizeof(request));
}

/* Fills in the answer, with zero if there is none. */
static void ask(const struct request *request, void *answer, size_t size)
{
	if (asked_at < 0 || !helper_send(asked_at, request, sizeof(*request)) ||
	    !helper_receive(asked_at, answer, size))
		memset(answer, 0, size);
}

void netns_facts_find(uint64_t netns, uint32_t ifindex, struct netns_facts *facts)
{
	const struct request request = { .what = FIND, .netns = netns, .ifindex = ifindex };

	*facts = (struct netns_facts){ 0 };
	if (netns)
		ask(&request, facts, sizeof(*facts));
}

void netns_facts_find_losses(struct losses *losses)
{
	const struct request request = { .what = FIND_LOSSES };

	ask(&request, losses, sizeof(*losses));
}
