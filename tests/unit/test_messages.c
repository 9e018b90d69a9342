// SPDX-License-Identifier: GPL-2.0
/* What libbpf and the verifier say. */
#include "unit.h"

#include <bpf/libbpf.h>
#include <stdarg.h>

#include "lib/base/log.h"
#include "lib/kernel/messages.h"
#include "said.h"

static libbpf_print_fn_t print;

static void say(enum libbpf_print_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(level, format, args);
	va_end(args);
}

static void test_only_the_verbose_print_them(void **state)
{
	(void)state;
	log_init(false);
	said_begin();
	say(LIBBPF_WARN, "cannot do %d\n", 1);
	assert_string_equal(said_end(), "");
	log_init(true);
	said_begin();
	say(LIBBPF_DEBUG, "doing %d\n", 1);
	say(LIBBPF_WARN, "cannot do %d\n", 2);
	assert_string_equal(said_end(), "cannot do 2\n");
}

/* As the verifier shows them, with five levels of page tables and with four; and numbers that are
 * none. */
static void test_they_tell_no_addresses_of_the_kernel(void **state)
{
	(void)state;
	log_init(true);
	said_begin();
	say(LIBBPF_WARN, "%s",
	    "18: (18) r1 = 0xff3fd109bbb5f000\n"
	    "20: (18) r2 = 0xffffb5c4800d1110 ; R2=map_value(off=0xffff)\n"
	    "21: (b7) r3 = 0xffffffff ; R3=0x7fffffffffffffff\n");
	assert_string_equal(said_end(),
			    "18: (18) r1 = 0xffxxxxxxxxxxxxxx\n"
			    "20: (18) r2 = 0xffxxxxxxxxxxxxxx ; R2=map_value(off=0xffff)\n"
			    "21: (b7) r3 = 0xffffffff ; R3=0x7fffffffffffffff\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_the_verbose_print_them),
		cmocka_unit_test(test_they_tell_no_addresses_of_the_kernel),
	};

	messages_init();
	print = libbpf_set_print(NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
