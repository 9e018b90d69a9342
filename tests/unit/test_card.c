// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/host/card.h"

static char folder[] = "/tmp/test_card.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

static int remove_folder(void **state)
{
	(void)state;
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void write_number(const char *interface, const char *name, unsigned int number)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, interface);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/statistics", folder, interface);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", folder, interface, name);
	file = fopen(path, "we");
	assert_non_null(file);
	fprintf(file, "%u\n", number);
	fclose(file);
}

static struct card only_card(void)
{
	struct card *cards, card;
	size_t nr;

	assert_int_equal(cards_read(folder, &cards, &nr), 0);
	assert_int_equal(nr, 1);
	card = cards[0];
	free(cards);
	return card;
}

/* Drivers count in one file or the other. */
static void test_what_a_card_missed_since_then(void **state)
{
	struct card before, after, since;

	(void)state;
	write_number("eth0", "ifindex", 2);
	write_number("eth0", "statistics/rx_packets", 1000);
	write_number("eth0", "statistics/rx_missed_errors", 10);
	before = only_card();
	assert_string_equal(before.name, "eth0");
	assert_int_equal(before.ifindex, 2);
	assert_int_equal(before.missed, 10);
	write_number("eth0", "statistics/rx_packets", 3000);
	write_number("eth0", "statistics/rx_fifo_errors", 35);
	after = only_card();
	since = card_since(&after, &before, 1);
	assert_int_equal(since.received, 2000);
	assert_int_equal(since.missed, 25);
	assert_string_equal(since.name, "eth0");
}

/* One that is new, another of that name, or one whose driver began anew. */
static void test_another_card_has_missed_nothing(void **state)
{
	const struct card before = { .name = "eth0", .ifindex = 2, .received = 5, .missed = 5 };
	struct card card = before;

	(void)state;
	card.missed = 9;
	assert_int_equal(card_since(&card, &before, 1).missed, 4);
	assert_int_equal(card_since(&card, &before, 0).missed, 0);
	card.ifindex = 3;
	assert_int_equal(card_since(&card, &before, 1).missed, 0);
	card = before;
	card.missed = 9;
	card.received = 4;
	assert_int_equal(card_since(&card, &before, 1).missed, 0);
	card.received = 5;
	card.missed = 4;
	assert_int_equal(card_since(&card, &before, 1).missed, 0);
	strcpy(card.name, "eth1");
	card.missed = 9;
	assert_int_equal(card_since(&card, &before, 1).missed, 0);
}

static void test_without_its_folder_there_is_none(void **state)
{
	struct card *cards;
	size_t nr;

	(void)state;
	assert_int_equal(cards_read("/nonesuch", &cards, &nr), -ENOENT);
	assert_int_equal(nr, 0);
	assert_null(cards);
}

/* This host has at least its loopback interface, the first of all, which misses nothing. */
static void test_those_of_this_host(void **state)
{
	bool found = false;
	struct card *cards;
	size_t nr;

	(void)state;
	assert_int_equal(cards_read(CARD_FOLDER, &cards, &nr), 0);
	for (size_t i = 0; i < nr; i++)
		found |= !strcmp(cards[i].name, "lo") && cards[i].ifindex == 1 && !cards[i].missed;
	assert_true(found);
	free(cards);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_card_missed_since_then),
		cmocka_unit_test(test_another_card_has_missed_nothing),
		cmocka_unit_test(test_without_its_folder_there_is_none),
		cmocka_unit_test(test_those_of_this_host),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
