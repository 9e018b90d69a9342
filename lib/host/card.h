/* SPDX-License-Identifier: GPL-2.0 */
/* Network cards count packets themselves, also those that this host never saw. */
#ifndef NETSTACKLAT_CARD_H
#define NETSTACKLAT_CARD_H

#include <net/if.h>
#include <stddef.h>
#include <stdint.h>

#define CARD_FOLDER "/sys/class/net"

struct card {
	char name[IFNAMSIZ]; /* as it is: may have any bytes */
	uint32_t ifindex;
	uint64_t received;
	uint64_t missed; /* as their ring was full */
};

/*
 * All interfaces in a folder like CARD_FOLDER, but for those of too many (look.h): it shows the
 * network namespace that it was mounted in. Returns 0, with a list to be freed, or -errno.
 */
int cards_read(const char *folder, struct card **cards, size_t *nr);

/* Returns what an interface has counted since an older list; zero if it is not in there. */
struct card card_since(const struct card *card, const struct card *before, size_t nr);

#endif
