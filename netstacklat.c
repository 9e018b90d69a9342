// SPDX-License-Identifier: GPL-2.0
/* netstacklat: where in this host's receive path do packets wait, and how long? */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sysexits.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/printable.h"
#include "lib/base/terminal.h"
#include "lib/cli/check.h"
#include "lib/cli/compare.h"
#include "lib/cli/exit_status.h"
#include "lib/cli/list_probes.h"
#include "lib/cli/needs.h"
#include "lib/cli/options.h"
#include "lib/cli/unknown.h"
#include "lib/filters/cgroup_watch.h"
#include "lib/filters/filters.h"
#include "lib/kernel/loader.h"
#include "lib/live/live.h"
#include "lib/kernel/messages.h"
#include "lib/kernel/netns_mix.h"
#include "lib/kernel/preflight.h"
#include "lib/base/privileges.h"
#include "lib/base/syscall_filter.h"
#include "lib/kernel/btf_reasons.h"
#include "lib/kernel/statistics.h"
#include "lib/kernel/timestamping.h"
#include "lib/serve/diagnosis.h"
#include "lib/serve/exporter.h"
#include "lib/serve/helpers.h"
#include "lib/serve/hints.h"
#include "lib/http/listen.h"
#include "lib/base/loop.h"
#include "lib/serve/output.h"
#include "lib/serve/pcap_file.h"
#include "lib/serve/ready.h"
#include "lib/serve/reporter.h"
#include "lib/serve/slow_packets.h"
#include "lib/serve/stack_names.h"
#include "lib/tables/hooks.h"
#include "lib/tables/units.h"

/* All that a run has, from its first step to its end. Descriptors are -1 where there is none. */
struct run {
	const struct options *options;
	const sigset_t *signals;  /* that end it */
	struct settings settings; /* of this host, if they are reported */
	struct listen_address address;
	int listener;		/* a socket there */
	struct pcap_file *pcap; /* of slow packets, or NULL */
	int timestamping, statistics;
	struct loader *loader;
	struct report_setup setup; /* with the plan, that of the options as long as they are read */
	struct meter *meter;
	struct reporter *reporter;
	struct diagnosis *diagnosis;  /* instead of reports, or NULL */
	struct recording *recording;  /* of them, or NULL */
	struct live *live;	      /* what draws it, or NULL */
	struct slow_packets *packets; /* NULL: they are not reported */
	struct cgroup_watch *cgroups; /* NULL: they are not filtered by */
	uint64_t reports_left;	      /* 0: no limit */
	uint64_t ends_ns;	      /* by clock_monotonic_ns(); 0: when somebody ends it */
	struct loop *loop;
	struct exporter *exporter;	   /* NULL: there is none */
	struct verdict_page *verdict_page; /* instead, with a diagnosis */
};

/* Tells the programs first: until then, they misjudge every packet. */
static int look_at_clocks(struct run *run, bool was_set)
{
	int err = loader_set_clock(run->loader);

	if (err)
		return log_failure(err, "cannot read the clocks");
	return meter_look_at_clocks(run->meter, was_set);
}

static int on_clock_set(void *context)
{
	return look_at_clocks(context, true);
}

static int replace_cgroup(void *context, uint64_t gone, uint64_t come)
{
	struct run *run = context;

	return loader_replace_cgroup(run->loader, gone, come);
}

static int look_at_cgroups(void *context)
{
	struct run *run = context;
	int err = 0;

	if (run->cgroups)
		err = cgroup_watch_look(run->cgroups, replace_cgroup, run);
	return err ? log_failure(err, "cannot filter by a cgroup that came back") : 0;
}

/* What was slow comes before the last report, which counts it. */
static int end(struct run *run)
{
	int err;

	live_close(run->live);
	err = run->packets ? slow_packets_end(run->packets) : 0;
	if (!err)
		err = run->diagnosis ? diagnosis_end_watch(run->diagnosis)
				     : reporter_end(run->reporter);
	return err ? err : LOOP_END;
}

/* Two timers are due at once where --duration is some intervals: the last of these is then not
 * followed by another of no length. */
static bool is_about_to_end(const struct run *run)
{
	uint64_t slack_ns = run->options->reports.interval_ns / 100;

	return run->ends_ns && clock_monotonic_ns() + slack_ns >= run->ends_ns;
}

/* A picture of all reports comes after the last one; a verdict is a whole already. */
static bool shows_all_at_end(const struct run *run)
{
	return live_is_open(run->live) ||
	       (run->options->reports.printer->records && !run->diagnosis);
}

