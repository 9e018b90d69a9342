// SPDX-License-Identifier: GPL-2.0
#include "lib/base/printable.h"

#include <ctype.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

/*
 * General category Cf of Unicode 15.1 (DerivedGeneralCategory.txt), with the separators of lines
 * and paragraphs (Zl, Zp) in between: the C library does not tell them from what can be seen.
 */
static const struct {
	wchar_t first, last;
} format_characters[] = {
	{ 0xad, 0xad },	      { 0x600, 0x605 },	    { 0x61c, 0x61c },	  { 0x6dd, 0x6dd },
	{ 0x70f, 0x70f },     { 0x890, 0x891 },	    { 0x8e2, 0x8e2 },	  { 0x180e, 0x180e },
	{ 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },	  { 0xfeff, 0xfeff },
	{ 0xfff9, 0xfffb },   { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd }, { 0x13430, 0x1343f },
	{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0001, 0xe0001 }, { 0xe0020, 0xe007f },
};

static bool is_format(wchar_t character)
{
	for (size_t i = 0; i < sizeof(format_characters) / sizeof(*format_characters); i++)
		if (format_characters[i].first <= character &&
		    character <= format_characters[i].last)
			return true;
	return false;
}

static bool is_limited_to_ascii;

void printable_limit_to_ascii(void)
{
	is_limited_to_ascii = true;
}

/* NULL where the C library has no such locale, or where nobody wants it: then all is ASCII. */
static locale_t utf8(void)
{
	static locale_t locale;

	if (!locale)
		locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	return is_limited_to_ascii ? NULL : locale;
}

/* The value of a digit of our own escapes, or -1. */
static int hex_digit(char digit)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = digit ? strchr(digits, digit) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* Returns whether text begins with what could be an escaped byte: \x01, but not \x2d or \x1B. */
static bool looks_escaped(const char *text)
{
	int byte;

	if (text[0] != '\\' || text[1] != 'x' || hex_digit(text[2]) < 0 || hex_digit(text[3]) < 0)
		return false;
	byte = 16 * hex_digit(text[2]) + hex_digit(text[3]);
	return byte < ' ' || byte == '\\' || byte > '~';
}

/* Returns how many bytes a character at the start of text has that may be copied as it is, or 0. */
static size_t printable_length(const char *text)
{
	mbstate_t state = { 0 };
	wchar_t character;
	size_t length;

	if (looks_escaped(text))
		return 0;
	if (isascii(*text))
		return isprint(*text) ? 1 : 0;
	/* The user's locale does not decide: 0x9b is a letter in some, and may be CSI. */
	if (!utf8())
		return 0;
	/* No character goes on past the zero at the end. */
	length = mbrtowc(&character, text, MB_CUR_MAX, &state);
	if (length > MB_CUR_MAX || !iswprint(character) || is_format(character))
		return 0;
	return length;
}

char *printable_copy(char *copy, const char *text)
{
	locale_t before = utf8() ? uselocale(utf8()) : NULL;
	char *end = copy;

	while (*text) {
		size_t length = printable_length(text);

		if (length)
			end = mempcpy(end, text, length);
		else
			end += sprintf(end, "\\x%02x", (unsigned char)*text);
		text += length ? length : 1;
	}
	*end = '\0';
	if (before)
		uselocale(before);
	return copy;
}

bool printable_is_same(const char *copy)
{
	while (*copy && !looks_escaped(copy))
		copy++;
	return !*copy;
}

char *printable_dup(const char *text)
{
	size_t length = strlen(text);
	char copy[PRINTABLE_SIZE(MAX_PRINTABLE)];

	if (length > MAX_PRINTABLE || strlen(printable_copy(copy, text)) > MAX_PRINTABLE)
		return NULL;
	return strdup(copy);
}

bool printable_is_plain(const char *text)
{
	char *printable = printable_dup(text);
	bool is_same = printable && !strcmp(printable, text);

	free(printable);
	return is_same;
}
