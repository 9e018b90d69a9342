// SPDX-License-Identifier: GPL-2.0
/* Counts of groups, and which rows are of one group: from files, as the maps are mapped memory. */
#include "unit.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/counts/groups.h"
#include "lib/kernel/group_rows.h"
#include "lib/tables/units.h"

#define BIT(key) (1U << KEY_##key)
#define MAX_GROUPS 8

/* nr groups, with counts that first and the numbers of group and bucket tell apart. */
static struct group_counts make_counts(size_t nr, unsigned int nr_buckets, uint64_t first)
{
	struct group_counts counts = {
		.buckets = nr ? calloc(nr * nr_buckets, sizeof(struct bucket)) : NULL,
		.nr = nr,
		.nr_buckets = nr_buckets,
	};

	for (size_t i = 0; i < nr * nr_buckets; i++)
		counts.buckets[i] = (struct bucket){ first + i, 1000 * (first + i) };
	return counts;
}

static void assert_counts_equal(const struct group_counts *counts,
				const struct group_counts *expected)
{
	assert_int_equal(counts->nr, expected->nr);
	assert_int_equal(counts->nr_buckets, expected->nr_buckets);
	if (expected->nr)
		assert_memory_equal(counts->buckets, expected->buckets,
				    expected->nr * expected->nr_buckets * sizeof(struct bucket));
}

static void test_buckets_are_those_of_one_group(void **state)
{
	struct group_counts counts = make_counts(3, 10, 100);

	(void)state;
	assert_int_equal(group_buckets(&counts, 0)[0].count, 100);
	assert_int_equal(group_buckets(&counts, 0)[9].count, 109);
	assert_int_equal(group_buckets(&counts, 1)[0].count, 110);
	assert_int_equal(group_buckets(&counts, 2)[9].count, 129);
	group_counts_free(&counts);
	assert_null(counts.buckets);
	assert_int_equal(counts.nr, 0);
}

static void test_a_copy_grows(void **state)
{
	struct group_counts copy = { 0 };

	(void)state;
	for (size_t nr = 0; nr <= MAX_GROUPS; nr++) {
		struct group_counts counts = make_counts(nr, NR_BUCKETS(0), 10 * nr);

		assert_int_equal(group_counts_copy(&copy, &counts), 0);
		assert_counts_equal(&copy, &counts);
		if (nr)
			assert_ptr_not_equal(copy.buckets, counts.buckets);
		group_counts_free(&counts);
	}
	group_counts_free(&copy);
}

static void test_a_sum_grows(void **state)
{
	struct group_counts sum = make_counts(1, 2, 100), two = make_counts(2, 2, 7);

	(void)state;
	assert_int_equal(group_counts_add(&sum, &two), 0);
	assert_int_equal(sum.nr, 2);
	assert_int_equal(group_buckets(&sum, 0)[1].count, 101 + 8);
	assert_int_equal(group_buckets(&sum, 0)[1].sum_ns, 101000 + 8000);
	/* The second has nothing but what was added. */
	assert_memory_equal(group_buckets(&sum, 1), group_buckets(&two, 1),
			    2 * sizeof(struct bucket));
	group_counts_free(&sum);
	group_counts_free(&two);
}

static void test_what_has_fewer_groups_leaves_the_others(void **state)
{
	struct group_counts counts = make_counts(2, 3, 50), one = make_counts(1, 3, 20);

	(void)state;
	group_counts_subtract(&counts, &one);
	assert_int_equal(counts.nr, 2);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(group_buckets(&counts, 0)[i].count, 30);
		assert_int_equal(group_buckets(&counts, 0)[i].sum_ns, 30000);
		assert_int_equal(group_buckets(&counts, 1)[i].count, 53 + i);
	}
	assert_int_equal(group_counts_add(&counts, &one), 0);
	assert_int_equal(group_buckets(&counts, 0)[2].count, 52);
	assert_int_equal(group_buckets(&counts, 1)[2].count, 55);
	group_counts_free(&counts);
	group_counts_free(&one);
}

static void test_no_groups_change_nothing(void **state)
{
	struct group_counts counts = make_counts(2, 3, 1), expected = make_counts(2, 3, 1);
	const struct group_counts none = { .nr_buckets = 3 };

	(void)state;
	assert_int_equal(group_counts_add(&counts, &none), 0);
	group_counts_subtract(&counts, &none);
	assert_counts_equal(&counts, &expected);
	group_counts_free(&counts);
	group_counts_free(&expected);
}

