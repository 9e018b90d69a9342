// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <string.h>

#include "lib/host/softnet.h"

#define LINE(squeezed, cpu)                                                                     \
	"000a1b2c 00000003 " squeezed " 00000000 00000000 00000000 00000000 00000000 00000000 " \
	"00000000 00000000 00000000 " cpu " 00000000 00000000\n"

static struct softnet parse(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	struct softnet softnet;

	assert_non_null(file);
	softnet = softnet_parse(file);
	fclose(file);
	return softnet;
}

/* CPU 1 is offline. */
static void test_each_cpu_has_its_own(void **state)
{
	struct softnet before = parse(LINE("00000005", "00000000") LINE("fffffffe", "00000002"));
	struct softnet now = parse(LINE("00000009", "00000000") LINE("00000001", "00000002")
					   LINE("00000006", "00000003"));

	(void)state;
	assert_int_equal(softnet_squeezed_since(&now, &before, 0), 4);
	assert_int_equal(softnet_squeezed_since(&now, &before, 1), 0);
	assert_int_equal(softnet_squeezed_since(&now, &before, 2), 3);
	assert_int_equal(softnet_squeezed_since(&now, &before, 3), 6);
	assert_int_equal(softnet_squeezed_since(&now, &before, 4), 0);
	assert_int_equal(softnet_squeezed_since(&before, &now, 3), 0);
	softnet_free(&before);
	softnet_free(&now);
	assert_int_equal(now.nr, 0);
}

static void test_what_has_another_form_is_left_out(void **state)
{
	struct softnet softnet = parse("1 2 3 4\n\nnothing\n" LINE("00000001", "00ffffff"));

	(void)state;
	assert_int_equal(softnet.nr, 0);
	softnet_free(&softnet);
}

static void test_this_kernel_tells(void **state)
{
	struct softnet softnet = softnet_read();

	(void)state;
	assert_true(softnet.nr > 0);
	softnet_free(&softnet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_cpu_has_its_own),
		cmocka_unit_test(test_what_has_another_form_is_left_out),
		cmocka_unit_test(test_this_kernel_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
