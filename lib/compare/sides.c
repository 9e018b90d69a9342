// SPDX-License-Identifier: GPL-2.0
#include "lib/compare/sides.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_values.h"
#include "lib/base/log.h"
#include "lib/base/printable.h"

/* The unit of a side that a line of a run belongs to. */
struct target {
	struct sides *sides;
	enum side side;
	unsigned int unit;
	double seconds;
};

static struct json_object *find_member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, name, &value);
	return value;
}

static uint64_t number_of(struct json_object *object, const char *name)
{
	struct json_object *value = find_member(object, name);
	int64_t number = json_object_get_int64(value);

	return json_object_is_type(value, json_type_int) && number > 0 ? (uint64_t)number : 0;
}

/* ", port 80, comm nginx", for people. */
static void print_group(FILE *out, struct json_object *group)
{
	if (!json_object_is_type(group, json_type_object))
		return;
	json_object_object_foreach(group, name, value)
		fprintf(out, ", %s %s", name, json_object_get_string(value));
}

/* The name of a histogram's row, to be freed; NULL without memory, or if it is none. */
static char *name_of_row(struct json_object *histogram)
{
	const char *hook = json_member_text(histogram, "hook"),
		   *from = json_member_text(histogram, "from"),
		   *to = json_member_text(histogram, "to");
	char *text = NULL, *printable;
	size_t size;
	FILE *out;

	if (!hook && (!from || !to))
		return NULL;
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	if (hook)
		fputs(hook, out);
	else
		fprintf(out, "%s to %s", from, to);
	if (number_of(histogram, "ip_version"))
		fprintf(out, ", IPv%" PRIu64, number_of(histogram, "ip_version"));
	print_group(out, find_member(histogram, "group"));
	printable = fclose(out) ? NULL : printable_dup(text);
	free(text);
	return printable;
}

static struct unit *units_new(unsigned int nr, unsigned int nr_buckets)
{
	struct unit *units = calloc(nr, sizeof(*units));
	struct bucket *buckets = calloc((size_t)nr * nr_buckets, sizeof(*buckets));

	if (!units || !buckets) {
		free(units);
		free(buckets);
		return NULL;
	}
	for (unsigned int i = 0; i < nr; i++)
		units[i].buckets = buckets + (size_t)i * nr_buckets;
	return units;
}

static void units_free(struct unit *units)
{
	if (units)
		free(units->buckets);
	free(units);
}

/* Takes over the name. NULL without memory. */
static struct row *add_row(struct sides *sides, char *name)
{
	struct row *row = reallocarray(sides->rows, sides->nr_rows + 1, sizeof(*row));

	if (!row) {
		free(name);
		return NULL;
	}
	sides->rows = row;
	row += sides->nr_rows++;
	*row = (struct row){ .name = name };
	for (enum side side = 0; side < NR_SIDES; side++) {
		row->units[side] = units_new(sides->nr_units[side], sides->nr_buckets);
		if (!row->units[side])
			return NULL;
	}
	return row;
}

/* Rows come in the same order in most lines, so the search begins behind the last that was found.
 */
static struct row *find_row(struct sides *sides, char *name, size_t *last)
{
	for (size_t i = 0; i < sides->nr_rows; i++) {
		struct row *row = &sides->rows[(*last + 1 + i) % sides->nr_rows];

		if (!strcmp(row->name, name)) {
			*last = row - sides->rows;
			free(name);
			return row;
		}
	}
	*last = sides->nr_rows;
	return add_row(sides, name);
}

/*
 * The bucket that has this bound; without a bound, the one for all above. A negative number is no
 * bound.
 */
static int bucket_of(const struct sides *sides, struct json_object *bucket)
{
	uint64_t le_ns = number_of(bucket, "le_ns");
	unsigned int index = sides->nr_buckets - 1;

	if (json_object_is_type(find_member(bucket, "le_ns"), json_type_null))
		return (int)index;
	index = bucket_index(le_ns, sides->resolution);
	return le_ns && index + 1 < sides->nr_buckets &&
			       bucket_le_ns(index, sides->resolution) == le_ns
		       ? (int)index
		       : -1;
}

static int add_buckets(const struct target *target, struct unit *unit,
		       struct json_object *histogram)
{
	struct json_object *buckets = find_member(histogram, "buckets");
	size_t nr = json_object_is_type(buckets, json_type_array)
			    ? json_object_array_length(buckets)
			    : 0;
	int last = 0;