static int on_timer(void *context)
{
	struct run *run = context;
	int err;

	if (is_about_to_end(run))
		return end(run);
	/* Whoever waits for the next packet of a stall has waited long enough. */
	err = run->packets ? slow_packets_flush(run->packets) : 0;
	if (!err)
		err = run->diagnosis ? diagnosis_end_watch(run->diagnosis)
				     : reporter_interval(run->reporter);

	/* Nothing wakes the loop when only the TAI offset was set. */
	if (!err)
		err = look_at_clocks(run, false);
	if (!err)
		err = look_at_cgroups(run);
	if (err || !run->reports_left)
		return err;
	if (--run->reports_left)
		return 0;
	return shows_all_at_end(run) ? end(run) : LOOP_END;
}

static int on_second(void *context)
{
	struct run *run = context;

	return diagnosis_look(run->diagnosis);
}

static int on_end(void *context)
{
	return end(context);
}

static int on_slow_packets(void *context)
{
	struct run *run = context;
	int result = slow_packets_read(run->packets);

	return result == LOOP_END ? end(run) : result;
}

/* The steps of a run: each returns 0 or, after saying what failed, a negative errno. */

/* The conditions without which nothing else is worth a try. */
static int check_host(struct run *run)
{
	return preflight(run->options->plan.btf_path) ? 0 : -ENOTSUP;
}

static int try_output_file(struct run *run)
{
	return run->options->output_file ? output_try(run->options->output_file) : 0;
}

static int start_netns_mix(struct run *run)
{
	if (!tells_netns_apart(run->options) && !names_interfaces(run->options))
		return 0;
	return netns_mix_start(run->options->plan.btf_path);
}

static int start_helpers(struct run *run)
{
	return helpers_start(needs_of(run->options, &run->setup.plan).helpers,
			     run->options->output_file);
}

static int start_listening(struct run *run)
{
	if (!run->address.size)
		return 0;
	run->listener = listen_open(&run->address);
	if (run->listener < 0)
		return run->listener;
	helpers_own_socket(&run->address);
	return 0;
}

static int find_filters(struct run *run)
{
	int err = filters_find(&run->options->filters, &run->setup.plan.filters);

	if (err)
		return err;
	leave_out_unknown(&run->setup.plan);
	if (!run->options->diagnose)
		tell_ungrouped(&run->setup.plan);
	return 0;
}

/* The names of reasons to drop a packet, if any are reported. */
static int find_reasons(struct run *run)
{
	if (!reports_reasons(&run->setup.plan))
		return 0;
	run->setup.reasons = kernel_reason_names(run->setup.plan.btf_path);
	return run->setup.reasons
		       ? 0
		       : log_failure(-errno, "cannot read the kernel's reasons to drop packets");
}

/* For whoever compares runs: only JSON has them. */
static int find_settings(struct run *run)
{
	const struct options *options = run->options;
	int err = 0;

	if (options->reports.printer == &printer_json && !options->reports.quiet &&
	    !options->diagnose)
		err = settings_read(&run->settings, "");
	return err ? log_failure(err, "cannot read how this host is set up") : 0;
}

/* Whoever scrapes an exporter has nothing to do with the reader of its packets. */
static int open_pcap(struct run *run)
{
	const char *path = run->options->pcap;

	if (path)
		run->pcap = pcap_file_open(path, run->listener >= 0);
	return path && !run->pcap ? -errno : 0;
}

static int start_timestamping(struct run *run)
{
	run->timestamping = timestamping_enable();
	if (run->timestamping < 0)
		return log_failure(run->timestamping, "cannot turn on receive time stamps");
	if (run->options->plan.overhead)
		run->statistics = statistics_enable();
	return run->options->plan.overhead && run->statistics < 0 ? run->statistics : 0;
}

static void tell_left_out(const struct left_out *left_out)
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (left_out->why[probe] && *left_out->why[probe])
			log_error("%s is left out at %s(): %s", hooks[probes[probe].hook].name,
				  probe_target(probe), left_out->why[probe]);
}

static int load_and_attach(struct run *run)
{
	int err;

	run->loader = loader_start(&run->setup.plan, &run->setup.left_out);
	err = run->loader ? 0 : -errno;
	tell_left_out(&run->setup.left_out);
	return err;
}

