// SPDX-License-Identifier: GPL-2.0
/* How network namespaces are found, and interfaces in them. Those with names are tested in
 * tests/vm. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/netns.h"
#include "fds.h"
#include "real_netns.h"

static struct netns find(const char *text)
{
	struct netns netns;

	assert_int_equal(netns_find(text, &netns), 0);
	return netns;
}

static struct netns find_number(uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%ju", (uintmax_t)number);
	return find(text);
}

static void test_our_own_by_all_that_it_is_called(void **state)
{
	struct netns own = find("self");

	(void)state;
	assert_string_equal(own.path, "/proc/self/ns/net");
	assert_string_equal(own.name, "");
	assert_true(own.id && own.inode);
	assert_int_equal(find("/proc/self/ns/net").id, own.id);
	assert_int_equal(find_number(getpid()).id, own.id);
	assert_int_equal(find_number(own.inode).id, own.id);
	assert_int_equal(find_number(own.inode).inode, own.inode);
}

static void test_what_there_is_not(void **state)
{
	static const char *const texts[] = {
		"nonsense",
		"",
		"-1",
		"1x",
		"99999999999999999999",
		"/nonsense",
		/* Higher than ids of processes get, and than inode numbers of namespaces. */
		"4194304",
		"18446744073709551615",
	};
	struct netns netns;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(netns_find(texts[i], &netns), -ENOENT);
	assert_int_equal(netns_find("/dev/null", &netns), -EINVAL);
	assert_int_equal(netns_find("/tmp", &netns), -EINVAL);
	assert_int_equal(netns_find("/proc/self/status", &netns), -EINVAL);
}

static void test_another_one_by_all_that_it_is_called(void **state)
{
	struct real_netns real = make_netns();
	struct netns other = find_number(real.pid);
	int fds = nr_fds();

	(void)state;
	assert_int_equal(other.inode, real.inode);
	assert_string_equal(other.path, real.path);
	assert_true(other.id != find("self").id);
	assert_int_equal(find(real.path).id, other.id);
	assert_int_equal(find_number(real.inode).id, other.id);
	assert_int_equal(nr_fds(), fds);
	end_netns(&real);
	assert_int_equal(netns_find(real.path, &other), -ENOENT);
}

/* The kernel has a loopback interface everywhere, which is the first one. */
static void assert_has_loopback(int socket)
{
	char name[IF_NAMESIZE];

	assert_true(netns_interface_name(socket, 1, name));
	assert_string_equal(name, "lo");
	assert_int_equal(netns_interface_index(socket, "lo"), 1);
	assert_int_equal(netns_interface_index(socket, "1"), 1);
	assert_int_equal(netns_interface_index(socket, "2147483647"), 0);
	assert_int_equal(netns_interface_index(socket, "4294967297"), 0);
	assert_int_equal(netns_interface_index(socket, "0"), 0);
	assert_int_equal(netns_interface_index(socket, "nonsense"), 0);
	assert_int_equal(netns_interface_index(socket, "longer-than-names-get"), 0);
	assert_int_equal(netns_interface_index(socket, ""), 0);
	assert_false(netns_interface_name(socket, INT32_MAX, name));
}

static void test_interfaces_of_our_own(void **state)
{
	struct netns own = find("self");
	uint64_t id;
	int socket = netns_open_socket(own.path, &id);

	(void)state;
	assert_true(socket >= 0);
	assert_int_equal(id, own.id);
	assert_has_loopback(socket);
	close(socket);
	assert_int_equal(netns_open_socket("/nonexistent", &id), -ENOENT);
}

/* An interface that only the child's namespace has. */
static void test_interfaces_of_another_one(void **state)
{
	struct real_netns real = make_netns();
	uint64_t id;
	int socket = netns_open_socket(real.path, &id);

	(void)state;
	assert_true(socket >= 0);
	assert_int_equal(id, find(real.path).id);
	assert_has_loopback(socket);
	close(socket);
	/* We are where we were. */
	assert_int_equal(find_number(getpid()).id, find("self").id);
	assert_true(find("self").id != id);
	end_netns(&real);
}

struct seen {
	ino_t wanted;
	int nr, nr_wanted, last; /* after which to end */
};

static bool see(const struct netns *netns, void *context)
{
	struct seen *seen = context;

	seen->nr++;
	seen->nr_wanted += netns->inode == seen->wanted;
	return seen->nr != seen->last;
}

static struct seen look_for(ino_t inode, int last)
{
	struct seen seen = { .wanted = inode, .last = last };

	assert_int_equal(netns_for_each(see, &seen), 0);
	return seen;
}

static void test_each_is_found_once(void **state)
{
	ino_t own = find("self").inode;
	struct real_netns real;
	int fds = nr_fds();

	(void)state;
	assert_int_equal(look_for(own, 0).nr_wanted, 1);
	assert_int_equal(look_for(0, 0).nr_wanted, 0);
	assert_int_equal(look_for(0, 1).nr, 1);
	real = make_netns();
	assert_int_equal(look_for(real.inode, 0).nr_wanted, 1);
	assert_true(look_for(0, 0).nr >= 2);
	end_netns(&real);
	assert_int_equal(look_for(real.inode, 0).nr_wanted, 0);
	assert_int_equal(nr_fds(), fds);
}

/* As before Linux 5.14, where there are no cookies. */
static int mix(uint32_t *number)
{
	*number = 0xabcd;
	return 0;
}

static void test_a_mix_makes_ids_where_there_is_no_cookie(void **state)
{
	struct netns own;

	(void)state;
	netns_lend_mix(mix);
	own = find("self");
	netns_lend_mix(NULL);
	if (netns_has_cookie())
		assert_int_equal(own.id, find("self").id);
	else
		assert_int_equal(own.id, 0xabcdULL << 32 | own.inode);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_our_own_by_all_that_it_is_called),
		cmocka_unit_test(test_what_there_is_not),
		cmocka_unit_test(test_another_one_by_all_that_it_is_called),
		cmocka_unit_test(test_interfaces_of_our_own),
		cmocka_unit_test(test_interfaces_of_another_one),
		cmocka_unit_test(test_each_is_found_once),
		cmocka_unit_test(test_a_mix_makes_ids_where_there_is_no_cookie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
