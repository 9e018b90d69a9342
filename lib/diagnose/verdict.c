// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/verdict.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "lib/counts/stages.h"
#include "lib/report/stage_names.h"

/* All labels but what the finding has from elsewhere. */
static const char *const label_facts[] = { "netns", "interface", "cgroup", "port",
					   "pid",   "comm",	 "cpu",	   "limit" };
#define NR_LABEL_FACTS (sizeof(label_facts) / sizeof(*label_facts))

static void add_labels(struct facts *facts, const struct report *report,
		       const struct report_group *group)
{
	struct labels labels;

	report_group_labels(report, group, &labels);
	for (unsigned int i = 0; i < labels.nr; i++)
		for (size_t j = 0; j < NR_LABEL_FACTS; j++)
			if (!strcmp(labels.labels[i].name, label_facts[j]))
				facts_set_as(facts, label_facts[j], labels.labels[i].value,
					     labels.labels[i].is_number);
}

static const char *protocol_name(uint8_t protocol)
{
	return protocol == IPPROTO_TCP ? "TCP" : protocol == IPPROTO_UDP ? "UDP" : NULL;
}

/* The hooks, or the names of what a reader does. */
static void add_stage_names(struct facts *facts, const struct report *report,
			    const struct report_group *group)
{
	struct stage_names names;

	if (group->group->from == FROM_STAMP && group->group->hook != HOOK_netif_receive) {
		facts_set(facts, "to", hooks[group->group->hook].name);
		return;
	}
	names = stage_names_of(report, group->group->from, group->group->hook);
	facts_set(facts, "from", names.from);
	facts_set(facts, "to", names.to);
}

static struct finding *add_finding(struct verdict *verdict, enum class class,
				   const struct place *place)
{
	struct finding *findings =
		reallocarray(verdict->findings, verdict->nr + 1, sizeof(*findings));

	if (!findings)
		return NULL;
	verdict->findings = findings;
	findings += verdict->nr++;
	*findings = (struct finding){ .class = class, .place = *place };
	return findings;
}

/* Whether a CPU does it for one packet after the other, while others wait in its backlog. */
static bool is_work(const struct report_group *stage)
{
	__u8 from = stage->group->from;
	const struct class_stage *found =
		from == FROM_STAMP ? NULL
				   : class_stage_find(stage_from_hook(from), stage->group->hook);

	return found && (found->class == CLASS_ingress || found->class == CLASS_netfilter_in ||
			 found->class == CLASS_netfilter_forward);
}

/* The group whose packets took most time of a CPU; NULL: none did. */
static const struct report_group *busiest_on(const struct report *report, uint16_t cpu)
{
	unsigned int nr_buckets = histogram_nr_buckets(&report->hooks[0].latency);
	const struct report_group *busiest = NULL;
	uint64_t most_ns = 0;

	for (size_t i = 0; i < report->nr_stages; i++) {
		const struct report_group *stage = &report->stages[i];
		uint64_t ns = buckets_sum_ns(stage->buckets, nr_buckets);

		if (stage->group->key.cpu != cpu || !is_work(stage) || ns <= most_ns)
			continue;
		most_ns = ns;
		busiest = stage;
	}
	return busiest;
}

/* Known of segments that waited, before more is learned of whoever reads. */
static void describe_holder(struct facts *facts)
{
	const char *comm = facts_text(facts, "comm");

	facts_set(facts, "holder", *comm ? comm : "A task");
}

static void describe_service(const struct verdict *verdict, struct finding *finding,
			     const struct report *report)
{
	const struct tally *reader = tallies_reader(&verdict->tallies, &finding->place);
	const char *protocol = protocol_name(finding->place.protocol);

	if (reader && !facts_find(&finding->facts, "pid"))
		add_labels(&finding->facts, report, reader->main);
	if (protocol)
		facts_set(&finding->facts, "protocol", protocol);
	if (finding->place.port)
		facts_set_number(&finding->facts, "port", finding->place.port);
}

