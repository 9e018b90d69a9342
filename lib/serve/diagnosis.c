// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/diagnosis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/diagnose/lost.h"
#include "lib/diagnose/overload.h"
#include "lib/diagnose/tun.h"
#include "lib/diagnose/verdict.h"
#include "lib/diagnose/watch.h"
#include "lib/host/card.h"
#include "lib/host/port_range.h"
#include "lib/kernel/socket_queue_reader.h"
#include "lib/report/lists.h"
#include "lib/print/printer.h"
#include "lib/print/recording.h"
#include "lib/serve/host_watch.h"
#include "lib/serve/output.h"
#include "lib/serve/stack_names.h"
#include "lib/tables/units.h"

/* Quantiles within a quarter of an octave. */
#define RESOLUTION 2

/*
 * The thresholds, unless users set others. With more tasks than CPUs, a healthy task waits for some
 * slices of the scheduler, 3 ms each, before it reads.
 */
#define LATE_NS NS_PER_MS
#define LATE_TASK_NS (10 * NS_PER_MS)
#define LATE_APPLICATION_NS (100 * NS_PER_MS)

/* A process that was not seen for so long, in watch after watch, makes room for others. */
#define FORGET_NS (10 * 60 * NS_PER_S)

struct diagnosis {
	struct diagnosis_config config;
	struct meter *meter;
	struct verdict_page *page;	    /* or NULL */
	struct intervals intervals, second; /* the watch, and the second of it that passes now */
	struct late_seconds late_seconds;
	struct socket_queue_reader *queues;
	struct queued_groups queued;
	struct service_ports ports; /* seen when a watch began or ended */
	uint32_t nr_mptcp;	    /* connections, when the watch began */
	struct host_watch host;
	bool has_findings;
};

/* Begins without any, but the kernel tells where clients have theirs. */
static void init_ports(struct service_ports *ports)
{
	service_ports_init(ports);
	local_port_range(&ports->first_of_clients, &ports->last_of_clients);
}

/*
 * A reader of any socket runs the program of tun-read, too, so the hook is left out where there can
 * be no tun.
 */
static bool is_watched(enum hook hook)
{
	const struct watch *watch = &watches[hook];

	if (hook == HOOK_tun_read && !host_may_have_tuns())
		return false;
	return watch->is_followed || memchr(watch->counts, true, sizeof(watch->counts));
}

void diagnosis_select(struct plan *plan, const struct thresholds *late)
{
	struct service_ports ports;

	init_ports(&ports);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		const struct watch *watch = &watches[hook];

		plan->hooks[hook] = is_watched(hook);
		for (enum since since = 0; since < NR_SINCE; since++)
			plan->since_left_out[hook][since] = !watch->counts[since];
		plan->group_by |= watch->keys | 1U << KEY_CPU;
		plan->keys_left_out[hook] = ~watch->keys;
	}
	plan->stages = plan->wakeups = plan->reader_waits = plan->all_drops = true;
	plan->least_parts_ns = late->task_ns;
	plan->timely_ns = late->stack_ns / 2;
	plan->first_folded_port = ports.first_of_clients;
	plan->resolution = RESOLUTION;
}

void diagnosis_complete(struct thresholds *late)
{
	if (!late->stack_ns)
		late->stack_ns = LATE_NS;
	if (!late->application_ns)
		late->application_ns = LATE_APPLICATION_NS;
	late->task_ns = late->stack_ns > LATE_TASK_NS ? late->stack_ns : LATE_TASK_NS;
	if (late->application_ns < late->task_ns)
		late->application_ns = late->task_ns;
}

static int note_socket(struct diagnosis *diagnosis, const struct queued *queued)
{
	struct service_port port = {
		.netns = queued->key.netns,
		.port = queued->key.port,
		.protocol = queued->protocol,
		.is_bound = queued->is_bound,
		.pid = queued->key.pid,
		.drops = queued->age_ns,
	};
	struct netlink_owner owner = {
		.netns = queued->key.netns,
		.portid = queued->age_ns,
		.pid = queued->key.pid,
	};

	snprintf(port.comm, sizeof(port.comm), "%.*s", COMM_SIZE, queued->comm);
	if (queued->protocol != QUEUED_NETFILTER)
		return service_ports_add(&diagnosis->ports, &port);
	snprintf(owner.comm, sizeof(owner.comm), "%.*s", COMM_SIZE, queued->comm);
	return netlink_owners_add(&diagnosis->host.netlink_owners, &owner);
}

/*
 * Looks at all sockets: lists what waits in them, to be freed, and notes whose ports are services',
 * and who decides for netfilter.
 */
