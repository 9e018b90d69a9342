// SPDX-License-Identifier: GPL-2.0
/* Where documents begin and end, with a printer that says just that. */
#include "unit.h"

#include "report_printing.h"

static void begin(FILE *out, const struct report *first)
{
	fprintf(out, "begin(%d) ", (int)first->number);
}

static void print(FILE *out, const struct report *report)
{
	fprintf(out, "report(%d) ", (int)report->number);
}

static void end(FILE *out)
{
	fputs("end ", out);
}

static void assert_prints(const struct printer *printer, uint64_t number, const char *expected)
{
	const struct report report = { .number = number };
	char *text = print_report(printer, &report);

	assert_string_equal(text, expected);
	free(text);
}

static void test_a_printer_need_not_begin_nor_end(void **state)
{
	const struct printer stream = { .report = print };
	const struct printer document = { .report = print, .is_document = true };

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_prints(&stream, i, i ? "report(1) " : "report(0) ");
		assert_prints(&document, i, i ? "report(1) " : "report(0) ");
	}
}

/* It ends when its reader does. */
static void test_a_stream_begins_once(void **state)
{
	const struct printer stream = { .begin = begin, .report = print, .end = end };

	(void)state;
	assert_prints(&stream, 0, "begin(0) report(0) ");
	assert_prints(&stream, 1, "report(1) ");
	assert_prints(&stream, 7, "report(7) ");
}

static void test_each_report_of_a_document_is_one(void **state)
{
	const struct printer document = {
		.begin = begin,
		.report = print,
		.end = end,
		.is_document = true,
	};

	(void)state;
	assert_prints(&document, 0, "begin(0) report(0) end ");
	assert_prints(&document, 7, "begin(7) report(7) end ");
}

static void test_printers_are_found_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(printer_find("text"), &printer_text);
	assert_ptr_equal(printer_find("heatmap"), &printer_heatmap);
	assert_null(printer_find(""));
	assert_null(printer_find("xml"));
	for (int i = 0; i < NR_PRINTERS; i++)
		assert_ptr_equal(printer_find(printers[i]->name), printers[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_printer_need_not_begin_nor_end),
		cmocka_unit_test(test_a_stream_begins_once),
		cmocka_unit_test(test_each_report_of_a_document_is_one),
		cmocka_unit_test(test_printers_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
