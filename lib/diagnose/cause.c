// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/cause.h"

#include <string.h>

#include "lib/host/file_number.h"
#include "lib/tables/retransmit.h"
#include "lib/tables/units.h"

static bool is_of(enum class class, unsigned int class_or_family)
{
	return class == class_or_family || classes[class].family == class_or_family;
}

bool cause_is_limit(const struct verdict *verdict, const struct host_facts *host)
{
	uint64_t throttled_ns = host->throttled ? host->throttled_ns : 0;

	return (host->nobody_ran ? 100 : 10) * throttled_ns > verdict->duration_ns;
}

/*
 * The parts of some packets are not known, such as packets that are not read yet. Then, this is
 * what its threads did in all of the watch, or else what it does now.
 */
static unsigned int likely_part(const struct verdict *verdict, const struct host_facts *host)
{
	if (2 * host->running_ns > verdict->duration_ns)
		return RUNNING;
	if (4 * host->ready_ns > verdict->duration_ns || cause_is_limit(verdict, host))
		return READY;
	if (host->state == 'R')
		return host->ready_ns > host->running_ns ? READY : RUNNING;
	return ASLEEP;
}

/* The reader's state for most of the time that its packets waited. */
static unsigned int main_part(const struct verdict *verdict, struct finding *finding)
{
	uint64_t parts_ns[NR_PARTS], known_ns = 0;
	unsigned int main = ASLEEP;

	memcpy(parts_ns, finding->part_ns, sizeof(parts_ns));
	for (unsigned int part = 0; part < NR_PARTS; part++)
		if (parts_ns[part] > known_ns)
			known_ns = parts_ns[part];
	if (!finding->others_meanwhile) {
		parts_ns[likely_part(verdict, &finding->host)] +=
			finding->lateness.late_ns - known_ns;
		finding->is_likely = 2 * known_ns < finding->lateness.late_ns;
	}
	if (parts_ns[RUNNING] > parts_ns[main])
		main = RUNNING;
	if (parts_ns[READY] > parts_ns[main])
		main = READY;
	return main;
}

/* No program saw that the limit drove the page out that the task slept for. */
static void note_limit(struct finding *finding)
{
	finding->is_likely |= finding->host.memory_limit && !finding->host.waited_for_memory;
}

void cause_of_reader(const struct verdict *verdict, struct finding *finding)
{
	const struct host_facts *host = &finding->host;

	if (!is_of(finding->class, FAMILY_READER))
		return;
	if (host_is_stopped(host)) {
		finding->class = CLASS_reader_stopped;
		return;
	}
	switch (main_part(verdict, finding)) {
	case READY:
		finding->class = cause_is_limit(verdict, host) ? CLASS_reader_throttled
							       : CLASS_reader_no_cpu;
		break;
	case RUNNING:
		finding->class = CLASS_reader_busy;
		break;
	default:
		finding->class = host->was_stopped	   ? CLASS_reader_stopped
				 : host_lacks_memory(host) ? CLASS_reader_memory
							   : CLASS_reader_asleep;
		note_limit(finding);
	}
}

/* A process that decides on packets for netfilter is the cause of the time that it takes. */
void cause_of_netfilter(struct finding *finding)
{
	switch (finding->class) {
	case CLASS_netfilter_in:
	case CLASS_netfilter_forward:
	case CLASS_netfilter_out:
		if (2 * (uint64_t)finding->host.queued_packets >= finding->lateness.late)
			finding->class = CLASS_userspace_filter;
		break;
	default:
		break;
	}
}

/* Returns whether too few are late without those that answered nothing. */
static bool has_answered_in_time(const struct finding *finding)
{
	struct lateness asked = finding->lateness;
	uint64_t unasked = finding->host.nr_unasked;

	asked.late -= unasked < asked.late ? unasked : asked.late;
	asked.very_late = asked.late < asked.very_late ? asked.late : asked.very_late;
	return unasked && !lateness_is_harm(&asked);
}

