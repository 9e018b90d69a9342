// SPDX-License-Identifier: GPL-2.0
#include "lib/run/sinks.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/cli/exit_status.h"
#include "lib/kernel/loader.h"
#include "lib/live/live.h"
#include "lib/serve/diagnosis.h"
#include "lib/serve/exporter.h"
#include "lib/serve/helpers.h"
#include "lib/serve/pcap_file.h"
#include "lib/serve/reporter.h"
#include "lib/serve/slow_packets.h"
#include "lib/serve/stack_names.h"
#include "lib/tables/units.h"

static const struct options *options_of(const struct sinks *sinks)
{
	return sinks->measurement->options;
}

struct sinks sinks_for(struct measurement *measurement)
{
	return (struct sinks){
		.measurement = measurement,
		.addresses = measurement->options->listen,
	};
}

int sinks_read(struct sinks *sinks)
{
	const char *path = options_of(sinks)->web_config;

	return path ? web_config_read(&sinks->web_config, path) : 0;
}

/* Prometheus and proxies of other hosts may use any name by which a fleet knows this one. */
static const char *served_hosts(const struct sinks *sinks, const struct listen_address *address)
{
	const char *hosts = options_of(sinks)->hosts;

	return !hosts && listen_is_loopback(address) ? "" : hosts;
}

/* Opens the next of the addresses. */
static int listen_at(struct sinks *sinks, struct listen_address *address)
{
	int fd = listen_open(address);

	if (fd >= 0)
		sinks->listeners[sinks->nr_listeners++] =
			(struct http_listener){ fd, served_hosts(sinks, address) };
	return fd < 0 ? fd : 0;
}

/* If one cannot be had, those before it still have files that are to go. */
static int start_listening(struct sinks *sinks)
{
	int err = 0;

	for (unsigned int i = 0; i < sinks->addresses.nr && !err; i++)
		err = listen_at(sinks, &sinks->addresses.list[i]);
	sinks->addresses.nr = sinks->nr_listeners;
	helpers_own_sockets(&sinks->addresses);
	return err;
}

/* The reader of its packets must not keep those waiting who scrape an exporter. */
static int open_pcap(struct sinks *sinks)
{
	const char *path = options_of(sinks)->pcap;

	if (path)
		sinks->pcap = pcap_file_open(path, sinks->nr_listeners);
	return path && !sinks->pcap ? -errno : 0;
}

int sinks_open(struct sinks *sinks)
{
	int err = start_listening(sinks);

	return err ? err : open_pcap(sinks);
}

/* Prepares what --live and pages draw, now or at the end. */
static int prepare_recording(struct sinks *sinks)
{
	const struct options *options = options_of(sinks);
	unsigned int keys = sinks->measurement->setup.plan.group_by;
	struct splits splits;

	if (!options->live && !options->reports.printer->records)
		return 0;
	/* A verdict is grouped by so many keys that nobody would find anything. */
	splits = splits_of(options->live && options->diagnose ? 0 : keys, options->live);
	sinks->recording = recording_new(
		options->live ? KEEPS_LATEST : KEEPS_ALL, &splits, options->plan.resolution,
		options->diagnose ? NS_PER_S : options->reports.interval_ns);
	return sinks->recording ? 0 : log_failure(-errno, "cannot prepare to draw");
}

static int prepare_live(struct sinks *sinks)
{
	if (!options_of(sinks)->live)
		return 0;
	sinks->live =
		live_new(&sinks->measurement->setup, sinks->recording, options_of(sinks)->diagnose);
	return sinks->live ? 0 : log_failure(-errno, "cannot prepare to draw");
}

static int on_slow_packets(void *context)
{
	struct sinks *sinks = context;
	int result = slow_packets_read(sinks->packets);

	return result == LOOP_END ? sinks_end(sinks) : result;
}

