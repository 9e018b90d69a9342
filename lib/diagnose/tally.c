// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/tally.h"

#include <errno.h>
#include <netinet/in.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/find_or_add.h"
#include "lib/counts/stages.h"
#include "lib/tables/retransmit.h"
#include "lib/tables/sequence.h"

static bool is_of_service(const struct service_ports *ports, const struct group *group)
{
	const struct service_port port = {
		.netns = group->key.netns,
		.port = group->key.port,
		.protocol = hook_protocol(group->hook),
	};

	/* A group without a port is of clients, which have none there (group.bpf.h). */
	return port.port && service_ports_has(ports, &port);
}

struct place place_of_service(const struct service_ports *ports, const struct group *group)
{
	const struct group_key *key = &group->key;
	struct place place = {
		.netns = key->netns,
		.port = key->port,
		.protocol = hook_protocol(group->hook),
	};

	if (is_of_service(ports, group))
		return place;
	place.port = 0;
	if (hooks[group->hook].has & HAS_READER)
		place.pid = key->pid;
	/* Processes read from a tun what is on its way out. */
	if (hooks[group->hook].has & HAS_SENT)
		place.ifindex = key->ifindex;
	return place;
}

struct place place_of(const struct service_ports *ports, enum class class,
		      const struct group *group)
{
	const struct group_key *key = &group->key;

	switch (classes[class].scope) {
	case SCOPE_CPU:
		return (struct place){ .cpu = key->cpu };
	case SCOPE_INTERFACE:
		return (struct place){ .netns = key->netns, .ifindex = key->ifindex };
	case SCOPE_NETNS:
		return (struct place){ .netns = key->netns };
	default:
		return place_of_service(ports, group);
	}
}

static int compare_numbers(uint64_t number, uint64_t other)
{
	return number < other ? -1 : number > other;
}

static int place_compare(const struct place *place, const struct place *other)
{
	return compare_numbers(place->netns, other->netns)
		       ?: compare_numbers(place->ifindex, other->ifindex)
		       ?: compare_numbers(place->pid, other->pid)
		       ?: compare_numbers(place->cpu, other->cpu)
		       ?: compare_numbers(place->port, other->port)
		       ?: compare_numbers(place->protocol, other->protocol);
}

const char *place_protocol_name(const struct place *place)
{
	return place->protocol == IPPROTO_TCP	? "TCP"
	       : place->protocol == IPPROTO_UDP ? "UDP"
						: NULL;
}

bool place_is_same(const struct place *place, const struct place *other)
{
	return !place_compare(place, other);
}

int subject_compare(const struct subject *subject, const struct subject *other)
{
	return compare_numbers(subject->class, other->class)
		       ?: place_compare(&subject->place, &other->place);
}

/* An element of the index: the subject, and its tally's place in the array. */
struct indexed {
	struct subject subject;
	size_t number;
};

static int compare_indexed(const void *a, const void *b)
{
	const struct indexed *x = a, *y = b;

	return subject_compare(&x->subject, &y->subject);
}

/* A tally has several histograms: of whole waits, of each part, and of the backlog. */
enum { BACKLOG_BUCKETS = NR_PARTS, NR_OF_BUCKETS = 1 + NR_PARTS + 1 };

static struct tally *add_tally(struct tallies *tallies, const struct subject *subject)
{
	struct tally *tally;

	if (tallies->nr == tallies->room) {
		size_t room = tallies->room ? 2 * tallies->room : 64;

		tally = reallocarray(tallies->tallies, room, sizeof(*tally));
		if (!tally)
			return NULL;
		tallies->tallies = tally;
		tallies->room = room;
	}
	tally = &tallies->tallies[tallies->nr];
	*tally = (struct tally){ .class = subject->class, .place = subject->place };
	tally->buckets = calloc(NR_OF_BUCKETS * tallies->nr_buckets, sizeof(*tally->buckets));
	if (!tally->buckets)
		return NULL;
	tallies->nr++;
	return tally;
}

/* NULL without memory. */
static struct tally *find_tally(struct tallies *tallies, enum class class,
				const struct group *group)
{
	const struct indexed wanted = {
		{ class, place_of(tallies->ports, class, group) },
		tallies->nr,
	};
	bool is_new;
	const struct indexed *found =
		find_or_add(&tallies->index, &wanted, sizeof(wanted), compare_indexed, &is_new);

	if (!found || is_new)
		return found ? add_tally(tallies, &wanted.subject) : NULL;
	return &tallies->tallies[found->number];
}

