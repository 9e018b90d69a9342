// SPDX-License-Identifier: GPL-2.0
#include "lib/host/card.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/file_number.h"
#include "lib/host/look.h"

/* 0 if there is none. */
static uint64_t number_in(const char *folder, const char *interface, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s", folder, interface, name);
	return file_number(path, 0);
}

/* Drivers count in one of them, or the same in both. */
static uint64_t missed_by(const char *folder, const char *interface)
{
	uint64_t missed = number_in(folder, interface, "statistics/rx_missed_errors");
	uint64_t fifo = number_in(folder, interface, "statistics/rx_fifo_errors");

	return missed > fifo ? missed : fifo;
}

static int add(const char *folder, const char *interface, struct card **cards, size_t *nr)
{
	struct card *card = reallocarray(*cards, *nr + 1, sizeof(*card));

	if (!card)
		return -ENOMEM;
	*cards = card;
	card += (*nr)++;
	*card = (struct card){
		.ifindex = number_in(folder, interface, "ifindex"),
		.received = number_in(folder, interface, "statistics/rx_packets"),
		.missed = missed_by(folder, interface),
	};
	memcpy(card->name, interface, strnlen(interface, sizeof(card->name) - 1));
	return 0;
}

int cards_read(const char *folder, struct card **cards, size_t *nr)
{
	struct look look = look_begin();
	DIR *directory = opendir(folder);
	struct dirent *entry;
	int err = 0;

	*cards = NULL;
	*nr = 0;
	if (!directory)
		return -errno;
	while (!err && !look_has_ended(&look) && (entry = readdir(directory))) {
		look.nr++;
		if (*entry->d_name != '.')
			err = add(folder, entry->d_name, cards, nr);
	}
	closedir(directory);
	return err;
}

struct card card_since(const struct card *card, const struct card *before, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (before[i].ifindex == card->ifindex && !strcmp(before[i].name, card->name) &&
		    before[i].received <= card->received && before[i].missed <= card->missed) {
			struct card since = *card;

			since.received -= before[i].received;
			since.missed -= before[i].missed;
			return since;
		}
	return (struct card){ .ifindex = 0 };
}
