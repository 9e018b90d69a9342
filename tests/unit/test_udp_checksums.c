// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "lib/host/udp_checksums.h"

static void assert_wrong(uint64_t (*parse)(FILE *file), const char *text, uint64_t expected)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	assert_non_null(file);
	assert_int_equal(parse(file), expected);
	fclose(file);
}

/* As Linux 6.12 prints it, with fewer columns. */
static void test_ipv4_counts_in_columns(void **state)
{
	(void)state;
	assert_wrong(udp_checksums_parse_wrong,
		     "Tcp: InSegs InCsumErrors\nTcp: 5 6\n"
		     "Udp: InDatagrams InErrors InCsumErrors\nUdp: 1 20 300\n"
		     "UdpLite: InDatagrams InErrors InCsumErrors\nUdpLite: 7 8 9\n",
		     300);
	assert_wrong(udp_checksums_parse_wrong, "Udp: InDatagrams\nUdp: 1\n", 0);
	assert_wrong(udp_checksums_parse_wrong, "Udp: InCsumErrors\n", 0);
	assert_wrong(udp_checksums_parse_wrong, "\n", 0);
}

static void test_ipv6_counts_in_lines(void **state)
{
	(void)state;
	assert_wrong(udp_checksums_parse_wrong_ipv6,
		     "Udp6InErrors                    \t4\n"
		     "Udp6InCsumErrors                \t30\n"
		     "UdpLite6InCsumErrors            \t5\n",
		     30);
	assert_wrong(udp_checksums_parse_wrong_ipv6, "Udp6InCsumErrors\n", 0);
	assert_wrong(udp_checksums_parse_wrong_ipv6, "Udp6InErrors 4\n", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv4_counts_in_columns),
		cmocka_unit_test(test_ipv6_counts_in_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
