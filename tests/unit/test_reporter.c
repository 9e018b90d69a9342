// SPDX-License-Identifier: GPL-2.0
/* Reports of what is counted in maps: real ones, in which no program but this test counts. */
#include "unit.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/serve/helpers.h"
#include "lib/serve/reporter.h"
#include "lib/tables/units.h"
#include "lib/print/printer.h"
#include "real_maps.h"
#include "said.h"

/* 1 s is in bucket 30, (537 ms, 1.07 s]. */
#define EARLY 10
#define LATE 30

static const struct report_setup setup = {
	.clock = CLOCK_MONOTONIC,
	.plan.hooks[HOOK_udp_start] = true,
};

/* The reports, instead of printing them, each with what it says of the hook and its first group. */
static struct {
	struct report report;
	struct hook_counts hook;
	struct group group;
} seen[4];
static int nr_seen;

static void see(FILE *out, const struct report *report)
{
	(void)out;
	assert_true(nr_seen < 4);
	seen[nr_seen].report = *report;
	if (report->nr_groups)
		seen[nr_seen].group = *report->groups[0].group;
	seen[nr_seen++].hook = report->hooks[HOOK_udp_start];
}

static const struct printer seer = { .name = "seer", .report = see };

static uint64_t count_in(int report, unsigned int bucket)
{
	return seen[report].hook.latency.buckets[bucket].count;
}

static int make_all(void **state)
{
	nr_seen = 0;
	return make_maps(state);
}

static void set_discarded(enum probe probe, enum discard cause, uint64_t count)
{
	const __u32 key = probe * NR_DISCARDS + cause;
	uint64_t values[MAX_CPUS] = { count };

	assert_int_equal(bpf_map_update_elem(maps.discards, &key, values, 0), 0);
}

/* Users who are not root may make none. */
static void skip_without_maps(void)
{
	if (maps.discards == -EPERM)
		skip();
}

static struct meter *meter;

/* With a meter of its own. */
static struct reporter *new_reporter(const struct reporter_config *config)
{
	struct reporter *reporter;

	meter = meter_new(&setup, &maps);
	assert_non_null(meter);
	reporter = reporter_new(config, meter);
	assert_non_null(reporter);
	return reporter;
}

static void free_both(struct reporter *reporter)
{
	reporter_free(reporter);
	meter_free(meter);
}

/* A reporter whose first report is due in an hour. */
static struct reporter *make_reporter(bool cumulative)
{
	const struct reporter_config config = { .printer = &seer,
						.order = &group_orders[0],
						.cumulative = cumulative,
						.interval_ns = 3600 * NS_PER_S };

	skip_without_maps();
	return new_reporter(&config);
}

static void assert_report(int i, enum report_kind kind, uint64_t count)
{
	const struct report *report = &seen[i].report;

	assert_ptr_equal(report->setup, &setup);
	assert_int_equal(report->kind, kind);
	assert_int_equal(report->number, i);
	assert_int_equal(count_in(i, EARLY), count);
	assert_int_equal(histogram_count(&seen[i].hook.latency), count);
	assert_int_equal(histogram_sum_ns(&seen[i].hook.latency), 1000 * count);
	assert_int_equal(report->nr_groups, 0);
	assert_non_null(report->names);
}

static void test_intervals_and_the_total(void **state)
{
	struct reporter *reporter = make_reporter(false);

	(void)state;
	set_count(EARLY, 3);
	assert_int_equal(reporter_interval(reporter), 0);
	set_count(EARLY, 10);
	set_discarded(PROBE_udpv6_rcv, DISCARD_NO_STAMP, 5);
	assert_int_equal(reporter_end(reporter), 0);
	assert_int_equal(nr_seen, 3);
	assert_report(0, REPORT_INTERVAL, 3);
	assert_report(1, REPORT_INTERVAL, 7);
	assert_report(2, REPORT_TOTAL, 10);
	assert_int_equal(seen[0].hook.discarded[DISCARD_NO_STAMP], 0);
	assert_int_equal(seen[1].hook.discarded[DISCARD_NO_STAMP], 5);
	assert_int_equal(seen[2].report.duration_ns,
			 seen[0].report.duration_ns + seen[1].report.duration_ns);
	free_both(reporter);
}

static void test_what_was_counted_before_is_in_no_report(void **state)
{
	struct reporter *reporter;

	(void)state;
	skip_without_maps();
	set_count(EARLY, 100);
	reporter = make_reporter(true);
	set_count(EARLY, 103);
	assert_int_equal(reporter_end(reporter), 0);
	assert_report(0, REPORT_TOTAL, 3);
	free_both(reporter);
}

