// SPDX-License-Identifier: GPL-2.0
/* Counts of cards are told apart; tests/faults.bash has a card that misses packets. */
#include "unit.h"

#include <stdbool.h>
#include <string.h>

#include "lib/host/card.h"
#include "real_netns.h"

static void test_what_a_card_counted_since_then(void **state)
{
	struct card old[] = { { 7, 2, "eth0", .received = 1, .missed = 1 },
			      { 8, 2, "eth0", 1000, .missed = 10, .damaged = 5, .links_lost = 1 } };
	const struct card now = {
		8, 2, "eth0", .received = 3000, .missed = 35, .damaged = 9, .links_lost = 3
	};
	const struct cards before = { .list = old, .nr = 2 };
	struct card since = card_since(&now, &before);

	(void)state;
	assert_int_equal(since.netns, 8);
	assert_int_equal(since.ifindex, 2);
	assert_string_equal(since.name, "eth0");
	assert_int_equal(since.received, 2000);
	assert_int_equal(since.missed, 25);
	assert_int_equal(since.damaged, 4);
	assert_int_equal(since.links_lost, 2);
}

static void assert_is_another(struct card now)
{
	struct card old = { 7, 2, "eth0", .received = 5, .missed = 5 };
	const struct cards before = { .list = &old, .nr = 1 };
	struct card since = card_since(&now, &before);

	assert_int_equal(since.received, 0);
	assert_int_equal(since.missed, 0);
}

/* One that is new, another of that name, or one whose driver began anew. */
static void test_another_card_has_counted_nothing(void **state)
{
	const struct card card = { 7, 2, "eth0", .received = 9, .missed = 9 };
	const struct cards none = { 0 };

	(void)state;
	assert_int_equal(card_since(&card, &none).missed, 0);
	assert_is_another((struct card){ 8, 2, "eth0", .received = 9, .missed = 9 });
	assert_is_another((struct card){ 7, 3, "eth0", .received = 9, .missed = 9 });
	assert_is_another((struct card){ 7, 2, "eth1", .received = 9, .missed = 9 });
	assert_is_another((struct card){ 7, 2, "eth0", .received = 4, .missed = 9 });
	assert_is_another((struct card){ 7, 2, "eth0", .received = 9, .missed = 4 });
}

/* This host has at least its loopback interface, the first of all, which misses nothing. */
static void test_those_of_this_namespace(void **state)
{
	struct cards cards = { 0 };
	bool found = false;

	(void)state;
	assert_int_equal(cards_add(&cards, 7), 0);
	for (size_t i = 0; i < cards.nr; i++)
		found |= !strcmp(cards.list[i].name, "lo") && cards.list[i].ifindex == 1 &&
			 cards.list[i].netns == 7 && !cards.list[i].missed;
	assert_true(found);
	cards_free(&cards);
	assert_int_equal(cards.nr, 0);
}

/* Returns 0 if there is none but the loopback interface. */
static int look_for_virtual_ones(void)
{
	struct cards cards = { 0 };

	return cards_add(&cards, 7) || cards.nr != 1 || strcmp(cards.list[0].name, "lo") != 0;
}

static void test_virtual_devices_are_no_cards(void **state)
{
	(void)state;
	assert_in_new_netns("ip link add name v0 type veth peer name v1", look_for_virtual_ones);
}

static void test_more_interfaces_than_are_listed_are_counted(void **state)
{
	struct interfaces some = { 0 }, others = { 0 };

	(void)state;
	for (uint32_t i = 1; i <= 10; i++)
		interfaces_add(&some, &(struct interface){ .ifindex = i });
	for (uint32_t i = 11; i <= 30; i++)
		interfaces_add(&others, &(struct interface){ .ifindex = i });
	assert_int_equal(others.list[MAX_LISTED_INTERFACES - 1].ifindex, 26);
	interfaces_join(&some, &others);
	assert_int_equal(some.nr, 30);
	assert_int_equal(some.list[MAX_LISTED_INTERFACES - 1].ifindex, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_card_counted_since_then),
		cmocka_unit_test(test_another_card_has_counted_nothing),
		cmocka_unit_test(test_those_of_this_namespace),
		cmocka_unit_test(test_virtual_devices_are_no_cards),
		cmocka_unit_test(test_more_interfaces_than_are_listed_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