static void describe_reports(struct run *run, const struct map_fds *maps)
{
	const struct options *options = run->options;

	run->setup.clock = loader_clock(run->loader);
	run->setup.summary = options->summary;
	run->setup.full = options->full;
	run->setup.drops =
		maps->stages.drops >= 0 && maps->programs[PROGRAM_OF(PROBE_kfree_skb)] >= 0;
	run->setup.served_resolution = options->has_resolution ? options->plan.resolution : 0;
	run->setup.top = options->top;
	run->setup.command = options->command;
	uname(&run->setup.host);
	run->setup.settings = run->settings.nr ? &run->settings : NULL;
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		run->setup.programs[program] = maps->programs[program] >= 0;
}

static int prepare_slow_packets(struct run *run, const struct map_fds *maps)
{
	const struct options *options = run->options;
	const struct slow_packets_config config = {
		.printer = packet_printer(options),
		.fold_ns = packet_printer(options) == &printer_text ? options->plan.slow_ns : 0,
		.plan = &run->setup.plan,
		.reasons = run->setup.reasons,
		.recording = run->recording,
		.live = run->live,
		.count = options->packet_count,
		.pcap = run->pcap,
	};

	if (!options->plan.slow)
		return 0;
	run->packets = slow_packets_new(&config, maps->slow_packets);
	return run->packets ? 0 : -errno;
}

/* For whoever draws, now or at the end. */
static int prepare_recording(struct run *run)
{
	const struct options *options = run->options;

	if (!options->live && !options->reports.printer->records)
		return 0;
	run->recording =
		recording_new(options->live ? KEEPS_LATEST : KEEPS_ALL, options->plan.resolution,
			      options->diagnose ? NS_PER_S : options->reports.interval_ns);
	if (run->recording && options->live)
		run->live = live_new(&run->setup, run->recording);
	if (!run->recording || (options->live && !run->live))
		return log_failure(-errno, "cannot prepare to draw");
	reporter_record_at(run->reporter, run->recording, run->live);
	return 0;
}

static int prepare_diagnosis(struct run *run)
{
	struct diagnosis_config config = {
		.late = run->options->late,
		.printer = run->options->reports.printer,
		.btf_path = run->options->plan.btf_path,
		.reader_waits = loader_maps(run->loader).reader_waits,
		.stacks = loader_maps(run->loader).stacks,
		.recording = run->recording,
	};

	if (!run->options->diagnose)
		return 0;
	if (run->options->plan.stacks) {
		config.symbols = stack_names_open("/proc/kallsyms");
		if (!config.symbols)
			return -errno;
	}
	run->diagnosis = diagnosis_new(&config, run->meter);
	return run->diagnosis ? 0 : log_failure(-errno, "cannot prepare a diagnosis");
}

static int prepare_reports(struct run *run)
{
	const struct options *options = run->options;
	const char *cgroups = options->filters.lists[FILTER_CGROUP];
	struct map_fds maps = loader_maps(run->loader);
	int err;

	describe_reports(run, &maps);
	run->meter = meter_new(&run->setup, &maps);
	if (run->meter)
		run->reporter = reporter_new(&options->reports, run->meter);
	if (run->reporter)
		reporter_write_at(run->reporter, helpers_writer());
	if (run->reporter && cgroups)
		run->cgroups =
			cgroup_watch_new(cgroups, &run->setup.plan.filters.keys[FILTER_CGROUP]);
	if (!run->reporter || (cgroups && !run->cgroups))
		return log_failure(-errno, "cannot prepare the reports");
	err = prepare_recording(run);
	return err ? err : prepare_slow_packets(run, &maps);
}

static int drop_privileges(struct run *run)
{
	(void)run;
	return privileges_drop();
}

/* Looks first: they may have gone and come back while the programs were attached. */
static int watch_cgroups(struct run *run)
{
	int err = look_at_cgroups(run);

	if (err || !run->cgroups || cgroup_watch_fd(run->cgroups) < 0)
		return err;
	return loop_add(run->loop, cgroup_watch_fd(run->cgroups), EPOLLIN, look_at_cgroups, run);
}

static int watch_slow_packets(struct run *run)
{
	uint64_t period_ns = slow_packets_period_ns(run->packets);
	int err = loop_add(run->loop, slow_packets_fd(run->packets), EPOLLIN, on_slow_packets, run);

	return err || !period_ns ? err : loop_add_timer(run->loop, period_ns, on_slow_packets, run);
}

