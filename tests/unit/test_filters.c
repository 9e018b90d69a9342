// SPDX-License-Identifier: GPL-2.0
/* What lists mean, and what can be looked up without privileges; the rest is tested in tests/vm. */
#include "unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/tables/attributes.h"
#include "lib/filters/filters.h"
#include "lib/tables/hooks.h"
#include "lib/base/list.h"
#include "lib/host/cgroup.h"
#include "lib/host/netns.h"
#include "fds.h"
#include "said.h"

#define BIT(filter) (1U << FILTER_##filter)

static void assert_accepted(enum filter filter, const char *list)
{
	char element[LIST_ELEMENT_SIZE];
	const char *expected = filters_expected(filter, list, element);

	if (expected)
		fail_msg("'%s' of '%s': expected %s", element, list, expected);
}

/* The element is where the mistake is. */
static void assert_refused(enum filter filter, const char *list, const char *wrong,
			   const char *expected)
{
	char element[LIST_ELEMENT_SIZE];
	const char *said = filters_expected(filter, list, element);

	if (!said)
		fail_msg("'%s' is taken for %s", list, expected);
	assert_string_equal(element, wrong);
	assert_string_equal(said, expected);
}

static void test_ports_are_from_1_to_65535(void **state)
{
	const char *ports = "ports from 1 to 65535, or ranges such as 8000-8100";

	(void)state;
	assert_accepted(FILTER_PORT, "1,80,65535");
	assert_refused(FILTER_PORT, "80,0", "0", ports);
	assert_refused(FILTER_PORT, "80,65536,443", "65536", ports);
	assert_refused(FILTER_PORT, "70000", "70000", ports);
	assert_refused(FILTER_PORT, "http", "http", ports);
	assert_accepted(FILTER_PORT, "80-90,8000-8000,1-65535");
	assert_refused(FILTER_PORT, "90-80", "90-80", ports);
	assert_refused(FILTER_PORT, "0-80", "0-80", ports);
	assert_refused(FILTER_PORT, "80-", "80-", ports);
	assert_refused(FILTER_PORT, "-80", "-80", ports);
	assert_refused(FILTER_PORT, "80-65536", "80-65536", ports);
	assert_refused(FILTER_PORT, "1-2-3", "1-2-3", ports);
	assert_refused(FILTER_PORT, "80,,443", "", ports);
	assert_refused(FILTER_PORT, "", "", ports);
}

static void test_pids_are_positive(void **state)
{
	const char *pids = "process ids (names go with --comm)";

	(void)state;
	assert_accepted(FILTER_PID, "1,2147483647");
	assert_refused(FILTER_PID, "0", "0", pids);
	assert_refused(FILTER_PID, "1,-2", "-2", pids);
	assert_refused(FILTER_PID, "2147483648", "2147483648", pids);
	assert_refused(FILTER_PID, "self", "self", pids);
}

static void test_comms_are_as_long_as_the_kernel_keeps_them(void **state)
{
	const char *names = "names of 1 to 15 characters, as in /proc/PID/comm";

	(void)state;
	assert_accepted(FILTER_COMM, "a,123456789012345,a b");
	assert_refused(FILTER_COMM, "a,1234567890123456", "1234567890123456", names);
	assert_refused(FILTER_COMM, "a,", "", names);
}

/* Whether they exist is another question. */
static void test_names_and_paths_are_not_empty(void **state)
{
	static const enum filter named[] = { FILTER_INTERFACE, FILTER_NETNS, FILTER_CGROUP };
	char element[LIST_ELEMENT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		assert_accepted(named[i], "nonsense,/a/b,7");
		assert_non_null(filters_expected(named[i], "", element));
		assert_non_null(filters_expected(named[i], "a,,b", element));
	}
}

static unsigned int active_in(struct filter_lists lists)
{
	return filter_lists_active(&lists);
}

