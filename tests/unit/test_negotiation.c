// SPDX-License-Identifier: GPL-2.0
/* What clients accept, by headers that real ones send, and odd ones. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/http/negotiation.h"

#define OPENMETRICS "application/openmetrics-text"

static void test_prometheus_gets_openmetrics(void **state)
{
	(void)state;
	/* 2.42 and 3.0 */
	assert_true(accepts_openmetrics(OPENMETRICS ";version=1.0.0," OPENMETRICS
						    ";version=0.0.1;q=0.75,"
						    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
	assert_true(accepts_openmetrics(
		OPENMETRICS
		";version=1.0.0;escaping=allow-utf-8;q=0.5," OPENMETRICS
		";version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
		"text/plain;version=0.0.4;q=0.2,*/*;q=0.1"));
	assert_true(accepts_openmetrics(OPENMETRICS));
	assert_true(accepts_openmetrics(" text/plain;q=0.2 ,\tApplication/OpenMetrics-Text ; Q=1"));
	assert_true(accepts_openmetrics(OPENMETRICS ";version=\"1.0.0\""));
	assert_true(accepts_openmetrics("text/plain," OPENMETRICS));
}

static void test_others_get_the_older_format(void **state)
{
	(void)state;
	assert_false(accepts_openmetrics(NULL));
	assert_false(accepts_openmetrics(""));
	assert_false(accepts_openmetrics("*/*"));
	/* A browser, and older versions of Prometheus. */
	assert_false(accepts_openmetrics("text/html,application/xhtml+xml,application/xml;q=0.9,"
					 "image/avif,image/webp,*/*;q=0.8"));
	assert_false(accepts_openmetrics("text/plain;version=0.0.4;q=1,*/*;q=0.1"));
	assert_false(accepts_openmetrics("application/*"));
	assert_false(accepts_openmetrics(OPENMETRICS ";version=0.0.1"));
	assert_false(accepts_openmetrics(OPENMETRICS ";version=2.0.0,*/*"));
	assert_false(accepts_openmetrics(OPENMETRICS ";q=0"));
	assert_false(accepts_openmetrics(OPENMETRICS ";q=0.5,text/plain;q=0.6"));
	assert_false(accepts_openmetrics("x" OPENMETRICS));
	assert_false(accepts_openmetrics(OPENMETRICS "x"));
}

static void test_compression(void **state)
{
	(void)state;
	assert_true(accepts_gzip("gzip"));
	assert_true(accepts_gzip("deflate, GZIP;q=1.0, *;q=0.5"));
	assert_true(accepts_gzip("*"));
	assert_true(accepts_gzip("gzip;q=0.001"));
	assert_false(accepts_gzip(NULL));
	assert_false(accepts_gzip(""));
	assert_false(accepts_gzip("identity"));
	assert_false(accepts_gzip("gzip;q=0"));
	assert_false(accepts_gzip("gzip; q=0.000, *"));
	assert_false(accepts_gzip("*;q=0"));
	assert_false(accepts_gzip("br, x-gzipped"));
}

/* As long as a client may send, and of all that is special. */
static void test_odd_headers_do_no_harm(void **state)
{
	static char header[16384];

	(void)state;
	memset(header, 'x', sizeof(header) - 1);
	assert_false(accepts_openmetrics(header));
	strcpy(header + sizeof(header) - 32, "," OPENMETRICS);
	assert_true(accepts_openmetrics(header));
	srand(1);
	for (int i = 0; i < 20000; i++) {
		for (int j = 0; j < 60; j++)
			header[j] = ",;=\" \tq*/0.1gzipversion"[rand() % 22];
		header[60] = '\0';
		accepts_openmetrics(header);
		accepts_gzip(header);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prometheus_gets_openmetrics),
		cmocka_unit_test(test_others_get_the_older_format),
		cmocka_unit_test(test_compression),
		cmocka_unit_test(test_odd_headers_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