static int look_at_sockets(struct diagnosis *diagnosis, uint64_t watch_ns, struct queued **list,
			   size_t *nr)
{
	int err = socket_queue_reader_read(diagnosis->queues, diagnosis->config.late.task_ns,
					   watch_ns, list, nr);

	service_ports_look(&diagnosis->ports);
	for (size_t i = 0; i < *nr && !err; i++)
		if ((*list)[i].hook == NR_HOOKS)
			err = note_socket(diagnosis, &(*list)[i]);
	return err;
}

/* A process that has a port before the first watch, and gives it up during that, is a service. */
static int open_sockets(struct diagnosis *diagnosis)
{
	struct queued *list = NULL;
	size_t nr = 0;
	int err;

	init_ports(&diagnosis->ports);
	diagnosis->queues = socket_queue_reader_new(diagnosis->config.btf_path,
						    diagnosis->config.waits.tcp_times);
	if (!diagnosis->queues)
		return -errno;
	err = look_at_sockets(diagnosis, 0, &list, &nr);
	diagnosis->nr_mptcp = socket_queue_reader_nr_mptcp(diagnosis->queues);
	free(list);
	return err;
}

struct diagnosis *diagnosis_new(const struct diagnosis_config *config, struct meter *meter)
{
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));
	int err;

	if (!diagnosis)
		return NULL;
	diagnosis->config = *config;
	diagnosis->meter = meter;
	host_watch_init(&diagnosis->host, &diagnosis->config.waits);
	err = meter_begin(meter, &diagnosis->intervals);
	if (!err)
		err = meter_begin(meter, &diagnosis->second);
	if (!err)
		err = host_watch_begin(&diagnosis->host);
	if (!err)
		err = open_sockets(diagnosis);
	if (!err)
		return diagnosis;
	diagnosis_free(diagnosis);
	errno = -err;
	return NULL;
}

void diagnosis_free(struct diagnosis *diagnosis)
{
	if (!diagnosis)
		return;
	intervals_free(&diagnosis->intervals);
	intervals_free(&diagnosis->second);
	late_seconds_clear(&diagnosis->late_seconds);
	socket_queue_reader_free(diagnosis->queues);
	if (diagnosis->config.symbols)
		fclose(diagnosis->config.symbols);
	queued_groups_free(&diagnosis->queued);
	service_ports_free(&diagnosis->ports);
	host_watch_free(&diagnosis->host);
	free(diagnosis);
}

bool diagnosis_found(const struct diagnosis *diagnosis)
{
	return diagnosis->has_findings;
}

static void ask_seconds(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct late_seconds_entry *seconds =
		late_seconds_find(&diagnosis->late_seconds, finding->class, &finding->place);

	/* The seconds of an overload are those in which its reader has a queue, late or not. */
	if (seconds && !finding->others_meanwhile)
		finding->seconds = *seconds;
}

void diagnosis_serve_at(struct diagnosis *diagnosis, struct verdict_page *page)
{
	diagnosis->page = page;
}

/* The caller frees it; NULL after saying so. */
static char *text_of(const struct verdict *verdict)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		verdict_print_text(out, verdict);
		fclose(out);
	}
	if (!text)
		log_failure(-ENOMEM, "cannot print a verdict");
	return text;
}

static int draw(const struct diagnosis *diagnosis, const struct verdict *verdict)
{
	char *text = text_of(verdict);

	if (!text)
		return -ENOMEM;
	live_verdict(diagnosis->config.live, text);
	free(text);
	return 0;
}

/* All that was recorded, with the verdict on top. */
static int print_page(const struct diagnosis *diagnosis, const struct report *report,
		      const struct verdict *verdict)
{
	struct report total = *report;
	char *text = text_of(verdict);

	if (!text)
		return -ENOMEM;
	total.kind = REPORT_TOTAL;
	total.recording = diagnosis->config.recording;
	total.verdict = text;
	printer_print(&printer_html, stdout, &total);
	free(text);
	return output_flush();
}

static int print(const struct diagnosis *diagnosis, const struct report *report,
		 const struct verdict *verdict)
{
	int err = diagnosis->page ? verdict_page_show(diagnosis->page, verdict) : 0;

	if (err || diagnosis->config.printer->is_silent)
		return err;
	if (live_is_open(diagnosis->config.live))
		return draw(diagnosis, verdict);
	if (diagnosis->config.printer->records)
		return print_page(diagnosis, report, verdict);
	if (diagnosis->config.printer == &printer_json)
		verdict_print_json(stdout, verdict);
	else if (diagnosis->config.printer->shows_stacks)
		named_stacks_print_collapsed(stdout, &verdict->stacks);
	else
		verdict_print_text(stdout, verdict);
	return output_flush();
}

static int ask_stacks(struct diagnosis *diagnosis, struct verdict *verdict)
{
	const struct diagnosis_config *config = &diagnosis->config;

	verdict->has_stacks = config->symbols;
	return config->symbols
		       ? stack_names_find(config->symbols, &config->stacks, &verdict->stacks)
		       : 0;
}

