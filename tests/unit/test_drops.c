// SPDX-License-Identifier: GPL-2.0
/* What is dropped between hooks: how it is read from a map, and what reports have of it. */
#include "unit.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/stage_drops.h"
#include "lib/report/drops.h"
#include "report_printing.h"

#define IPV4(hook) STAGE_FROM(HOOK_##hook, 0)
#define IPV6(hook) STAGE_FROM(HOOK_##hook, 1)

static struct reason_names *names;
static struct report_drop *list;
static size_t nr;

static void list_drops(const struct stage_drop *keys, const uint64_t *counts, size_t nr_keys)
{
	struct stage_drop all_keys[NR_STAGE_DROPS] = { 0 };
	uint64_t all_counts[NR_STAGE_DROPS] = { 0 };

	for (size_t i = 0; i < nr_keys; i++) {
		all_keys[i] = keys[i];
		all_counts[i] = counts[i];
	}
	assert_int_equal(report_list_drops(all_keys, all_counts, names, &list, &nr), 0);
}

static int make_names(void **state)
{
	(void)state;
	names = reason_names_new(NULL);
	return !names || reason_names_add(names, 3, "SKB_DROP_REASON_NO_SOCKET") ||
	       reason_names_add(names, 4, "SKB_DROP_REASON_NETFILTER_DROP") ||
	       reason_names_add(names, 5, "NO_SOCKET");
}

static int free_all(void **state)
{
	(void)state;
	reason_names_free(names);
	free(list);
	list = NULL;
	return 0;
}

static void assert_drop(size_t i, enum hook from, unsigned int ip_version, const char *reason,
			uint64_t count)
{
	assert_int_equal(list[i].from, from);
	assert_int_equal(list[i].ip_version, ip_version);
	assert_string_equal(report_drop_reason(&list[i]), reason);
	assert_int_equal(list[i].count, count);
}

/* In packet order, and most first. */
static void test_drops_are_listed_by_hook_and_count(void **state)
{
	static const struct stage_drop keys[] = {
		{ 0, 0 },
		{ IPV6(udp_start), 3 },
		{ IPV4(udp_start), 4 },
		{ IPV4(udp_start), 3 },
		{ IPV4(ip_rcv), 7 },
		{ IPV4(netif_receive), 4 },
		{ IPV4(udp_start), 70 },
		{ IPV6(tx_ip), 4 },
		{ FROM_STAMP, 4 },
	};
	static const uint64_t counts[] = { 1, 10, 11, 12, 13, 14, 0, 15, 16 };

	(void)state;
	list_drops(keys, counts, 9);
	assert_int_equal(nr, 8);
	assert_drop(0, HOOK_netif_receive, 0, "NETFILTER_DROP", 14);
	assert_drop(1, HOOK_ip_rcv, 4, "number/7", 13);
	assert_drop(2, HOOK_udp_start, 4, "NO_SOCKET", 12);
	assert_drop(3, HOOK_udp_start, 4, "NETFILTER_DROP", 11);
	assert_drop(4, HOOK_udp_start, 6, "NO_SOCKET", 10);
	assert_drop(5, HOOK_tx_ip, 6, "NETFILTER_DROP", 15);
	assert_drop(6, NR_HOOKS, 0, "NETFILTER_DROP", 16);
	assert_drop(7, NR_HOOKS, 0, "NO_ROOM", 1);
}

static void test_reasons_of_one_name_are_one(void **state)
{
	static const struct stage_drop keys[] = { { IPV4(udp_start), 3 },
						  { IPV4(udp_start), 4 },
						  { IPV4(udp_start), 5 } };
	static const uint64_t counts[] = { 10, 15, 20 };

	(void)state;
	list_drops(keys, counts, 3);
	assert_int_equal(nr, 2);
	assert_drop(0, HOOK_udp_start, 4, "NO_SOCKET", 30);
	assert_drop(1, HOOK_udp_start, 4, "NETFILTER_DROP", 15);
}

