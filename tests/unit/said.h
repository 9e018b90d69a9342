/* SPDX-License-Identifier: GPL-2.0 */
/* Keeps text that code under test says on stderr, instead of showing it. */
#ifndef NETSTACKLAT_SAID_H
#define NETSTACKLAT_SAID_H

#include <stdio.h>
#include <unistd.h>

static FILE *said_file;
static int said_stderr;

/* From here on, until said_end(). */
static inline void said_begin(void)
{
	said_file = tmpfile();
	assert_non_null(said_file);
	said_stderr = dup(STDERR_FILENO);
	dup2(fileno(said_file), STDERR_FILENO);
}

/* Valid until the next one. */
static inline const char *said_end(void)
{
	static char said[512];
	size_t length;

	dup2(said_stderr, STDERR_FILENO);
	close(said_stderr);
	rewind(said_file);
	length = fread(said, 1, sizeof(said) - 1, said_file);
	said[length] = '\0';
	fclose(said_file);
	return said;
}

#endif
