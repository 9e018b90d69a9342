// SPDX-License-Identifier: GPL-2.0
/* The page of -o html. What a browser makes of it: tests/vm/formats.bats. */
#include "unit.h"

#include <zlib.h>

#include "json_member.h"
#include "lib/print/recording.h"
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
	recording = recording_new(KEEPS_ALL, &(struct splits){ { 0 }, 1 }, 3, NS_PER_S);
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

/* In base64, whole and up to what is none. Returns how many bytes it stands for. */
static size_t read_base64(const char *text, unsigned char *bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned int bits = 0;
	size_t nr = 0, nr_digits;

	for (nr_digits = 0; *text != '=' && strchr(digits, *text); nr_digits++, text++) {
		bits = bits << 6 | (unsigned int)(strchr(digits, *text) - digits);
		if (nr_digits % 4)
			bytes[nr++] = bits >> (6 - 2 * (nr_digits % 4));
	}
	assert_int_equal((nr_digits + strspn(text, "=")) % 4, 0);
	return nr;
}

/* Takes the data out of the page, as its script does. To be put. */
static struct json_object *data_of(const char *page)
{
	static const char before[] = "<script id=\"data\" type=\"text/plain\">";
	static unsigned char packed[1 << 16], text[1 << 18];
	const char *data = strstr(page, before);
	z_stream stream = { .next_in = packed, .next_out = text, .avail_out = sizeof(text) - 1 };
	struct json_object *object;

	assert_non_null(data);
	stream.avail_in = read_base64(data + strlen(before), packed);
	/* That is gzip's header, not zlib's. */
	assert_int_equal(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	/* A browser refuses what has more behind its end. */
	assert_int_equal(stream.avail_in, 0);
	text[stream.total_out] = '\0';
	inflateEnd(&stream);
	object = json_tokener_parse((const char *)text);
	assert_non_null(object);
	return object;
}

static void assert_member(struct json_object *object, const char *name, const char *expected)
{
	assert_string_equal(
		json_object_to_json_string_ext(member(object, name), JSON_C_TO_STRING_PLAIN),
		expected);
}

/* Columns begin with the oldest, and each cell says which is its own. */
static void test_its_data_is_what_was_recorded(void **state)
{
	char argument[] = "netstacklat", *command[] = { argument, argument, NULL };
	struct json_object *data, *panel;
	char *page;

	(void)state;
	setup.command = command;
	strcpy(setup.host.nodename, "here");
	counts[HOOK_udp_start].latency.buckets[100] = (struct bucket){ 3, 300 };
	counts[HOOK_udp_start].latency.buckets[102] = (struct bucket){ 1, 120 };
	record_second(0);
	memset(counts, 0, sizeof(counts));
	record_second(1);
	counts[HOOK_udp_start].latency.buckets[7] = (struct bucket){ 2, 20 };
	record_second(2);
	page = print_total();
	data = data_of(page);
	assert_member(data, "host", "\"here\"");
	assert_member(data, "command", "[\"netstacklat\",\"netstacklat\"]");
	assert_member(data, "columns",
		      "[[1769947205000,1000,0,0],[1769947206000,1000,0,0],"
		      "[1769947207000,1000,0,0]]");
	assert_member(data, "verdict", "\"\"");
	assert_member(data, "packets", "[]");
	assert_member(data, "left_out", "{\"samples\":0,\"packets\":0}");
	assert_int_equal(json_object_array_length(member(data, "panels")), 1);
	panel = json_object_array_get_idx(member(data, "panels"), 0);
	assert_member(panel, "label", "\"udp-start\"");
	assert_member(panel, "cells", "[[0,420,100,3,0,1],[2,20,7,2]]");
	json_object_put(data);
	free(page);
}

/* Three bytes are four digits: one or two that are left over take another way. */
static void test_its_data_may_have_any_size(void **state)
{
	(void)state;
	for (size_t length = 0; length < 9; length++) {
		char *page;

		snprintf(setup.host.nodename, sizeof(setup.host.nodename), "%.*s", (int)length,
			 "kqzvwxjyp");
		page = print_total();
		json_object_put(data_of(page));
		free(page);
	}
}

static void test_it_has_the_verdict(void **state)
{
	struct report report = make_report(&setup, counts);
	struct json_object *data;
	char *page;

	(void)state;
	record_second(0);
	report.kind = REPORT_TOTAL;
	report.recording = recording;
	report.verdict = "10 s, 3 packets.\n";
	page = print_report(&printer_html, &report);
	data = data_of(page);
	assert_member(data, "verdict", "\"10 s, 3 packets.\\n\"");
	json_object_put(data);
	free(page);
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
		cmocka_unit_test_setup_teardown(test_its_data_is_what_was_recorded, make, drop),
		cmocka_unit_test_setup_teardown(test_its_data_may_have_any_size, make, drop),
		cmocka_unit_test_setup_teardown(test_it_has_the_verdict, make, drop),
		cmocka_unit_test_setup_teardown(test_it_is_one_page, make, drop),
		cmocka_unit_test_setup_teardown(test_no_name_ends_its_script, make, drop),
		cmocka_unit_test_setup_teardown(test_intervals_alone_print_nothing, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