static void test_cumulative_reports(void **state)
{
	struct reporter *reporter = make_reporter(true);

	(void)state;
	set_count(EARLY, 3);
	assert_int_equal(reporter_interval(reporter), 0);
	set_count(EARLY, 10);
	assert_int_equal(reporter_interval(reporter), 0);
	assert_int_equal(reporter_end(reporter), 0);
	assert_int_equal(nr_seen, 3);
	assert_report(0, REPORT_CUMULATIVE, 3);
	assert_report(1, REPORT_CUMULATIVE, 10);
	assert_report(2, REPORT_TOTAL, 10);
	assert_true(seen[1].report.duration_ns > seen[0].report.duration_ns);
	free_both(reporter);
}

static int make_file(size_t size)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, size), 0);
	return fd;
}

static void test_groups_and_their_sum(void **state)
{
	const struct group_row rows[2] = {
		{ .key = { .port = 53, .probe = PROBE_udp_rcv }, .in_use = 1 },
		{ .key = { .port = 443, .probe = PROBE_udpv6_rcv }, .in_use = 1 },
	};
	const struct bucket buckets[2][NR_BUCKETS(0)] = {
		{ [EARLY] = { 3, 3000 } },
		{ [EARLY] = { 4, 4000 } },
	};
	struct reporter *reporter;

	(void)state;
	close(maps.latency[HOOK_udp_start]);
	maps.latency[HOOK_udp_start] = -1;
	maps.groups = (struct group_maps){
		.rows = make_file(sizeof(rows)),
		.latency = make_file(sizeof(buckets)),
		.nr_rows = 2,
		.keys = 1U << KEY_PORT,
	};
	reporter = make_reporter(false);
	assert_int_equal(pwrite(maps.groups.rows, rows, sizeof(rows), 0), sizeof(rows));
	assert_int_equal(pwrite(maps.groups.latency, buckets, sizeof(buckets), 0), sizeof(buckets));
	assert_int_equal(reporter_interval(reporter), 0);
	assert_int_equal(seen[0].report.nr_groups, 2);
	assert_int_equal(seen[0].group.key.port, 443);
	assert_int_equal(count_in(0, EARLY), 7);
	free_both(reporter);
	close(maps.groups.rows);
	close(maps.groups.latency);
}

static uint64_t wall_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void test_a_report_tells_the_time(void **state)
{
	uint64_t before_ns = wall_clock_ns();
	struct reporter *reporter = make_reporter(false);
	int64_t offset_ns;

	(void)state;
	assert_int_equal(reporter_interval(reporter), 0);
	assert_true(seen[0].report.time_ns >= before_ns &&
		    seen[0].report.time_ns <= wall_clock_ns());
	assert_true(seen[0].report.duration_ns >= 1 &&
		    seen[0].report.duration_ns <= wall_clock_ns() - before_ns);
	/* Clocks may run at speeds of their own meanwhile. */
	assert_int_equal(clock_offset_ns(CLOCK_MONOTONIC, &offset_ns), 0);
	assert_true(llabs(seen[0].report.clock_offset_ns - offset_ns) < NS_PER_S);
	assert_int_equal(seen[0].report.clock_change.time, 0);
	free_both(reporter);
}

/* The kernel tells of a step that nobody can see: it may explain what is later than a second. */
static void test_a_report_tells_of_a_clock_that_was_set(void **state)
{
	struct reporter *reporter = make_reporter(false);

	(void)state;
	set_count(EARLY, 3);
	set_count(LATE, 5);
	assert_int_equal(meter_look_at_clocks(meter, false), 0);
	assert_int_equal(meter_look_at_clocks(meter, true), 0);
	assert_int_equal(reporter_interval(reporter), 0);
	assert_int_equal(reporter_interval(reporter), 0);
	assert_report(0, REPORT_INTERVAL, 3);
	assert_int_equal(seen[0].hook.discarded[DISCARD_CLOCK_CHANGE], 5);
	assert_true(seen[0].report.clock_change.time + 60 > time(NULL));
	assert_int_equal(seen[1].report.clock_change.time, 0);
	assert_int_equal(seen[1].report.nr_clock_changes, 1);
	free_both(reporter);
}

static void test_a_report_tells_of_the_terminal(void **state)
{
	struct reporter *reporter = make_reporter(false);

	(void)state;
	setenv("COLUMNS", "100", 1);
	assert_int_equal(reporter_interval(reporter), 0);
	assert_int_equal(reporter_interval(reporter), 0);
	setenv("COLUMNS", "101", 1);
	assert_int_equal(reporter_interval(reporter), 0);
	unsetenv("COLUMNS");
	assert_true(seen[0].report.resized);
	assert_false(seen[1].report.resized);
	assert_true(seen[2].report.resized);
	assert_int_equal(seen[2].report.terminal.columns, 101);
	free_both(reporter);
}

