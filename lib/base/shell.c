// SPDX-License-Identifier: GPL-2.0
#include "lib/base/shell.h"

#include <stdio.h>
#include <string.h>

/* Characters that mean nothing special to a shell, wherever they are in a word. */
static const char plain[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:/@%+-";

char *shell_word(const char *text)
{
	char *word = NULL;
	size_t size;
	FILE *out;

	if (*text && strspn(text, plain) == strlen(text))
		return strdup(text);
	out = open_memstream(&word, &size);
	if (!out)
		return NULL;
	fputc('\'', out);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
	fputc('\'', out);
	return fclose(out) ? NULL : word;
}
