// SPDX-License-Identifier: GPL-2.0
/* Comparisons: files, Student's t, how often sides alarm that do not differ, and which differences
 * are found. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/compare/limit.h"
#include "lib/compare/print.h"
#include "lib/compare/student.h"
#include "lib/tables/units.h"

/* As in tables of the distribution; the last two by integrating it in steps, in Python. */
static void test_t_is_that_of_tables(void **state)
{
	static const struct {
		double p, t;
		unsigned int degrees;
	} known[] = {
		{ 0.025, 12.706205, 1 },  { 0.025, 2.776445, 4 },	{ 0.005, 4.604095, 4 },
		{ 0.05, 1.734064, 18 },	  { 0.025, 1.959964, 1000000 }, { 0.0005, 8.610302, 4 },
		{ 0.0001, 13.033672, 4 }, { 0.00001, 5.72233, 18 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		double t = student_upper(known[i].p, known[i].degrees);

		if (fabs(t - known[i].t) > 2e-4 * known[i].t)
			fail_msg("t of %g with %u is %g, not %g", known[i].p, known[i].degrees, t,
				 known[i].t);
	}
}

/* Random numbers that are the same each time (xorshift64*). */
static uint64_t seed;

static double uniform(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return ((seed * 2685821657736338717ULL >> 11) + 0.5) / (1ULL << 53);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

#define RESOLUTION 3
#define NR_ROWS 4

/* What is simulated of a run: latencies about 20 us, and how runs and seconds differ. */
struct simulated {
	double factor;	   /* of the side after, in row 0 */
	double of_runs;	   /* the deviation of runs, for reasons of their own: 0.05 is 5 % */
	double of_seconds; /* that of seconds, each of which is like the one before by four fifths
			    */
	unsigned int packets, seconds;
};

static void simulate_unit(struct unit *unit, const struct simulated *run, double shift,
			  double *second)
{
	for (unsigned int s = 0; s < run->seconds; s++) {
		*second = 0.8 * *second + 0.6 * normal() * run->of_seconds;
		for (unsigned int i = 0; i < run->packets; i++) {
			double ns = exp(log(20000) + shift + *second + 0.5 * normal());
			struct bucket *bucket =
				&unit->buckets[bucket_index((uint64_t)ns, RESOLUTION)];

			bucket->count++;
			bucket->sum_ns += (uint64_t)ns;
		}
	}
	unit->seconds += run->seconds;
}

/* A run's part of a row, as reading it would make it; rows of a run share how it differs from
 * others. */
static void simulate(struct sides *sides, const struct simulated *run, unsigned int nr_runs)
{
	static const char *const names[NR_ROWS] = { "a", "b", "c", "d" };
	bool by_parts = nr_runs == 1;
	unsigned int nr_units = by_parts ? NR_RUN_PARTS : nr_runs;

	*sides = (struct sides){
		.by_parts = by_parts,
		.nr_runs = { nr_runs, nr_runs },
		.nr_units = { nr_units, nr_units },
		.resolution = RESOLUTION,
		.nr_buckets = NR_BUCKETS(RESOLUTION),
		.nr_rows = NR_ROWS,
		.rows = calloc(NR_ROWS, sizeof(*sides->rows)),
	};
	for (unsigned int row = 0; row < NR_ROWS; row++) {
		sides->rows[row].name = strdup(names[row]);
		for (enum side side = 0; side < NR_SIDES; side++) {
			double of_run = 0, second = 0;
			struct unit *units = calloc(nr_units, sizeof(*units));
			struct bucket *buckets =
				calloc((size_t)nr_units * sides->nr_buckets, sizeof(*buckets));

			sides->rows[row].units[side] = units;
			for (unsigned int i = 0; i < nr_units; i++) {
				units[i].buckets = buckets + (size_t)i * sides->nr_buckets;
				if (!by_parts)
					of_run = run->of_runs * normal();
				simulate_unit(&units[i], run,
					      of_run + (side && !row ? log(run->factor) : 0),
					      &second);
			}
		}
	}
}

/* In how many of so many comparisons any figure alarms, and in how many p99 of the first row does.
 */
struct outcome {
	unsigned int alarms, found;
};

static struct outcome try(const struct simulated *run, unsigned int nr_runs, unsigned int times)
{
	struct outcome outcome = { 0 };

	seed = 88172645463325252ULL;
	for (unsigned int i = 0; i < times; i++) {
		struct comparison comparison;
		struct sides sides;

		simulate(&sides, run, nr_runs);
		assert_int_equal(comparison_make(&comparison, &sides), 0);
		outcome.alarms += comparison.nr_that_differ > 0;
		outcome.found += difference_is_shown(comparison_find(&comparison, "a", FIGURE_P99));
		comparison_free(&comparison);
		sides_free(&sides);
	}
	return outcome;
}

/* So two comparisons of the same files read the same. */
static void test_differences_of_one_size_are_in_the_order_of_names(void **state)
{
	const struct simulated run = { 1, 0, 0.1, 20, 60 };
	struct comparison comparison;
	struct sides sides;

	(void)state;
	seed = 88172645463325252ULL;
	simulate(&sides, &run, 1);
	for (unsigned int row = 1; row < NR_ROWS; row++)
		for (enum side side = 0; side < NR_SIDES; side++)
			for (unsigned int i = 0; i < NR_RUN_PARTS; i++)
				memcpy(sides.rows[row].units[side][i].buckets,
				       sides.rows[0].units[side][i].buckets,
				       sides.nr_buckets * sizeof(struct bucket));
	sides.rows[0].name[0] = 'z';
	assert_int_equal(comparison_make(&comparison, &sides), 0);
	assert_int_equal(comparison.nr, NR_ROWS * NR_FIGURES);
	for (size_t i = 0; i < comparison.nr; i++)
		assert_int_equal(*comparison.differences[i].row->name, "bcdz"[i % NR_ROWS]);
	comparison_free(&comparison);
	sides_free(&sides);
}

/* 5 % of 100 is 5; by chance, it is 9 at most, but for one in forty. */
static void test_sides_that_do_not_differ_rarely_alarm(void **state)
{
	const struct simulated calm = { 1, 0, 0, 20, 60 }, varied = { 1, 0.05, 0.1, 20, 60 };

	(void)state;
	assert_true(try(&calm, 3, 100).alarms <= 9);
	assert_true(try(&varied, 3, 100).alarms <= 9);
}

/* Where seconds are much like those before, a minute of them tells a bit less than it seems. */
static void test_two_runs_that_do_not_differ_rarely_alarm(void **state)
{
	const struct simulated calm = { 1, 0, 0, 100, 6 }, varied = { 1, 0, 0.05, 100, 6 };

	(void)state;
	assert_true(try(&calm, 1, 100).alarms <= 9);
	assert_true(try(&varied, 1, 100).alarms <= 13);
}

/* 60 seconds with 500 packets each, three runs a side. */
static void test_a_fifth_more_is_found(void **state)
{
	const struct simulated slower = { 1.2, 0, 0, 500, 60 }, varied = { 1.2, 0.02, 0, 500, 60 };

	(void)state;
	assert_true(try(&slower, 3, 10).found >= 9);
	assert_true(try(&varied, 3, 10).found >= 9);
}

#define INTERVAL                                                                               \
	"{\"kind\":\"interval\",\"interval_s\":0.5,\"kernel\":\"6.12\",\"resolution\":0,"      \
	"\"histograms\":[{\"hook\":\"tcp-start\",\"group\":{\"port\":80},\"sum_ns\":1500000,"  \
	"\"buckets\":[{\"le_ns\":1024,\"count\":990},{\"le_ns\":null,\"count\":10}]}],"        \
	"\"stages\":[{\"from\":\"ip-rcv\",\"to\":\"tcp-start\",\"ip_version\":6,\"group\":{}," \
	"\"sum_ns\":700000,\"buckets\":[{\"le_ns\":1024,\"count\":1000}]}]}\n"
#define OTHERS "{\"kind\":\"packet\"}\n" INTERVAL "{\"kind\":\"total\",\"histograms\":[0]}\n"

static void test_runs_are_read_interval_by_interval(void **state)
{
	char path[] = "/tmp/netstacklat-test-XXXXXX";
	const char *const files[] = { path, path };
	const char *const *const paths[NR_SIDES] = { files, files };
	int fd = mkstemp(path);
	struct sides sides;

	(void)state;
	assert_true(fd >= 0);
	/* One interval is enough for a run. */
	assert_int_equal(write(fd, INTERVAL, strlen(INTERVAL)), strlen(INTERVAL));
	assert_int_equal(sides_read(&sides, paths, (const unsigned int[]){ 2, 2 }), 0);
	assert_int_equal(sides.runs[SIDE_AFTER][1].nr_intervals, 1);
	sides_free(&sides);
	assert_int_equal(write(fd, OTHERS, strlen(OTHERS)), strlen(OTHERS));
	close(fd);
	assert_int_equal(sides_read(&sides, paths, (const unsigned int[]){ 2, 2 }), 0);
	unlink(path);
	assert_false(sides.by_parts);
	assert_int_equal(sides.runs[SIDE_AFTER][1].nr_intervals, 2);
	assert_int_equal(sides.nr_rows, 2);
	assert_string_equal(sides.rows[0].name, "tcp-start, port 80");
	assert_string_equal(sides.rows[1].name, "ip-rcv to tcp-start, IPv6");
	for (enum side side = 0; side < NR_SIDES; side++)
		for (unsigned int run = 0; run < 2; run++) {
			const struct unit *unit = &sides.rows[0].units[side][run];

			assert_float_equal(unit->seconds, 1, 1e-9);
			assert_int_equal(unit->buckets[10].count, 1980);
			assert_int_equal(unit->buckets[sides.nr_buckets - 1].count, 20);
			assert_int_equal(buckets_sum_ns(unit->buckets, sides.nr_buckets), 3000000);
		}
	sides_free(&sides);
}

static void assert_limit(const char *text, const char *row, enum figure figure, double factor)
{
	struct limit limit;

	assert_int_equal(limit_parse(text, &limit), 0);
	assert_string_equal(limit.row, row);
	assert_int_equal(limit.figure, figure);
	assert_float_equal(limit.factor, factor, 1e-9);
	free(limit.row);
}

static void test_limits_have_a_row_a_figure_and_a_sign(void **state)
{
	static const char *const none[] = {
		"",
		"p99 +20%",
		"tcp-start +20%",
		"tcp-start p98 +20%",
		"a p99 20%",
		"a p99 +20",
		"a p99 +20%x",
		"a p99 +%",
		"a p99 +0%",
		"a p99 -100%",
		"a p99 +nan%",
		"a p99 +1e9%",
		"a  p99 + 2%",
		"a p99 +inf%",
		"a p99 +99900%",
	};
	struct limit limit;

	(void)state;
	assert_limit("tcp-start p99 +20%", "tcp-start", FIGURE_P99, 1.2);
	assert_limit("ip-rcv to tcp-start, IPv4 mean -2.5%", "ip-rcv to tcp-start, IPv4",
		     FIGURE_MEAN, 0.975);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_int_equal(limit_parse(none[i], &limit), -EINVAL);
}

static void assert_checked(double factor, double least, double most, enum limit_result expected)
{
	const struct limit limit = { .factor = factor };
	const struct difference difference = { .least = least, .most = most };

	assert_int_equal(limit_check(&limit, &difference), expected);
}

static void test_a_limit_is_broken_by_all_of_an_interval(void **state)
{
	(void)state;
	assert_checked(1.2, 1.21, 1.4, LIMIT_BROKEN);
	assert_checked(1.2, 1.1, 1.4, LIMIT_UNDECIDED);
	assert_checked(1.2, 0.9, 1.19, LIMIT_KEPT);
	assert_checked(0.8, 0.5, 0.79, LIMIT_BROKEN);
	assert_checked(0.8, 0.7, 0.9, LIMIT_UNDECIDED);
	assert_checked(0.8, 0.81, 1.4, LIMIT_KEPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_t_is_that_of_tables),
		cmocka_unit_test(test_sides_that_do_not_differ_rarely_alarm),
		cmocka_unit_test(test_two_runs_that_do_not_differ_rarely_alarm),
		cmocka_unit_test(test_a_fifth_more_is_found),
		cmocka_unit_test(test_runs_are_read_interval_by_interval),
		cmocka_unit_test(test_differences_of_one_size_are_in_the_order_of_names),
		cmocka_unit_test(test_limits_have_a_row_a_figure_and_a_sign),
		cmocka_unit_test(test_a_limit_is_broken_by_all_of_an_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
