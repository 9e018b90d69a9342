// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/lost.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

static struct finding *find_finding(struct verdict *verdict, enum class class,
				    const struct place *place)
{
	for (size_t i = 0; i < verdict->nr; i++)
		if (verdict->findings[i].class == class &&
		    place_is_same(&verdict->findings[i].place, place))
			return &verdict->findings[i];
	return NULL;
}

static void note_reason(struct finding *finding, const char *reason, const struct class_drop *drop)
{
	facts_set(&finding->facts, "reason", reason);
	finding->drop = drop;
}

/* It is known whose queue was full if the listeners of only one port dropped anything. */
static struct place place_of_overflows(const struct service_ports *ports)
{
	const struct service_port *full = service_ports_only_dropper(ports, IPPROTO_TCP);

	return (struct place){
		.netns = full ? full->netns : 0,
		.port = full ? full->port : 0,
		.protocol = IPPROTO_TCP,
	};
}

/* No group tells of what is known of a listener. */
static int learn_listener(struct verdict *verdict, struct finding *finding,
			  const struct report *report)
{
	const struct place *place = &finding->place;
	const struct group listener = {
		.hook = HOOK_tcp_accept,
		.from = FROM_STAMP,
		.key = { .netns = place->netns, .port = place->port },
	};
	const struct tally *reader = tallies_reader(&verdict->tallies, place);

	finding_learn(finding, report, &(struct report_group){ .group = &listener });
	if (reader)
		finding_learn(finding, report, reader->main);
	return dropped_ports_make_one(&finding->dropped_ports, place, finding->lateness.late);
}

static void note_overflow(struct finding *drop)
{
	note_reason(drop, DROP_UNACCEPTED, class_drop_find(DROP_UNACCEPTED));
	drop->dropped_at = NR_HOOKS;
	facts_set(&drop->facts, "to", hooks[HOOK_tcp_accept].name);
}

/* Before Linux 7.2, the kernel gives no reason where an accept queue is full. */
static int find_overflows(struct verdict *verdict, const struct report *report)
{
	const struct hook_counts *counts = &report->hooks[HOOK_tcp_accept];
	uint64_t refused = counts->discarded[DISCARD_OVERFLOW];
	struct place place = place_of_overflows(verdict->tallies.ports);
	struct finding *accept = find_finding(verdict, CLASS_accept, &place), *drop;
	struct lateness lateness = {
		.count = histogram_count(&counts->latency) + refused,
		.late = refused,
	};

	if (accept && refused)
		facts_set_number(&accept->facts, "refused", refused);
	if (accept || !lateness_is_harm(&lateness))
		return 0;
	drop = verdict_add_finding(verdict, CLASS_drop, &place);
	if (!drop)
		return -ENOMEM;
	drop->lateness.count = drop->lateness.late = refused;
	note_overflow(drop);
	return place.port ? learn_listener(verdict, drop, report) : 0;
}

/*
 * Returns the protocol: by where the packet was last, or by the name of a reason that only one
 * protocol has. 0: not known.
 */
static uint8_t protocol_of_drops(const struct report_drop *drop)
{
	uint8_t protocol = drop->from < NR_HOOKS ? hook_protocol(drop->from) : 0;
	const char *reason = report_drop_reason(drop);

	if (!protocol && !strncmp(reason, "TCP_", strlen("TCP_")))
		return IPPROTO_TCP;
	if (!protocol && !strncmp(reason, "UDP_", strlen("UDP_")))
		return IPPROTO_UDP;
	return protocol;
}

/*
 * If a socket drops a packet, that is its service's. If the packet is dropped before, its service
 * is not known.
 */
static struct place place_of_drops(const struct report_drop *drop, const struct dropped_port *most)
{
	return (struct place){
		.netns = most->netns,
		.port = most->port,
		.protocol = protocol_of_drops(drop),
	};
}

static const char *how_many(uint64_t there, uint64_t of_all)
{
	return there == of_all ? "" : 2 * there > of_all ? "most of them " : "some of them ";
}

