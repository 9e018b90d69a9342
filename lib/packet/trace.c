// SPDX-License-Identifier: GPL-2.0
#include "lib/packet/trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/packet/same_packet.h"
#include "lib/tables/hooks.h"

/* Fewer are on their way at a time; beyond, the oldest is taken to have gone. */
#define MAX_TRACED 1024

struct traced {
	struct traced_packet packet; /* first, for it is what callers free */
	struct traced *next;	     /* that was seen later */
	bool is_gone;
};

struct trace {
	struct traced *first;
	struct traced **end;
	unsigned int nr;
	uint64_t began_ns;
};

struct trace *trace_new(void)
{
	struct trace *trace = calloc(1, sizeof(*trace));

	if (trace)
		trace->end = &trace->first;
	return trace;
}

static struct traced *remove_first(struct trace *trace)
{
	struct traced *traced = trace->first;

	trace->first = traced->next;
	if (!trace->first)
		trace->end = &trace->first;
	trace->nr--;
	return traced;
}

void trace_free(struct trace *trace)
{
	while (trace && trace->first)
		free(remove_first(trace));
	free(trace);
}

static const struct slow_packet *last_step(const struct traced *traced)
{
	return &traced->packet.steps[traced->packet.nr - 1];
}

static enum hook hook_of(const struct slow_packet *step)
{
	return probes[step->probe].hook;
}

/*
 * Returns whether a packet may be there next. Where journeys begin, and on its way out, it may come
 * by again, or leave. After IP has delivered it here, it goes no further; only forwarded packets
 * leave.
 */
static bool may_follow(enum hook last, enum hook next)
{
	if (hooks[last].journey == JOURNEY_BEGINS || hooks[last].paths == PATH_FORWARD ||
	    hooks[last].has & HAS_SENT)
		return true;
	if (hooks[next].has & HAS_SENT)
		return false;
	if (hooks[last].paths == PATH_ANY)
		return next > last;
	return !(hooks[next].paths & PATH_FORWARD);
}

static bool was_there(const struct traced *traced, const struct slow_packet *step)
{
	const struct slow_packet *steps = traced->packet.steps;

	for (unsigned int i = 0; i < traced->packet.nr; i++)
		if (steps[i].probe == step->probe && steps[i].ifindex == step->ifindex &&
		    steps[i].netns == step->netns)
			return true;
	return false;
}

/* Returns whether a packet was last seen where a step's program says that it was before. */
static bool is_hook_before(const struct slow_packet *last, const struct slow_packet *step)
{
	return last->now_ns == LAST_HOOK_NS(step->before);
}

/* No packet is translated between two devices. */
static bool is_between_devices(const struct slow_packet *step)
{
	const struct hook_info *hook = &hooks[hook_of(step)];

	return probes[step->probe].is_helper ||
	       (hook->has & HAS_SENT && hook->journey != JOURNEY_BEGINS);
}

/*
 * When a function returns, a fast reader may be done with a packet, and none of its bytes are left.
 */
static bool has_same_bytes(const struct traced *traced, const struct slow_packet *step)
{
	const struct slow_packet *last = last_step(traced), *before = last;

	while (before > traced->packet.steps && !before->nr_bytes)
		before--;
	if (!before->nr_bytes || !step->nr_bytes)
		return is_hook_before(last, step);
	return is_same_packet(before, step, !is_between_devices(last));
}

/*
 * Returns whether an skb's address now belongs to another packet: none comes by one place twice, or
 * leaves again after it was delivered here.
 */
static bool is_another(const struct traced *traced, const struct slow_packet *step)
{
	return was_there(traced, step) || !may_follow(hook_of(last_step(traced)), hook_of(step)) ||
	       !has_same_bytes(traced, step);
}

/* TCP's data that is read has no skb any more, but tells when it was queued. */
static bool is_segment(const struct traced *traced, const struct slow_packet *step)
{
	const struct slow_packet *last = last_step(traced);

	return hooks[hook_of(last)].journey == JOURNEY_ENDS && is_hook_before(last, step);
}

/* The one that it is, if that was seen before. */
static struct traced *find(const struct trace *trace, const struct slow_packet *step)
{
	struct traced *found = NULL;

	for (struct traced *traced = trace->first; traced; traced = traced->next) {
		if (traced->is_gone || traced->packet.nr == MAX_TRACE_STEPS)
			continue;
		if (step->skb ? last_step(traced)->skb == step->skb : is_segment(traced, step))
			found = traced;
	}
	if (!found || !step->skb || !is_another(found, step))
		return found;
	found->is_gone = true;
	return NULL;
}

void trace_begin(struct trace *trace, uint64_t began_ns)
{
	trace->began_ns = began_ns;
}

static struct traced *begin(struct trace *trace)
{
	struct traced *traced = calloc(1, sizeof(*traced));

	if (!traced)
		return NULL;
	*trace->end = traced;
	trace->end = &traced->next;
	trace->nr++;
	return traced;
}

/* CPUs report what they saw at the same time in any order. */
static void insert(struct traced_packet *packet, const struct slow_packet *step)
{
	unsigned int i = packet->nr++;

	for (; i && packet->steps[i - 1].now_ns > step->now_ns; i--)
		packet->steps[i] = packet->steps[i - 1];
	packet->steps[i] = *step;
}

int trace_add(struct trace *trace, const struct slow_packet *step)
{
	struct traced *traced = find(trace, step);

	if (!traced)
		traced = begin(trace);
	if (!traced)
		return -ENOMEM;
	insert(&traced->packet, step);
	if (hooks[hook_of(step)].has & (HAS_READER | HAS_REASON))
		traced->is_gone = true;
	return 0;
}

/*
 * Returns whether a packet may have been somewhere unseen. A packet whose read alone was seen may
 * have waited for long.
 */
static bool is_early(const struct trace *trace, const struct traced *traced)
{
	const struct slow_packet *first = &traced->packet.steps[0];
	bool is_read = hooks[hook_of(first)].has & HAS_READER;

	return first->now_ns < trace->began_ns + (is_read ? 0 : first->latency_ns);
}

/* Takes the first packet, also an early one, if it has gone. */
static struct traced *next_gone(struct trace *trace, uint64_t now_ns)
{
	const struct traced *first = trace->first;

	if (!first || (!first->is_gone && trace->nr <= MAX_TRACED &&
		       now_ns < last_step(first)->now_ns + TRACE_IDLE_NS))
		return NULL;
	return remove_first(trace);
}

struct traced_packet *trace_next(struct trace *trace, uint64_t now_ns)
{
	struct traced *traced = next_gone(trace, now_ns);

	while (traced && is_early(trace, traced)) {
		free(traced);
		traced = next_gone(trace, now_ns);
	}
	return traced ? &traced->packet : NULL;
}
