// SPDX-License-Identifier: GPL-2.0
/* The page of -o html. What a browser makes of it: tests/vm/formats.bats. */
#include "unit.h"

#include "lib/report/recording.h"
#include "report_printing.h"

static struct hook_counts counts[NR_HOOKS];
static struct report_setup setup;
static struct recording *recording;

static int make(void **state)
{
	(void)state;
	setup = make_setup();
	memset(counts, 0, sizeof(counts));
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		counts[hook].latency.resolution = 3;
	recording = recording_new(KEEPS_ALL, 3, NS_PER_S);
	return !recording;
}

static int drop(void **state)
{
	(void)state;
	recording_free(recording);
	return 0;
}

static char *print_total(void)
{
	struct report report = make_report(&setup, counts);

	report.kind = REPORT_TOTAL;
	report.recording = recording;
	return print_report(&printer_html, &report);
}

static void record_second(uint64_t number)
{
	struct report report = make_report(&setup, counts);

	report.time_ns += number * NS_PER_S;
	assert_int_equal(recording_add(recording, &report), 0);
}

static void test_it_is_one_page(void **state)
{
	char *page;

	(void)state;
	counts[HOOK_udp_start].latency.buckets[100] = (struct bucket){ 3, 300 };
	record_second(0);
	page = print_total();
	assert_ptr_equal(strstr(page, "<!DOCTYPE html>"), page);
	assert_string_equal(page + strlen(page) - strlen("</html>\n"), "</html>\n");
	assert_null(strstr(page, "@DATA@"));
	free(page);
}

/* Not even those of the command line, which users send with it. */
static void test_no_name_ends_its_script(void **state)
{
	char argument[] = "</script><b>", *command[] = { argument, NULL };
	char *page;

	(void)state;
	setup.command = command;
	strcpy(setup.host.nodename, "</script><i>");
	page = print_total();
	assert_null(strstr(page, "<b>"));
	assert_null(strstr(page, "<i>"));
	free(page);
}

static void test_intervals_alone_print_nothing(void **state)
{
	struct report report = make_report(&setup, counts);
	size_t size;
	char *page;

	(void)state;
	report.recording = recording;
	page = printer_print_to_memory(&printer_html, &report, 16U << 20, &size);
	assert_int_equal(size, 0);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_it_is_one_page, make, drop),
		cmocka_unit_test_setup_teardown(test_no_name_ends_its_script, make, drop),
		cmocka_unit_test_setup_teardown(test_intervals_alone_print_nothing, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