/* A number, or a place in the kernel's code, does not say whether anybody misses it. */
static const struct class_drop *judge_reason(const struct report_drop *drop,
					     const struct report *report)
{
	if (!drop->name || reason_names_are_symbols(report->setup->reasons))
		return NULL;
	return class_drop_judge(drop->name);
}

/* Says who has the port that nobody listens at. */
static void find_holder(const struct verdict *verdict, struct finding *finding)
{
	static const char *const drops[] = {
		[HELD_AT_ADDRESS] = DROP_BY_ADDRESS,
		[HELD_FOR_OTHERS] = DROP_BY_KIND,
		[HELD_IN_NETNS] = DROP_BY_NETNS,
	};
	const struct place *place = &finding->place;
	/* Local TCP carries no receive stamp, and a drop knows by that alone where a packet was. */
	const struct service_port wanted = {
		.netns = place->netns,
		.port = place->port,
		.protocol = place->protocol ? place->protocol : IPPROTO_TCP,
	};
	const struct service_port *holder;
	enum port_held held;

	if (finding->drop != class_drop_find(DROP_NO_SOCKET))
		return;
	holder = service_ports_holder(verdict->tallies.ports, &wanted, &held);
	if (!holder)
		return;
	finding->drop = class_drop_find(drops[held]);
	facts_set_printable(&finding->facts, "comm", holder->comm);
	facts_set_number(&finding->facts, "pid", holder->pid);
}

/* Takes over the ports. */
static int add_drop(struct verdict *verdict, const struct report_drop *drop, uint64_t count,
		    struct dropped_ports *ports, const struct report *report)
{
	const struct dropped_port *most = dropped_ports_most(ports);
	struct finding *finding = verdict_add_finding(verdict, CLASS_drop, &(struct place){ 0 });
	const struct tally *reader;

	if (!finding)
		return -ENOMEM;
	finding->dropped_ports = *ports;
	*ports = (struct dropped_ports){ 0 };
	finding->lateness.count = finding->lateness.late = count;
	if (drop->from < NR_HOOKS)
		facts_set(&finding->facts, "from", hooks[drop->from].name);
	facts_set(&finding->facts, "to", hooks[HOOK_drop].name);
	note_reason(finding, report_drop_reason(drop), judge_reason(drop, report));
	finding->dropped_at = drop->from;
	if (!most)
		return 0;
	finding->place = place_of_drops(drop, most);
	facts_set(&finding->facts, "how_many_in_netns",
		  how_many(dropped_ports_in_netns(&finding->dropped_ports, most->netns), count));
	facts_set(&finding->facts, "how_many_at_port", how_many(most->count, count));
	reader = tallies_reader(&verdict->tallies, &finding->place);
	if (reader && most->port)
		finding_learn(finding, report, reader->main);
	finding_learn(finding, report, most->group);
	finding->place.ifindex = most->group->group->key.ifindex;
	/* The port is no culprit if it is one of many, and lost just a few more. */
	if (most->count <= count / 2)
		facts_set(&finding->facts, "port", "");
	else
		find_holder(verdict, finding);
	return 0;
}

/*
 * Ping sockets get copies of ICMP: that there are none is no loss. A packet whose header is wrong
 * is dropped for the same reason as one whose TTL ran out, but before it is forwarded.
 */
static bool is_missed(const struct report_drop *drop, const struct report *report)
{
	if (!strcmp(report_drop_reason(drop), DROP_IN_CIRCLE) && drop->from == HOOK_ip_rcv)
		return false;
	return drop->from != HOOK_icmp_start && judge_reason(drop, report);
}

