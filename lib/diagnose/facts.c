// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/facts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/duration.h"
#include "lib/base/printable.h"
#include "lib/base/shell.h"

static struct fact *find(const struct facts *facts, const char *name, size_t length)
{
	for (unsigned int i = 0; i < facts->nr; i++)
		if (strlen(facts->facts[i].name) == length &&
		    !strncmp(facts->facts[i].name, name, length))
			return (struct fact *)&facts->facts[i];
	return NULL;
}

void facts_set_as(struct facts *facts, const char *name, const char *value, bool is_number)
{
	struct fact *fact = find(facts, name, strlen(name));
	char *copy = strdup(value);

	if (!copy || (!fact && facts->nr == MAX_FACTS)) {
		free(copy);
		return;
	}
	if (!fact)
		fact = &facts->facts[facts->nr++];
	else
		free(fact->value);
	*fact = (struct fact){ name, copy, is_number };
}

void facts_set(struct facts *facts, const char *name, const char *value)
{
	facts_set_as(facts, name, value, false);
}

void facts_set_number(struct facts *facts, const char *name, uint64_t value)
{
	char text[sizeof("18446744073709551615")];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	facts_set_as(facts, name, text, true);
}

const struct fact *facts_find(const struct facts *facts, const char *name)
{
	return find(facts, name, strlen(name));
}

const char *facts_text(const struct facts *facts, const char *name)
{
	const struct fact *fact = facts_find(facts, name);

	return fact ? fact->value : "";
}

char *facts_expand(const struct facts *facts, const char *sentence)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	while (*sentence) {
		size_t length = strcspn(sentence, "{");
		const char *name = sentence + length + 1, *end;
		const struct fact *fact;

		fwrite(sentence, 1, length, out);
		sentence += length;
		if (!*sentence)
			break;
		end = strchr(name, '}');
		fact = find(facts, name, end - name);
		fputs(fact ? fact->value : "?", out);
		sentence = end + 1;
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

void facts_set_duration(struct facts *facts, const char *name, uint64_t ns)
{
	char text[DURATION_TEXT_SIZE];

	facts_set(facts, name, duration_text(ns, text));
}

void facts_set_format(struct facts *facts, const char *name, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	if (text)
		facts_set(facts, name, text);
	free(text);
}

void facts_set_expanded(struct facts *facts, const char *name, const char *text)
{
	char *expanded = facts_expand(facts, text);

	facts_set(facts, name, expanded ? expanded : "");
	free(expanded);
}

void facts_set_word(struct facts *facts, const char *name, const char *text)
{
	char *quoted = shell_word(text);

	if (quoted)
		facts_set(facts, name, quoted);
	free(quoted);
}

void facts_set_printable(struct facts *facts, const char *name, const char *text)
{
	char *printable = printable_dup(text);

	facts_set(facts, name, printable ? printable : "(a name too long to print)");
	free(printable);
}

void facts_free(struct facts *facts)
{
	for (unsigned int i = 0; i < facts->nr; i++)
		free(facts->facts[i].value);
	facts->nr = 0;
}
