// SPDX-License-Identifier: GPL-2.0
/* Lists, and numbers in them. */
#include "tests/fuzz/fuzz.h"

#include "lib/base/list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	char *list = input_text(&input);
	char element[LIST_ELEMENT_SIZE];
	const char *rest = list;
	uint64_t number;

	for (const char *start = list; list_next(&rest, element); start = rest) {
		size_t length = strcspn(start, ",");

		/* Nothing is lost but what is too long for any use. */
		require(!strncmp(element, start, strlen(element)));
		require(strlen(element) == length || strlen(element) == sizeof(element) - 1);
		if (list_number(element, UINT32_MAX, &number))
			require(number <= UINT32_MAX && number == strtoull(element, NULL, 10));
	}
	require(!rest);
	free(list);
	return 0;
}