/* A few strays among all packets are part of a healthy host, but not among those of a service. */
static bool is_harm(const struct verdict *verdict, const struct report_drop *drop, uint64_t count,
		    const struct dropped_port *most)
{
	struct lateness lost = { .count = verdict->packets, .late = count };
	const struct tally *reader;
	struct place place;

	if (lateness_is_harm(&lost))
		return true;
	if (!most || !most->port)
		return false;
	place = place_of_drops(drop, most);
	reader = tallies_reader(&verdict->tallies, &place);
	lost.late = most->count;
	lost.count = lost.late + (reader ? reader->lateness.count : 0);
	return reader && lateness_is_harm(&lost);
}

static int judge_drops(struct verdict *verdict, const struct report_drop *drop, uint64_t count,
		       const struct report *report)
{
	struct dropped_ports ports;
	int err;

	if (count < MIN_LATE)
		return 0;
	err = dropped_ports_make(&ports, report, report_drop_reason(drop));
	count -= ports.unmissed < count ? ports.unmissed : count;
	if (!err && is_harm(verdict, drop, count, dropped_ports_most(&ports)))
		err = add_drop(verdict, drop, count, &ports, report);
	dropped_ports_free(&ports);
	return err;
}

/* Makes one finding of all of one reason, wherever they were last. */
static int find_drops(struct verdict *verdict, const struct report *report)
{
	int err = 0;

	for (size_t i = 0; i < report->nr_drops && !err; i++) {
		const struct report_drop *drop = &report->drops[i], *first = NULL;
		uint64_t count = 0;

		verdict->looked_at[CLASS_drop].count += drop->count;
		for (size_t j = 0; j < report->nr_drops; j++) {
			if (strcmp(report_drop_reason(&report->drops[j]),
				   report_drop_reason(drop)) ||
			    !is_missed(&report->drops[j], report))
				continue;
			if (!first)
				first = &report->drops[j];
			count += report->drops[j].count;
		}
		if (first == drop)
			err = judge_drops(verdict, drop, count, report);
	}
	return err;
}

int lost_find(struct verdict *verdict, const struct report *report)
{
	int err = find_overflows(verdict, report);

	return err ? err : find_drops(verdict, report);
}

/* In a namespace of some name. NULL without memory. */
static struct finding *add_loss(struct verdict *verdict, enum class class,
				const struct place *place, const char *name, uint64_t lost)
{
	struct finding *finding = verdict_add_finding(verdict, class, place);

	if (!finding)
		return NULL;
	finding->lateness.count = finding->lateness.late = lost;
	facts_set_printable(&finding->facts, "netns", name);
	return finding;
}

/* A card lost so many of all that came to it. NULL without memory. */
static struct finding *add_card_loss(struct verdict *verdict, enum class class, const char *netns,
				     const struct card *card, const struct lateness *lateness)
{
	const struct place place = { .netns = card->netns, .ifindex = card->ifindex };
	struct finding *finding = add_loss(verdict, class, &place, netns, lateness->late);

	if (!finding)
		return NULL;
	finding->lateness = *lateness;
	facts_set_printable(&finding->facts, "interface", card->name);
	return finding;
}

static int add_missed(struct verdict *verdict, const char *netns, const struct card *card)
{
	const struct lateness lateness = { .count = card->received + card->missed,
					   .late = card->missed };
	struct finding *finding;

	if (!lateness_is_harm(&lateness))
		return 0;
	finding = add_card_loss(verdict, CLASS_card, netns, card, &lateness);
	if (!finding)
		return -ENOMEM;
	facts_set_number(&finding->facts, "missed", card->missed);
	return 0;
}

/* A link that was lost once is a finding, whatever came by it. */
static int add_link(struct verdict *verdict, const char *netns, const struct card *card)
{
	const struct lateness lateness = { .count = card->received + card->damaged,
					   .late = card->damaged };
	struct finding *finding;

	if (!lateness_is_harm(&lateness) && !card->links_lost)
		return 0;
	finding = add_card_loss(verdict, CLASS_link, netns, card, &lateness);
	if (!finding)
		return -ENOMEM;
	facts_set_number(&finding->facts, "links_lost", card->links_lost);
	facts_set_number(&finding->facts, "damaged", card->damaged);
	return 0;
}