static int prepare_packets(struct sinks *sinks)
{
	const struct options *options = options_of(sinks);
	const struct report_setup *setup = &sinks->measurement->setup;
	const struct printer *printer = packet_printer(options);
	const struct slow_packets_config config = {
		.printer = printer,
		.fold_ns = printer == &printer_text ? setup->plan.slow_ns : 0,
		.plan = &setup->plan,
		.reasons = setup->reasons,
		.recording = sinks->recording,
		.live = sinks->live,
		.count = options->packet_count,
		.pcap = sinks->pcap,
	};
	uint64_t period_ns;
	int err;

	if (!setup->plan.slow)
		return 0;
	sinks->packets =
		slow_packets_new(&config, loader_maps(sinks->measurement->loader).slow_packets);
	if (!sinks->packets)
		return -errno;
	period_ns = slow_packets_period_ns(sinks->packets);
	err = loop_add(sinks->loop, slow_packets_fd(sinks->packets), EPOLLIN, on_slow_packets,
		       sinks);
	return err || !period_ns ? err
				 : loop_add_timer(sinks->loop, period_ns, on_slow_packets, sinks);
}

static int prepare_reports(struct sinks *sinks)
{
	const struct options *options = options_of(sinks);

	sinks->reporter = reporter_new(&options->reports, sinks->measurement->meter);
	if (!sinks->reporter)
		return log_failure(-errno, "cannot prepare the reports");
	reporter_write_at(sinks->reporter, helpers_socket(HELPER_WRITER));
	reporter_record_at(sinks->reporter, sinks->recording, sinks->live);
	return 0;
}

static int prepare_diagnosis(struct sinks *sinks)
{
	const struct options *options = options_of(sinks);
	const struct map_fds maps = loader_maps(sinks->measurement->loader);
	struct diagnosis_config config = {
		.late = options->late,
		.printer = options->reports.printer,
		.btf_path = options->plan.btf_path,
		.waits = maps.waits,
		.stacks = maps.stacks,
		.recording = sinks->recording,
		.live = sinks->live,
	};

	if (!options->diagnose)
		return 0;
	if (options->plan.stacks) {
		config.symbols = stack_names_open("/proc/kallsyms");
		if (!config.symbols)
			return -errno;
	}
	sinks->diagnosis = diagnosis_new(&config, sinks->measurement->meter);
	return sinks->diagnosis ? 0 : log_failure(-errno, "cannot prepare a diagnosis");
}

static struct http_access access_to(struct sinks *sinks)
{
	return (struct http_access){
		.listeners = sinks->listeners,
		.nr_listeners = sinks->nr_listeners,
		.config = options_of(sinks)->web_config ? &sinks->web_config : NULL,
		.renewal = helpers_socket(HELPER_WEB_CONFIG),
		.passwords = helpers_socket(HELPER_PASSWORDS),
	};
}

static int serve_verdicts(struct sinks *sinks)
{
	const struct http_access access = access_to(sinks);

	sinks->verdict_page = verdict_page_start(&access, sinks->loop);
	if (!sinks->verdict_page)
		return -errno;
	diagnosis_serve_at(sinks->diagnosis, sinks->verdict_page);
	return 0;
}

static int start_web_server(struct sinks *sinks)
{
	const struct exporter_config config = { .access = access_to(sinks),
						.forget_ns = options_of(sinks)->forget_ns };

	if (!sinks->nr_listeners)
		return 0;
	if (sinks->diagnosis)
		return serve_verdicts(sinks);
	sinks->exporter = exporter_start(&config, sinks->measurement->meter, sinks->loop);
	return sinks->exporter ? 0 : -errno;
}

/* Each uses what is prepared before it. */
int sinks_start(struct sinks *sinks, struct loop *loop)
{
	int err;

	sinks->loop = loop;
	err = prepare_recording(sinks);
	if (!err)
		err = prepare_live(sinks);
	if (!err)
		err = prepare_packets(sinks);
	if (!err)
		err = options_of(sinks)->diagnose ? prepare_diagnosis(sinks)
						  : prepare_reports(sinks);
	return err ? err : start_web_server(sinks);
}

static int on_second(void *context)
{
	return diagnosis_look(((struct sinks *)context)->diagnosis);
}

int sinks_begin(struct sinks *sinks)
{
	uint64_t began_ns = loader_end_startup(sinks->measurement->loader);

	if (sinks->packets)
		slow_packets_begin(sinks->packets, began_ns);
	return sinks->diagnosis ? loop_add_timer(sinks->loop, NS_PER_S, on_second, sinks) : 0;
}

static int on_key(void *context)
{
	struct sinks *sinks = context;

	if (!live_keys(sinks->live))
		return sinks_end(sinks);
	if (!live_wants_page(sinks->live))
		return 0;
	if (sinks->reporter)
		reporter_write_page(sinks->reporter);
	else
		log_notice("no page is written: --diagnose -o html prints one");
	return 0;
}