	for (size_t i = 0; i < nr; i++) {
		struct json_object *bucket = json_object_array_get_idx(buckets, i);
		int index = bucket_of(target->sides, bucket);

		if (index < 0)
			return -EINVAL;
		unit->buckets[index].count += number_of(bucket, "count");
		last = index;
	}
	/*
	 * Only the sum of all samples is known, and not each bucket's: any bucket with packets may
	 * hold it.
	 */
	unit->buckets[last].sum_ns += number_of(histogram, "sum_ns");
	unit->seconds += target->seconds;
	return 0;
}

static int add_histograms(const struct target *target, struct json_object *histograms,
			  bool are_stages)
{
	size_t nr = json_object_is_type(histograms, json_type_array)
			    ? json_object_array_length(histograms)
			    : 0;
	size_t last = target->sides->nr_rows;

	for (size_t i = 0; i < nr; i++) {
		struct json_object *histogram = json_object_array_get_idx(histograms, i);
		char *name = name_of_row(histogram);
		struct row *row;
		int err;

		if (!name)
			return -EINVAL;
		row = find_row(target->sides, name, &last);
		if (!row)
			return -ENOMEM;
		row->is_stage = are_stages;
		err = add_buckets(target, &row->units[target->side][target->unit], histogram);
		if (err)
			return err;
	}
	return 0;
}

static int read_report(const struct target *target, struct json_object *report)
{
	int err = add_histograms(target, find_member(report, "histograms"), false);

	return err ? err : add_histograms(target, find_member(report, "stages"), true);
}

/*
 * Reads the next line of an interval, to be released with json_object_put(). Returns NULL at the
 * end, or with *err set if a line is none.
 */
static struct json_object *next_interval(FILE *file, char **line, size_t *size, int *err)
{
	while (getline(line, size, file) > 0) {
		struct json_object *report = json_tokener_parse(*line);
		const char *kind = json_member_text(report, "kind");

		if (kind && !strcmp(kind, "interval"))
			return report;
		/* The total has all of it once more, and a packet is in its interval. */
		json_object_put(report);
		if (!kind) {
			*err = -EINVAL;
			return NULL;
		}
	}
	*err = ferror(file) ? -EIO : 0;
	return NULL;
}

/* The first report of a run has the settings. */
static void keep_settings(struct compared_run *run, struct json_object *settings)
{
	if (!run->host && json_object_is_type(settings, json_type_object))
		run->host = json_object_get(settings);
}

/* Notes what all intervals of a run have in common, and counts these. */
static int look_at_run(struct sides *sides, enum side side, unsigned int nr, FILE *file)
{
	struct compared_run *run = &sides->runs[side][nr];
	struct json_object *report;
	char *line = NULL;
	size_t size = 0;
	int err;

	*run = (struct compared_run){ .resolution = 0 };
	while ((report = next_interval(file, &line, &size, &err))) {
		const char *kernel = json_member_text(report, "kernel");

		keep_settings(run, find_member(report, "host"));
		run->nr_intervals++;
		run->seconds += json_object_get_double(find_member(report, "interval_s"));
		run->resolution = number_of(report, "resolution");
		snprintf(run->kernel, sizeof(run->kernel), "%s", kernel ? kernel : "");
		json_object_put(report);
	}
	free(line);
	return err;
}

static int read_run(struct sides *sides, enum side side, unsigned int nr, FILE *file)
{
	const struct compared_run *run = &sides->runs[side][nr];
	struct target target = { .sides = sides, .side = side, .unit = nr };
	struct json_object *report;
	unsigned int interval = 0;
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	while ((report = next_interval(file, &line, &size, &err))) {
		target.seconds = json_object_get_double(find_member(report, "interval_s"));
		if (sides->by_parts)
			target.unit = interval++ * NR_RUN_PARTS / run->nr_intervals;
		err = target.unit < sides->nr_units[side] ? read_report(&target, report) : -EINVAL;
		json_object_put(report);
		if (err)
			break;
	}
	free(line);
	return err;
}

static int say(int err, const char *path)
{
	if (err == -EINVAL)
		log_error("cannot read %s: a line of it is no report of netstacklat -j", path);
	else if (err)
		log_failure(err, "cannot read %s", path);
	return err;
}

