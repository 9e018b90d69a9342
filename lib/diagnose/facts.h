/* SPDX-License-Identifier: GPL-2.0 */
/* The facts of a finding, by name: texts and numbers, for sentences and for JSON. */
#ifndef NETSTACKLAT_FACTS_H
#define NETSTACKLAT_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_FACTS 128

struct fact {
	const char *name; /* a constant */
	char *value;
	bool is_number; /* in JSON */
};

struct facts {
	unsigned int nr;
	struct fact facts[MAX_FACTS];
};

/*
 * Add or replace a fact; the value is copied. Without memory or room, the fact is left out, and is
 * not known then.
 */
void facts_set(struct facts *facts, const char *name, const char *value);
void facts_set_as(struct facts *facts, const char *name, const char *value, bool is_number);
void facts_set_number(struct facts *facts, const char *name, uint64_t value);
void facts_set_duration(struct facts *facts, const char *name, uint64_t ns);
void facts_set_format(struct facts *facts, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A text that has other facts in it, see facts_expand(). */
void facts_set_expanded(struct facts *facts, const char *name, const char *text);

/* A name that others chose: in a sentence, and as a word of a command. */
void facts_set_printable(struct facts *facts, const char *name, const char *text);
void facts_set_word(struct facts *facts, const char *name, const char *text);

/* NULL if it is not known. */
const struct fact *facts_find(const struct facts *facts, const char *name);

/* Its value, or "" if it is not known. */
const char *facts_text(const struct facts *facts, const char *name);

/*
 * Returns a sentence with each {name} replaced, or "?" for a fact that is not known; to be freed.
 * NULL without memory.
 */
char *facts_expand(const struct facts *facts, const char *sentence);

void facts_free(struct facts *facts);

#endif