static int add_late(struct verdict *verdict, const struct tally *tally, const struct report *report)
{
	struct finding *finding = add_finding(verdict, tally->class, &tally->place);
	const struct report_group *busiest;

	if (!finding)
		return -ENOMEM;
	finding->lateness = tally->lateness;
	memcpy(finding->part_ns, tally->part_ns, sizeof(finding->part_ns));
	if (tally->stage)
		facts_set(&finding->facts, "between", tally->stage->between);
	add_stage_names(&finding->facts, report, tally->main);
	if (tally->class == CLASS_loss)
		facts_set(&finding->facts, "direction", "in");
	add_labels(&finding->facts, report, tally->main);
	if (tally->class == CLASS_socket_lock)
		describe_holder(&finding->facts);
	busiest = tally->class == CLASS_backlog ? busiest_on(report, tally->place.cpu) : NULL;
	if (busiest)
		add_labels(&finding->facts, report, busiest);
	if (classes[tally->class].scope == SCOPE_SERVICE)
		describe_service(verdict, finding, report);
	return 0;
}

static bool is_late(const struct lateness *lateness)
{
	return lateness->late >= MIN_LATE &&
	       lateness->late * 100 >= lateness->count * MIN_LATE_PERCENT;
}

/* A round trip is what it is: far away, if most take long. */
static bool is_finding(const struct verdict *verdict, const struct tally *tally)
{
	if (!tally->main)
		return false;
	if (tally->class == CLASS_network)
		return tally->lateness.count >= MIN_LATE &&
		       tally->lateness.p50_ns >= 2 * verdict->late_ns;
	return is_late(&tally->lateness);
}

static int find_late(struct verdict *verdict, const struct report *report)
{
	int err = 0;

	for (size_t i = 0; i < verdict->tallies.nr && !err; i++) {
		const struct tally *tally = &verdict->tallies.tallies[i];
		struct looked_at *looked_at = &verdict->looked_at[tally->class];

		looked_at->count += tally->lateness.count;
		if (tally->class == CLASS_reader_asleep && tally->main)
			verdict->services++;
		if (is_finding(verdict, tally))
			err = add_late(verdict, tally, report);
		else if (tally->lateness.latest_ns > looked_at->latest_ns)
			looked_at->latest_ns = tally->lateness.latest_ns;
	}
	return err;
}

/* It is known whose queue that was where only one comes late to accept. */
static void add_overflows(struct verdict *verdict, const struct report *report)
{
	uint64_t refused = report->hooks[HOOK_tcp_accept].discarded[DISCARD_OVERFLOW];
	struct finding *accept = NULL;

	for (size_t i = 0; i < verdict->nr; i++) {
		if (verdict->findings[i].class != CLASS_accept)
			continue;
		if (accept)
			return;
		accept = &verdict->findings[i];
	}
	if (accept && refused)
		facts_set_number(&accept->facts, "refused", refused);
}

/* It is not known whose segments were sent again. */
static int find_retransmissions(struct verdict *verdict, const struct report *report)
{
	const struct hook_counts *sent = &report->hooks[HOOK_tcp_transmit];
	uint64_t lost = sent->discarded[DISCARD_RETRANSMISSION];
	struct lateness lateness = {
		.count = histogram_count(&sent->latency) + sent->discarded[DISCARD_NO_BEGIN] + lost,
		.late = lost,
	};
	struct finding *finding;

	verdict->looked_at[CLASS_loss].count += lateness.count;
	if (!is_late(&lateness))
		return 0;
	finding = add_finding(verdict, CLASS_loss, &(struct place){ .protocol = IPPROTO_TCP });
	if (!finding)
		return -ENOMEM;
	finding->lateness = lateness;
	facts_set(&finding->facts, "protocol", protocol_name(IPPROTO_TCP));
	facts_set(&finding->facts, "to", hooks[HOOK_tcp_transmit].name);
	facts_set(&finding->facts, "direction", "out");
	return 0;
}

/* Where packets of this reason were dropped most, of those that were received. */
static const struct report_group *dropped_most(const struct report *report, const char *reason)
{
	const struct report_group *most = NULL, *groups;
	size_t nr = report_groups(report, HOOK_drop, &groups);

	for (size_t i = 0; i < nr; i++) {
		const char *name =
			reason_names_find(report->setup->reasons, groups[i].group->key.reason);

		if (name && !strcmp(name, reason) && (!most || groups[i].count > most->count))
			most = &groups[i];
	}
	return most;
}