#define ACTIVE_IN(...) active_in((struct filter_lists){ __VA_ARGS__ })

static void test_each_list_is_an_attribute_to_filter_by(void **state)
{
	(void)state;
	assert_int_equal(active_in((struct filter_lists){ 0 }), 0);
	assert_int_equal(ACTIVE_IN(.lists[FILTER_NETNS] = "self"), BIT(NETNS));
	assert_int_equal(ACTIVE_IN(.lists[FILTER_CGROUP] = "/"), BIT(CGROUP));
	assert_int_equal(ACTIVE_IN(.lists[FILTER_PORT] = "80"), BIT(PORT));
	assert_int_equal(ACTIVE_IN(.lists[FILTER_PID] = "1"), BIT(PID));
	assert_int_equal(ACTIVE_IN(.lists[FILTER_COMM] = "a", .lists[FILTER_PORT] = "80"),
			 BIT(COMM) | BIT(PORT));
	assert_int_equal(ACTIVE_IN(.min_queue_length = 1), BIT(QUEUE_LENGTH));
}

static void test_a_filter_by_interface_is_one_by_namespace_too(void **state)
{
	(void)state;
	assert_int_equal(ACTIVE_IN(.lists[FILTER_INTERFACE] = "eth0"), BIT(INTERFACE));
	assert_int_equal(ACTIVE_IN(.lists[FILTER_INTERFACE] = "eth0", .lists[FILTER_NETNS] = "all"),
			 BIT(INTERFACE));
	assert_int_equal(
		ACTIVE_IN(.lists[FILTER_INTERFACE] = "eth0", .lists[FILTER_NETNS] = "self"),
		BIT(INTERFACE));
}

static void test_all_namespaces_are_no_filter(void **state)
{
	(void)state;
	assert_int_equal(ACTIVE_IN(.lists[FILTER_NETNS] = "all"), 0);
	assert_int_equal(ACTIVE_IN(.lists[FILTER_NETNS] = "self,all"), 0);
	assert_int_equal(ACTIVE_IN(.lists[FILTER_NETNS] = "all-of-them"), BIT(NETNS));
	assert_int_equal(ACTIVE_IN(.lists[FILTER_NETNS] = "all", .lists[FILTER_PORT] = "80"),
			 BIT(PORT));
}

static void test_both_ip_versions_are_no_filter(void **state)
{
	(void)state;
	assert_int_equal(ACTIVE_IN(.ipv4 = true), BIT(IP_VERSION));
	assert_int_equal(ACTIVE_IN(.ipv6 = true), BIT(IP_VERSION));
	assert_int_equal(ACTIVE_IN(.ipv4 = true, .ipv6 = true), 0);
}

static void test_what_is_unknown_at_hooks(void **state)
{
	(void)state;
	assert_int_equal(filter_unknown_at(HOOK_ip_rcv, BIT(INTERFACE) | BIT(NETNS)), NR_FILTERS);
	assert_int_equal(filter_unknown_at(HOOK_ip_rcv, BIT(CGROUP)), FILTER_CGROUP);
	assert_int_equal(filter_unknown_at(HOOK_tcp_start, BIT(PORT)), FILTER_PORT);
	assert_int_equal(filter_unknown_at(HOOK_tcp_do_rcv, BIT(CGROUP) | BIT(PORT)), NR_FILTERS);
	assert_int_equal(filter_unknown_at(HOOK_tcp_do_rcv, BIT(PID)), FILTER_PID);
	assert_int_equal(filter_unknown_at(HOOK_tcp_socket_read, BIT(PID) | BIT(COMM)), NR_FILTERS);
	/* It has no skb any more. */
	assert_int_equal(filter_unknown_at(HOOK_tcp_socket_read, BIT(INTERFACE)), FILTER_INTERFACE);
	/* The reader took all of the queue. */
	assert_int_equal(filter_unknown_at(HOOK_udp_socket_read, BIT(QUEUE_LENGTH)),
			 FILTER_QUEUE_LENGTH);
	assert_int_equal(filter_unknown_at(HOOK_raw_socket_read, BIT(QUEUE_LENGTH)), NR_FILTERS);
	/* Raw sockets have no port. */
	assert_int_equal(filter_unknown_at(HOOK_raw_socket_enqueued, BIT(PORT)), FILTER_PORT);
	/* The first of several. */
	assert_int_equal(filter_unknown_at(HOOK_ip_rcv, BIT(IP_VERSION) | BIT(COMM) | BIT(PORT)),
			 FILTER_PORT);
}

