// SPDX-License-Identifier: GPL-2.0
/* The names of reasons to drop a packet, as the kernel's types and symbols have them. */
#include "unit.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/printable.h"
#include "lib/host/symbols.h"
#include "lib/kernel/btf_reasons.h"

static void test_reasons_have_the_kernels_names(void **state)
{
	struct reason_names *names = reason_names_new(NULL);

	(void)state;
	assert_int_equal(reason_names_add(names, 3, "SKB_DROP_REASON_NO_SOCKET"), 0);
	assert_int_equal(reason_names_add(names, 0x20001, "OVS_DROP_LAST_ACTION"), 0);
	assert_int_equal(reason_names_add(names, 0x10001, "___RX_DROP_U_MIC_FAIL"), 0);
	assert_int_equal(reason_names_add(names, 3, "ANOTHER"), 0);
	assert_string_equal(reason_names_find(names, 3), "NO_SOCKET");
	assert_string_equal(reason_names_find(names, 0x20001), "OVS_DROP_LAST_ACTION");
	assert_string_equal(reason_names_find(names, 0x10001), "RX_DROP_U_MIC_FAIL");
	assert_null(reason_names_find(names, 4));
	assert_null(reason_names_find(NULL, 3));
	reason_names_free(names);
}

/* As a damaged file may have them. They have numbers then, and the others their names. */
static void test_what_cannot_be_printed_is_no_name(void **state)
{
	struct reason_names *names = reason_names_new(NULL);
	char name[MAX_PRINTABLE + 2] = "";

	(void)state;
	memset(name, 'A', MAX_PRINTABLE + 1);
	assert_int_equal(reason_names_add(names, 1, name), 0);
	assert_int_equal(reason_names_add(names, 2, name + 1), 0);
	assert_int_equal(reason_names_add(names, 3, "SKB_DROP_REASON_"), 0);
	assert_null(reason_names_find(names, 1));
	assert_string_equal(reason_names_find(names, 2), name + 1);
	assert_null(reason_names_find(names, 3));
	reason_names_free(names);
}

/* Adds an enum of two values. */
static void add_enum(struct btf *btf, const char *name, const char *first, long first_value,
		     const char *second, long second_value)
{
	assert_true(btf__add_enum(btf, name, 4) > 0);
	assert_int_equal(btf__add_enum_value(btf, first, first_value), 0);
	assert_int_equal(btf__add_enum_value(btf, second, second_value), 0);
}

static void test_reasons_are_in_enums_of_the_kernel_and_its_modules(void **state)
{
	struct reason_names *names = reason_names_new(NULL);
	struct btf *kernel = btf__new_empty(), *module;

	(void)state;
	add_enum(kernel, "skb_drop_reason", "SKB_DROP_REASON_NOT_SPECIFIED", 2,
		 "SKB_DROP_REASON_NO_SOCKET", 3);
	add_enum(kernel, "skb_drop_reason_subsys", "SUBSYS_CORE", 0, "SUBSYS_OVS", 0x30000);
	add_enum(kernel, "color", "RED", 0x20002, "BLUE", 0x20003);
	assert_int_equal(kernel_add_reasons(names, kernel, 1), 0);
	module = btf__new_empty_split(kernel);
	add_enum(module, "mac80211_drop_reason", "RX_CONTINUE", 1, "RX_DROP_U_DUP", 0x10004);
	assert_int_equal(kernel_add_reasons(names, module, btf__type_cnt(kernel)), 0);

	assert_string_equal(reason_names_find(names, 3), "NO_SOCKET");
	assert_string_equal(reason_names_find(names, 0x10004), "RX_DROP_U_DUP");
	/* A result that is no drop, the number of a subsystem, and what is no reason at all. */
	assert_null(reason_names_find(names, 1));
	assert_null(reason_names_find(names, 0x30000));
	assert_null(reason_names_find(names, 0x20002));
	reason_names_free(names);
	btf__free(module);
	btf__free(kernel);
}

/* In a file, to be removed. */
static void write_symbols(char path[32], const char *symbols)
{
	FILE *file;

	snprintf(path, 32, "/tmp/symbols.XXXXXX");
	file = fdopen(mkstemp(path), "w");
	assert_non_null(file);
	fputs(symbols, file);
	fclose(file);
}

static void assert_symbol(const char *path, uint64_t address, const char *expected)
{
	FILE *list = fopen(path, "re");
	char *symbol = symbol_at(list, address);

	assert_int_equal(!symbol, !expected);
	if (expected)
		assert_string_equal(symbol, expected);
	free(symbol);
	fclose(list);
}

static void test_a_place_is_a_symbol_and_an_offset(void **state)
{
	char path[32];

	(void)state;
	write_symbols(path, "ffffffff81000000 T _stext\n"
			    "ffffffff81000040 t udp_rcv\n"
			    "ffffffffc0000100 t nft_do_chain\t[nf_tables]\n"
			    "ffffffffc0000000 t veth_xmit\t[veth]\n");
	assert_symbol(path, 0xffffffff8100004f, "udp_rcv+0xf");
	assert_symbol(path, 0xffffffff8100003f, "_stext+0x3f");
	assert_symbol(path, 0xffffffffc0000004, "veth_xmit+0x4");
	assert_symbol(path, 0xffffffffc0000104, "nft_do_chain+0x4");
	assert_symbol(path, 0xffffffff80ffffff, NULL);
	unlink(path);
}

static void test_hidden_addresses_are_none(void **state)
{
	char path[32];

	(void)state;
	write_symbols(path, "0000000000000000 T _stext\n0000000000000000 t udp_rcv\n");
	assert_symbol(path, 0xffffffff8100004f, NULL);
	unlink(path);
}

/* A number would tell where the kernel's code is. */
static void test_places_without_a_symbol_are_unknown(void **state)
{
	struct reason_names *names = reason_names_new("/nonexistent");

	(void)state;
	assert_string_equal(reason_names_find(names, 0x8100004f), "unknown");
	reason_names_free(names);
}

/* Later, the kernel might show none: then, the list itself is gone. */
static void test_the_list_of_symbols_is_opened_at_first(void **state)
{
	struct reason_names *names;
	char path[32];

	(void)state;
	write_symbols(path, "ffffffff81000000 T _stext\nffffffff81000040 t udp_rcv\n");
	names = reason_names_new(path);
	unlink(path);
	assert_string_equal(reason_names_find(names, 0x8100004f), "udp_rcv+0xf");
	assert_string_equal(reason_names_find(names, 0x81000001), "_stext+0x1");
	assert_string_equal(reason_names_find(names, 0x8100004f), "udp_rcv+0xf");
	assert_string_equal(reason_names_find(names, 0x80000000), "unknown");
	reason_names_free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons_have_the_kernels_names),
		cmocka_unit_test(test_what_cannot_be_printed_is_no_name),
		cmocka_unit_test(test_reasons_are_in_enums_of_the_kernel_and_its_modules),
		cmocka_unit_test(test_a_place_is_a_symbol_and_an_offset),
		cmocka_unit_test(test_hidden_addresses_are_none),
		cmocka_unit_test(test_places_without_a_symbol_are_unknown),
		cmocka_unit_test(test_the_list_of_symbols_is_opened_at_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
