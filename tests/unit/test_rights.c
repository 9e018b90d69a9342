// SPDX-License-Identifier: GPL-2.0
/* What documents say of capabilities is what the table of rights has. */
#include "unit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>

#include "lib/confine/privileges.h"

#define UNIT "contrib/netstacklat.service"

/* What comes behind the start of the first line that begins so. */
static const char *line_of(const char *path, const char *start)
{
	static char line[256];
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	do
		assert_non_null(fgets(line, sizeof(line), file));
	while (strncmp(line, start, strlen(start)));
	fclose(file);
	return line + strlen(start);
}

/* The names in a text up to another word, a bit each. */
static uint64_t capabilities_in(const char *text)
{
	uint64_t found = 0;
	char *name;

	for (size_t length; (text += strspn(text, ", ")), !strncasecmp(text, "cap_", 4);
	     text += length) {
		cap_value_t capability;

		length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
		name = strndup(text, length);
		assert_int_equal(cap_from_name(name, &capability), 0);
		free(name);
		found |= 1ULL << capability;
	}
	return found;
}

static void test_the_man_page_has_setcap_give_what_it_takes(void **state)
{
	(void)state;
	assert_int_equal(capabilities_in(line_of("doc/netstacklat.8", "setcap ")),
			 rights[RIGHT_TO_COUNT].capabilities |
				 rights[RIGHT_TO_FIND_NAMES].capabilities);
}

static void test_the_unit_has_what_it_takes_and_tells_of_more(void **state)
{
	(void)state;
	assert_int_equal(capabilities_in(line_of(UNIT, "CapabilityBoundingSet=")),
			 rights[RIGHT_TO_COUNT].capabilities);
	assert_int_equal(capabilities_in(line_of(UNIT, "AmbientCapabilities=")),
			 rights[RIGHT_TO_COUNT].capabilities);
	assert_int_equal(capabilities_in(line_of(UNIT, "#   -g interface,netns  "
						       "CapabilityBoundingSet= and "
						       "AmbientCapabilities= ")),
			 rights[RIGHT_TO_FIND_NAMES].capabilities);
	assert_int_equal(capabilities_in(line_of(UNIT, "#   --overhead          likewise ")),
			 rights[RIGHT_TO_TIME_PROGRAMS].capabilities);
}

static void test_none_is_without_name_or_capability(void **state)
{
	(void)state;
	for (enum right right = 0; right < NR_RIGHTS; right++) {
		assert_non_null(rights[right].name);
		assert_true(rights[right].capabilities);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_man_page_has_setcap_give_what_it_takes),
		cmocka_unit_test(test_the_unit_has_what_it_takes_and_tells_of_more),
		cmocka_unit_test(test_none_is_without_name_or_capability),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