/*
 * The largest latency of a bucket; for the last bucket, a latency that is larger than all others.
 */
static uint64_t bound_ns(const struct tallies *tallies, unsigned int bucket)
{
	return bucket + 1 < tallies->nr_buckets ? bucket_le_ns(bucket, tallies->resolution)
						: LAST_BUCKET_NS;
}

/* Counts only what surely is late: a bucket that begins at late_ns or above. */
static bool is_late(const struct tallies *tallies, unsigned int bucket, uint64_t late_ns)
{
	return bucket && bound_ns(tallies, bucket - 1) >= late_ns;
}

static uint64_t quantile_ns(const struct tallies *tallies, const struct bucket *buckets,
			    unsigned int permille)
{
	int bucket = buckets_quantile(buckets, tallies->nr_buckets, permille);

	return bucket < 0 ? 0 : bound_ns(tallies, bucket);
}

/* 0 where none waited: such are in the first bucket, see add_others(). */
static uint64_t latest_ns(const struct tallies *tallies, const struct bucket *buckets,
			  uint64_t count)
{
	uint64_t by_chance = count * MIN_LATE_PERCENT / 100, above = 0;
	unsigned int bucket = tallies->nr_buckets;

	if (by_chance < MIN_LATE - 1)
		by_chance = MIN_LATE - 1;
	while (bucket > 1 && above <= by_chance)
		above += buckets[--bucket].count;
	return above > by_chance ? bound_ns(tallies, bucket) : 0;
}

uint64_t threshold_of(const struct thresholds *thresholds, enum class class)
{
	/* It begins an answer, and takes its time for the rest. */
	if (class == CLASS_cork)
		return thresholds->application_ns;
	switch (classes[class].family) {
	case FAMILY_READER:
	case FAMILY_HELD_UP:
	case FAMILY_TASK:
		return thresholds->task_ns;
	default:
		return thresholds->stack_ns;
	}
}

static struct lateness lateness_of(const struct tallies *tallies, const struct bucket *buckets,
				   uint64_t late_ns)
{
	struct lateness lateness = {
		.count = buckets_count(buckets, tallies->nr_buckets),
		.p50_ns = quantile_ns(tallies, buckets, 500),
		.p99_ns = quantile_ns(tallies, buckets, 990),
		.max_ns = quantile_ns(tallies, buckets, 1000),
	};

	lateness.latest_ns = latest_ns(tallies, buckets, lateness.count);
	for (unsigned int i = 0; i < tallies->nr_buckets; i++)
		if (is_late(tallies, i, late_ns)) {
			lateness.late += buckets[i].count;
			lateness.late_ns += buckets[i].sum_ns;
			if (is_late(tallies, i, VERY_LATE * late_ns))
				lateness.very_late += buckets[i].count;
			if (is_late(tallies, i, LATE_ONCE * late_ns))
				lateness.late_once += buckets[i].count;
		}
	return lateness;
}

static struct bucket *part_buckets(const struct tallies *tallies, const struct tally *tally,
				   unsigned int part)
{
	return tally->buckets + (1 + part) * tallies->nr_buckets;
}

/*
 * A packet in a socket that several processes have may wait for any of them. A process that has
 * read from it is likelier than the others.
 */
static bool is_main(const struct tally *tally, const struct report_group *group, uint64_t ns)
{
	return !tally->main || (ns > tally->main_ns && !group->group->nr_sharing);
}

#define WHOLE (-1)

/* Adds to the buckets of a tally, or to those of a part of it. */
static int add_group(struct tallies *tallies, const struct class_stage *stage,
		     const struct report_group *group, int part)
{
	struct tally *tally = find_tally(tallies, stage->class, group->group);
	uint64_t late_ns = threshold_of(&tallies->thresholds, stage->class), ns;

	if (!tally)
		return -ENOMEM;
	ns = lateness_of(tallies, group->buckets, late_ns).late_ns;
	buckets_add(part < 0 ? tally->buckets : part_buckets(tallies, tally, part), group->buckets,
		    tallies->nr_buckets);
	if (is_main(tally, group, ns)) {
		tally->main = group;
		tally->main_ns = ns;
		tally->stage = stage;
	}
	return 0;
}

