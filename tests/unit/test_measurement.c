// SPDX-License-Identifier: GPL-2.0
/*
 * A measurement from its plan to its end: what is started in which order, what is said of what this
 * kernel lacks, and what becomes of failures. Time stamps, programs and the meter are made up.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "lib/filters/cgroup_watch.h"
#include "lib/host/timestamping.h"
#include "lib/kernel/btf_reasons.h"
#include "lib/kernel/loader.h"
#include "lib/kernel/statistics.h"
#include "lib/print/printer.h"
#include "lib/run/measurement.h"
#include "said.h"

/* The calls so far are a letter each; each of those to come may have an error. */
static char calls[32];
static struct {
	int stamps, statistics, load, meter, cgroups, clocks, look, loop, reasons;
} errors;
static struct left_out lacking;
static struct map_fds loaded;
static bool was_set;
static struct {
	loop_handler handler;
	void *context;
} on_clock, on_cgroup;
static int cgroup_fd;
static struct {
	uint64_t gone, come;
} replaced;

static struct loader *const a_loader = (void *)1;
static struct meter *const a_meter = (void *)2;
static struct cgroup_watch *const a_watch = (void *)3;

static void note(char call)
{
	size_t nr = strlen(calls);

	assert_true(nr + 1 < sizeof(calls));
	calls[nr] = call;
}

/* Returns what has been called since this was asked last; valid until it is again. */
static const char *called(void)
{
	static char text[sizeof(calls)];

	memcpy(text, calls, sizeof(calls));
	memset(calls, 0, sizeof(calls));
	return text;
}

static void *or_null(void *made, int err)
{
	errno = -err;
	return err ? NULL : made;
}

