// SPDX-License-Identifier: GPL-2.0
/* netstacklat: where in this host's network stack do packets wait, and how long? */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/loop.h"
#include "lib/base/printable.h"
#include "lib/base/terminal.h"
#include "lib/cli/check.h"
#include "lib/cli/compare.h"
#include "lib/cli/exit_status.h"
#include "lib/cli/list_probes.h"
#include "lib/cli/needs.h"
#include "lib/cli/options.h"
#include "lib/confine/privileges.h"
#include "lib/confine/syscall_filter.h"
#include "lib/host/cgroup.h"
#include "lib/host/timestamping.h"
#include "lib/kernel/messages.h"
#include "lib/kernel/netns_mix.h"
#include "lib/kernel/preflight.h"
#include "lib/print/printer.h"
#include "lib/run/measurement.h"
#include "lib/run/sinks.h"
#include "lib/serve/helpers.h"
#include "lib/serve/hints.h"
#include "lib/serve/output.h"
#include "lib/serve/ready.h"

struct run {
	const struct options *options;
	const sigset_t *signals; /* that end it */
	struct measurement measurement;
	struct sinks sinks;
	struct loop *loop;
	uint64_t reports_left; /* 0: no limit */
	uint64_t ends_ns;      /* by clock_monotonic_ns(); 0: when somebody ends it */
};

/*
 * If --duration is a multiple of the interval, two timers are due at once. Then the last interval
 * is not followed by one of no length.
 */
static bool is_about_to_end(const struct run *run)
{
	uint64_t slack_ns = run->options->reports.interval_ns / 100;

	return run->ends_ns && clock_monotonic_ns() + slack_ns >= run->ends_ns;
}

static int on_end(void *context)
{
	return sinks_end(&((struct run *)context)->sinks);
}

static int on_timer(void *context)
{
	struct run *run = context;
	int err;

	if (is_about_to_end(run))
		return on_end(run);
	err = sinks_interval(&run->sinks);
	if (!err)
		err = measurement_look(&run->measurement);
	if (err || !run->reports_left)
		return err;
	if (--run->reports_left)
		return 0;
	return sinks_draw_at_end(&run->sinks) ? on_end(run) : LOOP_END;
}

/* The steps of a run: each returns 0 or, after saying what failed, a negative errno. */

/* The conditions without which nothing else is worth a try. */
static int check_host(struct run *run)
{
	const char *file = run->options->output_file;
	int err = sinks_read(&run->sinks);

	if (!err && !preflight(run->options->plan.btf_path))
		err = -ENOTSUP;
	return err || !file ? err : output_try(file);
}

/* The helpers start when namespaces can be told apart, but before sockets or maps are open. */
static int start_helpers(struct run *run)
{
	const struct options *options = run->options;
	int err = 0;

	if (tells_netns_apart(options) || names_interfaces(options))
		err = netns_mix_start(options->plan.btf_path);
	if (err)
		return err;
	return helpers_start(
		needs_of(options, &options->plan).helpers,
		&(struct helpers_config){ options->output_file, &run->sinks.web_config });
}

static int open_all(struct run *run)
{
	int err = measurement_find(&run->measurement);

	return err ? err : sinks_open(&run->sinks);
}

static int start(struct run *run)
{
	int err = measurement_start(&run->measurement);

	if (err)
		return err;
	run->loop = loop_new();
	return run->loop ? sinks_start(&run->sinks, run->loop)
			 : log_failure(-errno, "cannot make an event loop");
}

static int drop_privileges(struct run *run)
{
	(void)run;
	return privileges_drop();
}

static int prepare_loop(struct run *run)
{
	const struct options *options = run->options;
	int err = 0;

	run->reports_left = options->count;
	if (options->duration_ns) {
		run->ends_ns = clock_monotonic_ns() + options->duration_ns;
		err = loop_add_timer(run->loop, options->duration_ns, on_end, run);
	}
	if (!err)
		err = loop_add_timer(run->loop, options->reports.interval_ns, on_timer, run);
	if (!err)
		err = loop_add_signals(run->loop, run->signals, on_end, run);
	if (!err)
		err = measurement_watch(&run->measurement, run->loop);
	return err ? err : sinks_begin(&run->sinks);
}

