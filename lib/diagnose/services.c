// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/services.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/counts/stages.h"

static bool is_read_at(enum hook hook)
{
	return hooks[hook].has & HAS_READER && hooks[hook].has & HAS_PORT;
}

/* The part of a service's way that a hook or a stage is, and its mean. */
static bool part_of(const struct group *group, enum service_part *part)
{
	static const enum service_part part_of_way[] = {
		[WAY_ACCEPT] = NR_SERVICE_PARTS, [WAY_APPLICATION] = SERVICE_APPLICATION,
		[WAY_OUT] = SERVICE_OUT,	 [WAY_NETWORK] = SERVICE_PEERS,
		[WAY_AGAIN] = NR_SERVICE_PARTS,
	};
	enum socket_way way = socket_spans[group->hook].way;

	if (group->from != FROM_STAMP) {
		*part = SERVICE_OUT;
		return hooks[group->hook].paths & PATH_OUT;
	}
	if (way == WAY_NONE) {
		*part = SERVICE_IN;
		return is_read_at(group->hook);
	}
	*part = group->hook == HOOK_tcp_rtt ? SERVICE_BULK : part_of_way[way];
	return *part != NR_SERVICE_PARTS;
}

static int add_service(struct services *services, const struct service_ports *ports,
		       const struct group *group)
{
	struct place place = place_of_service(ports, group);
	struct service *service;

	for (size_t i = 0; i < services->nr; i++)
		if (place_is_same(&services->services[i].place, &place))
			return 0;
	service = reallocarray(services->services, services->nr + 1, sizeof(*service));
	if (!service)
		return -ENOMEM;
	services->services = service;
	service[services->nr++] = (struct service){ .place = place };
	return 0;
}

/* A process that has read something is a service, if it has a port of its own. */
static bool is_read_of_service(const struct service_ports *ports, const struct report_group *group)
{
	enum service_part part;

	return group->count && !group->group->is_other && part_of(group->group, &part) &&
	       part == SERVICE_IN && place_of_service(ports, group->group).port;
}

struct sums {
	uint64_t count, ns;
};

static void add_mean(struct service *service, const struct sums sums[NR_HOOKS],
		     const enum service_part parts[NR_HOOKS])
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (sums[hook].count)
			service->part_ns[parts[hook]] += sums[hook].ns / sums[hook].count;
}

/*
 * Devices may be stacked: a packet that is sent comes to most hooks once for each. Returns how long
 * all packets took at all of them.
 */
static uint64_t count_each_once(struct sums sums[NR_HOOKS], uint64_t sent)
{
	uint64_t ns = 0;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (sums[hook].count)
			sums[hook].count = sent;
		ns += sums[hook].ns;
	}
	return ns;
}

/* Some groups do not tell the protocol, only the namespace and the port. */
static bool is_of_service(const struct group *group, const struct service_ports *ports,
			  const struct service *service)
{
	struct place place;

	if (group->is_other || group->key.port != service->place.port)
		return false;
	place = place_of_service(ports, group);
	place.protocol = place.protocol ? place.protocol : service->place.protocol;
	return place_is_same(&place, &service->place);
}

/*
 * A hook's groups of all CPUs and interfaces together have one mean. Groups of one part follow each
 * other.
 */
static void measure(struct service *service, const struct report *report,
		    const struct service_ports *ports, const struct report_group *groups, size_t nr,
		    bool are_stages)
{
	unsigned int nr_buckets = histogram_nr_buckets(&report->hooks[0].latency);
	struct sums sums[NR_HOOKS] = { 0 };
	enum service_part parts[NR_HOOKS] = { 0 };

	for (size_t i = 0; i < nr; i++) {
		const struct group *group = groups[i].group;

		if (are_stages != (group->from != FROM_STAMP) ||
		    !is_of_service(group, ports, service) || !part_of(group, &parts[group->hook]))
			continue;
		sums[group->hook].count += groups[i].count;
		sums[group->hook].ns += buckets_sum_ns(groups[i].buckets, nr_buckets);
		if (are_stages && stage_from_hook(group->from) == HOOK_tx_ip)
			service->sent += groups[i].count;
	}
	service->packets += sums[HOOK_tcp_socket_read].count + sums[HOOK_udp_socket_read].count;
	service->answers += sums[HOOK_tcp_send].count + sums[HOOK_udp_send].count;
	service->segments += sums[HOOK_tcp_transmit].count;
	if (are_stages)
		service->sent_ns = count_each_once(sums, service->sent);
	add_mean(service, sums, parts);
}