void cause_of_application(struct finding *finding)
{
	if (finding->class != CLASS_application)
		return;
	note_limit(finding);
	if (finding->host.waited_for_sockets)
		finding->outcome = OUTCOME_WAITING;
	else if (has_answered_in_time(finding))
		finding->outcome = OUTCOME_STRAYS;
}

/*
 * Packets may be late at another part of the way each time: by chance at each part, but late on all
 * of the way. They are less than a tenth of the packets, not late by much, and quick on average.
 */
static bool is_scattered(const struct finding *finding)
{
	const struct lateness *lateness = &finding->lateness;
	uint64_t mean_ns = 0;

	for (size_t i = 0; i < finding->nr_path_parts; i++)
		mean_ns += path_part_mean_ns(&finding->path_parts[i]);
	return finding->class == CLASS_receive_path && 10 * lateness->late < lateness->count &&
	       lateness->late_once < MIN_LATE && 10 * mean_ns < lateness->p99_ns;
}

void cause_of_chance(struct finding *finding)
{
	bool is_brief = is_late_once(&finding->seconds) && !class_is_lost(finding->class) &&
			finding->lateness.late_once < MIN_LATE;

	if (is_brief || is_scattered(finding))
		finding->outcome = OUTCOME_CHANCE;
}

/*
 * Returns whether one does more harm than the other. If both do equal harm, the answer does not
 * depend on their order.
 */
static bool is_more(const struct finding *finding, const struct finding *other)
{
	if (finding->lateness.late_ns != other->lateness.late_ns)
		return finding->lateness.late_ns > other->lateness.late_ns;
	if (finding->cpu != other->cpu)
		return finding->cpu < other->cpu;
	return finding->place.port < other->place.port;
}

static bool is_of_same_task(const struct finding *finding, const struct finding *other)
{
	return finding->pid && finding->pid == other->pid;
}

/*
 * A task that is kept away for some time may be late for some multiple of that time, but not for
 * ever.
 */
static bool explains_as_late_of_same_task(const struct finding *finding,
					  const struct finding *other, unsigned int times)
{
	return is_of_same_task(finding, other) &&
	       times * finding->lateness.max_ns >= other->lateness.p99_ns;
}

static bool explains_more_of_same_task(const struct finding *finding, const struct finding *other,
				       unsigned int times)
{
	(void)times;
	return is_of_same_task(finding, other) && is_more(finding, other);
}

static bool is_at_same_port(const struct finding *finding, const struct finding *other)
{
	return finding->place.netns == other->place.netns &&
	       finding->place.port == other->place.port &&
	       finding->place.protocol == other->place.protocol;
}

/* A process with two services may be bad at both. */
static bool is_same_service(const struct finding *finding, const struct finding *other)
{
	return is_of_same_task(finding, other) && is_at_same_port(finding, other);
}

/* They are about different packets, so the sums cannot be compared. */
static bool explains_as_late_at_port(const struct finding *finding, const struct finding *other,
				     unsigned int times)
{
	return is_at_same_port(finding, other) &&
	       times * finding->lateness.p99_ns >= other->lateness.p99_ns;
}

/* Many more packets are queued than wait for one of these, so the sums cannot be compared. */
static bool explains_as_late_in_netns(const struct finding *finding, const struct finding *other,
				      unsigned int times)
{
	return finding->place.netns == other->place.netns &&
	       times * finding->lateness.p99_ns >= other->lateness.max_ns;
}

static bool explains_up_to_times_at_port(const struct finding *finding, const struct finding *other,
					 unsigned int times)
{
	return is_at_same_port(finding, other) &&
	       times * finding->lateness.late_ns >= other->lateness.late_ns;
}

static bool explains_up_to_times(const struct finding *finding, const struct finding *other,
				 unsigned int times)
{
	return is_of_same_task(finding, other) &&
	       explains_up_to_times_at_port(finding, other, times);
}