static int on_resize(void *context)
{
	live_resized(((struct sinks *)context)->live);
	return 0;
}

static void announce_verdict(const struct options *options)
{
	double interval_s = options->reports.interval_ns / 1e9;

	if (options->count || options->duration_ns)
		log_notice("measuring for %g s; Ctrl-C ends it early",
			   options->duration_ns ? options->duration_ns / 1e9
						: interval_s * options->count);
	else
		log_notice("measuring, with a verdict every %g s; Ctrl-C ends it", interval_s);
}

static void announce_reports(const struct options *options)
{
	const struct reporter_config *reports = &options->reports;

	if (reports->quiet || reports->printer->is_silent || reports->printer->records)
		log_notice("measuring; Ctrl-C ends it");
	else
		log_notice("measuring, with a report every %g s%s", reports->interval_ns / 1e9,
			   options->count || options->duration_ns ? "" : "; Ctrl-C ends it");
}

void sinks_announce(const struct sinks *sinks)
{
	char text[LISTEN_TEXT_SIZE];

	for (unsigned int i = 0; i < sinks->nr_listeners; i++)
		log_info("serving metrics at %s", listen_text(&sinks->addresses.list[i], text));
	if (options_of(sinks)->diagnose)
		announce_verdict(options_of(sinks));
	else
		announce_reports(options_of(sinks));
}

int sinks_take_terminal(struct sinks *sinks)
{
	sigset_t resize;
	int err;

	if (!sinks->live)
		return 0;
	sigemptyset(&resize);
	sigaddset(&resize, SIGWINCH);
	sigprocmask(SIG_BLOCK, &resize, NULL);
	if (!live_open(sinks->live, options_of(sinks)->reports.colour)) {
		log_notice("--live takes a terminal to draw on: reports are printed instead");
		return 0;
	}
	err = loop_add_signals(sinks->loop, &resize, on_resize, sinks);
	return err ? err : loop_add(sinks->loop, STDIN_FILENO, EPOLLIN, on_key, sinks);
}

int sinks_interval(struct sinks *sinks)
{
	/* A stall that waits for its next packet has waited long enough. */
	int err = sinks->packets ? slow_packets_flush(sinks->packets) : 0;

	if (err)
		return err;
	return sinks->diagnosis ? diagnosis_end_watch(sinks->diagnosis)
				: reporter_interval(sinks->reporter);
}

/*
 * Restores the terminal before anything is printed, and prints slow packets before the last report,
 * which counts them.
 */
int sinks_end(struct sinks *sinks)
{
	int err;

	live_close(sinks->live);
	err = sinks->packets ? slow_packets_end(sinks->packets) : 0;
	if (!err)
		err = sinks->diagnosis ? diagnosis_end_watch(sinks->diagnosis)
				       : reporter_end(sinks->reporter);
	return err ? err : LOOP_END;
}

/* A verdict is a whole already. */
bool sinks_draw_at_end(const struct sinks *sinks)
{
	return live_is_open(sinks->live) ||
	       (options_of(sinks)->reports.printer->records && !sinks->diagnosis);
}

int sinks_conclude(const struct sinks *sinks)
{
	const struct options *options = options_of(sinks);

	/* A verdict that was served is known already, and is no failure of a service. */
	if (sinks->diagnosis && !sinks->verdict_page && diagnosis_found(sinks->diagnosis))
		return STATUS_FINDINGS;
	/* All packets of a trace are reported. */
	if (sinks->reporter && options->plan.slow_ns && packet_printer(options) == &printer_text)
		return reporter_slow_share(sinks->reporter);
	return 0;
}

/* All of these accept what there is not. */
void sinks_free(struct sinks *sinks)
{
	live_close(sinks->live);
	exporter_end(sinks->exporter);
	verdict_page_end(sinks->verdict_page);
	diagnosis_free(sinks->diagnosis);
	reporter_free(sinks->reporter);
	slow_packets_free(sinks->packets);
	live_free(sinks->live);
	recording_free(sinks->recording);
	pcap_file_close(sinks->pcap);
	web_config_free(&sinks->web_config);
}

void sinks_close_sockets(struct sinks *sinks)
{
	while (sinks->nr_listeners)
		close(sinks->listeners[--sinks->nr_listeners].fd);
}
