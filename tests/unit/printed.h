/* SPDX-License-Identifier: GPL-2.0 */
/* Keeps text that code under test prints on standard output, instead of showing it. */
#ifndef NETSTACKLAT_PRINTED_H
#define NETSTACKLAT_PRINTED_H

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static FILE *printed_file;
static int printed_stdout;

/* From here on, until printed_end(). Returns whether it works. */
static inline bool printed_begin(void)
{
	printed_file = tmpfile();
	printed_stdout = dup(STDOUT_FILENO);
	return printed_file && printed_stdout >= 0 &&
	       dup2(fileno(printed_file), STDOUT_FILENO) >= 0;
}

static inline void printed_end(void)
{
	fflush(stdout);
	dup2(printed_stdout, STDOUT_FILENO);
	close(printed_stdout);
	fclose(printed_file);
}

/* All since this was called last, valid until it is again. */
static inline const char *printed_text(void)
{
	static char text[1 << 16];
	size_t length;

	fflush(stdout);
	rewind(printed_file);
	length = fread(text, 1, sizeof(text) - 1, printed_file);
	text[length] = '\0';
	rewind(printed_file);
	assert_int_equal(ftruncate(fileno(printed_file), 0), 0);
	return text;
}

#endif
