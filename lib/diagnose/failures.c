// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/failures.h"

#include <errno.h>
#include <netinet/in.h>

/*
 * Errors that programs count, see failures.bpf.h. The first three may come from routers, too, if a
 * socket asks for such errors (IP_RECVERR) or is connected.
 */
static const struct {
	int err;
	const char *name, *why;
} errors[] = {
	{ ENETUNREACH, "ENETUNREACH", "there is no route to where they go, here or further on" },
	{ EHOSTUNREACH, "EHOSTUNREACH",
	  "a route, here or further on, says that they cannot get there" },
	{ EACCES, "EACCES", "a route, here or further on, prohibits where they go" },
	{ EINVAL, "EINVAL", "a route discards what goes there, or the call is wrong" },
	{ ENETDOWN, "ENETDOWN", "the interface that they go by is down" },
};

static void note_error(struct facts *facts, int err)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		if (errors[i].err != err)
			continue;
		facts_set(facts, "error", errors[i].name);
		facts_set(facts, "error_text", errors[i].why);
	}
}

/* Counts those that failed, too. */
static uint64_t answers_at(const struct report *report, const struct failure_key *failed)
{
	const struct report_group *groups;
	size_t nr = report_groups(report, HOOK_udp_send, &groups);
	uint64_t count = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct group_key *key = &groups[i].group->key;

		if (key->netns == failed->netns && key->port == failed->port)
			count += groups[i].count;
	}
	return count;
}

/* A connection's port is its peer's, if that is known: it is no port of a service of this host. */
static void note_peer_port(struct facts *facts, __u16 port)
{
	facts_set(facts, "port", "");
	facts_set(facts, "to_port", "");
	facts_set(facts, "and_dport", "");
	if (!port)
		return;
	facts_set_number(facts, "peer_port", port);
	facts_set_format(facts, "to_port", " to port %u", port);
	facts_set_format(facts, "and_dport", " 'dport = :%u'", port);
}

static void note_others(struct facts *facts, unsigned int nr)
{
	facts_set(facts, "and_others", "");
	if (nr)
		facts_set_format(facts, "and_others", " and %u other process%s", nr,
				 nr == 1 ? "" : "es");
}

/* So many calls failed in all, of which most were this process's. */
static int add(struct verdict *verdict, const struct report *report,
	       const struct failed_calls *most, uint64_t count, unsigned int nr_others)
{
	const struct failure_key *key = &most->key;
	const bool is_answer = key->failed == FAILED_ANSWER;
	const struct place place = {
		.netns = key->netns,
		.port = key->port,
		.protocol = is_answer ? IPPROTO_UDP : IPPROTO_TCP,
	};
	uint64_t answers = is_answer ? answers_at(report, key) : 0;
	const struct lateness lateness = { .count = answers > count ? answers : count,
					   .late = count };
	struct finding *finding;

	if (!lateness_is_harm(&lateness))
		return 0;
	finding = verdict_add_finding(verdict, is_answer ? CLASS_unsent : CLASS_no_port, &place);
	if (!finding)
		return -ENOMEM;
	finding->lateness = lateness;
	finding->pid = key->pid;
	process_describe(&(struct process){ key->netns, key->pid, most->failure.comm }, report,
			 &finding->facts);
	place_describe(&place, &finding->facts);
	note_others(&finding->facts, nr_others);
	if (is_answer)
		note_error(&finding->facts, key->err);
	else
		note_peer_port(&finding->facts, key->port);
	return 0;
}

/* Returns whether they differ in their process alone. */
static bool is_same(const struct failure_key *key, const struct failure_key *other)
{
	return key->netns == other->netns && key->port == other->port &&
	       key->failed == other->failed && key->err == other->err;
}

int failures_find(struct verdict *verdict, const struct report *report,
		  const struct failed_calls *list, size_t nr)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		const struct failed_calls *most = &list[i], *first = NULL;
		unsigned int nr_processes = 0;
		uint64_t count = 0;

		for (size_t j = 0; j < nr; j++) {
			if (!is_same(&list[j].key, &list[i].key))
				continue;
			if (!first)
				first = &list[j];
			nr_processes++;
			count += list[j].failure.count;
			if (list[j].failure.count > most->failure.count)
				most = &list[j];
		}
		if (first == &list[i])
			err = add(verdict, report, most, count, nr_processes - 1);
	}
	return err;
}