static bool explains_beyond_times(const struct finding *finding, const struct finding *other,
				  unsigned int times)
{
	return is_same_service(finding, other) &&
	       finding->lateness.late_ns > times * other->lateness.late_ns;
}

static bool explains_takes_its_cpu(const struct finding *finding, const struct finding *other,
				   unsigned int times)
{
	const struct work *work = &other->work;

	(void)times;
	return work->takes_cpu && work->class == finding->class &&
	       place_is_same(&work->place, &finding->place);
}

static bool explains_more_of_same_interface(const struct finding *finding,
					    const struct finding *other, unsigned int times)
{
	const struct work *work = &finding->work;

	(void)times;
	return work->takes_cpu && other->work.takes_cpu && work->class == other->work.class &&
	       work->place.ifindex == other->work.place.ifindex &&
	       work->place.netns == other->work.place.netns && is_more(finding, other);
}

static bool explains_more_of_same_netns(const struct finding *finding, const struct finding *other,
					unsigned int times)
{
	(void)times;
	return finding->place.netns == other->place.netns && is_more(finding, other);
}

static bool is_more_of_same_cpu(const struct finding *finding, const struct finding *other)
{
	return finding->cpu == other->cpu && is_more(finding, other);
}

static bool explains_keeps_tasks_away(const struct finding *backlog, const struct finding *reader,
				      unsigned int times)
{
	(void)times;
	return backlog->work.takes_cpu && is_more_of_same_cpu(backlog, reader);
}

/* Never of one that keeps tasks away itself: that would be a circle. */
static bool explains_keeps_softirqs_away(const struct finding *reader,
					 const struct finding *backlog, unsigned int times)
{
	(void)times;
	return !backlog->work.takes_cpu && is_more_of_same_cpu(reader, backlog);
}

/* A CPU is late with one softirq as another one works. */
static bool explains_has_its_cpu(const struct finding *backlog, const struct finding *softirq,
				 unsigned int times)
{
	(void)times;
	return backlog->work.takes_cpu && backlog->cpu == softirq->cpu;
}

/* The same CPU waits once for many packets, so the sums cannot be compared. */
static bool explains_is_as_late(const struct finding *softirq, const struct finding *backlog,
				unsigned int times)
{
	return !backlog->work.takes_cpu && softirq->cpu == backlog->cpu &&
	       times * softirq->lateness.p99_ns >= backlog->lateness.p99_ns;
}

static bool is_on_way(const struct finding *part, const struct finding *way)
{
	switch (classes[part->class].scope) {
	case SCOPE_CPU:
		return part->cpu == way->cpu;
	case SCOPE_SERVICE:
		return is_at_same_port(part, way);
	default:
		return part->place.netns == way->place.netns;
	}
}

static bool explains_is_part_of_way(const struct finding *part, const struct finding *way,
				    unsigned int times)
{
	return is_on_way(part, way) && times * part->lateness.late_ns >= way->lateness.late_ns;
}

static bool explains_more_at_same_port(const struct finding *finding, const struct finding *other,
				       unsigned int times)
{
	(void)times;
	return is_at_same_port(finding, other) && is_more(finding, other);
}

/* Holds if all drops were there, and none elsewhere. */
static bool explains_fills_queue(const struct finding *reader, const struct finding *drop,
				 unsigned int times)
{
	(void)times;
	return drop->drop == class_drop_find(DROP_QUEUE_FULL) &&
	       dropped_ports_most_count(&drop->dropped_ports) == drop->lateness.late &&
	       is_at_same_port(reader, drop);
}

/* A drop's place is that of most packets that are dropped for its reason. */
static bool explains_fills_tun(const struct finding *reader, const struct finding *drop,
			       unsigned int times)
{
	(void)times;
	return drop->drop == class_drop_find(DROP_TUN_FULL) && reader->place.ifindex &&
	       reader->place.netns == drop->place.netns &&
	       reader->place.ifindex == drop->place.ifindex;
}