static void test_cpus_have_no_packets_to_filter(void **state)
{
	(void)state;
	for (enum filter filter = 0; filter < NR_FILTERS; filter++)
		if (filter_table[filter].option) {
			assert_int_equal(filter_unknown_at(HOOK_softirq_net_rx, 1U << filter),
					 filter);
			assert_int_equal(filter_unknown_at(HOOK_napi_poll, 1U << filter), filter);
		}
}

static void test_unknown_is_what_the_hook_table_leaves_out(void **state)
{
	(void)state;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		assert_int_equal(filter_unknown_at(hook, 0), NR_FILTERS);
		if (!(hooks[hook].has & HAS_SPAN))
			assert_int_equal(filter_unknown_at(hook, BIT(IP_VERSION) | BIT(NETNS)),
					 NR_FILTERS);
		for (enum filter filter = 0; filter < NR_FILTERS; filter++)
			assert_int_equal(filter_unknown_at(hook, 1U << filter),
					 hook_can_filter(hook, filter) ? NR_FILTERS : filter);
	}
}

static struct filters found(struct filter_lists lists)
{
	struct filters filters;

	assert_int_equal(filters_find(&lists, &filters), 0);
	return filters;
}

#define FOUND(...) found((struct filter_lists){ __VA_ARGS__ })

/* What the map of a filter is filled with: pairs of a key and a value. */
struct entries {
	size_t key_size, value_size, nr;
	struct {
		char key[64], value[8];
	} all[NR_PORTS / PORTS_PER_WORD];
};

static int put(void *map, const void *key, const void *value)
{
	struct entries *entries = map;

	memcpy(entries->all[entries->nr].key, key, entries->key_size);
	memcpy(entries->all[entries->nr++].value, value, entries->value_size);
	return 0;
}

static void fill(const struct filters *filters, enum filter filter, struct entries *entries)
{
	entries->nr = 0;
	assert_int_equal(filter_map_fill(filters, filter, put, entries), 0);
	assert_int_equal(entries->nr, filter_map_size(filters, filter));
}

static bool has_port(const struct entries *entries, unsigned int port)
{
	__u64 word;

	memcpy(&word, entries->all[port / PORTS_PER_WORD].value, sizeof(word));
	return word >> port % PORTS_PER_WORD & 1;
}

static void test_several_ports_are_bits(void **state)
{
	static struct entries bits = { .key_size = sizeof(__u32), .value_size = sizeof(__u64) };
	struct filters filters = FOUND(.lists[FILTER_PORT] = "443,80,65535,1,80,8000-8003,63-64");

	(void)state;
	assert_int_equal(filters.active, BIT(PORT));
	assert_string_equal(filter_map(FILTER_PORT), "filter_ports");
	assert_int_equal(filters_values(&filters).port, 0);
	fill(&filters, FILTER_PORT, &bits);
	for (unsigned int port = 0; port < NR_PORTS; port++)
		assert_int_equal(has_port(&bits, port), port == 1 || port == 63 || port == 64 ||
								port == 80 || port == 443 ||
								port == 65535 ||
								(port >= 8000 && port <= 8003));
	filters_free(&filters);
	assert_null(filters.keys[FILTER_PORT].keys);
}