/* As counters do from reading to reading: they rise, and there are ever more groups. */
static void count_more(struct group_counts *counts)
{
	struct group_counts more = make_counts(random() % (MAX_GROUPS + 1), NR_BUCKETS(0), 0);

	for (size_t i = 0; i < more.nr * more.nr_buckets; i++)
		more.buckets[i] = (struct bucket){ random() % 1000, random() };
	assert_int_equal(group_counts_add(counts, &more), 0);
	group_counts_free(&more);
}

static void test_intervals_add_up_to_the_total(void **state)
{
	struct group_counts now = { 0 }, before = { 0 }, interval = { 0 }, total = { 0 };

	(void)state;
	srandom(1);
	for (int i = 0; i < 100; i++) {
		count_more(&now);
		assert_int_equal(group_counts_copy(&interval, &now), 0);
		group_counts_subtract(&interval, &before);
		assert_int_equal(group_counts_add(&total, &interval), 0);
		assert_counts_equal(&total, &now);
		assert_int_equal(group_counts_copy(&before, &now), 0);
	}
	assert_int_equal(now.nr, MAX_GROUPS);
	group_counts_free(&now);
	group_counts_free(&before);
	group_counts_free(&interval);
	group_counts_free(&total);
}

/* Rows and their buckets, as programs write them. */
#define NR_ROWS 1000
#define NR_ROW_BUCKETS NR_BUCKETS(0)

struct rows {
	struct group_maps maps;
	struct group_row *rows;
	struct bucket *buckets;
	struct group_rows *reader;
	struct group_counts counts;
	uint64_t now_ns; /* of readings */
	__u32 epoch;
};

static int make_file(size_t size, void *memory)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	*(void **)memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(*(void **)memory, MAP_FAILED);
	return fd;
}

static void make_reader(struct rows *rows)
{
	rows->reader = group_rows_new(&rows->maps);
	assert_non_null(rows->reader);
}

static void make_files(struct rows *rows, unsigned int group_by)
{
	*rows = (struct rows){ .maps = { .nr_rows = NR_ROWS, .keys = group_by } };
	rows->maps.rows = make_file(NR_ROWS * sizeof(struct group_row), &rows->rows);
	rows->maps.latency =
		make_file(NR_ROWS * NR_ROW_BUCKETS * sizeof(struct bucket), &rows->buckets);
}

static void make_rows(struct rows *rows, unsigned int group_by)
{
	make_files(rows, group_by);
	make_reader(rows);
}

static void free_rows(struct rows *rows)
{
	group_rows_free(rows->reader);
	group_counts_free(&rows->counts);
	munmap(rows->rows, NR_ROWS * sizeof(struct group_row));
	munmap(rows->buckets, NR_ROWS * NR_ROW_BUCKETS * sizeof(struct bucket));
	close(rows->maps.rows);
	close(rows->maps.latency);
}

/* A row comes into use, with count samples of 8 ns each. */
static void use_row(struct rows *rows, unsigned int row, struct group_key key, uint64_t count)
{
	rows->rows[row] = (struct group_row){ .key = key, .comm = "reader", .in_use = 1 };
	rows->buckets[row * NR_ROW_BUCKETS + 3] = (struct bucket){ count, 8 * count };
}

#define KEY(...) ((struct group_key){ __VA_ARGS__ })

/* Reads, and returns how many groups there are. */
static size_t read_rows(struct rows *rows)
{
	assert_int_equal(group_rows_read(rows->reader, rows->now_ns, &rows->counts), 0);
	assert_int_equal(rows->counts.nr_buckets, NR_ROW_BUCKETS);
	return rows->counts.nr;
}

static uint64_t count_of(const struct rows *rows, size_t group)
{
	const struct bucket *buckets = group_buckets(&rows->counts, group);

	assert_int_equal(buckets[3].sum_ns, 8 * buckets[3].count);
	assert_int_equal(buckets[2].count + buckets[4].count, 0);
	return buckets[3].count;
}