/* Counts packets in time: they did not wait for what the class is about. */
static int add_others(struct tallies *tallies, enum class class, const struct report_group *group)
{
	struct tally *tally = find_tally(tallies, class, group->group);

	if (!tally)
		return -ENOMEM;
	tally->buckets[0].count += group->count;
	return 0;
}

/* A packet that went past a hook that few come by might have had to wait there, once on its way. */
static int add_those_past(struct tallies *tallies, int from_hook, const struct report_group *group)
{
	const struct class_stage *stage;
	int err = 0;

	for (enum hook few = 0; few < NR_HOOKS && !err; few++) {
		if (hooks[few].journey != JOURNEY_BY_FEW || (int)few <= from_hook)
			continue;
		stage = class_stage_find(few, group->group->hook);
		if (stage && stage->from == (int)few)
			err = add_others(tallies, stage->class, group);
	}
	return err;
}

static int add_stage(struct tallies *tallies, const struct report_group *group)
{
	int from_hook = class_from_hook(group->group);
	const struct class_stage *stage = class_stage_of(group->group), *beside;

	if (!stage || group->group->is_other)
		return 0;
	if (add_those_past(tallies, from_hook, group))
		return -ENOMEM;
	beside = class_stage_beside(stage);
	if (beside && add_others(tallies, beside->class, group))
		return -ENOMEM;
	if (from_hook >= PART_ASLEEP && from_hook < END_OF_PARTS)
		return add_group(tallies, stage, group, from_hook - PART_ASLEEP);
	return add_group(tallies, stage, group, WHOLE);
}

/* A client may think for as long as it likes before the next request. */
static bool is_about(const struct tallies *tallies, const struct class_stage *span,
		     const struct group *group)
{
	if (span->class == CLASS_application)
		return is_of_service(tallies->ports, group);
	return !span->limits || span->limits & 1U << group->key.limit;
}

/* Datagrams are read one by one, in order; TCP reads all that is there. */
static int add_backlog(struct tallies *tallies, const struct report_group *group)
{
	struct tally *tally;

	if (group->group->hook != HOOK_udp_socket_read)
		return 0;
	tally = find_tally(tallies, CLASS_reader_asleep, group->group);
	if (!tally)
		return -ENOMEM;
	buckets_add(part_buckets(tallies, tally, BACKLOG_BUCKETS), group->buckets,
		    tallies->nr_buckets);
	return 0;
}

static int add_spans(struct tallies *tallies, const struct report_group *group)
{
	const struct class_stage *span = NULL;
	bool is_counted = false, has_limit = false;
	int err;

	if (group->group->is_other)
		return 0;
	err = add_backlog(tallies, group);
	while (!err && (span = class_span_next(group->group->hook, span))) {
		bool counts = is_about(tallies, span, group->group);

		is_counted |= counts;
		has_limit |= span->limits != 0;
		if (counts)
			err = add_group(tallies, span, group, WHOLE);
		else if (span->limits)
			err = add_others(tallies, span->class, group);
	}
	/* Congestion control and pacing are no class. */
	if (has_limit && !is_counted)
		buckets_add(tallies->held_back_buckets, group->buckets, tallies->nr_buckets);
	else if (has_limit)
		tallies->held_back_buckets[0].count += group->count;
	return err;
}

/* TCP segments with data that are not in order were lost, or overtaken. */
static int add_segments(struct tallies *tallies, const struct report_group *group)
{
	enum sequence sequence = group->group->key.sequence;
	struct tally *tally;

	if (group->group->hook != HOOK_tcp_do_rcv || group->group->is_other ||
	    sequence < SEQUENCE_IN_ORDER)
		return 0;
	tally = find_tally(tallies, CLASS_loss, group->group);
	if (!tally)
		return -ENOMEM;
	tally->lateness.count += group->count;
	if (sequence != SEQUENCE_IN_ORDER)
		tally->lateness.late += group->count;
	if (sequence == SEQUENCE_RECEIVED_BEFORE)
		tally->came_again += group->count;
	tally->main = group;
	return 0;
}

/*
 * TCP segments that are sent, and sent again. A SYN-ACK is sent again to clients that scan for
 * services or flood them: that says nothing of the way.
 */
