/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What fuzzers have in common. libFuzzer calls LLVMFuzzerTestOneInput() with one input after the
 * other; what is wrong ends the process, by a sanitizer or by require().
 */
#ifndef NETSTACKLAT_FUZZ_H
#define NETSTACKLAT_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define require(condition)                                                                      \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                \
		}                                                                               \
	} while (0)

/* The input, from its front on. */
struct input {
	const uint8_t *data;
	size_t size;
};

/* Fills what of *into there is input for, and the rest with zeros. */
static inline void input_fill(struct input *input, void *into, size_t size)
{
	size_t nr = size < input->size ? size : input->size;

	memset(into, 0, size);
	memcpy(into, input->data, nr);
	input->data += nr;
	input->size -= nr;
}

static inline uint8_t input_byte(struct input *input)
{
	uint8_t byte;

	input_fill(input, &byte, 1);
	return byte;
}

/*
 * The next line, or what is left, to be freed. A zero in it is its end, as to anybody who reads it
 * as a string.
 */
static inline char *input_line(struct input *input)
{
	const uint8_t *end = memchr(input->data, '\n', input->size);
	size_t length = end ? (size_t)(end - input->data) : input->size;
	char *line = strndup((const char *)input->data, length);

	input->data += length + (end ? 1 : 0);
	input->size -= length + (end ? 1 : 0);
	require(line);
	return line;
}

/* All that is left, to be freed. */
static inline char *input_text(struct input *input)
{
	char *text = strndup((const char *)input->data, input->size);

	*input = (struct input){ 0 };
	require(text);
	return text;
}

/* Nothing but characters that terminals show, and the ends of lines. */
static inline void require_printable(const char *text)
{
	for (; *text; text++)
		require((unsigned char)*text >= ' ' ? *text != 0x7f : *text == '\n');
}

#endif
