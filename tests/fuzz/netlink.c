// SPDX-License-Identifier: GPL-2.0
/*
 * What netlink answers when it is asked for qdiscs, rules and cards: datagrams, each with its size
 * before it. The linker makes these the functions that talk to the kernel.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <sanitizer/asan_interface.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/host/card.h"
#include "lib/host/netlink.h"
#include "lib/host/qdisc.h"
#include "lib/host/rules.h"

#define IFINDEX 3

static struct input answers;

ssize_t __wrap_send(int fd, const void *data, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *data, size_t size, int flags)
{
	(void)fd, (void)data, (void)flags;
	return (ssize_t)size;
}

/* Nobody may read what lies behind the datagram. */
ssize_t __wrap_recvfrom(int fd, void *buffer, size_t size, int flags, struct sockaddr *from,
			socklen_t *length);
ssize_t __wrap_recvfrom(int fd, void *buffer, size_t size, int flags, struct sockaddr *from,
			socklen_t *length)
{
	struct sockaddr_nl *sender = (struct sockaddr_nl *)from;
	uint16_t wanted;

	(void)fd, (void)flags;
	require(*length >= sizeof(*sender));
	*length = sizeof(*sender);
	if (!answers.size) {
		errno = EAGAIN;
		return -1;
	}
	input_fill(&answers, &wanted, sizeof(wanted));
	/* Every other sender is not the kernel. */
	*sender = (struct sockaddr_nl){ .nl_family = AF_NETLINK, .nl_pid = wanted & 1 };
	wanted >>= 1;
	if (wanted > size)
		wanted = size;
	if (wanted > answers.size)
		wanted = answers.size;
	ASAN_UNPOISON_MEMORY_REGION(buffer, size);
	input_fill(&answers, buffer, wanted);
	ASAN_POISON_MEMORY_REGION((char *)buffer + wanted, size - wanted);
	return wanted;
}

int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
	(void)path, (void)mode;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char kind[QDISC_KIND_SIZE];
	struct cards cards = { 0 };
	struct rules rules;

	answers = (struct input){ data, size };
	if (qdisc_kind(IFINDEX, kind))
		require(strlen(kind) < sizeof(kind));
	answers = (struct input){ data, size };
	rules_count(&rules);
	answers = (struct input){ data, size };
	cards_add(&cards, 1);
	for (size_t i = 0; i < cards.nr; i++)
		require(strlen(cards.list[i].name) < sizeof(cards.list[i].name));
	cards_free(&cards);
	return 0;
}