int lost_add_card(struct verdict *verdict, const char *netns, const struct card *card)
{
	int err = add_missed(verdict, netns, card);

	return err ? err : add_link(verdict, netns, card);
}

static int add_dropped_syns(struct verdict *verdict, const struct netns_losses *losses)
{
	const struct lateness lateness = { .count = losses->syns, .late = losses->syns };
	const struct place place = { .netns = losses->netns };
	struct finding *finding;

	if (!lateness_is_harm(&lateness))
		return 0;
	finding = add_loss(verdict, CLASS_syn_queue, &place, losses->name, losses->syns);
	if (!finding)
		return -ENOMEM;
	finding->dropped_at = NR_HOOKS;
	facts_set_number(&finding->facts, "syns", losses->syns);
	return 0;
}

/* Returns whether the kernel said so itself, as Linux 7.2 does. */
static bool has_drop(const struct verdict *verdict, const struct class_drop *drop, uint64_t netns)
{
	for (size_t i = 0; i < verdict->nr; i++)
		if (verdict->findings[i].drop == drop &&
		    (!verdict->findings[i].place.netns ||
		     verdict->findings[i].place.netns == netns))
			return true;
	return false;
}

/*
 * Where tcp_v4_syn_recv_sock() has seven arguments, as in Ubuntu's 5.15, no program can be attached
 * to it, and so none sees a handshake end at a full accept queue.
 */
static int add_overflows(struct verdict *verdict, const struct netns_losses *losses)
{
	const struct lateness lateness = { .count = losses->overflows, .late = losses->overflows };
	struct place place = place_of_overflows(verdict->tallies.ports);
	struct finding *accept = find_finding(verdict, CLASS_accept, &place), *drop;

	if (!lateness_is_harm(&lateness) ||
	    has_drop(verdict, class_drop_find(DROP_UNACCEPTED), losses->netns))
		return 0;
	if (accept && place.netns == losses->netns) {
		facts_set_number(&accept->facts, "refused", losses->overflows);
		return 0;
	}
	if (place.netns != losses->netns)
		place = (struct place){ .netns = losses->netns, .protocol = IPPROTO_TCP };
	drop = add_loss(verdict, CLASS_drop, &place, losses->name, losses->overflows);
	if (!drop)
		return -ENOMEM;
	note_overflow(drop);
	place_describe(&place, &drop->facts);
	return place.port ? dropped_ports_make_one(&drop->dropped_ports, &place, losses->overflows)
			  : 0;
}

/* Adds what the kernel counts, and gives no packet for a reason. */
static int add_counted(struct verdict *verdict, const struct netns_losses *losses, uint64_t count,
		       enum hook from, const char *reason, const char *row)
{
	const struct class_drop *drop = class_drop_find(row);
	const struct lateness lateness = { .count = verdict->packets, .late = count };
	const struct place place = { .netns = losses->netns };
	struct finding *finding;

	if (!lateness_is_harm(&lateness) || has_drop(verdict, drop, losses->netns))
		return 0;
	finding = add_loss(verdict, CLASS_drop, &place, losses->name, count);
	if (!finding)
		return -ENOMEM;
	finding->dropped_at = from;
	note_reason(finding, reason, drop);
	return 0;
}

int lost_add_netns(struct verdict *verdict, const struct netns_losses *losses)
{
	int err = add_dropped_syns(verdict, losses);

	if (!err)
		err = add_overflows(verdict, losses);
	if (!err)
		err = add_counted(verdict, losses, losses->unrouted_syns, HOOK_tcp_do_rcv,
				  DROP_NO_ROUTE, DROP_NO_ROUTE_BACK);
	if (!err)
		err = add_counted(verdict, losses, losses->wrong_checksums,
				  HOOK_udp_socket_enqueued, DROP_BY_UDP_CHECKSUM,
				  DROP_BY_UDP_CHECKSUM);
	return err;
}