static void test_all_ports_pass(void **state)
{
	static struct entries bits = { .key_size = sizeof(__u32), .value_size = sizeof(__u64) };
	struct filters filters = FOUND(.lists[FILTER_PORT] = "1-65535");

	(void)state;
	fill(&filters, FILTER_PORT, &bits);
	for (unsigned int port = 0; port < NR_PORTS; port++)
		assert_int_equal(has_port(&bits, port), port > 0);
	filters_free(&filters);
}

static void test_one_port_is_a_value(void **state)
{
	struct filters filters = FOUND(.lists[FILTER_PORT] = "8080");

	(void)state;
	assert_int_equal(filters_values(&filters).port, 8080);
	assert_int_equal(filter_map_size(&filters, FILTER_PORT), 0);
	filters_free(&filters);
}

static void test_processes_are_keys(void **state)
{
	static struct entries pids = { .key_size = sizeof(__u32), .value_size = 1 };
	struct filters filters;
	char list[64];

	(void)state;
	snprintf(list, sizeof(list), "%d,%d", getpid(), getppid());
	filters = FOUND(.lists[FILTER_PID] = list);
	assert_int_equal(filters.active, BIT(PID));
	fill(&filters, FILTER_PID, &pids);
	assert_int_equal(pids.nr, 2);
	assert_int_equal(*(__u32 *)pids.all[0].key, getpid());
	assert_int_equal(*(__u32 *)pids.all[1].key, getppid());
	assert_int_equal(pids.all[1].value[0], 1);
	filters_free(&filters);
	*strchr(list, ',') = '\0';
	filters = FOUND(.lists[FILTER_PID] = list);
	assert_int_equal(filters_values(&filters).pid, getpid());
	filters_free(&filters);
}

/* Memory is not zero when it is allocated, see main(). */
static void test_comms_are_filled_up_with_zeros(void **state)
{
	static const char expected[2][COMM_SIZE] = { "123456789012345", "a b" };
	static struct entries comms = { .key_size = COMM_SIZE, .value_size = 1 };
	struct filters filters = FOUND(.lists[FILTER_COMM] = "123456789012345,a b");

	(void)state;
	assert_int_equal(filters.active, BIT(COMM));
	fill(&filters, FILTER_COMM, &comms);
	assert_int_equal(comms.nr, 2);
	assert_memory_equal(comms.all[0].key, expected[0], COMM_SIZE);
	assert_memory_equal(comms.all[1].key, expected[1], COMM_SIZE);
	filters_free(&filters);
	filters = FOUND(.lists[FILTER_COMM] = "a b");
	assert_memory_equal(filters_values(&filters).comm, expected[1], COMM_SIZE);
	filters_free(&filters);
}

static void test_sequences_are_bits_of_one_value(void **state)
{
	const char *sequences = "in-order, behind-gap, received-before or no-data";
	struct filters filters = FOUND(.lists[FILTER_SEQUENCE] = "behind-gap,received-before");

	(void)state;
	assert_refused(FILTER_SEQUENCE, "in-order,late", "late", sequences);
	assert_refused(FILTER_SEQUENCE, "", "", sequences);
	assert_int_equal(filters.active, BIT(SEQUENCE));
	assert_int_equal(filter_map_size(&filters, FILTER_SEQUENCE), 0);
	assert_int_equal(filters_values(&filters).sequences,
			 1 << SEQUENCE_BEHIND_GAP | 1 << SEQUENCE_RECEIVED_BEFORE);
	filters_free(&filters);
	filters = FOUND(.lists[FILTER_SEQUENCE] = "in-order");
	assert_int_equal(filters_values(&filters).sequences, 1 << SEQUENCE_IN_ORDER);
	filters_free(&filters);
}

