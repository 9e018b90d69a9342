// SPDX-License-Identifier: GPL-2.0
/* Byte by byte, on machines that keep the least byte first. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/packet/pcapng.h"

/* What was printed, as hexadecimal digits. */
static char *hex_of(const char *bytes, size_t size)
{
	char *hex = calloc(2 * size + 1, 1);

	assert_non_null(hex);
	for (size_t i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", (unsigned char)bytes[i]);
	return hex;
}

static void assert_bytes(const char *bytes, size_t size, const char *expected)
{
	char *hex = hex_of(bytes, size);

	assert_string_equal(hex, expected);
	free(hex);
}

static void test_the_start_of_a_file(void **state)
{
	static const char program[] = "netstacklat " VERSION;
	char *bytes, *expected, *name = hex_of(program, strlen(program));
	size_t size, padding = (4 - strlen(program) % 4) % 4;
	unsigned int section = 36 + strlen(program) + padding;
	FILE *out = open_memstream(&bytes, &size);

	(void)state;
	pcapng_print_start(out, 128);
	fclose(out);
	assert_true(asprintf(&expected,
			     "0a0d0d0a%02x000000"
			     "4d3c2b1a01000000ffffffffffffffff"
			     "0400%02x00%s%.*s00000000"
			     "%02x000000"
			     "0100000020000000"
			     "6500000080000000"
			     "09000100090000000000000020000000",
			     section, (unsigned int)strlen(program), name, (int)(2 * padding),
			     "000000", section) > 0);
	assert_bytes(bytes, size, expected);
	free(expected);
	free(name);
	free(bytes);
}

static void assert_packet(const struct pcapng_packet *packet, const char *expected)
{
	char *bytes;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	pcapng_print_packet(out, packet);
	fclose(out);
	assert_bytes(bytes, size, expected);
	free(bytes);
}

/* Bytes and comments end where words do, or not. */
static void test_packets(void **state)
{
	struct pcapng_packet packet = {
		.time_ns = 0x1122334455667788,
		.bytes = "\x45\x01\x02\x03\x04",
		.nr_bytes = 5,
		.length = 300,
		.comment = "51ms",
	};

	(void)state;
	assert_packet(&packet, "060000003400000000000000"
			       "4433221188776655"
			       "050000002c010000"
			       "4501020304000000"
			       "0100040035316d73"
			       "0000000034000000");
	packet.nr_bytes = 4;
	packet.comment = "x";
	assert_packet(&packet, "060000003000000000000000"
			       "4433221188776655"
			       "040000002c010000"
			       "45010203"
			       "0100010078000000"
			       "0000000030000000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_start_of_a_file),
		cmocka_unit_test(test_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
