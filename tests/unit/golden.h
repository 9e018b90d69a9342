/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that a test's text must be equal to. Where it changes on purpose, run the test with
 * GOLDEN_UPDATE=1, and look at the difference.
 */
#ifndef NETSTACKLAT_GOLDEN_H
#define NETSTACKLAT_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>

/* To be freed. */
static inline char *golden_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	assert_non_null(file);
	assert_true(getdelim(&text, &size, '\0', file) > 0);
	fclose(file);
	return text;
}

static inline void assert_golden_text(const char *text, const char *path)
{
	char *golden;
	FILE *file;

	if (getenv("GOLDEN_UPDATE")) {
		file = fopen(path, "we");
		assert_non_null(file);
		fputs(text, file);
		fclose(file);
	}
	golden = golden_read(path);
	assert_string_equal(text, golden);
	free(golden);
}

/* Asserts that a text is, in Prometheus' older format, what a file has in OpenMetrics. */
static inline void assert_golden_as_prometheus(const char *text, const char *path)
{
	char command[256], *golden = NULL;
	size_t size = 0;
	FILE *out;

	snprintf(command, sizeof(command), "awk -f tests/unit/as-prometheus.awk %s", path);
	out = popen(command, "re");
	assert_non_null(out);
	assert_true(getdelim(&golden, &size, '\0', out) > 0);
	assert_int_equal(pclose(out), 0);
	assert_string_equal(text, golden);
	free(golden);
}

#endif