static void test_rows_of_probes_and_cpus_are_one_group(void **state)
{
	const struct group *group;
	struct rows rows;

	(void)state;
	make_rows(&rows, BIT(PORT));
	use_row(&rows, 0, KEY(.port = 80, .probe = PROBE_tcp_v4_do_rcv, .cpu = 0), 1);
	use_row(&rows, 1, KEY(.port = 80, .probe = PROBE_tcp_v4_do_rcv, .cpu = 5), 10);
	use_row(&rows, 999, KEY(.port = 80, .probe = PROBE_tcp_v6_do_rcv, .cpu = 5), 100);
	assert_int_equal(read_rows(&rows), 1);
	assert_int_equal(count_of(&rows, 0), 111);
	group = groups_get(rows.reader);
	assert_int_equal(group->hook, HOOK_tcp_do_rcv);
	assert_int_equal(group->key.port, 80);
	assert_int_equal(group->key.cpu, 0);
	assert_int_equal(group->key.probe, 0);
	assert_string_equal(group->comm, "reader");
	free_rows(&rows);
}

static void test_cpus_are_groups_if_grouped_by_them(void **state)
{
	struct rows rows;

	(void)state;
	make_rows(&rows, BIT(CPU));
	use_row(&rows, 0, KEY(.probe = PROBE_tcp_v4_rcv, .cpu = 0), 1);
	use_row(&rows, 1, KEY(.probe = PROBE_tcp_v4_rcv, .cpu = 5), 10);
	use_row(&rows, 2, KEY(.probe = PROBE_tcp_v6_rcv, .cpu = 5), 100);
	assert_int_equal(read_rows(&rows), 2);
	assert_int_equal(count_of(&rows, 0), 1);
	assert_int_equal(count_of(&rows, 1), 110);
	assert_int_equal(groups_get(rows.reader)[1].key.cpu, 5);
	free_rows(&rows);
}

/* Each of these differs in one thing from the first. */
static void test_other_keys_and_hooks_are_other_groups(void **state)
{
	const struct group_key keys[] = {
		KEY(.port = 80, .probe = PROBE_tcp_data_queue),
		KEY(.port = 81, .probe = PROBE_tcp_data_queue),
		KEY(.port = 80, .probe = PROBE_tcp_queue_rcv),
		KEY(.port = 80, .probe = PROBE_tcp_data_queue, .netns = 1ULL << 60),
		KEY(.port = 80, .probe = PROBE_tcp_data_queue, .cgroup = 1),
		KEY(.port = 80, .probe = PROBE_tcp_data_queue, .ifindex = 2),
		KEY(.port = 80, .probe = PROBE_tcp_data_queue, .pid = 2),
		KEY(.port = 80, .probe = PROBE_tcp_data_queue, .pid = 2, .started_ns = 1),
		KEY(.port = 80, .probe = PROBE_tcp_data_queue, .ip_version = 6),
		KEY(.port = 80, .probe = PROBE_tcp_data_queue, .comm = "a"),
	};
	const unsigned int nr = sizeof(keys) / sizeof(*keys);
	struct rows rows;

	(void)state;
	make_rows(&rows, BIT(PORT) | BIT(NETNS));
	for (unsigned int i = 0; i < nr; i++)
		use_row(&rows, i, keys[i], 1 + i);
	assert_int_equal(read_rows(&rows), nr);
	for (unsigned int i = 0; i < nr; i++) {
		assert_int_equal(count_of(&rows, i), 1 + i);
		assert_int_equal(groups_get(rows.reader)[i].key.port, keys[i].port);
	}
	free_rows(&rows);
}

/* Where the interface is unknown, its namespace is not asked for either. */
static void test_unknown_interfaces_are_one_group(void **state)
{
	struct rows rows;

	(void)state;
	make_rows(&rows, BIT(INTERFACE));
	use_row(&rows, 0, KEY(.netns = 1, .probe = PROBE_tcp_recv_timestamp), 1);
	use_row(&rows, 1, KEY(.netns = 2, .probe = PROBE_tcp_recv_timestamp), 2);
	use_row(&rows, 2, KEY(.netns = 2, .ifindex = 2, .probe = PROBE_tcp_queue_rcv), 4);
	assert_int_equal(read_rows(&rows), 2);
	assert_int_equal(count_of(&rows, 0), 3);
	assert_int_equal(count_of(&rows, 1), 4);
	free_rows(&rows);
}

