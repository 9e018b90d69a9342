// SPDX-License-Identifier: GPL-2.0
#include "lib/base/printable.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

/* NULL where the C library has no such locale: then only ASCII is known. */
static locale_t utf8(void)
{
	static locale_t locale;

	if (!locale)
		locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	return locale;
}

/* How many bytes a printable character at the start of text has, or 0 if there is none. */
static size_t printable_length(const char *text)
{
	mbstate_t state = { 0 };
	wchar_t character;
	size_t length = mbrtowc(&character, text, strlen(text), &state);

	return length <= strlen(text) && iswprint(character) ? length : 0;
}

char *make_printable(char *text)
{
	locale_t before = utf8() ? uselocale(utf8()) : NULL;

	for (char *c = text; *c;) {
		size_t length = printable_length(c);

		if (length)
			c += length;
		else
			*c++ = '?';
	}
	if (before)
		uselocale(before);
	return text;
}