static int add_sent(struct tallies *tallies, const struct report_group *group)
{
	const struct socket_span *span = &socket_spans[group->group->hook];
	bool is_again = span->way == WAY_AGAIN;
	struct tally *tally;

	if (group->group->is_other || group->group->key.retransmit == RETRANSMIT_SYN_ACK ||
	    !(span->paths & PATH_TCP) || (!is_again && span->way != WAY_OUT))
		return 0;
	tally = find_tally(tallies, CLASS_retransmit, group->group);
	if (!tally)
		return -ENOMEM;
	tally->lateness.count += group->count;
	if (!is_again)
		return 0;
	tally->lateness.late += group->count;
	if (!tally->main || group->count > tally->main->count)
		tally->main = group;
	return 0;
}

static int add_queued(struct tallies *tallies, const struct report_group *group)
{
	const struct class_stage *stage;
	struct tally *tally;

	if (group->group->from == FROM_STAMP)
		return add_spans(tallies, group);
	stage = class_stage_of(group->group);
	if (!stage)
		return 0;
	tally = find_tally(tallies, stage->class, group->group);
	if (!tally)
		return -ENOMEM;
	tally->queued += group->count;
	return add_stage(tallies, group);
}

/*
 * Returns how many segments came to the sockets of a place, at least, and wait to be read. The port
 * is not known for segments whose read was not counted, such as a FIN behind close(2).
 */
static uint64_t unread(const struct tallies *tallies, const struct report *report,
		       const struct place *place)
{
	uint64_t came = 0, read = hook_counts_discarded(&report->hooks[HOOK_tcp_socket_read]);

	for (size_t i = 0; i < report->nr_groups; i++) {
		const struct report_group *group = &report->groups[i];
		struct place where = place_of_service(tallies->ports, group->group);

		where.pid = place->pid;
		if (!place_is_same(&where, place))
			continue;
		if (group->group->hook == HOOK_tcp_socket_enqueued)
			came += group->count;
		if (group->group->hook == HOOK_tcp_socket_read)
			read += group->count;
	}
	return came > read ? came - read : 0;
}

/*
 * The kernel merges segments in a queue, and keeps the stamp of the last one. The merged segment is
 * as late as that, or later.
 */
static int add_merged(struct tallies *tallies, const struct report *report,
		      const struct report_group *queued)
{
	const struct class_stage *stage =
		class_stage_find(HOOK_tcp_socket_enqueued, HOOK_tcp_socket_read);
	struct tally *tally;
	uint64_t merged;
	int youngest = buckets_quantile(queued->buckets, tallies->nr_buckets, 0);

	if (queued->group->hook != HOOK_tcp_socket_read || youngest < 0)
		return 0;
	tally = find_tally(tallies, stage->class, queued->group);
	if (!tally)
		return -ENOMEM;
	merged = unread(tallies, report, &tally->place);
	if (merged <= tally->queued)
		return 0;
	merged -= tally->queued;
	tally->queued += merged;
	tally->buckets[youngest].count += merged;
	tally->buckets[youngest].sum_ns +=
		merged * queued->buckets[youngest].sum_ns / queued->buckets[youngest].count;
	return 0;
}

/*
 * An application that takes the same time for each answer is not late, unless that time is very
 * long.
 */
static uint64_t late_application_ns(const struct tallies *tallies, const struct tally *tally)
{
	const struct thresholds *thresholds = &tallies->thresholds;
	uint64_t tail_ns = APPLICATION_TAIL * quantile_ns(tallies, tally->buckets, 500);

	if (tail_ns < thresholds->task_ns)
		tail_ns = thresholds->task_ns;
	return tail_ns < thresholds->application_ns ? tail_ns : thresholds->application_ns;
}

/* NULL if nothing was measured there. */
static const struct tally *tally_at(const struct tallies *tallies, enum class class,
				    const struct place *place)
{
	const struct indexed wanted = { .subject = { class, *place } };
	struct indexed **found = tfind(&wanted, &tallies->index, compare_indexed);

	return found ? &tallies->tallies[(*found)->number] : NULL;
}

const struct tally *tallies_reader(const struct tallies *tallies, const struct place *place)
{
	const struct tally *reader = tally_at(tallies, CLASS_reader_asleep, place);

	return reader && reader->main ? reader : NULL;
}

/*
 * Nothing is late there if many packets came late to the queue: their stamps tell both times
 * together.
 */
static struct lateness backlog_of(const struct tallies *tallies, const struct tally *tally)
{
	uint64_t late_ns = tallies->thresholds.task_ns;
	const struct tally *path;
	struct lateness backlog;