/* A process is called the same at all hooks, whichever comes later. */
static void test_later_processes_of_an_id_are_told_apart(void **state)
{
	const struct {
		struct group_key key;
		bool is_later;
	} expected[] = {
		{ KEY(.pid = 7, .started_ns = 50, .probe = PROBE_tcp_recv_timestamp), false },
		{ KEY(.pid = 7, .started_ns = 60, .probe = PROBE_tcp_recv_timestamp), true },
		{ KEY(.pid = 8, .started_ns = 60, .probe = PROBE_tcp_recv_timestamp), false },
		{ KEY(.pid = 7, .started_ns = 60, .probe = PROBE_skb_consume_udp), true },
		{ KEY(.pid = 7, .started_ns = 50, .probe = PROBE_skb_consume_udp), false },
		{ KEY(.probe = PROBE_udp_rcv), false },
		{ KEY(.pid = 7, .started_ns = 40, .probe = PROBE_skb_consume_udp), true },
	};
	const unsigned int nr = sizeof(expected) / sizeof(*expected);
	struct rows rows;

	(void)state;
	make_rows(&rows, BIT(PID));
	for (unsigned int i = 0; i < nr; i++) {
		use_row(&rows, i, expected[i].key, 1);
		assert_int_equal(read_rows(&rows), i + 1);
		assert_int_equal(groups_get(rows.reader)[i].is_later_process, expected[i].is_later);
	}
	free_rows(&rows);
}

static void test_rows_come_into_use(void **state)
{
	struct rows rows;

	(void)state;
	make_rows(&rows, BIT(PORT));
	assert_int_equal(read_rows(&rows), 0);

	use_row(&rows, 7, KEY(.port = 443, .probe = PROBE_tcp_data_queue), 5);
	assert_int_equal(read_rows(&rows), 1);
	/* It is what was counted since the start, and not added up by readings. */
	assert_int_equal(read_rows(&rows), 1);
	assert_int_equal(count_of(&rows, 0), 5);

	/* The order is that in which they were found. */
	use_row(&rows, 2, KEY(.port = 80, .probe = PROBE_tcp_data_queue), 3);
	use_row(&rows, 3, KEY(.port = 443, .probe = PROBE_tcp_data_queue, .cpu = 1), 2);
	assert_int_equal(read_rows(&rows), 2);
	assert_int_equal(groups_get(rows.reader)[0].key.port, 443);
	assert_int_equal(groups_get(rows.reader)[1].key.port, 80);
	assert_int_equal(count_of(&rows, 0), 7);
	assert_int_equal(count_of(&rows, 1), 3);
	free_rows(&rows);
}

/*
 * One for each hook and stage, and none of those that were seen, such as of what nothing is known.
 */
static void test_others_are_groups_of_their_own(void **state)
{
	size_t others[4], same;
	struct rows rows;

	(void)state;
	make_rows(&rows, BIT(PORT));
	use_row(&rows, 0, KEY(.probe = PROBE_udp_queue_rcv_one_skb), 1);
	use_row(&rows, 1, KEY(.probe = PROBE_udp_queue_rcv_one_skb, .port = 53), 2);
	use_row(&rows, 2, KEY(.probe = PROBE_udp_queue_rcv_one_skb, .port = 53, .stage_from = 9),
		3);
	use_row(&rows, 3, KEY(.probe = PROBE_skb_consume_udp, .port = 53), 4);
	assert_int_equal(read_rows(&rows), 4);
	for (size_t group = 0; group < 4; group++) {
		assert_int_equal(group_rows_other(rows.reader, group, &others[group]), 0);
		assert_true(others[group] >= 4);
		assert_true(groups_get(rows.reader)[others[group]].is_other);
		assert_int_equal(groups_get(rows.reader)[others[group]].hook,
				 groups_get(rows.reader)[group].hook);
		/* It is its own. */
		assert_int_equal(group_rows_other(rows.reader, others[group], &same), 0);
		assert_int_equal(same, others[group]);
	}
	assert_int_equal(others[0], others[1]);
	assert_int_not_equal(others[1], others[2]);
	assert_int_not_equal(others[1], others[3]);
	/* No row counts for them. */
	assert_int_equal(read_rows(&rows), 7);
	assert_int_equal(count_of(&rows, others[0]), 0);
	assert_int_equal(count_of(&rows, 1), 2);
	free_rows(&rows);
}

