/* SPDX-License-Identifier: GPL-2.0 */
/* A real shell, to tell what it makes of words and commands. */
#ifndef NETSTACKLAT_REAL_SHELL_H
#define NETSTACKLAT_REAL_SHELL_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SHELL_OUTPUT_SIZE 65536

/*
 * Runs a script where no command is found but the shell's own. Fills in all that it prints, errors
 * included. It must succeed.
 */
static inline void run_in_shell(const char *shell, const char *script,
				char output[SHELL_OUTPUT_SIZE])
{
	char path[] = "/tmp/netstacklat-script.XXXXXX", command[128];
	FILE *file = fdopen(mkstemp(path), "w");

	assert_non_null(file);
	fputs(script, file);
	fclose(file);
	snprintf(command, sizeof(command), "PATH=/nonexistent /bin/%s %s 2>&1", shell, path);
	file = popen(command, "re");
	assert_non_null(file);
	output[fread(output, 1, SHELL_OUTPUT_SIZE - 1, file)] = '\0';
	assert_int_equal(pclose(file), 0);
	unlink(path);
}

#endif