static void count_unanswered(struct service *service, const struct report *report,
			     const struct service_ports *ports, uint64_t late_ns)
{
	unsigned int nr_buckets = histogram_nr_buckets(&report->hooks[0].latency);

	for (size_t i = 0; i < report->nr_queued && service->answers; i++) {
		const struct report_group *queued = &report->queued[i];
		uint64_t ns = buckets_sum_ns(queued->buckets, nr_buckets);

		if (queued->group->hook != HOOK_tcp_send || ns < late_ns ||
		    !is_of_service(queued->group, ports, service))
			continue;
		service->unanswered++;
		if (ns > service->unanswered_ns)
			service->unanswered_ns = ns;
	}
}

static int compare(const void *a, const void *b)
{
	const struct service *x = a, *y = b;

	if (x->packets != y->packets)
		return x->packets > y->packets ? -1 : 1;
	if (x->place.port != y->place.port)
		return (int)x->place.port - y->place.port;
	return x->place.netns < y->place.netns ? -1 : x->place.netns > y->place.netns;
}

int services_make(struct services *services, const struct report *report,
		  const struct service_ports *ports, uint64_t late_answer_ns)
{
	int err = 0;

	*services = (struct services){ 0 };
	for (size_t i = 0; i < report->nr_groups && !err; i++)
		if (is_read_of_service(ports, &report->groups[i]))
			err = add_service(services, ports, report->groups[i].group);
	for (size_t i = 0; i < services->nr; i++) {
		measure(&services->services[i], report, ports, report->groups, report->nr_groups,
			false);
		measure(&services->services[i], report, ports, report->stages, report->nr_stages,
			true);
		measure(&services->services[i], report, ports, report->queued, report->nr_queued,
			false);
		count_unanswered(&services->services[i], report, ports, late_answer_ns);
	}
	if (services->nr)
		qsort(services->services, services->nr, sizeof(*services->services), compare);
	return err;
}

static uint64_t count_to_tunnels(const struct service *service, const struct report *report,
				 const struct service_ports *ports,
				 const struct interfaces *tunnels)
{
	uint64_t count = 0;

	for (size_t i = 0; i < report->nr_stages; i++) {
		const struct group *group = report->stages[i].group;

		if (group->hook == HOOK_tx_start &&
		    interfaces_have(tunnels, group->key.netns, group->key.ifindex) &&
		    is_of_service(group, ports, service))
			count += report->stages[i].count;
	}
	return count;
}

/* Samples of both are not the same packets, so their numbers may differ, by no more than this. */
#define SAMPLES_DIFFER_PERCENT 10

void services_count_tunneled_once(struct services *services, const struct report *report,
				  const struct service_ports *ports,
				  const struct interfaces *tunnels)
{
	for (size_t i = 0; i < services->nr; i++) {
		struct service *service = &services->services[i];
		uint64_t twice = count_to_tunnels(service, report, ports, tunnels);
		uint64_t once = service->sent - twice;

		/* If a tunnel sends them in another namespace, they count once already. */
		if (twice && service->sent > twice &&
		    100 * once >= (100 - SAMPLES_DIFFER_PERCENT) * twice)
			service->part_ns[SERVICE_OUT] +=
				service->sent_ns / once - service->sent_ns / service->sent;
	}
}

void services_free(struct services *services)
{
	for (size_t i = 0; i < services->nr; i++)
		facts_free(&services->services[i].facts);
	free(services->services);
	*services = (struct services){ 0 };
}
