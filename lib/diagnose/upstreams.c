// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/upstreams.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/duration.h"
#include "lib/diagnose/verdict.h"
#include "lib/report/socket_addresses.h"
#include "lib/tables/units.h"

uint64_t upstream_unanswered(const struct upstream_count *count)
{
	return count->answers.unanswered > 0 ? count->answers.unanswered : 0;
}

static bool is_same(const struct upstream_count *count, const struct upstream_count *other)
{
	const struct upstream_key *key = &count->key, *other_key = &other->key;

	return key->netns == other_key->netns && key->port == other_key->port &&
	       key->protocol == other_key->protocol && key->is_ipv6 == other_key->is_ipv6 &&
	       !memcmp(key->address, other_key->address, sizeof(key->address)) &&
	       !strncmp(count->answers.comm, other->answers.comm, COMM_SIZE);
}

static void add_to(struct upstream_count *sum, const struct upstream_count *count)
{
	struct upstream_answers *answers = &sum->answers;
	const struct upstream_answers *others = &count->answers;

	sum->key.pid = 0;
	answers->count += others->count;
	answers->unanswered += others->unanswered;
	answers->ns += others->ns;
	if (others->longest_ns > answers->longest_ns)
		answers->longest_ns = others->longest_ns;
	if (!answers->min_rtt_us ||
	    (others->min_rtt_us && others->min_rtt_us < answers->min_rtt_us))
		answers->min_rtt_us = others->min_rtt_us;
}

static void add(struct upstreams *upstreams, const struct upstream_count *count)
{
	static const struct upstream_key no_room;

	if (!memcmp(&count->key, &no_room, sizeof(no_room))) {
		upstreams->others += count->answers.count + upstream_unanswered(count);
		return;
	}
	for (size_t i = 0; i < upstreams->nr; i++) {
		if (!is_same(&upstreams->upstreams[i].count, count))
			continue;
		add_to(&upstreams->upstreams[i].count, count);
		return;
	}
	upstreams->upstreams[upstreams->nr++].count = *count;
}

/* "240 answers, 23ms each, 1.2s at most; 3 not answered" */
static void describe_figures(const struct upstream *upstream, struct facts *facts)
{
	const struct upstream_answers *answers = &upstream->count.answers;
	const char *what = upstream->count.key.protocol == IPPROTO_TCP ? " SYN" : "";
	const uint64_t unanswered = upstream_unanswered(&upstream->count);
	char each[DURATION_TEXT_SIZE], longest[DURATION_TEXT_SIZE];
	char text[64] = "";

	if (unanswered)
		snprintf(text, sizeof(text), "%" PRIu64 "%s%s not answered", unanswered, what,
			 *what && unanswered > 1 ? "s" : "");
	facts_set(facts, "figures", text);
	if (answers->count)
		facts_set_format(facts, "figures", "%" PRIu64 " answer%s, %s each, %s at most%s%s",
				 (uint64_t)answers->count, answers->count == 1 ? "" : "s",
				 duration_text(upstream_mean_ns(upstream), each),
				 duration_text(answers->longest_ns, longest), *text ? "; " : "",
				 text);
}

static void describe(struct upstream *upstream, const struct report *report)
{
	const struct upstream_key *key = &upstream->count.key;
	const struct place place = { .protocol = key->protocol };

	socket_address_print(key->address, key->is_ipv6 ? AF_INET6 : AF_INET, upstream->address);
	describe_figures(upstream, &upstream->facts);
	place_describe(&place, &upstream->facts);
	process_describe(&(struct process){ key->netns, key->pid, upstream->count.answers.comm },
			 report, &upstream->facts);
}

/* Nobody knows for how long clients waited for what was not answered. It is taken for a second. */
static uint64_t weight(const struct upstream_count *count)
{
	return count->answers.ns + upstream_unanswered(count) * NS_PER_S;
}

static int compare(const void *a, const void *b)
{
	const struct upstream_count *x = &((const struct upstream *)a)->count;
	const struct upstream_count *y = &((const struct upstream *)b)->count;
	const uint64_t x_weight = weight(x), y_weight = weight(y);

	if (x_weight != y_weight)
		return x_weight > y_weight ? -1 : 1;
	/* Whatever the order, the same each time. */
	return memcmp(&x->key, &y->key, sizeof(x->key));
}

int upstreams_make(struct upstreams *upstreams, const struct report *report,
		   const struct upstream_count *counts, size_t nr)
{
	*upstreams = (struct upstreams){ 0 };
	if (!nr)
		return 0;
	upstreams->upstreams = calloc(nr, sizeof(*upstreams->upstreams));
	if (!upstreams->upstreams)
		return -ENOMEM;
	/* A program may have begun to count meanwhile. */
	for (size_t i = 0; i < nr; i++)
		if (counts[i].answers.count || upstream_unanswered(&counts[i]))
			add(upstreams, &counts[i]);
	for (size_t i = 0; i < upstreams->nr; i++)
		describe(&upstreams->upstreams[i], report);
	qsort(upstreams->upstreams, upstreams->nr, sizeof(*upstreams->upstreams), compare);
	return 0;
}

uint64_t upstream_mean_ns(const struct upstream *upstream)
{
	const struct upstream_answers *answers = &upstream->count.answers;

	return answers->count ? answers->ns / answers->count : 0;
}

void upstreams_free(struct upstreams *upstreams)
{
	for (size_t i = 0; i < upstreams->nr; i++)
		facts_free(&upstreams->upstreams[i].facts);
	free(upstreams->upstreams);
	*upstreams = (struct upstreams){ 0 };
}