static void test_remotes_are_addresses_and_prefixes(void **state)
{
	const char *remotes = "IPv4 or IPv6 addresses, or prefixes such as 192.0.2.0/24";

	(void)state;
	assert_accepted(FILTER_REMOTE, "192.0.2.1,0.0.0.0/0,192.0.2.0/24,2001:db8::1,::/0,::1/128");
	assert_refused(FILTER_REMOTE, "192.0.2.1/33", "192.0.2.1/33", remotes);
	assert_refused(FILTER_REMOTE, "::1,2001:db8::/129", "2001:db8::/129", remotes);
	assert_refused(FILTER_REMOTE, "192.0.2.1/", "192.0.2.1/", remotes);
	assert_refused(FILTER_REMOTE, "192.0.2", "192.0.2", remotes);
	assert_refused(FILTER_REMOTE, "example.org", "example.org", remotes);
	assert_refused(FILTER_REMOTE, "", "", remotes);
	assert_refused(FILTER_REMOTE, "::1/-1", "::1/-1", remotes);
}

/* IPv4-mapped addresses are of IPv4, but what holds others, too, is of IPv6 alone. */
static void test_remotes_are_prefixes_of_one_protocol(void **state)
{
	const char *remotes = "192.0.2.1,192.0.2.0/24,0.0.0.0/0,2001:db8::/32,::/0,"
			      "::ffff:192.0.2.1,::ffff:192.0.2.0/120,::ffff:0:0/96,::ffff:0:0/95";
	static struct entries all = { .key_size = sizeof(struct remote_key), .value_size = 1 };
	const __u32 ipv4 = htons(ETH_P_IP), ipv6 = htons(ETH_P_IPV6);
	const struct remote_key expected[] = {
		{ 32 + 32, ipv4, { htonl(0xc0000201) } },
		{ 32 + 24, ipv4, { htonl(0xc0000200) } },
		{ 32, ipv4, { 0 } },
		{ 32 + 32, ipv6, { htonl(0x20010db8) } },
		{ 32, ipv6, { 0 } },
		{ 32 + 32, ipv4, { htonl(0xc0000201) } },
		{ 32 + 24, ipv4, { htonl(0xc0000200) } },
		{ 32, ipv4, { 0 } },
		{ 32 + 95, ipv6, { 0, 0, htonl(0xffff) } },
	};
	struct filters filters = FOUND(.lists[FILTER_REMOTE] = remotes);

	(void)state;
	assert_int_equal(filters.active, BIT(REMOTE));
	fill(&filters, FILTER_REMOTE, &all);
	assert_int_equal(all.nr, 9);
	for (int i = 0; i < 9; i++)
		assert_memory_equal(all.all[i].key, &expected[i], sizeof(*expected));
	filters_free(&filters);
}

static void test_values_without_a_list(void **state)
{
	struct filters filters = FOUND(.ipv4 = true, .min_queue_length = 7);

	(void)state;
	assert_int_equal(filters.active, BIT(IP_VERSION) | BIT(QUEUE_LENGTH));
	assert_int_equal(filters.ip_version, 4);
	assert_int_equal(filters.min_queue_length, 7);
	filters = FOUND(.ipv6 = true);
	assert_int_equal(filters.ip_version, 6);
	filters = FOUND(.lists[FILTER_NETNS] = "all");
	assert_int_equal(filters.active, 0);
	assert_int_equal(filter_map_size(&filters, FILTER_NETNS), 0);
	filters_free(&filters);
}

static struct netns own_netns(void)
{
	struct netns own;

	assert_int_equal(netns_find("self", &own), 0);
	return own;
}

static void test_one_namespace_is_a_value(void **state)
{
	struct filters filters = FOUND(.lists[FILTER_NETNS] = "self");

	(void)state;
	assert_int_equal(filters_values(&filters).netns, own_netns().id);
	assert_int_equal(filter_map_size(&filters, FILTER_NETNS), 0);
	filters_free(&filters);
}