static int prepare_loop(struct run *run)
{
	int err = 0;

	run->reports_left = run->options->count;
	run->loop = loop_new();
	if (!run->loop)
		return log_failure(-errno, "cannot make an event loop");
	if (run->options->duration_ns) {
		run->ends_ns = clock_monotonic_ns() + run->options->duration_ns;
		err = loop_add_timer(run->loop, run->options->duration_ns, on_end, run);
	}
	if (!err)
		err = loop_add_timer(run->loop, run->options->reports.interval_ns, on_timer, run);
	if (!err && run->diagnosis)
		err = loop_add_timer(run->loop, NS_PER_S, on_second, run);
	if (!err)
		err = loop_add_signals(run->loop, run->signals, on_end, run);
	if (!err)
		err = loop_add_clock(run->loop, on_clock_set, run);
	if (!err && run->packets)
		err = watch_slow_packets(run);
	return err ? err : watch_cgroups(run);
}

/* To other hosts, Prometheus and proxies may come with any name by which a fleet knows this one. */
static const char *served_hosts(const struct run *run)
{
	if (!run->options->hosts && listen_is_loopback(&run->address))
		return "";
	return run->options->hosts;
}

static int serve_verdicts(struct run *run)
{
	run->verdict_page = verdict_page_start(run->listener, served_hosts(run), run->loop);
	if (!run->verdict_page)
		return -errno;
	diagnosis_serve_at(run->diagnosis, run->verdict_page);
	return 0;
}

static int start_exporter(struct run *run)
{
	const struct exporter_config config = { .fd = run->listener,
						.hosts = served_hosts(run),
						.forget_ns = run->options->forget_ns };

	if (run->listener < 0)
		return 0;
	if (run->diagnosis)
		return serve_verdicts(run);
	run->exporter = exporter_start(&config, run->meter, run->loop);
	return run->exporter ? 0 : -errno;
}

static int begin_slow_packets(struct run *run)
{
	uint64_t began_ns = loader_end_startup(run->loader);

	if (run->packets)
		slow_packets_begin(run->packets, began_ns);
	return 0;
}

/* Says that packets are counted from now on. */
static int announce(struct run *run)
{
	const struct options *options = run->options;
	char text[LISTEN_TEXT_SIZE];

	if (!tells_netns_apart(options))
		hint_mixed_netns();
	if (run->listener >= 0)
		log_info("serving metrics at %s", listen_text(&run->address, text));
	if (options->diagnose && (options->count || options->duration_ns))
		log_notice("measuring for %g s; Ctrl-C ends it early",
			   options->duration_ns
				   ? options->duration_ns / 1e9
				   : options->reports.interval_ns / 1e9 * options->count);
	else if (options->diagnose)
		log_notice("measuring, with a verdict every %g s; Ctrl-C ends it",
			   options->reports.interval_ns / 1e9);
	else if (options->reports.quiet || options->reports.printer->is_silent ||
		 options->reports.printer->records)
		log_notice("measuring; Ctrl-C ends it");
	else
		log_notice("measuring, with a report every %g s%s",
			   options->reports.interval_ns / 1e9,
			   options->count || options->duration_ns ? "" : "; Ctrl-C ends it");
	notify_ready();
	return 0;
}

static int on_key(void *context)
{
	struct run *run = context;

	if (!live_keys(run->live))
		return end(run);
	if (live_wants_page(run->live))
		reporter_write_page(run->reporter);
	return 0;
}

static int on_resize(void *context)
{
	live_resized(((struct run *)context)->live);
	return 0;
}

/* From here on, the terminal is not to be written to. */
static int open_live(struct run *run)
{
	sigset_t resize;
	int err;

	if (!run->live)
		return 0;
	sigemptyset(&resize);
	sigaddset(&resize, SIGWINCH);
	sigprocmask(SIG_BLOCK, &resize, NULL);
	if (!live_open(run->live, run->options->reports.colour)) {
		log_notice("--live takes a terminal to draw on: reports are printed instead");
		return 0;
	}
	err = loop_add_signals(run->loop, &resize, on_resize, run);
	return err ? err : loop_add(run->loop, STDIN_FILENO, EPOLLIN, on_key, run);
}

/* None of the steps that are left to be made opens a socket, as announce() does. */
static int filter_system_calls(struct run *run)
{
	return syscall_filter_install(needs_of(run->options, &run->setup.plan).system_calls);
}

/* Until a signal, the last report or a failure. */
static int run_loop(struct run *run)
{
	return loop_run(run->loop);
}

/* All packets of a trace are reported. */
static int tell_slow_share(struct run *run)
{
	if (!run->options->plan.slow_ns || packet_printer(run->options) != &printer_text)
		return 0;
	return reporter_slow_share(run->reporter);
}

