// SPDX-License-Identifier: GPL-2.0
/* The page with the last verdict, without the server that sends it. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/serve/verdict_page.h"

struct http_response {
	char *text;
	const char *type;
};

static const struct http_page *pages;
static void *context;
static int nr_responses;
static bool cannot_serve;

struct http_response *http_response_new(char *text, size_t size, const char *type, bool is_gzip)
{
	struct http_response *response = malloc(sizeof(*response));

	assert_int_equal(strlen(text), size);
	assert_false(is_gzip);
	if (!response) {
		free(text);
		return NULL;
	}
	*response = (struct http_response){ text, type };
	nr_responses++;
	return response;
}

void http_response_release(struct http_response *response)
{
	if (!response)
		return;
	nr_responses--;
	free(response->text);
	free(response);
}

struct http *http_start(const struct http_access *access, const struct http_site *site,
			struct loop *loop)
{
	assert_null(access);
	assert_null(loop);
	pages = site->pages;
	context = site->context;
	errno = EADDRINUSE;
	return cannot_serve ? NULL : (struct http *)&pages;
}

void http_end(struct http *http)
{
	(void)http;
}

static void assert_metrics(const char *accept, const char *type, const char *part)
{
	const struct http_request request = { .accept = accept };
	const struct http_response *response = pages->get(context, &request);

	assert_string_equal(pages->path, "/metrics");
	assert_string_equal(response->type, type);
	assert_non_null(strstr(response->text, part));
	assert_int_equal(!*part, !*response->text);
}

#define OLDER "text/plain; version=0.0.4; charset=utf-8"
#define NEWER "application/openmetrics-text; version=1.0.0; charset=utf-8"

static void test_both_formats_have_the_last_verdict(void **state)
{
	struct verdict verdict = { .duration_ns = 1, .packets = 5003 };
	struct verdict_page *page = verdict_page_start(NULL, NULL);

	(void)state;
	if (!page)
		skip();
	assert_metrics(NULL, OLDER, "");
	assert_metrics("application/openmetrics-text", NEWER, "# EOF\n");
	assert_int_equal(verdict_page_show(page, &verdict), 0);
	verdict.packets = 5004;
	assert_int_equal(verdict_page_show(page, &verdict), 0);
	assert_metrics(NULL, OLDER, "\nnetstacklat_verdict_packets 5004\n");
	assert_metrics("application/openmetrics-text", NEWER,
		       "\nnetstacklat_verdict_packets 5004\n");
	assert_int_equal(nr_responses, 2);
	verdict_page_end(page);
	assert_int_equal(nr_responses, 0);
}

static void test_its_pages(void **state)
{
	static const char *const paths[] = { "/metrics", "/healthz", "/", NULL };
	struct verdict_page *page = verdict_page_start(NULL, NULL);

	(void)state;
	if (!page)
		skip();
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_true(paths[i] ? !strcmp(pages[i].path, paths[i]) : !pages[i].path);
	verdict_page_end(page);
}

static void test_nothing_is_left_where_it_cannot_be_served(void **state)
{
	(void)state;
	cannot_serve = true;
	assert_null(verdict_page_start(NULL, NULL));
	assert_int_equal(nr_responses, 0);
	verdict_page_end(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_formats_have_the_last_verdict),
		cmocka_unit_test(test_its_pages),
		cmocka_unit_test(test_nothing_is_left_where_it_cannot_be_served),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
