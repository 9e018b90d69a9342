// SPDX-License-Identifier: GPL-2.0
#include "lib/run/measurement.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/cli/needs.h"
#include "lib/cli/unknown.h"
#include "lib/filters/cgroup_watch.h"
#include "lib/host/timestamping.h"
#include "lib/kernel/btf_reasons.h"
#include "lib/kernel/loader.h"
#include "lib/kernel/statistics.h"
#include "lib/print/printer.h"

struct measurement measurement_of(const struct options *options)
{
	return (struct measurement){
		.options = options,
		.setup.plan = options->plan,
		.timestamping = -1,
		.statistics = -1,
	};
}

int measurement_find_filters(struct measurement *measurement)
{
	const struct options *options = measurement->options;
	struct plan *plan = &measurement->setup.plan;
	int err = filters_find(&options->filters, &plan->filters);

	if (err)
		return err;
	leave_out_unknown(plan);
	if (!options->diagnose)
		tell_ungrouped(plan);
	return 0;
}

/* The names of reasons to drop a packet, if any are reported. */
static int find_reasons(struct report_setup *setup)
{
	if (!reports_reasons(&setup->plan))
		return 0;
	setup->reasons = kernel_reason_names(setup->plan.btf_path);
	return setup->reasons
		       ? 0
		       : log_failure(-errno, "cannot read the kernel's reasons to drop packets");
}

/* Only JSON has them, for those who compare runs. */
static int find_settings(struct measurement *measurement)
{
	const struct options *options = measurement->options;
	int err = 0;

	if (options->reports.printer == &printer_json && !options->reports.quiet &&
	    !options->diagnose)
		err = settings_read(&measurement->settings, "");
	if (measurement->settings.nr)
		measurement->setup.settings = &measurement->settings;
	return err ? log_failure(err, "cannot read how this host is set up") : 0;
}

int measurement_find(struct measurement *measurement)
{
	int err = measurement_find_filters(measurement);

	if (!err)
		err = find_reasons(&measurement->setup);
	return err ? err : find_settings(measurement);
}

static int start_timestamping(struct measurement *measurement)
{
	measurement->timestamping = timestamping_enable();
	if (measurement->timestamping < 0)
		return log_failure(measurement->timestamping, "cannot turn on receive time stamps");
	if (!measurement->setup.plan.overhead)
		return 0;
	measurement->statistics = statistics_enable();
	return measurement->statistics < 0 ? measurement->statistics : 0;
}

static bool has_fallback(enum probe probe, const struct left_out *left_out)
{
	enum probe next = probe + 1;

	return next < NR_PROBES && probes[next].is_fallback && !left_out->why[next];
}

/* A measured hook may do without a helper, and without a function that has a fallback. */
static const char *how_left_out(enum probe probe, const struct left_out *left_out)
{
	if (probes[probe].is_helper && hook_is_attached(probes[probe].hook, left_out))
		return "goes without";
	return has_fallback(probe, left_out) ? "goes without" : "is left out at";
}

static void tell_left_out(const struct left_out *left_out)
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (left_out->why[probe] && *left_out->why[probe])
			log_error("%s %s %s(): %s", hooks[probes[probe].hook].name,
				  how_left_out(probe, left_out), probe_target(probe),
				  left_out->why[probe]);
}

static int load_and_attach(struct measurement *measurement)
{
	struct report_setup *setup = &measurement->setup;
	int err;

	measurement->loader = loader_start(&setup->plan, &setup->left_out);
	err = measurement->loader ? 0 : -errno;
	tell_left_out(&setup->left_out);
	return err;
}

static void describe_reports(struct measurement *measurement, const struct map_fds *maps)
{
	const struct options *options = measurement->options;
	struct report_setup *setup = &measurement->setup;

	setup->clock = loader_clock(measurement->loader);
	setup->summary = options->summary;
	setup->full = options->full;
	setup->drops = maps->stages.drops >= 0 && maps->programs[PROGRAM_OF(PROBE_kfree_skb)] >= 0;
	setup->served_resolution = options->has_resolution ? options->plan.resolution : 0;
	setup->top = options->top;
	setup->command = options->command;
	uname(&setup->host);
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		setup->programs[program] = maps->programs[program] >= 0;
}

static int begin_to_count(struct measurement *measurement)
{
	const char *cgroups = measurement->options->filters.lists[FILTER_CGROUP];
	const struct filters *filters = &measurement->setup.plan.filters;
	const struct map_fds maps = loader_maps(measurement->loader);

	describe_reports(measurement, &maps);
	measurement->meter = meter_new(&measurement->setup, &maps);
	if (measurement->meter && cgroups)
		measurement->cgroups = cgroup_watch_new(cgroups, &filters->keys[FILTER_CGROUP]);
	if (!measurement->meter || (cgroups && !measurement->cgroups))
		return log_failure(-errno, "cannot prepare the reports");
	return 0;
}

/* Stamps come first: packets have them by the time that programs are attached. */
int measurement_start(struct measurement *measurement)
{
	int err = start_timestamping(measurement);

	if (!err)
		err = load_and_attach(measurement);
	return err ? err : begin_to_count(measurement);
}

/* Tells the programs first: until then, they misjudge every packet. */
static int look_at_clocks(struct measurement *measurement, bool was_set)
{
	int err = loader_set_clock(measurement->loader);

	if (err)
		return log_failure(err, "cannot read the clocks");
	return meter_look_at_clocks(measurement->meter, was_set);
}

static int on_clock_set(void *context)
{
	return look_at_clocks(context, true);
}

static int replace_cgroup(void *context, uint64_t gone, uint64_t come)
{
	struct measurement *measurement = context;

	return loader_replace_cgroup(measurement->loader, gone, come);
}

static int look_at_cgroups(void *context)
{
	struct measurement *measurement = context;
	int err = 0;

	if (measurement->cgroups)
		err = cgroup_watch_look(measurement->cgroups, replace_cgroup, measurement);
	return err ? log_failure(err, "cannot filter by a cgroup that came back") : 0;
}

/* Looks at cgroups at once, as they may have gone and come back while programs were attached. */
int measurement_watch(struct measurement *measurement, struct loop *loop)
{
	int fd = measurement->cgroups ? cgroup_watch_fd(measurement->cgroups) : -1;
	int err = loop_add_clock(loop, on_clock_set, measurement);

	if (!err)
		err = look_at_cgroups(measurement);
	if (err || fd < 0)
		return err;
	return loop_add(loop, fd, EPOLLIN, look_at_cgroups, measurement);
}

/* There is no event when only the TAI offset was set. */
int measurement_look(struct measurement *measurement)
{
	int err = look_at_clocks(measurement, false);

	return err ? err : look_at_cgroups(measurement);
}

/* All of these accept what there is not. */
void measurement_end(struct measurement *measurement)
{
	if (measurement->loader)
		log_info("detaching, which may take some seconds");
	cgroup_watch_free(measurement->cgroups);
	meter_free(measurement->meter);
	loader_free(measurement->loader);
	close(measurement->statistics);
	close(measurement->timestamping);
	filters_free(&measurement->setup.plan.filters);
	reason_names_free(measurement->setup.reasons);
	settings_free(&measurement->settings);
}