/* Who reads what is sent to the port: drops happen where no process is known. */
static void add_reader(struct verdict *verdict, struct finding *drop, const struct report *report,
		       const struct group *dropped)
{
	const struct place place = {
		.netns = dropped->key.netns,
		.port = dropped->key.port,
		.protocol = IPPROTO_UDP,
	};
	const struct tally *reader = tallies_reader(&verdict->tallies, &place);

	if (reader)
		add_labels(&drop->facts, report, reader->main);
}

static int add_drop(struct verdict *verdict, const struct report_drop *drop, uint64_t count,
		    const struct report *report)
{
	const char *reason = report_drop_reason(drop);
	const struct report_group *most = dropped_most(report, reason);
	struct finding *finding = add_finding(verdict, CLASS_drop, &(struct place){ 0 });

	if (!finding)
		return -ENOMEM;
	finding->lateness.count = finding->lateness.late = count;
	if (most && most->group->key.port)
		add_reader(verdict, finding, report, most->group);
	if (most)
		add_labels(&finding->facts, report, most);
	/* Not the one port of many that lost a few more. */
	if (most && most->count <= count / 2)
		facts_set(&finding->facts, "port", "");
	facts_set(&finding->facts, "how_many", most && most->count < count ? "most of them " : "");
	if (drop->from < NR_HOOKS)
		facts_set(&finding->facts, "from", hooks[drop->from].name);
	facts_set(&finding->facts, "to", hooks[HOOK_drop].name);
	facts_set(&finding->facts, "reason", reason);
	return 0;
}

/* Ping sockets get copies of ICMP: that there are none is no loss. */
static bool is_missed(const struct report_drop *drop)
{
	return drop->from != HOOK_icmp_start && class_drop_find(report_drop_reason(drop));
}

/* All of one reason, wherever they were last: one finding. */
static int find_drops(struct verdict *verdict, const struct report *report)
{
	int err = 0;

	for (size_t i = 0; i < report->nr_drops && !err; i++) {
		const struct report_drop *drop = &report->drops[i], *first = NULL;
		uint64_t count = 0;

		verdict->looked_at[CLASS_drop].count += drop->count;
		for (size_t j = 0; j < report->nr_drops; j++) {
			if (!is_missed(&report->drops[j]) ||
			    strcmp(report_drop_reason(&report->drops[j]), report_drop_reason(drop)))
				continue;
			if (!first)
				first = &report->drops[j];
			count += report->drops[j].count;
		}
		if (first == drop && count >= MIN_LATE && class_drop_find(report_drop_reason(drop)))
			err = add_drop(verdict, drop, count, report);
	}
	return err;
}

struct verdict *verdict_new(const struct report *report, uint64_t late_ns)
{
	struct verdict *verdict = calloc(1, sizeof(*verdict));
	int err;

	if (!verdict)
		return NULL;
	verdict->late_ns = late_ns;
	verdict->duration_ns = report->duration_ns;
	verdict->time_ns = report->time_ns;
	verdict->packets = hook_counts_packets(report->hooks);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		verdict->no_room += report->hooks[hook].discarded[DISCARD_NO_ROOM];
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		verdict->lacks[hook] = report->setup->hooks[hook] &&
				       !hook_is_attached(hook, &report->setup->left_out);
	report_look_up_names(report);
	err = tallies_make(&verdict->tallies, report, late_ns);
	if (!err)
		err = find_late(verdict, report);
	add_overflows(verdict, report);
	if (!err)
		err = find_retransmissions(verdict, report);
	if (!err)
		err = find_drops(verdict, report);
	if (!err)
		return verdict;
	verdict_free(verdict);
	errno = -err;
	return NULL;
}

void verdict_free(struct verdict *verdict)
{
	if (!verdict)
		return;
	for (size_t i = 0; i < verdict->nr; i++) {
		struct finding *finding = &verdict->findings[i];

		facts_free(&finding->facts);
		free(finding->where);
		free(finding->cause);
		free(finding->next);
	}
	free(verdict->findings);
	tallies_free(&verdict->tallies);
	free(verdict);
}