/* TCP may miss what is dropped of it, before the protocol is looked at, or on the way out. */
static bool may_lose_segments(const struct finding *drop)
{
	return drop->dropped_at == NR_HOOKS ||
	       hooks[drop->dropped_at].paths & (PATH_TCP | PATH_OUT);
}

/*
 * Returns how many packets were dropped that may be of the same service. If the service is not
 * known, it may be any.
 */
static uint64_t dropped_of(const struct finding *drop, const struct finding *loss)
{
	uint64_t elsewhere = dropped_ports_elsewhere(&drop->dropped_ports, &loss->place);

	return may_lose_segments(drop) ? number_since(elsewhere, drop->lateness.late) : 0;
}

/* Adds up what was dropped, for whatever reasons, that may have been lost so. */
static void sum_drops(struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nr; i++)
		for (size_t j = 0; j < verdict->nr; j++)
			if (verdict->findings[j].class == CLASS_drop)
				verdict->findings[i].dropped_here +=
					dropped_of(&verdict->findings[j], &verdict->findings[i]);
}

static bool explains_dropped_as_many(const struct finding *drop, const struct finding *loss,
				     unsigned int times)
{
	return dropped_of(drop, loss) && times * loss->dropped_here >= loss->lateness.late;
}

/* A SYN that was dropped is sent again by a client on this host, and nothing else is. */
static bool explains_dropped_syns(const struct finding *syns, const struct finding *again,
				  unsigned int times)
{
	return again->retransmit == RETRANSMIT_SYN &&
	       times * syns->lateness.late >= again->lateness.late;
}

/*
 * TCP waits at least this long for an ACK before it sends again: TCP_RTO_MIN; for a SYN,
 * TCP_TIMEOUT_INIT; before a probe, two round trips and two jiffies (TCP_TIMEOUT_MIN), most often
 * of 4 ms.
 */
static uint64_t least_timer_ns(enum retransmit retransmit)
{
	switch (retransmit) {
	case RETRANSMIT_TIMEOUT:
		return 200 * NS_PER_MS;
	case RETRANSMIT_PROBE:
		return 8 * NS_PER_MS;
	case RETRANSMIT_SYN:
		return NS_PER_S;
	default:
		return UINT64_MAX;
	}
}

/* The wait may be in any namespace: a container's segments wait in a device of its host. */
static bool explains_outlasts_timer(const struct finding *wait, const struct finding *again,
				    unsigned int times)
{
	return wait->lateness.max_ns >= least_timer_ns(again->retransmit) &&
	       times * wait->lateness.late >= again->lateness.late;
}

/*
 * A peer delays an ACK for up to 200 ms (TCP_DELACK_MAX). If most wait for longer, what is in
 * flight was lost.
 */
static bool explains_outlasts_delayed_ack(const struct finding *again, const struct finding *nagle,
					  unsigned int times)
{
	(void)times;
	return is_at_same_port(again, nagle) && nagle->lateness.p50_ns > 200 * NS_PER_MS;
}

/* Returns whether as many waited as were sent again, some for longer than TCP's shortest timer. */
static bool outlasts_probe(const struct finding *wait, const struct finding *again,
			   unsigned int times)
{
	return wait->lateness.max_ns >= least_timer_ns(RETRANSMIT_PROBE) &&
	       times * wait->lateness.late >= again->lateness.late;
}

/* A peer sends again as well what was not acknowledged in time. */
static bool explains_outlasts_timer_of_peer(const struct finding *wait, const struct finding *loss,
					    unsigned int times)
{
	return finding_is_repetition(loss) && outlasts_probe(wait, loss, times);
}

static bool explains_doubles_segments(const struct finding *wait, const struct finding *drop,
				      unsigned int times)
{
	return drop->drop == class_drop_find(DROP_OLDER) && outlasts_probe(wait, drop, times);
}

