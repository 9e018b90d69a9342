// SPDX-License-Identifier: GPL-2.0
#include "lib/host/file_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t file_number(const char *path, unsigned int words_before)
{
	FILE *file = fopen(path, "re");
	uint64_t number;

	if (!file)
		return 0;
	while (words_before--)
		(void)!fscanf(file, "%*s");
	if (fscanf(file, "%" SCNu64, &number) != 1)
		number = 0;
	fclose(file);
	return number;
}

#define SEPARATORS " \t\n"

/* The word behind this one, with its length; NULL if there is none. */
static const char *next_word(const char *text, size_t *length)
{
	text += strcspn(text, SEPARATORS);
	text += strspn(text, SEPARATORS);
	*length = strcspn(text, SEPARATORS);
	return *length ? text : NULL;
}

static const char *first_word(const char *line, size_t *length)
{
	line += strspn(line, SEPARATORS);
	*length = strcspn(line, SEPARATORS);
	return *length ? line : NULL;
}

int file_column(const char *line, const char *name)
{
	int column = 0;
	size_t length;

	for (const char *word = first_word(line, &length); word; word = next_word(word, &length)) {
		if (length == strlen(name) && !strncmp(word, name, length))
			return column;
		column++;
	}
	return -1;
}

uint64_t file_column_number(const char *line, int column, int base)
{
	size_t length;
	const char *word = first_word(line, &length);

	while (word && column--)
		word = next_word(word, &length);
	return word ? strtoull(word, NULL, base) : 0;
}

uint64_t number_since(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

uint64_t file_named_number(const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	size_t length = strlen(name);
	uint64_t number = 0;
	char line[256];

	while (file && !number && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length))
			number = strtoull(line + length, NULL, 10);
	if (file)
		fclose(file);
	return number;
}