/* With the maps that take rows back, where users may make such. */
static void make_rows_to_recycle(struct rows *rows)
{
	make_files(rows, BIT(PORT));
	rows->epoch = 1;
	rows->now_ns = NS_PER_S;
	rows->maps.epoch = &rows->epoch;
	rows->maps.row_of = bpf_map_create(BPF_MAP_TYPE_HASH, "row_of", sizeof(struct group_key),
					   sizeof(__u32), NR_ROWS, NULL);
	rows->maps.recycled =
		bpf_map_create(BPF_MAP_TYPE_QUEUE, "recycled", 0, sizeof(__u32), NR_ROWS, NULL);
	make_reader(rows);
	if (rows->maps.row_of < 0 || rows->maps.recycled < 0) {
		free_rows(rows);
		skip();
	}
}

static void free_recycled(struct rows *rows)
{
	close(rows->maps.row_of);
	close(rows->maps.recycled);
	free_rows(rows);
}

#define UDP_AT(port_number) KEY(.port = port_number, .probe = PROBE_udp_queue_rcv_one_skb)

/* A program finds no row for its key, and takes this one. */
static void take_row(struct rows *rows, __u32 row, struct group_key key, uint64_t count)
{
	use_row(rows, row, key, count);
	assert_int_equal(bpf_map_update_elem(rows->maps.row_of, &key, &row, BPF_NOEXIST), 0);
}

static bool finds_row(const struct rows *rows, struct group_key key)
{
	__u32 row;

	return !bpf_map_lookup_elem(rows->maps.row_of, &key, &row);
}

/* Gives back all that count nothing after the last reading. */
static void recycle(struct rows *rows)
{
	const uint64_t since_ns = rows->now_ns + 1;

	rows->now_ns += NS_PER_S;
	read_rows(rows);
	assert_int_equal(group_rows_recycle(rows->reader, rows->now_ns, since_ns), 0);
	rows->now_ns += NS_PER_S;
	assert_int_equal(group_rows_recycle(rows->reader, rows->now_ns, since_ns), 0);
}

/* Port 80 has counted 5, in a row that was given back. */
static void make_idle_group(struct rows *rows)
{
	make_rows_to_recycle(rows);
	take_row(rows, 7, UDP_AT(80), 5);
	read_rows(rows);
	recycle(rows);
}

static void test_idle_rows_are_taken_away_and_then_given_back(void **state)
{
	const struct group_row unused = { 0 };
	__u32 row = 0;
	struct rows rows;

	(void)state;
	make_rows_to_recycle(&rows);
	take_row(&rows, 7, UDP_AT(80), 5);
	take_row(&rows, 8, UDP_AT(81), 6);
	assert_int_equal(read_rows(&rows), 2);
	/* A row that has counted since then is left alone. */
	rows.now_ns = 2 * NS_PER_S;
	use_row(&rows, 8, UDP_AT(81), 16);
	read_rows(&rows);
	assert_int_equal(group_rows_recycle(rows.reader, 2 * NS_PER_S, NS_PER_S), 0);
	assert_true(finds_row(&rows, UDP_AT(80)));
	assert_int_equal(group_rows_recycle(rows.reader, 2 * NS_PER_S, 2 * NS_PER_S), 0);
	assert_false(finds_row(&rows, UDP_AT(80)));
	assert_true(finds_row(&rows, UDP_AT(81)));
	assert_int_equal(rows.epoch, 2);
	assert_int_equal(group_rows_used(rows.reader).used, 2);
	/* A program that had found it before still counts. */
	use_row(&rows, 7, UDP_AT(80), 9);
	assert_int_equal(group_rows_recycle(rows.reader, 3 * NS_PER_S - 1, 3 * NS_PER_S - 1), 0);
	assert_int_not_equal(bpf_map_lookup_and_delete_elem(rows.maps.recycled, NULL, &row), 0);
	assert_int_equal(group_rows_recycle(rows.reader, 3 * NS_PER_S, 2 * NS_PER_S), 0);
	assert_int_equal(bpf_map_lookup_and_delete_elem(rows.maps.recycled, NULL, &row), 0);
	assert_int_equal(row, 7);
	assert_int_not_equal(bpf_map_lookup_and_delete_elem(rows.maps.recycled, NULL, &row), 0);
	assert_memory_equal(&rows.rows[7], &unused, sizeof(unused));
	assert_int_equal(rows.buckets[7 * NR_ROW_BUCKETS + 3].count, 0);
	assert_int_equal(group_rows_used(rows.reader).used, 1);
	assert_int_equal(rows.epoch, 2);
	/* Their counts are kept. */
	assert_int_equal(read_rows(&rows), 2);
	assert_int_equal(count_of(&rows, 0), 9);
	assert_int_equal(count_of(&rows, 1), 16);
	free_recycled(&rows);
}