/* Helpers start when there is a way to tell namespaces apart, but neither the socket nor maps. */
static int (*const steps[])(struct run *run) = {
	check_host,
	try_output_file,
	start_netns_mix,
	start_helpers,
	start_listening,
	find_filters,
	find_reasons,
	find_settings,
	open_pcap,
	/* By the time that programs are attached, packets arrive with stamps. */
	start_timestamping,
	load_and_attach,
	prepare_reports,
	prepare_diagnosis,
	drop_privileges,
	prepare_loop,
	start_exporter,
	begin_slow_packets,
	announce,
	open_live,
	filter_system_calls,
	run_loop,
	tell_slow_share,
};
#define NR_STEPS (sizeof(steps) / sizeof(*steps))

/* All of these accept what there is not. */
static void clean_up(struct run *run)
{
	live_close(run->live);
	if (run->loader)
		log_info("detaching, which may take some seconds");
	loop_free(run->loop);
	exporter_end(run->exporter);
	verdict_page_end(run->verdict_page);
	slow_packets_free(run->packets);
	cgroup_watch_free(run->cgroups);
	diagnosis_free(run->diagnosis);
	reporter_free(run->reporter);
	live_free(run->live);
	recording_free(run->recording);
	meter_free(run->meter);
	loader_free(run->loader);
	close(run->statistics);
	close(run->timestamping);
	pcap_file_close(run->pcap);
	filters_free(&run->setup.plan.filters);
	helpers_end();
	netns_mix_end();
	reason_names_free(run->setup.reasons);
	settings_free(&run->settings);
	close(run->listener);
}

static int run_steps(const struct options *options, const sigset_t *signals)
{
	struct run run = {
		.options = options,
		.signals = signals,
		.setup.plan = options->plan,
		.address = options->listen,
		.listener = -1,
		.timestamping = -1,
		.statistics = -1,
	};
	int err = 0;

	for (size_t i = 0; i < NR_STEPS && !err; i++)
		err = steps[i](&run);
	/* What was served is known already, and no failure of a service. */
	if (!err && run.diagnosis && !run.verdict_page && diagnosis_found(run.diagnosis))
		err = STATUS_FINDINGS;
	clean_up(&run);
	return err;
}

static int check_only(const struct options *options)
{
	struct run run = {
		.options = options,
		.setup.plan = options->plan,
		.address = options->listen,
	};
	int err = find_filters(&run);

	if (!err)
		err = check(&run.setup.plan, needs_of(options, &run.setup.plan).rights);
	filters_free(&run.setup.plan.filters);
	return err;
}

static int timestamping_only(const sigset_t *signals)
{
	int fd = timestamping_enable(), signal, err;

	if (fd < 0)
		return log_failure(fd, "cannot turn on receive time stamps");
	/* It waits, and no more. */
	err = privileges_keep(0);
	if (!err) {
		log_notice("received packets are stamped until this ends");
		err = -sigwait(signals, &signal);
	}
	close(fd);
	return err;
}

static int list(const char *btf_path)
{
	list_probes(stdout, btf_path);
	return output_flush();
}

static int act(const struct options *options, const sigset_t *signals)
{
	const char *btf_path = options->plan.btf_path;
	int err = btf_path ? preflight_btf_file(btf_path) : 0;

	if (err)
		return err;
	switch (options->action) {
	case ACTION_RUN:
		return run_steps(options, signals);
	case ACTION_CHECK:
		return check_only(options);
	case ACTION_LIST:
		return list(btf_path);
	case ACTION_COMPARE:
		return compare_files(options);
	case ACTION_TIMESTAMPING:
		return timestamping_only(signals);
	default:
		return options_print(options->action);
	}
}

/* The number of a closed standard stream would go to a BPF map: take it, unwritable. */
static void keep_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
}

/* Most of what is printed at once goes out in one write: only then is it known why it failed. */
static void buffer_output(void)
{
	static char buffer[1 << 16];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

/* Signals that end a run now wait for the loop, and writing to a closed pipe just fails. */
static sigset_t hold_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signals;
}

int main(int argc, char **argv)
{
	struct options options;
	sigset_t signals;
	int err, not_read;

	keep_standard_streams();
	buffer_output();
	/* The locale's characters, and nothing else of it: numbers look the same everywhere. */
	setlocale(LC_CTYPE, "");
	/* Also in a pipe: less, or who shows a log, passes on what it reads. */
	if (!terminal_is_utf8())
		printable_limit_to_ascii();
	if (!options_parse(&options, argc, argv))
		return EX_USAGE;
	log_init(options.verbose);
	messages_init();

	signals = hold_signals();
	output_init();
	if (options.listen.size)
		output_share();
	err = act(&options, &signals);
	not_read = output_end_sharing();
	return exit_status(err ? err : not_read);
}
