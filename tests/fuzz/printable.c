// SPDX-License-Identifier: GPL-2.0
/* Names that others chose, made printable: what is different stays different. */
#include "tests/fuzz/fuzz.h"

#include <ctype.h>

#include "lib/base/printable.h"

/* The value of \x1b at text; -1: that is none. */
static int escaped(const char *text)
{
	unsigned int byte;

	if (strncmp(text, "\\x", 2) || !isxdigit((unsigned char)text[2]) ||
	    !isxdigit((unsigned char)text[3]) || isupper((unsigned char)text[2]) ||
	    isupper((unsigned char)text[3]))
		return -1;
	sscanf(text + 2, "%2x", &byte);
	return byte < ' ' || byte == '\\' || byte > '~' ? (int)byte : -1;
}

/* In place, for it gets no longer. */
static void undo(char *text)
{
	char *end = text;

	while (*text) {
		int byte = escaped(text);

		*end++ = (char)(byte < 0 ? *text : byte);
		text += byte < 0 ? 1 : 4;
	}
	*end = '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	char *text = input_text(&input);
	char *copy = malloc(PRINTABLE_SIZE(strlen(text)));
	char *dup = printable_dup(text);

	require(copy);
	printable_copy(copy, text);
	require_printable(copy);
	require(!strchr(copy, '\n'));
	if (dup)
		require(!strcmp(dup, copy) && strlen(dup) <= MAX_PRINTABLE);
	require(printable_is_same(copy) == !strcmp(copy, text));
	undo(copy);
	require(!strcmp(copy, text));
	free(dup);
	free(copy);
	free(text);
	return 0;
}