static void test_a_group_that_comes_again_goes_on(void **state)
{
	struct rows rows;

	(void)state;
	make_idle_group(&rows);
	take_row(&rows, 9, UDP_AT(80), 2);
	assert_int_equal(read_rows(&rows), 1);
	assert_int_equal(count_of(&rows, 0), 7);
	recycle(&rows);
	take_row(&rows, 7, UDP_AT(80), 1);
	assert_int_equal(read_rows(&rows), 1);
	assert_int_equal(count_of(&rows, 0), 8);
	free_recycled(&rows);
}

static size_t forgotten;
static uint64_t forgotten_count;

static bool is_the_forgotten(void *context, size_t group, uint64_t count)
{
	(void)context;
	return group == forgotten && count == forgotten_count;
}

static void test_a_group_that_is_forgotten_makes_room_for_one_of_its_hook(void **state)
{
	struct rows rows;

	(void)state;
	make_idle_group(&rows);
	/* Nobody is known to have forgotten it; then, somebody does, but not all of its counts. */
	take_row(&rows, 8, UDP_AT(81), 1);
	assert_int_equal(read_rows(&rows), 2);
	group_rows_reuse(rows.reader, is_the_forgotten, NULL);
	forgotten = 0;
	forgotten_count = 4;
	take_row(&rows, 9, UDP_AT(82), 1);
	assert_int_equal(read_rows(&rows), 3);
	forgotten_count = 5;
	take_row(&rows, 10, KEY(.port = 83, .probe = PROBE_skb_consume_udp), 1);
	assert_int_equal(read_rows(&rows), 4);
	take_row(&rows, 11, KEY(.port = 83, .probe = PROBE_udp_queue_rcv_one_skb, .stage_from = 9),
		 1);
	assert_int_equal(read_rows(&rows), 5);
	take_row(&rows, 12, UDP_AT(84), 1);
	assert_int_equal(read_rows(&rows), 5);
	assert_int_equal(groups_get(rows.reader)[0].key.port, 84);
	assert_int_equal(count_of(&rows, 0), 6);
	/* The one that was there is new if it comes again. */
	take_row(&rows, 13, UDP_AT(80), 1);
	assert_int_equal(read_rows(&rows), 6);
	assert_int_equal(groups_get(rows.reader)[5].key.port, 80);
	assert_int_equal(count_of(&rows, 5), 1);
	/* One that has rows is never another's. */
	forgotten = 1;
	forgotten_count = 0;
	take_row(&rows, 14, UDP_AT(85), 1);
	assert_int_equal(read_rows(&rows), 7);
	free_recycled(&rows);
}

#define PROCESS_AT(id, started) \
	KEY(.pid = id, .started_ns = started, .probe = PROBE_skb_consume_udp)

/* The group of this number, which is called by its process id and by when it started. */
static bool is_told_by_start(const struct rows *rows, size_t group)
{
	return groups_get(rows->reader)[group].is_later_process;
}