static void count(int map, struct stage_drop key, uint64_t nr_packets)
{
	int nr_cpus = libbpf_num_possible_cpus();
	__u64 *values = calloc(nr_cpus, sizeof(*values));

	assert_non_null(values);
	values[0] = nr_packets - 1;
	values[nr_cpus - 1] += 1;
	assert_int_equal(bpf_map_update_elem(map, &key, values, BPF_ANY), 0);
	free(values);
}

static uint64_t count_of(const struct stage_drop *keys, const uint64_t *counts,
			 struct stage_drop key)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < NR_STAGE_DROPS; i++)
		if (keys[i].from == key.from && keys[i].reason == key.reason)
			sum += counts[i];
	return sum;
}

/* New keys come in anywhere in the map, up to as many as there is room for. */
static void test_what_was_read_keeps_its_place(void **state)
{
	const struct stage_drop first = { IPV4(udp_start), 1 }, no_room = { 0, 0 };
	static uint64_t counts[NR_STAGE_DROPS], later[NR_STAGE_DROPS];
	struct stage_drop before[NR_STAGE_DROPS];
	struct stage_drops *drops;
	int map = bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "test", sizeof(struct stage_drop),
				 sizeof(__u64), NR_STAGE_DROPS, NULL);

	(void)state;
	if (map < 0 && errno == EPERM)
		skip();
	assert_true(map >= 0);
	assert_int_equal(stage_drops_prepare(map), 0);
	drops = stage_drops_new(map);
	assert_non_null(drops);
	count(map, first, 41);
	assert_int_equal(stage_drops_read(drops, counts), 0);
	assert_int_equal(count_of(stage_drops_keys(drops), counts, first), 41);
	memcpy(before, stage_drops_keys(drops), sizeof(before));

	for (__u32 reason = 2; reason < NR_STAGE_DROPS; reason++)
		count(map, (struct stage_drop){ IPV4(udp_start), reason }, 10 + reason);
	count(map, no_room, 43);
	assert_int_equal(stage_drops_read(drops, later), 0);
	for (size_t i = 0; i < 2; i++)
		assert_memory_equal(&stage_drops_keys(drops)[i], &before[i], sizeof(*before));
	assert_int_equal(count_of(stage_drops_keys(drops), later, first), 41);
	assert_int_equal(count_of(stage_drops_keys(drops), later, no_room), 43);
	for (__u32 reason = 2; reason < NR_STAGE_DROPS; reason++)
		assert_int_equal(count_of(stage_drops_keys(drops), later,
					  (struct stage_drop){ IPV4(udp_start), reason }),
				 10 + reason);
	stage_drops_free(drops);
	close(map);
}

static void test_without_a_map_nothing_is_read(void **state)
{
	uint64_t counts[NR_STAGE_DROPS];
	struct stage_drops *drops = stage_drops_new(-1);

	(void)state;
	assert_non_null(drops);
	assert_int_equal(stage_drops_read(drops, counts), -EBADF);
	stage_drops_free(drops);
	assert_int_equal(stage_drops_prepare(-1), -EBADF);
}

/* It is the kernel's that --btf names, and as good as who gave that file. */
static void test_a_reason_makes_no_other_samples(void **state)
{
	static struct hook_counts counts[NR_HOOKS];
	const struct report_drop drop = { HOOK_ip_rcv, 4, .name = "A\"} 1\\", .count = 7 };
	struct report_setup setup = make_setup();
	struct report report = make_report(&setup, counts);
	char *text;

	(void)state;
	setup.plan.stages = setup.drops = true;
	report.drops = &drop;
	report.nr_drops = 1;
	text = print_report(&printer_openmetrics, &report);
	assert_non_null(strstr(text, "_total{from=\"ip-rcv\",ip_version=\"4\","
				     "reason=\"A\\\"} 1\\\\\"} 7\n"));
	free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_names, free_all)
	const struct CMUnitTest tests[] = {
		TEST(test_drops_are_listed_by_hook_and_count),
		TEST(test_reasons_of_one_name_are_one),
		cmocka_unit_test(test_what_was_read_keeps_its_place),
		cmocka_unit_test(test_without_a_map_nothing_is_read),
		cmocka_unit_test(test_a_reason_makes_no_other_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
