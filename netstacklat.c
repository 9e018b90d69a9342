// SPDX-License-Identifier: GPL-2.0
/* netstacklat: where in this host's receive path do packets wait, and how long? */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "lib/loader.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/options.h"
#include "lib/preflight.h"
#include "lib/report.h"
#include "lib/timestamping.h"

/* What the loop's handlers work on. */
struct run {
	struct loader *loader;
	struct reporter *reporter;
	uint64_t reports_left; /* 0: no limit */
};

/* Tells the programs first: until then, they misjudge every packet. */
static int on_clock_change(void *context)
{
	struct run *run = context;
	int err = loader_set_clock(run->loader);

	if (err)
		return log_failure(err, "cannot read the clocks");
	return reporter_check_clock(run->reporter);
}

static int on_timer(void *context)
{
	struct run *run = context;
	int err = reporter_interval(run->reporter);

	/* Nothing wakes the loop when only the TAI offset was set. */
	if (!err)
		err = on_clock_change(run);
	if (err || !run->reports_left)
		return err;
	return --run->reports_left ? 0 : LOOP_END;
}

static int on_signal(void *context)
{
	struct run *run = context;
	int err = reporter_interval(run->reporter);

	if (!err)
		err = reporter_total(run->reporter);
	return err ? err : LOOP_END;
}

/* Reports until a signal, the last report or a failure. Returns 0 or a negative errno. */
static int run_loop(const struct options *options, const sigset_t *signals, struct loader *loader,
		    struct reporter *reporter)
{
	struct run run = { loader, reporter, options->count };
	struct loop *loop = loop_new();
	int err;

	if (!loop)
		return log_failure(-errno, "cannot make an event loop");
	err = loop_add_timer(loop, options->interval_ns, on_timer, &run);
	if (!err)
		err = loop_add_signals(loop, signals, on_signal, &run);
	if (!err)
		err = loop_add_clock(loop, on_clock_change, &run);
	if (!err)
		err = loop_run(loop);
	loop_free(loop);
	return err;
}

/* Measures with programs that are attached already. */
static int run_reports(const struct options *options, const sigset_t *signals,
		       struct loader *loader)
{
	struct snapshot_maps maps = loader_maps(loader);
	struct reporter *reporter = reporter_new(&maps);
	int err;

	if (!reporter)
		return log_failure(-errno, "cannot prepare the reports");

	log_info("measuring, with a report every %g s; Ctrl-C ends it", options->interval_ns / 1e9);
	err = run_loop(options, signals, loader, reporter);
	reporter_free(reporter);
	return err;
}

static int run(const struct options *options, const sigset_t *signals)
{
	struct loader_config config = { .include_hol_delay = options->include_hol_delay };
	struct loader *loader;
	int timestamping, err;

	/* Before the programs: by the time that they are attached, packets arrive with stamps. */
	timestamping = timestamping_enable();
	if (timestamping < 0)
		return log_failure(timestamping, "cannot turn on receive time stamps");

	memcpy(config.hooks, options->hooks, sizeof(config.hooks));
	loader = loader_start(&config);
	err = loader ? run_reports(options, signals, loader) : -errno;
	loader_free(loader);
	close(timestamping);
	return err;
}

/* A standard stream that is closed would lend its number to a BPF map: fill the gap, unwritable. */
static void keep_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
}

/* Signals that end a run now wait for the loop, and writing to a closed pipe just fails. */
static sigset_t hold_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signals;
}

/* A reader that has seen enough is no failure. */
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
	if (!options_parse(&options, argc, argv))
		return EX_USAGE;
	if (options.action != ACTION_RUN)
		return exit_status(options_print(options.action));
	log_init(options.verbose);

	signals = hold_signals();
	if (!preflight())
		return EX_NOPERM;
	return exit_status(run(&options, &signals));
}
