// SPDX-License-Identifier: GPL-2.0
/* A socket is listed once, however many processes share it, and peers by their mean. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/counts/queued_list.h"
#include "lib/tables/hook_ids.h"

static struct queued_list list;

static int end(void **state)
{
	(void)state;
	queued_list_end(&list);
	free(list.list);
	list = (struct queued_list){ 0 };
	return 0;
}

static void add(struct queued record)
{
	assert_int_equal(queued_list_add(&list, &record), 0);
}

#define WAITS(id, of_pid, of_fd, ns)                    \
	((struct queued){ .hook = HOOK_udp_socket_read, \
			  .socket = id,                 \
			  .key.pid = of_pid,            \
			  .fd = of_fd,                  \
			  .age_ns = ns })

static void test_sockets_are_listed_once(void **state)
{
	(void)state;
	add(WAITS(1, 10, 3, 100));
	add(WAITS(1, 10, 3, 90));
	add(WAITS(1, 10, 3, 80));
	/* Another descriptor, and another process. */
	add(WAITS(1, 10, 4, 100));
	add(WAITS(1, 11, 3, 100));
	add(WAITS(2, 11, 4, 50));
	assert_int_equal(queued_list_end(&list), 0);
	assert_int_equal(list.nr, 4);
	assert_int_equal(list.list[0].age_ns, 100);
	assert_int_equal(list.list[1].age_ns, 90);
	assert_int_equal(list.list[2].age_ns, 80);
	assert_int_equal(list.list[2].nr_sharing, 1);
	assert_int_equal(list.list[3].key.pid, 11);
	assert_int_equal(list.list[3].age_ns, 50);
	assert_int_equal(list.list[3].nr_sharing, 0);
}

/* A process has started three others, which may read from its socket as well as it. */
static void test_the_last_process_is_named(void **state)
{
	struct queued record = WAITS(1, 10, 3, 100);

	(void)state;
	for (unsigned int pid = 10; pid < 14; pid++) {
		record.key.pid = pid;
		snprintf(record.comm, sizeof(record.comm), "worker-%u", pid);
		add(record);
		record.fd++;
		add(record);
	}
	assert_int_equal(queued_list_end(&list), 0);
	assert_int_equal(list.nr, 1);
	assert_int_equal(list.list[0].key.pid, 13);
	assert_string_equal(list.list[0].comm, "worker-13");
	assert_int_equal(list.list[0].nr_sharing, 3);
}

static void test_there_is_room_for_many(void **state)
{
	(void)state;
	for (unsigned int i = 1; i <= 1000; i++)
		add(WAITS(i, 10, i, i));
	assert_int_equal(list.nr, 1000);
	for (unsigned int i = 1; i <= 1000; i++)
		assert_int_equal(list.list[i - 1].socket, i);
}

static struct queued peer(uint64_t netns, uint16_t port, enum hook hook, uint64_t ns)
{
	return (struct queued){
		.hook = hook,
		.socket = 1,
		.key = { .netns = netns, .port = port },
		.age_ns = ns,
	};
}

static void assert_peer(size_t i, uint64_t netns, uint16_t port, enum hook hook, uint64_t ns)
{
	assert_int_equal(list.list[i].key.netns, netns);
	assert_int_equal(list.list[i].key.port, port);
	assert_int_equal(list.list[i].hook, hook);
	assert_int_equal(list.list[i].age_ns, ns);
}

static void test_peers_of_a_service_are_as_far_as_their_mean(void **state)
{
	(void)state;
	add(peer(1, 80, HOOK_tcp_min_rtt, 100));
	add(WAITS(1, 10, 3, 5));
	add(peer(1, 80, HOOK_tcp_rtt, 700));
	add(peer(1, 80, HOOK_tcp_min_rtt, 300));
	add(peer(2, 80, HOOK_tcp_min_rtt, 900));
	add(peer(1, 81, HOOK_tcp_min_rtt, 50));
	add(peer(1, 80, HOOK_tcp_min_rtt, 200));
	assert_int_equal(list.nr, 1);
	assert_int_equal(queued_list_end(&list), 0);
	assert_int_equal(list.nr, 5);
	assert_int_equal(list.list[0].hook, HOOK_udp_socket_read);
	assert_peer(1, 1, 80, HOOK_tcp_min_rtt, 200);
	assert_peer(2, 1, 80, HOOK_tcp_rtt, 700);
	assert_peer(3, 2, 80, HOOK_tcp_min_rtt, 900);
	assert_peer(4, 1, 81, HOOK_tcp_min_rtt, 50);
	/* Once is enough. */
	assert_int_equal(queued_list_end(&list), 0);
	assert_int_equal(list.nr, 5);
}

static void test_nothing_is_a_list(void **state)
{
	(void)state;
	assert_int_equal(queued_list_end(&list), 0);
	assert_int_equal(list.nr, 0);
	assert_null(list.list);
}

/* More than are read at once; and then one that cannot be read. */
static void test_all_of_a_file_are_added(void **state)
{
	int fd = memfd_create("records", 0);

	(void)state;
	for (unsigned int i = 1; i <= 100; i++) {
		const struct queued record = WAITS(i, 10, i, i);

		assert_int_equal(write(fd, &record, sizeof(record)), sizeof(record));
	}
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(queued_list_read(&list, fd), 0);
	assert_int_equal(list.nr, 100);
	assert_int_equal(list.list[99].socket, 100);
	close(fd);
	assert_int_equal(queued_list_read(&list, -1), -EBADF);
	assert_int_equal(list.nr, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_sockets_are_listed_once, end),
		cmocka_unit_test_teardown(test_the_last_process_is_named, end),
		cmocka_unit_test_teardown(test_there_is_room_for_many, end),
		cmocka_unit_test_teardown(test_peers_of_a_service_are_as_far_as_their_mean, end),
		cmocka_unit_test_teardown(test_nothing_is_a_list, end),
		cmocka_unit_test_teardown(test_all_of_a_file_are_added, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