/* Packets in a tun are still on their way, unlike those in a socket. */
static bool explains_tun_outlasts_timer(const struct finding *reader, const struct finding *again,
					unsigned int times)
{
	return reader->place.ifindex && explains_outlasts_timer(reader, again, times);
}

static bool explains_tun_outlasts_timer_of_peer(const struct finding *reader,
						const struct finding *loss, unsigned int times)
{
	return reader->place.ifindex && explains_outlasts_timer_of_peer(reader, loss, times);
}

/* A container has no card of its own, so it may be in any namespace. */
static bool explains_missed_as_many(const struct finding *card, const struct finding *lost,
				    unsigned int times)
{
	return times * card->lateness.late >= lost->lateness.late;
}

static bool explains_as_many_at_port(const struct finding *finding, const struct finding *other,
				     unsigned int times)
{
	return is_at_same_port(finding, other) &&
	       times * finding->lateness.late >= other->lateness.late;
}

static const struct {
	unsigned int cause, effect; /* classes, or families */
	bool (*rule)(const struct finding *cause, const struct finding *effect, unsigned int times);
	unsigned int times;
} explanations[] = {
#define EXPLAINS(cause, effect, rule, times) { cause, effect, explains_##rule, times },
#include "lib/diagnose/classes.def"
};

/*
 * Returns whether both were late at the same time. A wait is counted when it ends, and one that
 * another wait makes late may end later by as long as both take.
 */
static bool is_at_the_time(const struct finding *cause, const struct finding *effect)
{
	return late_seconds_meet(&cause->seconds, &effect->seconds,
				 cause->lateness.max_ns + effect->lateness.max_ns);
}

static bool explains(const struct finding *cause, const struct finding *effect)
{
	if (!is_at_the_time(cause, effect))
		return false;
	for (size_t i = 0; i < sizeof(explanations) / sizeof(*explanations); i++)
		if (is_of(cause->class, explanations[i].cause) &&
		    is_of(effect->class, explanations[i].effect) &&
		    explanations[i].rule(cause, effect, explanations[i].times))
			return true;
	return false;
}

static void absorb(struct finding *cause, struct finding *effect)
{
	effect->outcome = OUTCOME_EFFECT;
	if (effect->class == CLASS_drop && cause->class != CLASS_drop)
		cause->dropped = effect->lateness.late;
	cause->is_both_ways |= effect->class == CLASS_loss && cause->class == CLASS_retransmit;
}

static bool has_part(const struct finding *way, enum class class)
{
	for (size_t i = 0; i < way->nr_path_parts; i++)
		if (way->path_parts[i].stage->class == class)
			return true;
	return false;
}

/*
 * Returns whether a part of a way is told with the way: it is late for less of the time than a part
 * that is late alone, and never later than the way itself.
 */
static bool tells(const struct finding *way, const struct finding *part)
{
	return way->class == CLASS_receive_path && way->outcome == OUTCOME_TOLD &&
	       is_of(part->class, FAMILY_WORK) && is_on_way(part, way) &&
	       has_part(way, part->class) &&
	       way->lateness.late_ns > LATE_ALONE * part->lateness.late_ns &&
	       way->lateness.p99_ns >= part->lateness.max_ns;
}

static void ways_absorb_parts(struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nr; i++)
		for (size_t j = 0; j < verdict->nr; j++)
			if (tells(&verdict->findings[i], &verdict->findings[j]))
				absorb(&verdict->findings[i], &verdict->findings[j]);
}

/*
 * A finding may be explained by one that is an effect itself. As there is no circle, each chain
 * ends at a cause. A way that is left tells of its parts, as it has no other cause.
 */
void causes_absorb(struct verdict *verdict)
{
	sum_drops(verdict);
	for (size_t i = 0; i < verdict->nr; i++)
		for (size_t j = 0; j < verdict->nr; j++)
			if (i != j && explains(&verdict->findings[i], &verdict->findings[j]))
				absorb(&verdict->findings[i], &verdict->findings[j]);
	ways_absorb_parts(verdict);
}