/* The kernel has a loopback interface everywhere, which is the first one. */
static void test_interfaces_are_keys_with_their_namespace(void **state)
{
	static struct entries interfaces = { .key_size = sizeof(struct interface_key),
					     .value_size = 1 };
	const struct interface_key expected = { own_netns().id, 1 };
	int fds = nr_fds();
	struct filters filters = FOUND(.lists[FILTER_INTERFACE] = "lo");

	(void)state;
	assert_int_equal(filters.active, BIT(INTERFACE));
	assert_int_equal(filters_values(&filters).netns, expected.netns);
	assert_int_equal(filters_values(&filters).ifindex, 1);
	filters_free(&filters);
	filters = FOUND(.lists[FILTER_INTERFACE] = "lo,1", .lists[FILTER_NETNS] = "self");
	fill(&filters, FILTER_INTERFACE, &interfaces);
	assert_int_equal(interfaces.nr, 2);
	for (int i = 0; i < 2; i++)
		assert_memory_equal(interfaces.all[i].key, &expected, sizeof(expected));
	filters_free(&filters);
	assert_int_equal(nr_fds(), fds);
}

static void find_and_free(int times)
{
	for (int i = 0; i < times; i++) {
		struct filters filters =
			FOUND(.lists[FILTER_INTERFACE] = "lo", .lists[FILTER_NETNS] = "self",
			      .lists[FILTER_PORT] = "80,443", .lists[FILTER_PID] = "1",
			      .lists[FILTER_COMM] = "a", .lists[FILTER_REMOTE] = "::1");

		filters_free(&filters);
	}
}

/* The C library keeps some of what it was given back, and has enough of that in the end. */
static void test_all_memory_is_given_back(void **state)
{
	size_t before;

	(void)state;
	find_and_free(100);
	before = mallinfo2().uordblks;
	find_and_free(100);
	assert_int_equal(mallinfo2().uordblks, before);
}

/* Expects a failure, and returns what it said on stderr. */
static const char *complaint(struct filter_lists lists, int *err)
{
	struct filters filters;

	said_begin();
	*err = filters_find(&lists, &filters);
	/* What was found before is freed. */
	assert_null(filters.keys[FILTER_PORT].keys);
	return said_end();
}

static void test_a_process_that_ended_is_an_error(void **state)
{
	char pid_text[32], expected[128];
	pid_t pid = fork();
	int err;

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	snprintf(pid_text, sizeof(pid_text), "%d", pid);
	snprintf(expected, sizeof(expected), "netstacklat: there is no process %d\n", pid);
	assert_string_equal(complaint((struct filter_lists){ .lists[FILTER_PORT] = "80",
							     .lists[FILTER_PID] = pid_text },
				      &err),
			    expected);
	assert_int_equal(err, -ESRCH);
}

static pid_t thread_id;
static pthread_barrier_t barrier;

static void *live(void *argument)
{
	thread_id = gettid();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return argument;
}

/* No packet would pass, as the kernel compares the ids of processes. */
static void test_a_thread_is_no_process(void **state)
{
	char thread_text[32], expected[128];
	const char *said;
	pthread_t thread;
	int err;

	(void)state;
	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, live, NULL), 0);
	pthread_barrier_wait(&barrier);
	snprintf(thread_text, sizeof(thread_text), "%d", thread_id);
	said = complaint((struct filter_lists){ .lists[FILTER_PID] = thread_text }, &err);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	snprintf(expected, sizeof(expected), "netstacklat: %d is a thread, of the process %d\n",
		 thread_id, getpid());
	assert_string_equal(said, expected);
	assert_int_equal(err, -ESRCH);
}

static void test_an_interface_that_is_not_there_is_an_error(void **state)
{
	struct filter_lists lists = { .lists[FILTER_INTERFACE] = "lo,nonsense0" };
	int err;

	(void)state;
	assert_string_equal(complaint(lists, &err),
			    "netstacklat: there is no interface 'nonsense0' in this network "
			    "namespace; -n looks in others\n");
	assert_int_equal(err, -ENODEV);
	lists.lists[FILTER_NETNS] = "self";
	assert_string_equal(complaint(lists, &err),
			    "netstacklat: there is no interface 'nonsense0' in the network "
			    "namespaces of -n\n");
	assert_int_equal(err, -ENODEV);
}