/* Says that packets are counted from now on. */
static int announce(struct run *run)
{
	if (!tells_netns_apart(run->options))
		hint_mixed_netns();
	sinks_announce(&run->sinks);
	notify_ready();
	return 0;
}

static int take_terminal(struct run *run)
{
	return sinks_take_terminal(&run->sinks);
}

/* The steps that are left open no socket, as announce() does. */
static int filter_system_calls(struct run *run)
{
	const struct needs needs = needs_of(run->options, &run->measurement.setup.plan);

	return syscall_filter_install(needs.system_calls);
}

/* Runs until a signal, the last report or a failure. */
static int run_loop(struct run *run)
{
	return loop_run(run->loop);
}

static int conclude(struct run *run)
{
	return sinks_conclude(&run->sinks);
}

static int (*const steps[])(struct run *run) = {
	check_host,				  /* so far, nothing was opened or changed */
	start_helpers,	     open_all,	   start, /* programs run from here on */
	drop_privileges,     prepare_loop, announce, take_terminal,
	filter_system_calls, run_loop,	   conclude,
};
#define NR_STEPS (sizeof(steps) / sizeof(*steps))

static void clean_up(struct run *run)
{
	loop_free(run->loop);
	sinks_free(&run->sinks);
	measurement_end(&run->measurement);
	helpers_end();
	netns_mix_end();
	/* Their files are removed by now, if they were still those of these sockets. */
	sinks_close_sockets(&run->sinks);
}

static int run_steps(const struct options *options, const sigset_t *signals)
{
	struct run run = {
		.options = options,
		.signals = signals,
		.measurement = measurement_of(options),
	};
	int err = 0;

	run.sinks = sinks_for(&run.measurement);
	for (size_t i = 0; i < NR_STEPS && !err; i++)
		err = steps[i](&run);
	clean_up(&run);
	return err;
}

static int check_only(const struct options *options)
{
	struct measurement measurement = measurement_of(options);
	const struct plan *plan = &measurement.setup.plan;
	int err = measurement_find_filters(&measurement);

	if (!err)
		err = check(plan, needs_of(options, plan).rights);
	measurement_end(&measurement);
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

/* Looks whether what a user named is what it should be. */
static int find_files(const struct options *options)
{
	const char *btf_path = options->plan.btf_path;
	int err = btf_path ? preflight_btf_file(btf_path) : 0;

	return err || !options->cgroup_mount ? err : cgroup_use_mount(options->cgroup_mount);
}

static int act(const struct options *options, const sigset_t *signals)
{
	int err = find_files(options);

	if (err)
		return err;
	switch (options->action) {
	case ACTION_RUN:
		return run_steps(options, signals);
	case ACTION_CHECK:
		return check_only(options);
	case ACTION_LIST:
		return list(options->plan.btf_path);
	case ACTION_COMPARE:
		return compare_files(options);
	case ACTION_TIMESTAMPING:
		return timestamping_only(signals);
	default:
		return options_print(options->action);
	}
}

/*
 * A BPF map would get the number of a closed standard stream: this opens something unwritable
 * there.
 */
static void keep_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
}

/* Output that is printed at once goes out in one write: only then is it known why it failed. */
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
	/* A pipe may show it, too: less, or who shows a log, passes on what it reads. */
	if (!terminal_is_utf8())
		printable_limit_to_ascii();
	if (!options_parse(&options, argc, argv))
		return EX_USAGE;
	log_init(options.verbose);
	messages_init();

	signals = hold_signals();
	output_init();
	if (options.listen.nr)
		output_share();
	err = act(&options, &signals);
	not_read = output_end_sharing();
	return exit_status(err ? err : not_read);
}
