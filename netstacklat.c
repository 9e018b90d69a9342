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

#include "lib/base/log.h"
#include "lib/base/printable.h"
#include "lib/base/terminal.h"
#include "lib/cli/check.h"
#include "lib/cli/list_probes.h"
#include "lib/cli/options.h"
#include "lib/cli/unknown.h"
#include "lib/filters/cgroup_watch.h"
#include "lib/filters/filters.h"
#include "lib/kernel/loader.h"
#include "lib/kernel/messages.h"
#include "lib/kernel/netns_mix.h"
#include "lib/kernel/preflight.h"
#include "lib/kernel/privileges.h"
#include "lib/kernel/btf_reasons.h"
#include "lib/kernel/statistics.h"
#include "lib/kernel/timestamping.h"
#include "lib/serve/exporter.h"
#include "lib/serve/helpers.h"
#include "lib/serve/hints.h"
#include "lib/serve/listen.h"
#include "lib/serve/loop.h"
#include "lib/serve/output.h"
#include "lib/serve/pcap_file.h"
#include "lib/serve/ready.h"
#include "lib/serve/reporter.h"
#include "lib/serve/slow_packets.h"
#include "lib/tables/hooks.h"

/* What a run is to do, and with what. */
struct job {
	const struct options *options;
	const sigset_t *signals; /* that end it */
	struct loader_config programs;
	struct reason_names *reasons; /* to drop packets; NULL: they are not grouped by */
	struct listen_address address;
	int listener;		/* a socket there, or -1 */
	struct pcap_file *pcap; /* of slow packets, or NULL */
};

