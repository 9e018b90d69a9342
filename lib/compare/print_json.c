// SPDX-License-Identifier: GPL-2.0
/* A comparison for programs, as doc/report.schema.json has it. */
#include "lib/compare/print.h"

#include <stdlib.h>
#include <time.h>

#include "lib/base/json_values.h"
#include "lib/base/printable.h"
#include "lib/tables/units.h"

static struct json_object *new_side(const struct sides *sides, enum side side)
{
	const struct compared_run total = side_total(sides, side);
	struct json_object *object = json_new_object();

	json_add(object, "runs", json_new_int64(sides->nr_runs[side]));
	json_add(object, "intervals", json_new_int64(total.nr_intervals));
	json_add(object, "duration_s", json_new_rounded(total.seconds, 3));
	return object;
}

static struct json_object *new_load(const struct comparison *comparison)
{
	struct json_object *object = comparison->load_row ? json_new_object() : NULL;

	if (!object)
		return NULL;
	json_add(object, "row", json_new_string(comparison->load_row->name));
	json_add(object, "before_per_s", json_new_rounded(comparison->load[SIDE_BEFORE], 1));
	json_add(object, "after_per_s", json_new_rounded(comparison->load[SIDE_AFTER], 1));
	return object;
}

/* Files may hold anything. This is null for no value, for several, and for one that is too long. */
static struct json_object *new_value(const char *value)
{
	char *printable = value ? printable_dup(value) : NULL;
	struct json_object *string = printable ? json_new_string(printable) : NULL;

	free(printable);
	return string;
}

/* null where not all runs tell how the host was set up. */
static struct json_object *new_settings(const struct setting_changes *settings)
{
	struct json_object *array = settings->are_known ? json_new_array() : NULL;

	for (size_t i = 0; i < settings->nr; i++) {
		const struct setting_change *change = &settings->changes[i];
		struct json_object *object = json_new_object();

		json_add(object, "name", new_value(change->name));
		json_add(object, "before", new_value(change->values[SIDE_BEFORE]));
		json_add(object, "after", new_value(change->values[SIDE_AFTER]));
		json_append(array, object);
	}
	return array;
}

static struct json_object *new_figure(const struct difference *difference)
{
	struct json_object *object = json_new_object();

	json_add(object, "row", json_new_string(difference->row->name));
	json_add(object, "figure", json_new_string(figure_names[difference->figure]));
	json_add(object, "before_ns", json_new_rounded(difference->ns[SIDE_BEFORE], 1));
	json_add(object, "after_ns", json_new_rounded(difference->ns[SIDE_AFTER], 1));
	json_add(object, "factor", json_new_rounded(difference->factor, 4));
	json_add(object, "least", json_new_rounded(difference->least, 4));
	json_add(object, "most", json_new_rounded(difference->most, 4));
	json_add(object, "differs", json_new_boolean(difference_is_shown(difference)));
	return object;
}

static struct json_object *new_figures(const struct comparison *comparison)
{
	struct json_object *array = json_new_array();

	for (size_t i = 0; i < comparison->nr; i++)
		json_append(array, new_figure(&comparison->differences[i]));
	return array;
}

static struct json_object *new_left_out(const struct comparison *comparison)
{
	struct json_object *array = json_new_array();
	const struct row *rows = comparison->sides->rows;

	for (size_t i = 0; i < comparison->nr_left_out; i++)
		json_append(array, json_new_string(rows[comparison->left_out[i]].name));
	return array;
}

static struct json_object *new_limit(const struct limit *limit, enum limit_result result)
{
	struct json_object *object = limit ? json_new_object() : NULL;

	if (!object)
		return NULL;
	json_add(object, "row", json_new_string(limit->row));
	json_add(object, "figure", json_new_string(figure_names[limit->figure]));
	json_add(object, "factor", json_new_rounded(limit->factor, 4));
	json_add(object, "result", json_new_string(limit_result_names[result]));
	return object;
}

void comparison_print_json(FILE *out, const struct comparison *comparison,
			   const struct limit *limit, enum limit_result result)
{
	struct json_object *object = json_new_object();

	json_add(object, "schema", json_new_int64(JSON_SCHEMA));
	json_add(object, "version", json_new_string(VERSION));
	json_add(object, "time", json_time(time(NULL) * (uint64_t)NS_PER_S, 3));
	json_add(object, "kind", json_new_string("comparison"));
	json_add(object, "before", new_side(comparison->sides, SIDE_BEFORE));
	json_add(object, "after", new_side(comparison->sides, SIDE_AFTER));
	json_add(object, "of_runs", json_new_boolean(!comparison->sides->by_parts));
	json_add(object, "load", new_load(comparison));
	json_add(object, "settings", new_settings(&comparison->settings));
	json_add(object, "figures", new_figures(comparison));
	json_add(object, "not_compared", new_left_out(comparison));
	json_add(object, "limit", new_limit(limit, result));
	json_print(out, object);
	fputc('\n', out);
}
