/* SPDX-License-Identifier: GPL-2.0 */
/* cmocka.h with the headers that it wants before it, and what several tests need. */
#ifndef NETSTACKLAT_UNIT_H
#define NETSTACKLAT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* PRINTED(print, ...) is the text that print(file, ...) writes; whoever asks for it frees it. */
#define PRINTED(print, ...)                                                        \
	({                                                                         \
		char *printed_text = NULL;                                         \
		size_t printed_size;                                               \
		FILE *printed_file = open_memstream(&printed_text, &printed_size); \
                                                                                   \
		assert_non_null(printed_file);                                     \
		print(printed_file, ##__VA_ARGS__);                                \
		assert_int_equal(fclose(printed_file), 0);                         \
		printed_text;                                                      \
	})

#endif
