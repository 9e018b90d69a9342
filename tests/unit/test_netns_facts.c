// SPDX-License-Identifier: GPL-2.0
/* The facts of a namespace that is made for this, with traffic over its loopback interface. */
#include "unit.h"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <string.h>

#include "lib/host/netns_facts.h"
#include "real_netns.h"

#define PORT 4000

static pid_t server;
static int asked_at;
static struct real_netns real;
static struct netns known;

static void make(void)
{
	char pid[16];
	int sockets[2];

	real = make_netns();
	snprintf(pid, sizeof(pid), "%d", real.pid);
	assert_int_equal(netns_find(pid, &known), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	fflush(stdout);
	server = fork();
	if (!server) {
		close(sockets[0]);
		netns_facts_serve(sockets[1]);
		_exit(0);
	}
	close(sockets[1]);
	asked_at = sockets[0];
	netns_facts_ask_at(asked_at);
}

/* The server ends by itself when nobody can ask any more. */
static int drop(void **state)
{
	int status = -1;

	(void)state;
	if (!server)
		return 0;
	netns_facts_ask_at(-1);
	close(asked_at);
	end_netns(&real);
	if (waitpid(server, &status, 0) != server)
		return 1;
	server = 0;
	return status;
}

/* A process of its own loses packets, and ends where something fails. */
static void must(bool is_so)
{
	if (!is_so)
		_exit(1);
}

static void enter_with_loopback(void)
{
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = open(real.path, O_RDONLY | O_CLOEXEC);
	int any;

	must(fd >= 0 && !setns(fd, CLONE_NEWNET));
	close(fd);
	any = socket(AF_INET, SOCK_DGRAM, 0);
	must(any >= 0 && !ioctl(any, SIOCSIFFLAGS, &up));
	close(any);
}

static struct sockaddr_in loopback_address(void)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons(PORT),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

/* The kernel counts a wrong checksum when somebody would read the packet. */
static void send_wrong(unsigned int nr)
{
	const struct sockaddr_in address = loopback_address();
	const struct sockaddr *to = (const struct sockaddr *)&address;
	const uint16_t header[4] = { htons(PORT), htons(PORT), htons(sizeof(header)), 1 };
	int sender = socket(AF_INET, SOCK_RAW, IPPROTO_UDP);
	int receiver = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	char byte;

	must(sender >= 0 && receiver >= 0 && !bind(receiver, to, sizeof(address)));
	while (nr--) {
		must(sendto(sender, header, sizeof(header), 0, to, sizeof(address)) ==
		     sizeof(header));
		must(recv(receiver, &byte, 1, 0) < 0);
	}
	close(sender);
	close(receiver);
}

/* The queue of a listener that accepts nothing takes one connection with a backlog of 0. */
static void connect_in_vain(unsigned int nr)
{
	const struct sockaddr_in address = loopback_address();
	const struct sockaddr *to = (const struct sockaddr *)&address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	must(listener >= 0 && !bind(listener, to, sizeof(address)) && !listen(listener, 0));
	for (unsigned int i = 0; i < 1 + nr; i++)
		(void)!connect(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), to,
			       sizeof(address));
}

/* Loses so many packets in the namespace at real.path. */
static void lose(void (*how)(unsigned int nr), unsigned int nr)
{
	pid_t loser = fork();
	int status;

	if (!loser) {
		enter_with_loopback();
		how(nr);
		_exit(0);
	}
	assert_int_equal(waitpid(loser, &status, 0), loser);
	assert_int_equal(status, 0);
}

/* NULL if it lost nothing. */
static const struct netns_losses *losses_of(const struct losses *losses, uint64_t id)
{
	for (uint32_t i = 0; i < losses->nr; i++)
		if (losses->list[i].netns == id)
			return &losses->list[i];
	return NULL;
}

static void test_what_was_lost_since_then(void **state)
{
	char label[NETNS_NAME_SIZE];
	const struct netns_losses *lost;
	struct losses losses;

	(void)state;
	make();
	lose(send_wrong, 2);
	netns_facts_begin();
	netns_facts_find_losses(&losses);
	assert_null(losses_of(&losses, known.id));
	lose(send_wrong, 3);
	netns_facts_find_losses(&losses);
	assert_true(losses.nr_looked_at > 0);
	lost = losses_of(&losses, known.id);
	assert_non_null(lost);
	assert_int_equal(lost->wrong_checksums, 3);
	assert_int_equal(lost->syns, 0);
	snprintf(label, sizeof(label), "inode/%" PRIu64, (uint64_t)real.inode);
	assert_string_equal(lost->name, label);
	/* All that goes over loopback is received by it. */
	assert_true(losses.came_to_cards >= 3);
	/* Another watch begins with nothing. */
	netns_facts_begin();
	netns_facts_find_losses(&losses);
	assert_null(losses_of(&losses, known.id));
}

static void test_what_listeners_had_no_room_for_since_then(void **state)
{
	const struct netns_losses *lost;
	struct losses losses;

	(void)state;
	make();
	netns_facts_begin();
	/* Its answer comes when the helper has begun. */
	netns_facts_find_losses(&losses);
	lose(connect_in_vain, 2);
	netns_facts_find_losses(&losses);
	lost = losses_of(&losses, known.id);
	assert_non_null(lost);
	assert_int_equal(lost->overflows, 2);
	assert_int_equal(lost->wrong_checksums, 0);
}

static void test_before_a_watch_there_is_nothing(void **state)
{
	struct losses losses;

	(void)state;
	make();
	lose(send_wrong, 1);
	netns_facts_find_losses(&losses);
	assert_int_equal(losses.nr, 0);
	assert_int_equal(losses.nr_looked_at, 0);
}

static void test_it_is_found_by_its_id(void **state)
{
	struct netns_facts facts;

	(void)state;
	make();
	netns_facts_begin();
	netns_facts_find(known.id, 1, &facts);
	assert_string_equal(facts.path, known.path);
	assert_true(facts.has_netlink);
	assert_true(facts.can_enter);
	netns_facts_find(known.id + 1, 1, &facts);
	assert_string_equal(facts.path, "");
	assert_false(facts.has_netlink);
	netns_facts_find(0, 1, &facts);
	assert_string_equal(facts.path, "");
	netns_facts_ask_at(-1);
	netns_facts_find(known.id, 1, &facts);
	assert_string_equal(facts.path, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_what_was_lost_since_then, drop),
		cmocka_unit_test_teardown(test_what_listeners_had_no_room_for_since_then, drop),
		cmocka_unit_test_teardown(test_before_a_watch_there_is_nothing, drop),
		cmocka_unit_test_teardown(test_it_is_found_by_its_id, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