static int judge(struct diagnosis *diagnosis, const struct report *report)
{
	struct verdict *verdict = verdict_new(report, &diagnosis->config.late, &diagnosis->ports);
	int err;

	if (!verdict)
		return log_failure(-errno, "cannot judge what was measured");
	err = lost_find(verdict, report);
	if (!err)
		err = overloads_find(verdict, report, &diagnosis->late_seconds);
	if (!err)
		err = host_watch_add_failures(&diagnosis->host, report, verdict);
	if (!err)
		err = host_watch_add_upstreams(&diagnosis->host, report, verdict);
	if (!err)
		err = host_watch_ask_all(&diagnosis->host,
					 &meter_setup(diagnosis->meter)->plan.filters, verdict);
	tuns_leave_unread(&verdict->blind[BLIND_TUN], report);
	services_count_tunneled_once(&verdict->services, report, &diagnosis->ports,
				     &verdict->tunnels);
	verdict->nr_mptcp += diagnosis->nr_mptcp;
	diagnosis->nr_mptcp = socket_queue_reader_nr_mptcp(diagnosis->queues);
	if (!err)
		err = ask_stacks(diagnosis, verdict);
	if (err) {
		verdict_free(verdict);
		return log_failure(err, "cannot judge what this host tells");
	}
	for (size_t i = 0; i < verdict->nr; i++) {
		ask_seconds(diagnosis, &verdict->findings[i]);
		host_watch_ask(&diagnosis->host, &verdict->findings[i]);
	}
	for (size_t i = 0; i < verdict->services.nr; i++)
		host_watch_ask_service(&diagnosis->host, &verdict->services.services[i]);
	verdict_explain(verdict);
	diagnosis->has_findings |= verdict->nr > 0;
	err = print(diagnosis, report, verdict);
	verdict_free(verdict);
	return err;
}

/* Packets that are still in the queues when a watch ends have waited, too. */
static int add_queued(struct diagnosis *diagnosis, struct report *report)
{
	struct report_group *groups;
	struct queued *list;
	size_t nr;
	int err = look_at_sockets(diagnosis, report->duration_ns, &list, &nr);

	queued_groups_free(&diagnosis->queued);
	if (!err)
		err = queued_groups_make(&diagnosis->queued, list, nr, RESOLUTION);
	free(list);
	if (err)
		return log_failure(err, "cannot read what is still queued");
	err = report_list_queued(&diagnosis->queued, &groups, &report->nr_queued);
	report->queued = groups;
	return err;
}

static int count_second(struct diagnosis *diagnosis, const struct report *report)
{
	struct tallies tallies;
	int err = tallies_make(&tallies, report, &diagnosis->config.late, &diagnosis->ports);

	if (!err)
		err = late_seconds_add(&diagnosis->late_seconds, &tallies);
	tallies_free(&tallies);
	return err ? log_failure(err, "cannot judge a second of the watch") : 0;
}

/* Ends an interval. The report of it is to be freed if this returns 0. */
static int end_interval(struct diagnosis *diagnosis, struct intervals *intervals,
			struct report *report)
{
	int err = meter_advance(diagnosis->meter, intervals, FORGET_NS);

	if (err)
		return err;
	*report = (struct report){
		.kind = REPORT_INTERVAL,
		.duration_ns = intervals->duration_ns,
	};
	err = meter_report(diagnosis->meter, &group_orders[0], &intervals->interval, report);
	if (err)
		meter_free_report(report);
	return err;
}

int diagnosis_look(struct diagnosis *diagnosis)
{
	struct report report;
	int err = end_interval(diagnosis, &diagnosis->second, &report);

	if (err)
		return err;
	err = count_second(diagnosis, &report);
	if (!err && diagnosis->config.recording)
		err = recording_add(diagnosis->config.recording, &report);
	if (!err && live_is_open(diagnosis->config.live))
		live_update(diagnosis->config.live);
	meter_free_report(&report);
	return err;
}

/* A watch may end within a second. */
static int look_at_rest(struct diagnosis *diagnosis)
{
	uint64_t rest_ns = clock_monotonic_ns() - intervals_started_ns(&diagnosis->second);

	return rest_ns < NS_PER_S / 2 ? 0 : diagnosis_look(diagnosis);
}

int diagnosis_end_watch(struct diagnosis *diagnosis)
{
	struct report report;
	int err = look_at_rest(diagnosis);

	if (!err)
		err = end_interval(diagnosis, &diagnosis->intervals, &report);
	if (err)
		return err;
	err = add_queued(diagnosis, &report);
	if (!err)
		err = judge(diagnosis, &report);
	meter_free_report(&report);
	late_seconds_clear(&diagnosis->late_seconds);
	if (!err && host_watch_begin(&diagnosis->host))
		err = log_failure(-ENOMEM, "cannot look at this host");
	return err;
}