/* What the loop's handlers work on. */
struct run {
	struct loader *loader;
	struct meter *meter;
	struct reporter *reporter;
	struct slow_packets *packets; /* NULL: they are not told of */
	struct cgroup_watch *cgroups; /* NULL: they are not filtered by */
	uint64_t reports_left;	      /* 0: no limit */
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

static int on_timer(void *context)
{
	struct run *run = context;
	int err = reporter_interval(run->reporter);

	/* Nothing wakes the loop when only the TAI offset was set. */
	if (!err)
		err = look_at_clocks(run, false);
	if (!err)
		err = look_at_cgroups(run);
	if (err || !run->reports_left)
		return err;
	return --run->reports_left ? 0 : LOOP_END;
}

/* What was slow comes before the last report, which counts it. */
static int end(struct run *run)
{
	int err = run->packets ? slow_packets_end(run->packets) : 0;

	if (!err)
		err = reporter_end(run->reporter);
	return err ? err : LOOP_END;
}

static int on_signal(void *context)
{
	return end(context);
}

static int on_slow_packets(void *context)
{
	struct run *run = context;
	int result = slow_packets_come(run->packets);

	return result == LOOP_END ? end(run) : result;
}

/* Looks first: they may have gone and come back while the programs were attached. */
static int watch_cgroups(struct loop *loop, struct run *run)
{
	int err = look_at_cgroups(run);

	if (err || !run->cgroups || cgroup_watch_fd(run->cgroups) < 0)
		return err;
	return loop_add(loop, cgroup_watch_fd(run->cgroups), EPOLLIN, look_at_cgroups, run);
}

static int add_slow_packets(struct loop *loop, struct run *run)
{
	uint64_t period_ns = slow_packets_period_ns(run->packets);
	int err = loop_add(loop, slow_packets_fd(run->packets), EPOLLIN, on_slow_packets, run);

	return err || !period_ns ? err : loop_add_timer(loop, period_ns, on_slow_packets, run);
}

static int add_events(const struct job *job, struct loop *loop, struct run *run)
{
	int err = loop_add_timer(loop, job->options->reports.interval_ns, on_timer, run);

	if (!err)
		err = loop_add_signals(loop, job->signals, on_signal, run);
	if (!err)
		err = loop_add_clock(loop, on_clock_set, run);
	if (!err && run->packets)
		err = add_slow_packets(loop, run);
	return err ? err : watch_cgroups(loop, run);
}

/* Reports until a signal, the last report or a failure. Returns 0 or a negative errno. */
static int run_loop(const struct job *job, struct run *run)
{
	struct loop *loop = loop_new();
	struct exporter *exporter = NULL;
	int err;

	if (!loop)
		return log_failure(-errno, "cannot make an event loop");
	err = add_events(job, loop, run);
	if (!err && job->listener >= 0) {
		exporter = exporter_start(job->listener, run->meter, job->options->forget_ns, loop);
		err = exporter ? 0 : -errno;
	}
	if (!err)
		err = loop_run(loop);
	loop_free(loop);
	exporter_end(exporter);
	return err;
}

/* Interfaces are numbered by network namespace. */
static bool tells_netns_apart(const struct options *options)
{
	return options->programs.group_by & (1U << KEY_NETNS | 1U << KEY_INTERFACE) ||
	       filter_lists_active(&options->filters) &
		       (1U << FILTER_NETNS | 1U << FILTER_INTERFACE);
}

static struct report_setup report_setup(const struct job *job, const struct left_out *left_out,
					clockid_t clock, const struct map_fds *maps)
{
	const struct options *options = job->options;
	struct report_setup setup = {
		.left_out = *left_out,
		.clock = clock,
		.summary = options->summary,
		.full = options->full,
		.stages = options->programs.stages,
		.wakeups = options->programs.wakeups,
		.group_by = options->programs.group_by,
		.reasons = job->reasons,
		.top = options->top,
		.slow = options->programs.slow,
		.overhead = options->overhead,
	};

	memcpy(setup.hooks, job->programs.hooks, sizeof(setup.hooks));
	memcpy(setup.followed, job->programs.followed, sizeof(setup.followed));
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		setup.programs[program] = maps->programs[program] >= 0;
	return setup;
}

/* Says that packets are counted from now on. */
static void announce(const struct job *job)
{
	const struct options *options = job->options;
	char text[LISTEN_TEXT_SIZE];

	if (!tells_netns_apart(options))
		hint_mixed_netns();
	if (job->listener >= 0)
		log_info("serving metrics at %s", listen_text(&job->address, text));
	if (options->reports.printer->is_silent)
		log_info("measuring; Ctrl-C ends it");
	else
		log_info("measuring, with a report every %g s%s",
			 options->reports.interval_ns / 1e9,
			 options->count ? "" : "; Ctrl-C ends it");
	tell_ready();
}

/* What the loop's handlers work on. Returns 0 or, after saying what failed, a negative errno. */
static int make_run(struct run *run, const struct job *job, const struct report_setup *setup,
		    const struct map_fds *maps)
{
	const struct options *options = job->options;
	const char *cgroups = options->filters.lists[FILTER_CGROUP];
	const struct slow_packets_config packets = {
		.printer = packet_printer(options),
		.stages = options->programs.stages,
		.trace = options->programs.trace,
		.reasons = job->reasons,
		.count = options->packet_count,
		.pcap = job->pcap,
	};

	run->reports_left = options->count;
	run->meter = meter_new(setup, maps);
	if (run->meter)
		run->reporter = reporter_new(&options->reports, run->meter);
	if (run->reporter)
		reporter_write_at(run->reporter, helpers_writer());
	if (run->reporter && cgroups)
		run->cgroups =
			cgroup_watch_new(cgroups, &job->programs.filters.keys[FILTER_CGROUP]);
	if (!run->reporter || (cgroups && !run->cgroups))
		return log_failure(-errno, "cannot prepare the reports");
	if (options->programs.slow)
		run->packets = slow_packets_new(&packets, maps->slow_packets);
	return options->programs.slow && !run->packets ? -errno : 0;
}

static void free_run(struct run *run)
{
	slow_packets_free(run->packets);
	cgroup_watch_free(run->cgroups);
	reporter_free(run->reporter);
	meter_free(run->meter);
}

/* Measures with programs that are attached already. */
static int run_reports(const struct job *job, struct loader *loader,
		       const struct left_out *left_out)
{
	struct run run = { .loader = loader };
	struct map_fds maps = loader_maps(loader);
	struct report_setup setup = report_setup(job, left_out, loader_clock(loader), &maps);
	int err;

	maps.overhead = job->options->overhead;
	err = make_run(&run, job, &setup, &maps);
	if (!err)
		err = privileges_drop();
	if (!err) {
		announce(job);
		err = run_loop(job, &run);
	}
	free_run(&run);
	return err;
}

static void report_left_out(const struct left_out *left_out)
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (left_out->why[probe] && *left_out->why[probe])
			log_error("%s is left out at %s(): %s", hooks[probes[probe].hook].name,
				  probe_target(probe), left_out->why[probe]);
}

static int load_and_run(const struct job *job)
{
	struct left_out left_out;
	struct loader *loader = loader_start(&job->programs, &left_out);
	int err = loader ? 0 : -errno;

	report_left_out(&left_out);
	if (loader)
		err = run_reports(job, loader, &left_out);
	loader_free(loader);
	return err;
}

/* With what the kernel does for the time of the run only. */
static int measure(const struct job *job)
{
	int timestamping, statistics = -1, err = 0;

	/* Before the programs: by the time that they are attached, packets arrive with stamps. */
	timestamping = timestamping_enable();
	if (timestamping < 0)
		return log_failure(timestamping, "cannot turn on receive time stamps");
	if (job->options->overhead) {
		statistics = statistics_enable();
		err = statistics < 0 ? statistics : 0;
	}

	if (!err)
		err = load_and_run(job);
	close(statistics);
	close(timestamping);
	return err;
}