/* What is said at a report, 20 ms and more after the start. */
static const char *said_at_a_report(uint64_t interval_ns, bool cumulative)
{
	const struct reporter_config config = { .printer = &seer,
						.order = &group_orders[0],
						.cumulative = cumulative,
						.interval_ns = interval_ns };
	struct reporter *reporter = new_reporter(&config);

	nanosleep(&(struct timespec){ .tv_nsec = 20 * NS_PER_MS }, NULL);
	nr_seen = 0;
	said_begin();
	assert_int_equal(reporter_interval(reporter), 0);
	free_both(reporter);
	return said_end();
}

static void test_missed_intervals_are_told(void **state)
{
	char expected[160];
	const char *said;

	(void)state;
	skip_without_maps();
	said = said_at_a_report(1, false);
	snprintf(expected, sizeof(expected), "the next report covers %" PRIu64 " intervals\n",
		 seen[0].report.duration_ns);
	assert_non_null(strstr(said, expected));
	assert_int_equal(seen[0].report.nr_missed, seen[0].report.duration_ns - 1);
	/* Of what was counted since the start, nothing is late. */
	assert_string_equal(said_at_a_report(1, true), "");
	/* A timer that is late has missed nothing before it is due again. */
	do
		said = said_at_a_report(15 * NS_PER_MS, false);
	while (seen[0].report.duration_ns >= 30 * NS_PER_MS);
	assert_string_equal(said, "");
}

#define CANNOT_READ "netstacklat: cannot read the histograms: Bad file descriptor\n"

/* Not even reads the maps, which is for others to do. */
static void test_without_output_nothing_is_reported(void **state)
{
	const struct reporter_config config = { .printer = &printer_none, .interval_ns = 1 };
	struct reporter *reporter;
	const char *said;

	(void)state;
	skip_without_maps();
	reporter = new_reporter(&config);
	close(maps.discards);
	maps.discards = -1;
	said_begin();
	assert_int_equal(reporter_interval(reporter), 0);
	assert_int_equal(reporter_end(reporter), 0);
	said = said_end();
	assert_string_equal(said, "");
	free_both(reporter);
}

static void test_maps_that_cannot_be_read_are_told(void **state)
{
	struct reporter *reporter = make_reporter(false);

	(void)state;
	said_begin();
	close(maps.discards);
	maps.discards = -1;
	assert_int_equal(reporter_interval(reporter), -EBADF);
	assert_int_equal(reporter_end(reporter), -EBADF);
	assert_string_equal(said_end(), CANNOT_READ CANNOT_READ);
	assert_int_equal(nr_seen, 0);
	free_both(reporter);
	errno = 0;
	assert_null(meter_new(&setup, &maps));
	assert_int_equal(errno, EBADF);
}

/* By another process, in a folder that takes no files. */
static void test_a_report_that_cannot_be_written_is_an_error(void **state)
{
	struct reporter *reporter;

	(void)state;
	reporter = make_reporter(false);
	said_begin();
	assert_int_equal(helpers_start(1U << HELPER_WRITER,
				       &(struct helpers_config){ .output = "/proc/report" }),
			 0);
	reporter_write_at(reporter, helpers_socket(HELPER_WRITER));
	assert_int_equal(reporter_interval(reporter), -ENOENT);
	assert_int_equal(reporter_end(reporter), -ENOENT);
	helpers_end();
	said_end();
	free_both(reporter);
}

/* A diagnosis adds what waits in sockets; sanitizers tell what is not freed. */
static void test_a_report_is_freed_with_what_was_added(void **state)
{
	struct label_names *names = label_names_new();
	struct report report = { .names = names, .queued = calloc(1, sizeof(*report.queued)) };

	(void)state;
	assert_non_null(names);
	meter_free_report(&report);
	label_names_free(names);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_all, close_maps)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_intervals_and_the_total),
		TEST(test_what_was_counted_before_is_in_no_report),
		TEST(test_cumulative_reports),
		TEST(test_groups_and_their_sum),
		TEST(test_a_report_tells_the_time),
		TEST(test_a_report_tells_of_a_clock_that_was_set),
		TEST(test_a_report_tells_of_the_terminal),
		TEST(test_missed_intervals_are_told),
		TEST(test_without_output_nothing_is_reported),
		TEST(test_maps_that_cannot_be_read_are_told),
		TEST(test_a_report_is_freed_with_what_was_added),
		TEST(test_a_report_that_cannot_be_written_is_an_error),
	};

	if (!may_make_maps()) {
		puts("1..0 # SKIP this user may not make maps");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