static void test_an_id_is_free_again_once_all_groups_of_its_processes_are_forgotten(void **state)
{
	struct rows rows;

	(void)state;
	make_rows_to_recycle(&rows);
	take_row(&rows, 0, PROCESS_AT(7, 50), 1);
	take_row(&rows, 1, PROCESS_AT(7, 60), 1);
	assert_int_equal(read_rows(&rows), 2);
	assert_true(is_told_by_start(&rows, 1));
	recycle(&rows);
	group_rows_reuse(rows.reader, is_the_forgotten, NULL);
	forgotten = 0;
	forgotten_count = 1;
	take_row(&rows, 2, PROCESS_AT(8, 70), 0);
	assert_int_equal(read_rows(&rows), 2);
	/* The other one of them is still told by when it started. */
	take_row(&rows, 3, PROCESS_AT(7, 80), 0);
	assert_int_equal(read_rows(&rows), 3);
	assert_true(is_told_by_start(&rows, 2));
	recycle(&rows);
	forgotten = 1;
	take_row(&rows, 4, PROCESS_AT(9, 90), 0);
	assert_int_equal(read_rows(&rows), 3);
	forgotten = 2;
	forgotten_count = 0;
	take_row(&rows, 5, PROCESS_AT(9, 95), 0);
	assert_int_equal(read_rows(&rows), 3);
	assert_true(is_told_by_start(&rows, 2));
	take_row(&rows, 6, PROCESS_AT(7, 100), 0);
	assert_int_equal(read_rows(&rows), 4);
	assert_false(is_told_by_start(&rows, 3));
	free_recycled(&rows);
}

/* Programs fill in a row before they say that it is in use. */
static void test_rows_not_in_use_are_not_read(void **state)
{
	struct rows rows;

	(void)state;
	make_rows(&rows, BIT(PORT));
	use_row(&rows, 0, KEY(.port = 80, .probe = PROBE_tcp_data_queue), 5);
	rows.rows[0].in_use = 0;
	assert_int_equal(read_rows(&rows), 0);
	rows.rows[0].in_use = 1;
	assert_int_equal(read_rows(&rows), 1);
	assert_int_equal(count_of(&rows, 0), 5);
	free_rows(&rows);
}

/* Each key is kept alone, and all of them together are all that there is. */
static void test_a_group_by_some_keys_has_no_others(void **state)
{
	static const struct group_key none;
	struct group group = { .comm = "cart", .addresses.family = 2, .is_later_process = true };
	struct group all;

	(void)state;
	memset(&group.key, 0xff, sizeof(group.key));
	group.key.probe = group.key.stage_from = 0;
	memset(group.key.unused, 0, sizeof(group.key.unused));
	for (enum key key = 0; key < NR_KEYS; key++) {
		struct group alone = group_by_keys(&group, 1U << key);
		struct group others = group_by_keys(&group, ~(1U << key));

		assert_memory_not_equal(&alone.key, &none, sizeof(none));
		assert_memory_not_equal(&alone.key, &group.key, sizeof(none));
		/* An interface has its namespace with it. */
		if (key != KEY_NETNS)
			assert_memory_not_equal(&others.key, &group.key, sizeof(none));
		assert_int_equal(*alone.comm == 'c', key == KEY_PID || key == KEY_TID);
		assert_int_equal(alone.addresses.family == 2, key == KEY_SOCKET);
		assert_int_equal(alone.is_later_process, key == KEY_PID);
	}
	all = group_by_keys(&group, ~0U);
	assert_memory_equal(&all, &group, sizeof(all));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets_are_those_of_one_group),
		cmocka_unit_test(test_a_copy_grows),
		cmocka_unit_test(test_a_sum_grows),
		cmocka_unit_test(test_what_has_fewer_groups_leaves_the_others),
		cmocka_unit_test(test_no_groups_change_nothing),
		cmocka_unit_test(test_intervals_add_up_to_the_total),
		cmocka_unit_test(test_rows_of_probes_and_cpus_are_one_group),
		cmocka_unit_test(test_cpus_are_groups_if_grouped_by_them),
		cmocka_unit_test(test_other_keys_and_hooks_are_other_groups),
		cmocka_unit_test(test_unknown_interfaces_are_one_group),
		cmocka_unit_test(test_later_processes_of_an_id_are_told_apart),
		cmocka_unit_test(test_rows_come_into_use),
		cmocka_unit_test(test_others_are_groups_of_their_own),
		cmocka_unit_test(test_idle_rows_are_taken_away_and_then_given_back),
		cmocka_unit_test(test_a_group_that_comes_again_goes_on),
		cmocka_unit_test(test_a_group_that_is_forgotten_makes_room_for_one_of_its_hook),
		cmocka_unit_test(
			test_an_id_is_free_again_once_all_groups_of_its_processes_are_forgotten),
		cmocka_unit_test(test_rows_not_in_use_are_not_read),
		cmocka_unit_test(test_a_group_by_some_keys_has_no_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