	if (tally->class != CLASS_reader_asleep)
		return (struct lateness){ 0 };
	path = tally_at(tallies, CLASS_receive_path, &tally->place);
	backlog = lateness_of(tallies, part_buckets(tallies, tally, BACKLOG_BUCKETS), late_ns);
	if (path && 2 * lateness_of(tallies, path->buckets, late_ns).late > backlog.late)
		return (struct lateness){ 0 };
	return backlog;
}

uint64_t tally_read_ns(const struct tally *tally)
{
	return tally->read_ns[ASLEEP] + tally->read_ns[READY] + tally->read_ns[RUNNING];
}

/*
 * Returns whether most datagrams are late, several at a time (Little's law), and their reader has
 * no time for anything else: its work on each takes nearly all of the time.
 */
static bool is_overload(const struct tally *tally, uint64_t duration_ns)
{
	const struct lateness *backlog = &tally->backlog;

	return 2 * backlog->late > backlog->count && backlog->late_ns >= LONG_QUEUE * duration_ns &&
	       100 * tally_read_ns(tally) >= BUSY_PERCENT * duration_ns;
}

/*
 * A packet whose parts are known is counted in each of them, and nowhere else. It is as late as it
 * is in the part that is late most.
 */
static void finish(const struct tallies *tallies, struct tally *tally)
{
	uint64_t late_ns = tally->class == CLASS_application
				   ? late_application_ns(tallies, tally)
				   : threshold_of(&tallies->thresholds, tally->class);
	unsigned int latest = RUNNING;

	for (unsigned int part = 0; part < NR_PARTS; part++) {
		const struct bucket *buckets = part_buckets(tallies, tally, part);

		tally->read_ns[part] = buckets_sum_ns(buckets, tallies->nr_buckets);
		tally->part_ns[part] = lateness_of(tallies, buckets, late_ns).late_ns;
		if (tally->part_ns[part] > tally->part_ns[latest])
			latest = part;
	}
	buckets_add(tally->buckets, part_buckets(tallies, tally, latest), tallies->nr_buckets);
	tally->lateness = lateness_of(tallies, tally->buckets, late_ns);
	tally->backlog = backlog_of(tallies, tally);
	tally->is_overload = is_overload(tally, tallies->duration_ns);
}

int tallies_make(struct tallies *tallies, const struct report *report,
		 const struct thresholds *thresholds, const struct service_ports *ports)
{
	const struct histogram *any = &report->hooks[0].latency;
	int err = 0;

	*tallies = (struct tallies){
		.thresholds = *thresholds,
		.ports = ports,
		.duration_ns = report->duration_ns,
		.resolution = any->resolution,
		.nr_buckets = histogram_nr_buckets(any),
	};
	tallies->held_back_buckets =
		calloc(tallies->nr_buckets, sizeof(*tallies->held_back_buckets));
	if (!tallies->held_back_buckets)
		return -ENOMEM;
	for (size_t i = 0; i < report->nr_stages && !err; i++)
		err = add_stage(tallies, &report->stages[i]);
	for (size_t i = 0; i < report->nr_groups && !err; i++)
		err = add_spans(tallies, &report->groups[i]);
	for (size_t i = 0; i < report->nr_stages && !err; i++)
		err = add_segments(tallies, &report->stages[i]);
	for (size_t i = 0; i < report->nr_groups && !err; i++)
		err = add_sent(tallies, &report->groups[i]);
	for (size_t i = 0; i < report->nr_queued && !err; i++)
		err = add_queued(tallies, &report->queued[i]);
	for (size_t i = 0; i < report->nr_queued && !err; i++)
		err = add_merged(tallies, report, &report->queued[i]);
	for (size_t i = 0; i < tallies->nr; i++)
		if (!class_is_lost(tallies->tallies[i].class))
			finish(tallies, &tallies->tallies[i]);
	tallies->held_back = lateness_of(tallies, tallies->held_back_buckets, thresholds->task_ns);
	return err;
}

void tallies_free(struct tallies *tallies)
{
	for (size_t i = 0; i < tallies->nr; i++)
		free(tallies->tallies[i].buckets);
	free(tallies->tallies);
	tdestroy(tallies->index, free);
	free(tallies->held_back_buckets);
	*tallies = (struct tallies){ 0 };
}
