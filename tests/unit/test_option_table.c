// SPDX-License-Identifier: GPL-2.0
/* The table of options, as a whole. */
#include "unit.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tables/attributes.h"
#include "lib/cli/option_table.h"
#include "lib/cli/options.h"
#include "lib/tables/hooks.h"

#define MAX_ENTRIES 64

static const struct option_entry *entries[MAX_ENTRIES];
static int nr_entries;

static int collect_entries(void **state)
{
	(void)state;
	for (int i = 0; i < NR_OPTION_SECTIONS; i++)
		for (size_t j = 0; j < option_sections[i].nr_entries; j++)
			entries[nr_entries++] = &option_sections[i].entries[j];
	return nr_entries ? 0 : -1;
}

static void test_each_entry_is_complete(void **state)
{
	(void)state;
	for (int i = 0; i < nr_entries; i++) {
		const struct option_entry *entry = entries[i];

		assert_true(entry->letter || entry->name);
		assert_true(!entry->letter || isalnum(entry->letter));
		assert_non_null(entry->parse);
		assert_non_null(entry->help);
		assert_true(isupper(*entry->help));
		assert_true(entry->help[strlen(entry->help) - 1] != '.');
		assert_int_equal(!!strstr(entry->help, "%s"), !!entry->names);
		assert_true(!entry->detail || entry->detail[strlen(entry->detail) - 1] == '.');
	}
}

static void test_no_letter_and_no_name_is_there_twice(void **state)
{
	(void)state;
	for (int i = 0; i < nr_entries; i++)
		for (int j = 0; j < i; j++) {
			if (entries[i]->letter)
				assert_int_not_equal(entries[i]->letter, entries[j]->letter);
			if (entries[i]->name && entries[j]->name)
				assert_string_not_equal(entries[i]->name, entries[j]->name);
		}
}

static const struct option_entry *find(const char *wanted)
{
	char label[32];

	for (int i = 0; i < nr_entries; i++)
		if (!strcmp(option_label(entries[i], label), wanted))
			return entries[i];
	return NULL;
}

/* -l and messages take from the table of filters what options are called. */
static void test_options_of_filters_are_options(void **state)
{
	(void)state;
	for (enum filter filter = 0; filter < NR_FILTERS; filter++) {
		char text[64], *save, *label;

		if (!filter_table[filter].option)
			continue;
		snprintf(text, sizeof(text), "%s", filter_table[filter].option);
		/* Two of them are one filter: "-4 and -6". */
		for (label = strtok_r(text, " ", &save); label; label = strtok_r(NULL, " ", &save))
			if (strcmp(label, "and"))
				assert_non_null(find(label));
	}
}

/* A list that most filters take by its looks. */
static const char *list_for(enum filter filter)
{
	switch (filter) {
	case FILTER_REMOTE:
		return "::1";
	case FILTER_SEQUENCE:
		return "in-order";
	default:
		return "1";
	}
}

static bool has_list(const struct filter_lists *lists)
{
	for (enum filter filter = 0; filter < NR_FILTERS; filter++)
		if (lists->lists[filter])
			return true;
	return false;
}

static void test_an_option_that_takes_a_list_filters_by_what_names_it(void **state)
{
	int nr = 0;

	(void)state;
	for (enum filter filter = 0; filter < NR_FILTERS; filter++) {
		const char *option = filter_table[filter].option;
		struct options options;
		char *argv[] = { "netstacklat", (char *)option, (char *)list_for(filter), NULL };

		if (!option || strchr(option, ' ') || !strcmp(option, "-q"))
			continue;
		assert_true(options_parse(&options, 3, argv));
		assert_string_equal(options.filters.lists[filter], list_for(filter));
		options.filters.lists[filter] = NULL;
		assert_false(has_list(&options.filters));
		nr++;
	}
	assert_true(nr > 5);
}

static void test_help_has_the_names_filled_in(void **state)
{
	char *text = option_help(find("-o"));

	(void)state;
	assert_string_equal(
		text,
		"Print reports as text, json, openmetrics, prometheus, heatmap, html, collapsed or none (default "
		"text; none with --listen, if neither INTERVAL nor --slow is given)");
	free(text);
	text = option_help(find("-v"));
	assert_string_equal(text, find("-v")->help);
	free(text);
}

static void test_labels(void **state)
{
	const struct option_entry both = { .letter = 'x', .name = "extra" };
	const struct option_entry name = { .name = "extra" };
	char label[32];

	(void)state;
	assert_string_equal(option_label(&both, label), "-x");
	assert_string_equal(option_label(&name, label), "--extra");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_entry_is_complete),
		cmocka_unit_test(test_no_letter_and_no_name_is_there_twice),
		cmocka_unit_test(test_options_of_filters_are_options),
		cmocka_unit_test(test_an_option_that_takes_a_list_filters_by_what_names_it),
		cmocka_unit_test(test_help_has_the_names_filled_in),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, collect_entries, NULL);
}