/* The names of reasons to drop a packet, if any are told. */
static int find_reasons(struct job *job)
{
	if (!(job->programs.group_by & 1U << KEY_REASON) &&
	    !(job->programs.slow && job->programs.hooks[HOOK_drop]))
		return 0;
	job->reasons = kernel_reason_names(job->programs.btf_path);
	return job->reasons
		       ? 0
		       : log_failure(-errno, "cannot read the kernel's reasons to drop packets");
}

/* What is left to be done after privileges are dropped, and takes them. */
static int start_helpers(const struct job *job)
{
	const struct options *options = job->options;
	const unsigned int named = 1U << KEY_INTERFACE | 1U << KEY_NETNS;
	const struct helpers_config helpers = {
		.names = options->programs.group_by & named || options->programs.slow,
		.output = options->output_file,
		.socket = listen_has_file(&job->address),
	};

	return helpers_start(&helpers);
}

static int start_listening(struct job *job)
{
	if (!job->address.size)
		return 0;
	job->listener = listen_open(&job->address);
	if (job->listener < 0)
		return job->listener;
	helpers_own_socket(&job->address);
	return 0;
}

/* What must be right before anything else is worth a try. */
static int prepare_run(struct job *job)
{
	const struct options *options = job->options;
	int err = 0;

	if (!preflight(options->programs.btf_path))
		return -ENOTSUP;
	err = find_reasons(job);
	if (!err && options->output_file)
		err = output_try(options->output_file);
	/* Slow packets have the names of their interfaces, too. */
	if (!err && (tells_netns_apart(options) || options->programs.slow))
		err = netns_mix_start(options->programs.btf_path);
	/* With a way to tell namespaces apart, but neither the socket nor maps of packets. */
	if (!err)
		err = start_helpers(job);
	return err ? err : start_listening(job);
}

/* Whoever scrapes an exporter has nothing to do with the reader of its packets. */
static int open_pcap(struct job *job)
{
	const char *path = job->options->pcap;

	if (path)
		job->pcap = pcap_file_open(path, job->listener >= 0);
	return path && !job->pcap ? -errno : 0;
}

/* Runs, or checks whether it could. */
static int run_or_check(const struct options *options, const sigset_t *signals)
{
	struct job job = { options, signals, options->programs, NULL, options->listen, -1, NULL };
	bool is_run = options->action == ACTION_RUN;
	int err = is_run ? prepare_run(&job) : 0;

	if (!err)
		err = filters_find(&options->filters, &job.programs.filters);
	if (!err && is_run)
		err = open_pcap(&job);
	if (!err) {
		leave_out_unknown(&job.programs);
		err = is_run ? measure(&job) : check(&job.programs);
	}
	pcap_file_close(job.pcap);
	filters_free(&job.programs.filters);
	helpers_end();
	netns_mix_end();
	reason_names_free(job.reasons);
	if (job.listener >= 0)
		close(job.listener);
	return err;
}

static int timestamping_only(const sigset_t *signals)
{
	int fd = timestamping_enable(), signal, err;

	if (fd < 0)
		return log_failure(fd, "cannot turn on receive time stamps");
	log_info("received packets are stamped until this ends");
	err = -sigwait(signals, &signal);
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
	const char *btf_path = options->programs.btf_path;
	int err = btf_path ? preflight_btf_file(btf_path) : 0;

	if (err)
		return err;
	switch (options->action) {
	case ACTION_RUN:
	case ACTION_CHECK:
		return run_or_check(options, signals);
	case ACTION_LIST:
		return list(btf_path);
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

/* A reader of standard output that has seen enough is no failure. */
static int exit_status(int err)
{
	switch (err) {
	case 0:
	case -EPIPE:
		return EXIT_SUCCESS;
	case -ENOTSUP:
		return EX_NOPERM;
	default:
		return EXIT_FAILURE;
	}
}

int main(int argc, char **argv)
{
	struct options options;
	sigset_t signals;

	keep_standard_streams();
	buffer_output();
	/* The locale's characters, and nothing else of it: numbers look the same everywhere. */
	setlocale(LC_CTYPE, "");
	if (isatty(STDOUT_FILENO) && !terminal_is_utf8())
		printable_limit_to_ascii();
	if (!options_parse(&options, argc, argv))
		return EX_USAGE;
	log_init(options.verbose);
	messages_init();

	signals = hold_signals();
	output_init();
	return exit_status(act(&options, &signals));
}
