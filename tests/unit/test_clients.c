// SPDX-License-Identifier: GPL-2.0
/* The server sends away one client for another: each test says which. */
#include "unit.h"

#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/http/clients.h"
#include "lib/tables/units.h"

static struct clients clients;
/* Both ends of two clients' sockets, theirs first. */
static int ends[2][2];
static struct client *first, *second;

static int begin(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]))
			return -1;
	clients_init(&clients);
	first = clients_add(&clients, ends[0][1], NULL);
	second = clients_add(&clients, ends[1][1], NULL);
	return !first || !second;
}

static int end(void **state)
{
	(void)state;
	clients_remove(&clients, first);
	clients_remove(&clients, second);
	for (int i = 0; i < 2; i++)
		close(ends[i][0]), close(ends[i][1]);
	return clients.nr || clients_end_one(&clients);
}

static bool is_sent_away(int i)
{
	char byte;

	return !recv(ends[i][0], &byte, 1, MSG_DONTWAIT);
}

static void assert_next_in(unsigned int seconds)
{
	uint64_t now_ns = clock_monotonic_ns();

	assert_in_range(clients_next_ns(&clients), now_ns + (seconds - 1) * NS_PER_S,
			now_ns + seconds * NS_PER_S);
}

static void test_who_came_first_goes_first(void **state)
{
	(void)state;
	assert_true(clients_end_one(&clients));
	assert_true(is_sent_away(0));
	assert_false(is_sent_away(1));
}

static void test_who_is_kept_goes_first(void **state)
{
	(void)state;
	clients_note_answer(&clients, second);
	assert_true(clients_end_one(&clients));
	assert_true(is_sent_away(1));
	assert_false(is_sent_away(0));
}

static void test_who_was_kept_and_asks_is_as_others(void **state)
{
	(void)state;
	clients_note_answer(&clients, first);
	clients_note_answer(&clients, second);
	assert_next_in(HTTP_KEEP_S);
	clients_note_request(&clients, second);
	clients_note_request(&clients, first);
	assert_next_in(HTTP_CLIENT_S);
	assert_true(clients_end_one(&clients));
	assert_true(is_sent_away(1));
	assert_false(is_sent_away(0));
}

/* A client that waits for us has as long as we take. */
static void test_who_waits_for_us_stays(void **state)
{
	(void)state;
	clients_hold(first);
	clients_hold(second);
	assert_true(clients_next_ns(&clients) == UINT64_MAX);
	assert_false(clients_end_one(&clients));
	clients_go_on(&clients, first);
	assert_next_in(HTTP_CLIENT_S);
	assert_true(clients_end_one(&clients));
	assert_true(is_sent_away(0));
	assert_false(is_sent_away(1));
}

static void test_nobody_is_late_at_once(void **state)
{
	(void)state;
	clients_end_late(&clients);
	assert_false(is_sent_away(0) || is_sent_away(1));
	first->until_ns = clock_monotonic_ns();
	clients_end_late(&clients);
	assert_true(is_sent_away(0));
	assert_false(is_sent_away(1));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_who_came_first_goes_first),
		TEST(test_who_is_kept_goes_first),
		TEST(test_who_was_kept_and_asks_is_as_others),
		TEST(test_who_waits_for_us_stays),
		TEST(test_nobody_is_late_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
