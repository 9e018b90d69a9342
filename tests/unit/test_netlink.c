// SPDX-License-Identifier: GPL-2.0
/* What the kernel lists of the network; and what others send as if they were the kernel. */
#include "unit.h"

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/host/qdisc.h"
#include "real_netns.h"

#define NR_DUMPS 2000

/* An answer about a qdisc, in the words of the kernel. */
struct answer {
	struct nlmsghdr message;
	struct tcmsg qdisc;
	struct rtattr kind;
	char name[8];
};

/* Sends answers to whoever asks from a process, until it is killed. */
static void forge(pid_t pid, unsigned int ifindex)
{
	const struct sockaddr_nl to = { .nl_family = AF_NETLINK, .nl_pid = pid };
	struct answer answer = {
		.message = { .nlmsg_len = sizeof(answer),
			     .nlmsg_type = RTM_NEWQDISC,
			     .nlmsg_seq = 1 },
		.qdisc = { .tcm_ifindex = (int)ifindex, .tcm_parent = TC_H_ROOT },
		.kind = { .rta_len = RTA_LENGTH(sizeof(answer.name)), .rta_type = TCA_KIND },
		.name = "forged",
	};
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	for (;;)
		sendto(fd, &answer, sizeof(answer), 0, (const struct sockaddr *)&to, sizeof(to));
}

static void test_only_the_kernel_is_believed(void **state)
{
	unsigned int loopback = if_nametoindex("lo"), nr_found = 0, nr_forged = 0;
	char kind[QDISC_KIND_SIZE];
	pid_t parent = getpid(), child;

	(void)state;
	if (geteuid())
		skip();
	child = fork();
	if (!child)
		forge(parent, loopback);
	for (int i = 0; i < NR_DUMPS; i++) {
		memset(kind, 0, sizeof(kind));
		nr_found += qdisc_kind(loopback, kind);
		nr_forged += !strcmp(kind, "forged");
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(nr_forged, 0);
	assert_true(nr_found > NR_DUMPS / 2);
}

/* Packets wait in a leaf, not in what has one for each queue of the device. */
static int look_for_a_leaf(void)
{
	char kind[QDISC_KIND_SIZE] = "";

	return !qdisc_kind(if_nametoindex("mq0"), kind) || strcmp(kind, "pfifo") != 0;
}

static void test_a_device_with_many_queues_has_a_leaf(void **state)
{
	(void)state;
	assert_in_new_netns("ip link add mq0 numtxqueues 2 type veth peer name mq1 && "
			    "tc qdisc add dev mq0 root handle 8: mq && "
			    "tc qdisc add dev mq0 parent 8:1 pfifo && "
			    "tc qdisc add dev mq0 parent 8:2 pfifo",
			    look_for_a_leaf);
}

/* The end that is down leaves its other end without a carrier; two others are both up. */
static int look_for_carriers(void)
{
	return !qdisc_has_no_carrier(if_nametoindex("down0")) ||
	       !qdisc_has_no_carrier(if_nametoindex("down1")) ||
	       qdisc_has_no_carrier(if_nametoindex("up0")) || qdisc_has_no_carrier(1 << 20);
}

static void test_a_device_that_drops_all_is_told(void **state)
{
	(void)state;
	assert_in_new_netns(
		"ip link add down0 type veth peer name down1 && ip link set down1 up && "
		"ip link add up0 type veth peer name up1 && "
		"ip link set up0 up && ip link set up1 up",
		look_for_carriers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_device_that_drops_all_is_told),
		cmocka_unit_test(test_a_device_with_many_queues_has_a_leaf),
		cmocka_unit_test(test_only_the_kernel_is_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