int timestamping_enable(void)
{
	note('t');
	return errors.stamps ? errors.stamps : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int statistics_enable(void)
{
	note('s');
	return errors.statistics ? errors.statistics : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

struct loader *loader_start(const struct plan *plan, struct left_out *left_out)
{
	(void)plan;
	note('l');
	*left_out = lacking;
	return or_null(a_loader, errors.load);
}

clockid_t loader_clock(const struct loader *loader)
{
	assert_ptr_equal(loader, a_loader);
	return CLOCK_MONOTONIC;
}

struct map_fds loader_maps(const struct loader *loader)
{
	assert_ptr_equal(loader, a_loader);
	return loaded;
}

int loader_set_clock(struct loader *loader)
{
	assert_ptr_equal(loader, a_loader);
	note('c');
	return errors.clocks;
}

int loader_replace_cgroup(struct loader *loader, uint64_t gone, uint64_t come)
{
	assert_ptr_equal(loader, a_loader);
	replaced.gone = gone;
	replaced.come = come;
	return 0;
}

void loader_free(struct loader *loader)
{
	if (loader)
		note('L');
}

struct meter *meter_new(const struct report_setup *setup, const struct map_fds *maps)
{
	(void)setup;
	(void)maps;
	note('m');
	return or_null(a_meter, errors.meter);
}

int meter_look_at_clocks(struct meter *meter, bool set)
{
	assert_ptr_equal(meter, a_meter);
	note('k');
	was_set = set;
	return 0;
}

void meter_free(struct meter *meter)
{
	if (meter)
		note('M');
}

struct cgroup_watch *cgroup_watch_new(const char *list, const struct filter_keys *found)
{
	(void)found;
	assert_string_equal(list, "/");
	note('g');
	return or_null(a_watch, errors.cgroups);
}

int cgroup_watch_fd(const struct cgroup_watch *watch)
{
	assert_ptr_equal(watch, a_watch);
	return cgroup_fd;
}

int cgroup_watch_look(struct cgroup_watch *watch,
		      int (*replace)(void *context, uint64_t gone, uint64_t come), void *context)
{
	assert_ptr_equal(watch, a_watch);
	note('w');
	return errors.look ? errors.look : replace(context, 4, 5);
}

void cgroup_watch_free(struct cgroup_watch *watch)
{
	if (watch)
		note('G');
}

int loop_add(struct loop *loop, int fd, uint32_t events, loop_handler handler, void *context)
{
	(void)loop;
	assert_int_equal(fd, cgroup_fd);
	assert_int_equal(events, EPOLLIN);
	on_cgroup.handler = handler;
	on_cgroup.context = context;
	return 0;
}

int loop_add_clock(struct loop *loop, loop_handler handler, void *context)
{
	(void)loop;
	on_clock.handler = handler;
	on_clock.context = context;
	return errors.loop;
}

struct reason_names *kernel_reason_names(const char *btf_path)
{
	(void)btf_path;
	note('r');
	return or_null(errors.reasons ? NULL : reason_names_new(NULL), errors.reasons);
}

static struct options options;
static struct measurement measurement;

static int begin(void **state)
{
	(void)state;
	called();
	memset(&errors, 0, sizeof(errors));
	memset(&lacking, 0, sizeof(lacking));
	memset(&loaded, 0, sizeof(loaded));
	on_clock.handler = on_cgroup.handler = NULL;
	cgroup_fd = -1;
	memset(&replaced, 0, sizeof(replaced));
	options = (struct options){ 0 };
	return 0;
}

static int end(void **state)
{
	(void)state;
	measurement_end(&measurement);
	measurement = measurement_of(&options);
	return 0;
}

/* Finds what the options name, and starts, unless the former fails. */
static int start(void)
{
	int err;

	measurement = measurement_of(&options);
	err = measurement_find(&measurement);
	return err ? err : measurement_start(&measurement);
}

/* With all that may be asked for. Cgroups are looked for by those who stand in alone. */
static int start_all(void)
{
	int err;

	options.plan.overhead = options.plan.hooks[HOOK_drop] = true;
	options.plan.group_by = 1U << KEY_REASON;
	measurement = measurement_of(&options);
	err = measurement_find(&measurement);
	options.filters.lists[FILTER_CGROUP] = "/";
	return err ? err : measurement_start(&measurement);
}

static void assert_ends_with(int err, const char *says, const char *calls_until_then)
{
	const char *said;
	int result;

	said_begin();
	result = start_all();
	said = said_end();
	assert_non_null(strstr(said, says));
	assert_int_equal(result, err);
	assert_string_equal(called(), calls_until_then);
	end(NULL);
	begin(NULL);
}

static void test_stamps_come_first(void **state)
{
	(void)state;
	assert_int_equal(start(), 0);
	assert_string_equal(called(), "tlm");
	assert_int_equal(measurement.setup.clock, CLOCK_MONOTONIC);
	assert_null(measurement.setup.reasons);
	assert_null(measurement.setup.settings);
	end(NULL);
	assert_string_equal(called(), "ML");
	/* One that never started. */
	end(NULL);
	assert_string_equal(called(), "");
}

static void test_more_is_asked_for(void **state)
{
	(void)state;
	options.reports.printer = &printer_json;
	options.top = 3;
	options.full = true;
	assert_int_equal(start_all(), 0);
	assert_string_equal(called(), "rtslmg");
	assert_non_null(measurement.setup.reasons);
	assert_ptr_equal(measurement.setup.settings, &measurement.settings);
	assert_int_equal(measurement.setup.top, 3);
	assert_true(measurement.setup.full);
	assert_int_not_equal(*measurement.setup.host.sysname, '\0');
}

static void test_failures_end_it(void **state)
{
	(void)state;
	errors.stamps = -EMFILE;
	assert_ends_with(-EMFILE, "cannot turn on receive time stamps: Too many open files", "rt");
	errors.statistics = -EPERM;
	assert_ends_with(-EPERM, "", "rts");
	errors.load = -ENOTSUP;
	assert_ends_with(-ENOTSUP, "", "rtsl");
	errors.meter = -ENOMEM;
	assert_ends_with(-ENOMEM, "cannot prepare the reports: Cannot allocate memory", "rtslm");
	errors.cgroups = -EMFILE;
	assert_ends_with(-EMFILE, "cannot prepare the reports: Too many open files", "rtslmg");
}

static void test_reasons_that_cannot_be_read_end_it(void **state)
{
	(void)state;
	errors.reasons = -EACCES;
	said_begin();
	assert_int_equal(start_all(), -EACCES);
	assert_non_null(strstr(said_end(), "cannot read the kernel's reasons to drop packets"));
	assert_string_equal(called(), "r");
}

/* A function that has a fallback is missed, as is a helper of a hook that is there without. */
static void test_what_this_kernel_lacks_is_said(void **state)
{
	(void)state;
	lacking.why[PROBE_ip6_xmit] = "seven arguments";
	lacking.why[PROBE_qdisc_drop] = "too old";
	lacking.why[PROBE_tcp_cleanup_rbuf] = NOT_NEEDED;
	lacking.why[PROBE_icmp_rcv] = "inlined";
	said_begin();
	assert_int_equal(start(), 0);
	assert_string_equal(said_end(),
			    "netstacklat: icmp-start is left out at icmp_rcv(): inlined\n"
			    "netstacklat: tx-ip goes without ip6_xmit(): seven arguments\n"
			    "netstacklat: drop goes without qdisc_drop(): too old\n");
	end(NULL);
	lacking.why[PROBE_inet6_csk_xmit] = "not there";
	lacking.why[PROBE_kfree_skb] = "refused";
	said_begin();
	assert_int_equal(start(), 0);
	assert_string_equal(said_end(),
			    "netstacklat: icmp-start is left out at icmp_rcv(): inlined\n"
			    "netstacklat: tx-ip is left out at ip6_xmit(): seven arguments\n"
			    "netstacklat: tx-ip is left out at inet6_csk_xmit(): not there\n"
			    "netstacklat: drop is left out at kfree_skb(): refused\n"
			    "netstacklat: drop is left out at qdisc_drop(): too old\n");
}

static void test_drops_are_there_if_they_are_counted(void **state)
{
	(void)state;
	assert_int_equal(start(), 0);
	assert_true(measurement.setup.drops);
	assert_true(measurement.setup.programs[PROGRAM_OF(PROBE_ip_rcv_core)]);
	end(NULL);
	loaded.programs[PROGRAM_OF(PROBE_kfree_skb)] = -1;
	assert_int_equal(start(), 0);
	assert_false(measurement.setup.drops);
	assert_false(measurement.setup.programs[PROGRAM_OF(PROBE_kfree_skb)]);
	end(NULL);
	loaded.programs[PROGRAM_OF(PROBE_kfree_skb)] = 0;
	loaded.stages.drops = -1;
	assert_int_equal(start(), 0);
	assert_false(measurement.setup.drops);
}

/* Programs are told before anybody looks. */
static void test_programs_follow_the_clocks(void **state)
{
	(void)state;
	assert_int_equal(start(), 0);
	assert_int_equal(measurement_watch(&measurement, NULL), 0);
	assert_null(on_cgroup.handler);
	called();
	assert_int_equal(on_clock.handler(on_clock.context), 0);
	assert_string_equal(called(), "ck");
	assert_true(was_set);
	assert_int_equal(measurement_look(&measurement), 0);
	assert_string_equal(called(), "ck");
	assert_false(was_set);
	errors.clocks = -EIO;
	said_begin();
	assert_int_equal(measurement_look(&measurement), -EIO);
	assert_non_null(strstr(said_end(), "cannot read the clocks"));
	assert_string_equal(called(), "c");
	errors.loop = -ENOMEM;
	assert_int_equal(measurement_watch(&measurement, NULL), -ENOMEM);
}

static void test_cgroups_that_come_back_are_let_pass(void **state)
{
	(void)state;
	cgroup_fd = 7;
	assert_int_equal(start_all(), 0);
	assert_int_equal(measurement_watch(&measurement, NULL), 0);
	assert_string_equal(called(), "rtslmgw");
	assert_int_equal(replaced.gone, 4);
	assert_int_equal(replaced.come, 5);
	assert_int_equal(on_cgroup.handler(on_cgroup.context), 0);
	assert_int_equal(measurement_look(&measurement), 0);
	assert_string_equal(called(), "wckw");
	errors.look = -ENOENT;
	said_begin();
	assert_int_equal(on_cgroup.handler(on_cgroup.context), -ENOENT);
	assert_non_null(strstr(said_end(), "cannot filter by a cgroup that came back"));
	on_cgroup.handler = NULL;
	said_begin();
	assert_int_equal(measurement_watch(&measurement, NULL), -ENOENT);
	said_end();
	assert_null(on_cgroup.handler);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_stamps_come_first),
		TEST(test_more_is_asked_for),
		TEST(test_failures_end_it),
		TEST(test_reasons_that_cannot_be_read_end_it),
		TEST(test_what_this_kernel_lacks_is_said),
		TEST(test_drops_are_there_if_they_are_counted),
		TEST(test_programs_follow_the_clocks),
		TEST(test_cgroups_that_come_back_are_let_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