/* What is said where cgroup v2 is mounted, or nowhere: a mount namespace of its own has it so. */
static void assert_said_of_cgroup(bool is_mounted, int expected_err, const char *expected)
{
	struct filter_lists lists = { .lists[FILTER_CGROUP] = "/nonsense/of/a/path" };
	int err, status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("none", is_mounted ? "/mnt" : "/proc", is_mounted ? "cgroup2" : "tmpfs",
			  0, NULL))
			_exit(77);
		if (!strstr(complaint(lists, &err), expected))
			_exit(1);
		_exit(err == expected_err ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_a_cgroup_that_is_not_there_is_an_error(void **state)
{
	(void)state;
	assert_said_of_cgroup(true, -ENOENT, "there is no cgroup '/nonsense/of/a/path'\n");
}

/* The root is there wherever cgroups are. Where they are is looked up once in a process. */
static void test_cgroups_are_keys(void **state)
{
	static const struct filter_lists lists = { .lists[FILTER_CGROUP] = "/" };
	struct filters filters;
	int status;
	uint64_t root;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		if (cgroup_find("/", &root))
			_exit(77);
		_exit(filters_find(&lists, &filters) || filters.keys[FILTER_CGROUP].nr != 1 ||
		      memcmp(filters.keys[FILTER_CGROUP].keys, &root, sizeof(root)));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_a_host_without_cgroups_is_an_error(void **state)
{
	(void)state;
	assert_said_of_cgroup(false, -ENODEV, "-c needs cgroup v2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ports_are_from_1_to_65535),
		cmocka_unit_test(test_pids_are_positive),
		cmocka_unit_test(test_comms_are_as_long_as_the_kernel_keeps_them),
		cmocka_unit_test(test_names_and_paths_are_not_empty),
		cmocka_unit_test(test_each_list_is_an_attribute_to_filter_by),
		cmocka_unit_test(test_a_filter_by_interface_is_one_by_namespace_too),
		cmocka_unit_test(test_all_namespaces_are_no_filter),
		cmocka_unit_test(test_both_ip_versions_are_no_filter),
		cmocka_unit_test(test_what_is_unknown_at_hooks),
		cmocka_unit_test(test_cpus_have_no_packets_to_filter),
		cmocka_unit_test(test_unknown_is_what_the_hook_table_leaves_out),
		cmocka_unit_test(test_several_ports_are_bits),
		cmocka_unit_test(test_all_ports_pass),
		cmocka_unit_test(test_one_port_is_a_value),
		cmocka_unit_test(test_processes_are_keys),
		cmocka_unit_test(test_sequences_are_bits_of_one_value),
		cmocka_unit_test(test_remotes_are_addresses_and_prefixes),
		cmocka_unit_test(test_remotes_are_prefixes_of_one_protocol),
		cmocka_unit_test(test_comms_are_filled_up_with_zeros),
		cmocka_unit_test(test_one_namespace_is_a_value),
		cmocka_unit_test(test_interfaces_are_keys_with_their_namespace),
		cmocka_unit_test(test_all_memory_is_given_back),
		cmocka_unit_test(test_values_without_a_list),
		cmocka_unit_test(test_a_process_that_ended_is_an_error),
		cmocka_unit_test(test_a_thread_is_no_process),
		cmocka_unit_test(test_an_interface_that_is_not_there_is_an_error),
		cmocka_unit_test(test_a_cgroup_that_is_not_there_is_an_error),
		cmocka_unit_test(test_cgroups_are_keys),
		cmocka_unit_test(test_a_host_without_cgroups_is_an_error),
	};

	mallopt(M_PERTURB, 0x55);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