/*
 * Refuses sides that cannot be compared: there must be intervals, with the same buckets on both
 * sides.
 */
static int check_run(const struct sides *sides, const struct compared_run *run, const char *path)
{
	unsigned int least = sides->by_parts ? NR_RUN_PARTS : 1;
	const struct compared_run *first = &sides->runs[0][0];

	if (run->nr_intervals < least) {
		log_error("%s has %u intervals, and it takes %u or more: see -r, or give more runs",
			  path, run->nr_intervals, least);
		return -EINVAL;
	}
	if (run->resolution > MAX_RESOLUTION || run->resolution != first->resolution) {
		log_error("%s has another resolution than the first run (-k): the same is compared "
			  "only",
			  path);
		return -EINVAL;
	}
	if (strcmp(run->kernel, first->kernel)) {
		log_error("%s is of another kernel than the first run, where hooks are other "
			  "functions: the same is compared only",
			  path);
		return -EINVAL;
	}
	return 0;
}

typedef int run_reader(struct sides *sides, enum side side, unsigned int nr, FILE *file);

static int read_by(run_reader *reader, struct sides *sides, enum side side, unsigned int nr,
		   const char *path)
{
	FILE *file = fopen(path, "re");
	int err = file ? reader(sides, side, nr, file) : -errno;

	if (file)
		fclose(file);
	return say(err, path);
}

static int look_at_file(struct sides *sides, enum side side, unsigned int nr, const char *path)
{
	int err = read_by(look_at_run, sides, side, nr, path);

	return err ? err : check_run(sides, &sides->runs[side][nr], path);
}

static int read_file(struct sides *sides, enum side side, unsigned int nr, const char *path)
{
	return read_by(read_run, sides, side, nr, path);
}

typedef int file_reader(struct sides *sides, enum side side, unsigned int nr, const char *path);

static int for_each_file(struct sides *sides, const char *const *const paths[NR_SIDES],
			 file_reader *reader)
{
	for (enum side side = 0; side < NR_SIDES; side++)
		for (unsigned int nr = 0; nr < sides->nr_runs[side]; nr++) {
			int err = reader(sides, side, nr, paths[side][nr]);

			if (err)
				return err;
		}
	return 0;
}

int sides_read(struct sides *sides, const char *const *const paths[NR_SIDES],
	       const unsigned int nr_paths[NR_SIDES])
{
	int err;

	*sides = (struct sides){ .by_parts = nr_paths[0] == 1 || nr_paths[1] == 1 };
	for (enum side side = 0; side < NR_SIDES; side++)
		sides->nr_runs[side] = nr_paths[side];
	if (sides->by_parts && nr_paths[0] != nr_paths[1]) {
		log_error(
			"one run a side can be compared, or two and more a side: how runs vary is "
			"not known from one");
		return -EINVAL;
	}
	for (enum side side = 0; side < NR_SIDES; side++)
		sides->nr_units[side] = sides->by_parts ? NR_RUN_PARTS : nr_paths[side];
	err = for_each_file(sides, paths, look_at_file);
	if (err)
		return err;
	sides->resolution = sides->runs[0][0].resolution;
	sides->nr_buckets = NR_BUCKETS(sides->resolution);
	return for_each_file(sides, paths, read_file);
}

void sides_free(struct sides *sides)
{
	for (size_t i = 0; i < sides->nr_rows; i++) {
		free(sides->rows[i].name);
		for (enum side side = 0; side < NR_SIDES; side++)
			units_free(sides->rows[i].units[side]);
	}
	free(sides->rows);
	for (enum side side = 0; side < NR_SIDES; side++)
		for (unsigned int nr = 0; nr < sides->nr_runs[side]; nr++)
			json_object_put(sides->runs[side][nr].host);
	*sides = (struct sides){ 0 };
}

double unit_seconds(const struct sides *sides, enum side side, unsigned int unit)
{
	return sides->by_parts ? sides->runs[side][0].seconds / NR_RUN_PARTS
			       : sides->runs[side][unit].seconds;
}

struct compared_run side_total(const struct sides *sides, enum side side)
{
	struct compared_run total = { .seconds = 0 };

	for (unsigned int i = 0; i < sides->nr_runs[side]; i++) {
		total.nr_intervals += sides->runs[side][i].nr_intervals;
		total.seconds += sides->runs[side][i].seconds;
	}
	return total;
}
