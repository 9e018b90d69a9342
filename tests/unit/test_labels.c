// SPDX-License-Identifier: GPL-2.0
/* What groups are called. Namespaces that have names, and all that is renamed, are tested in
 * tests/vm. */
#include "unit.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/tables/attributes.h"
#include "lib/tables/hooks.h"
#include "lib/report/labels.h"
#include "lib/host/netns.h"
#include "fds.h"
#include "real_cgroups.h"
#include "real_netns.h"
#include "report_printing.h"

#define BIT(key) (1U << KEY_##key)

/* No namespace and no cgroup has such an id, and no interface such an index. */
#define NO_ID (UINT64_MAX - 1)
#define NO_ID_TEXT "18446744073709551614"
#define NO_IFINDEX INT32_MAX
#define NO_IFINDEX_TEXT "2147483647"

static struct label_names *names;

static int make_names(void **state)
{
	make_cgroups(state);
	names = label_names_new();
	return names ? 0 : -1;
}

static int free_names(void **state)
{
	label_names_free(names);
	return remove_cgroups(state);
}

static void meet(const struct group *group)
{
	label_names_add(names, group);
	label_names_look_up(names);
}

static void find_labels(const struct group *group, unsigned int by, struct labels *labels)
{
	/* What was there before is of no interest. */
	memset(labels, 0xff, sizeof(*labels));
	label_names_refresh(names);
	meet(group);
	labels_of(names, group, by, labels);
	label_names_release(names);
}

static void assert_labels(struct group group, unsigned int by, const char *expected)
{
	struct labels labels;
	char *text;

	find_labels(&group, by, &labels);
	text = labels_text(&labels);
	assert_string_equal(text, expected);
	free(text);
}

/* Of a reader's hook, where most is known. */
#define ASSERT_LABELS(by, expected, ...) \
	assert_labels((struct group){ HOOK_tcp_socket_read, __VA_ARGS__ }, by, expected)

/* A CPU's work is in no namespace. */
static void test_hooks_of_cpus_have_no_namespace(void **state)
{
	(void)state;
	assert_labels((struct group){ HOOK_softirq_net_rx, .key.cpu = 3 }, BIT(NETNS) | BIT(CPU),
		      "cpu=\"3\"");
}

static void test_numbers(void **state)
{
	(void)state;
	ASSERT_LABELS(BIT(PORT), "port=\"1\"", .key.port = 1);
	ASSERT_LABELS(BIT(PORT), "port=\"65535\"", .key.port = 65535);
	ASSERT_LABELS(BIT(CPU), "cpu=\"127\"", .key.cpu = 127);
	ASSERT_LABELS(BIT(IP_VERSION), "ip_version=\"6\"", .key.ip_version = 6);
	ASSERT_LABELS(BIT(PORT) | BIT(CPU) | BIT(IP_VERSION),
		      "port=\"443\",cpu=\"3\",ip_version=\"4\"", .key.port = 443, .key.cpu = 3,
		      .key.ip_version = 4);
}

/* Zero is a CPU, and zero is also what groups have that are not made by CPU. */
static void test_cpu_0_is_a_cpu_if_grouped_by_it(void **state)
{
	(void)state;
	ASSERT_LABELS(BIT(CPU), "cpu=\"0\"", .key.cpu = 0);
	ASSERT_LABELS(BIT(PORT), "port=\"80\"", .key.port = 80);
}

/* Readers of one process share its id, and need not share their names. */
static void test_a_process_comes_with_a_name(void **state)
{
	(void)state;
	ASSERT_LABELS(BIT(PID), "pid=\"4194304\",comm=\"nginx\"", .key.pid = 4194304,
		      .comm = "nginx");
	ASSERT_LABELS(BIT(COMM), "comm=\"worker\"", .key.comm = "worker");
	ASSERT_LABELS(BIT(PID) | BIT(COMM), "pid=\"7\",comm=\"worker\"", .key.pid = 7,
		      .key.comm = "worker", .comm = "nginx");
	/* A name may be empty: then it is not that of another thread. */
	ASSERT_LABELS(BIT(PID) | BIT(COMM), "pid=\"7\",comm=\"\"", .key.pid = 7, .comm = "nginx");
	/* As long as they get. */
	ASSERT_LABELS(BIT(COMM), "comm=\"123456789012345\"", .key.comm = "123456789012345");
}

static void test_later_processes_of_an_id_tell_when_they_began(void **state)
{
	(void)state;
	ASSERT_LABELS(BIT(PID), "pid=\"7\",comm=\"nginx\"", .key.pid = 7,
		      .key.started_ns = 12000000345, .comm = "nginx");
	ASSERT_LABELS(BIT(PID), "pid=\"7\",started=\"12.000000345\",comm=\"nginx\"", .key.pid = 7,
		      .key.started_ns = 12000000345, .comm = "nginx", .is_later_process = true);
	ASSERT_LABELS(BIT(PID), "pid=\"7\",started=\"18446744073.709551615\",comm=\"\"",
		      .key.pid = 7, .key.started_ns = UINT64_MAX, .is_later_process = true);
}

static void test_reasons_have_names_if_there_are_any(void **state)
{
	struct reason_names *reasons = reason_names_new(NULL);
	struct group group = { HOOK_drop, .key.reason = 3 };

	(void)state;
	assert_int_equal(reason_names_add(reasons, 3, "NO_SOCKET"), 0);
	assert_labels(group, BIT(REASON), "reason=\"number/3\"");
	label_names_set_reasons(names, reasons);
	assert_labels(group, BIT(REASON), "reason=\"NO_SOCKET\"");
	group.key.reason = 0x10001;
	assert_labels(group, BIT(REASON), "reason=\"number/65537\"");
	label_names_set_reasons(names, NULL);
	reason_names_free(reasons);
}

/* A poll may be for no packet at all, and that is not the same as no poll. */
static void test_polls_have_packets_or_none(void **state)
{
	const struct group group = { .hook = HOOK_napi_poll };

	(void)state;
	assert_labels(group, BIT(PACKETS), "packets=\"0\"");
	assert_labels((struct group){ HOOK_napi_poll, .key.packets = 64 }, BIT(PACKETS),
		      "packets=\"64\"");
	assert_labels(group, BIT(CPU), "cpu=\"0\"");
	assert_labels((struct group){ .hook = HOOK_softirq_net_rx }, BIT(PACKETS), "");
	assert_false(group_is_nameless(&group, BIT(PACKETS)));
	assert_true(group_is_nameless(&group, BIT(PORT)));
}

static void test_what_is_unknown_is_left_out(void **state)
{
	(void)state;
	assert_labels((struct group){ HOOK_ip_rcv, .key.ip_version = 4 },
		      BIT(INTERFACE) | BIT(CGROUP) | BIT(PORT) | BIT(PID) | BIT(COMM) |
			      BIT(IP_VERSION),
		      "ip_version=\"4\"");
	assert_labels((struct group){ .hook = HOOK_ip_rcv }, BIT(PORT), "");
	assert_labels((struct group){ .hook = HOOK_drop }, BIT(NETNS), "");
}

/* Such numbers have a slash, unlike the names of interfaces and namespaces; and paths begin with
 * it. */
static void test_names_that_are_not_there_are_numbers(void **state)
{
	(void)state;
	ASSERT_LABELS(BIT(CGROUP), "cgroup=\"" NO_ID_TEXT "\"", .key.cgroup = NO_ID);
	ASSERT_LABELS(BIT(NETNS), "netns=\"cookie/" NO_ID_TEXT "\"", .key.netns = NO_ID);
	ASSERT_LABELS(BIT(INTERFACE), "interface=\"index/" NO_IFINDEX_TEXT "\"",
		      .key.ifindex = NO_IFINDEX);
	/* That of another namespace would be taken for our own. */
	ASSERT_LABELS(BIT(INTERFACE),
		      "interface=\"index/" NO_IFINDEX_TEXT "\",netns=\"cookie/" NO_ID_TEXT "\"",
		      .key.ifindex = NO_IFINDEX, .key.netns = NO_ID);
}

static void test_interfaces_of_our_own_namespace(void **state)
{
	struct netns own;

	(void)state;
	/* Which takes no privileges. */
	assert_int_equal(netns_find("self", &own), 0);
	ASSERT_LABELS(BIT(INTERFACE), "interface=\"lo\"", .key.ifindex = 1, .key.netns = own.id);
	ASSERT_LABELS(BIT(INTERFACE), "interface=\"index/" NO_IFINDEX_TEXT "\"",
		      .key.ifindex = NO_IFINDEX, .key.netns = own.id);
}

static void test_another_namespace_until_it_is_gone(void **state)
{
	struct real_netns real = make_netns();
	char here[64], gone[64], text[160];
	struct netns other;
	int fds = nr_fds();

	(void)state;
	assert_int_equal(netns_find(real.path, &other), 0);
	snprintf(here, sizeof(here), "netns=\"inode/%ju\"", (uintmax_t)real.inode);
	ASSERT_LABELS(BIT(NETNS), here, .key.netns = other.id);
	snprintf(text, sizeof(text), "interface=\"lo\",%s", here);
	ASSERT_LABELS(BIT(INTERFACE), text, .key.ifindex = 1, .key.netns = other.id);
	end_netns(&real);
	snprintf(gone, sizeof(gone), "netns=\"%s/%ju\"", netns_has_cookie() ? "cookie" : "inode",
		 (uintmax_t)other.id);
	ASSERT_LABELS(BIT(NETNS), gone, .key.netns = other.id);
	snprintf(text, sizeof(text), "interface=\"index/1\",%s", gone);
	ASSERT_LABELS(BIT(INTERFACE), text, .key.ifindex = 1, .key.netns = other.id);
	assert_int_equal(nr_fds(), fds);
}

/* Once looked up, it keeps its name, until another one has it. */
static void test_cgroups_are_their_paths(void **state)
{
	char path[128], unit[200], number[64];
	uint64_t id, id_again;
	struct labels labels;

	(void)state;
	skip_without_cgroups();
	id = make_cgroup("a.service");
	snprintf(path, sizeof(path), "cgroup=\"%s/a.service\"", cgroup_name);
	snprintf(unit, sizeof(unit), "%s,unit=\"a.service\"", path);
	snprintf(number, sizeof(number), "cgroup=\"%ju\"", (uintmax_t)id);
	ASSERT_LABELS(BIT(CGROUP), unit, .key.cgroup = id);
	find_labels(&(struct group){ .key.cgroup = id }, BIT(CGROUP), &labels);
	assert_false(labels.labels[0].is_number || labels.labels[1].is_number);
	remove_cgroup("a.service");
	ASSERT_LABELS(BIT(CGROUP), unit, .key.cgroup = id);
	id_again = make_cgroup("a.service");
	meet(&(struct group){ .key.cgroup = id_again });
	remove_cgroup("a.service");
	ASSERT_LABELS(BIT(CGROUP), number, .key.cgroup = id);
	ASSERT_LABELS(BIT(CGROUP), unit, .key.cgroup = id_again);
}

static void test_numbers_instead_of_names(void **state)
{
	char number[64];
	uint64_t id;

	(void)state;
	skip_without_cgroups();
	id = make_cgroup("a.service");
	snprintf(number, sizeof(number), "cgroup=\"%ju\"", (uintmax_t)id);
	label_names_use_numbers(names, true);
	ASSERT_LABELS(BIT(CGROUP), number, .key.cgroup = id);
	label_names_use_numbers(names, false);
	remove_cgroup("a.service");
}

static bool has_path(struct label_names *some, uint64_t cgroup)
{
	const struct group group = { HOOK_tcp_socket_read, .key.cgroup = cgroup };
	struct labels labels;

	label_names_add(some, &group);
	label_names_look_up(some);
	labels_of(some, &group, BIT(CGROUP), &labels);
	return *labels.labels[0].value == '/';
}

/* However many come. Those that are not looked up at once are later. */
static void test_looking_up_cgroups_does_not_take_all_the_time(void **state)
{
	struct label_names *some = label_names_new();
	time_t end = time(NULL) + 30;
	uint64_t id;

	(void)state;
	assert_non_null(some);
	if (!*cgroup_folder) {
		label_names_free(some);
		skip();
	}
	do {
		id = make_cgroup("a");
		remove_cgroup("a");
		has_path(some, id);
		id = make_cgroup("a");
		if (!has_path(some, id))
			break;
		remove_cgroup("a");
	} while (time(NULL) < end);
	assert_true(time(NULL) < end);
	while (!has_path(some, id) && time(NULL) < end)
		usleep(1000);
	assert_true(has_path(some, id));
	remove_cgroup("a");
	label_names_free(some);
}

/* A cgroup may be seen in stages alone, and have the path of one that was there before. */
static void test_cgroups_of_stages_are_known_before_any_is_named(void **state)
{
	static const struct hook_counts counts[NR_HOOKS];
	static const struct bucket buckets[NR_BUCKETS(0)];
	const struct report_setup setup = { .plan = { .stages = true, .group_by = BIT(CGROUP) } };
	struct group groups[2] = { { .hook = HOOK_udp_queue_rcv }, { .hook = HOOK_udp_queue_rcv } };
	struct report_group stages[2] = { { &groups[0], buckets, 1, 0 },
					  { &groups[1], buckets, 1, 0 } };
	struct report report = make_report(&setup, counts);
	char number[64], *text;

	(void)state;
	skip_without_cgroups();
	groups[0].from = groups[1].from = STAGE_FROM(HOOK_udp_start, 0);
	groups[0].key.cgroup = make_cgroup("a.service");
	meet(&groups[0]);
	remove_cgroup("a.service");
	groups[1].key.cgroup = make_cgroup("a.service");
	snprintf(number, sizeof(number), "cgroup=\"%ju\"", (uintmax_t)groups[0].key.cgroup);
	report.stages = stages;
	report.nr_stages = 2;
	report.names = names;
	text = print_report(&printer_openmetrics, &report);
	assert_non_null(strstr(text, number));
	assert_non_null(strstr(text, "unit=\"a.service\""));
	free(text);
	remove_cgroup("a.service");
}

/* Users may name cgroups of their own, with every byte to be escaped. */
static void test_long_paths_are_numbers_and_still_tell_the_unit(void **state)
{
	char path[sizeof("a.service/") + MAX_PRINTABLE / 4] = "a.service/", number[64], unit[128];
	uint64_t id;

	(void)state;
	skip_without_cgroups();
	memset(path + strlen(path), '\x01', sizeof(path) - 1 - strlen(path));
	make_cgroup("a.service");
	id = make_cgroup(path);
	snprintf(number, sizeof(number), "cgroup=\"%ju\"", (uintmax_t)id);
	snprintf(unit, sizeof(unit), "%s,unit=\"a.service\"", number);
	ASSERT_LABELS(BIT(CGROUP), unit, .key.cgroup = id);
	remove_cgroup(path);
	remove_cgroup("a.service");
}

/* Cgroups and namespaces that nobody has seen before, in one report. */
static void report_new(unsigned int nr)
{
	static uint64_t id = NO_ID;
	struct group group = { .hook = HOOK_tcp_socket_read };
	struct labels labels;

	label_names_refresh(names);
	while (nr--) {
		group.key.cgroup = group.key.netns = --id;
		label_names_add(names, &group);
		labels_of(names, &group, BIT(CGROUP) | BIT(NETNS), &labels);
	}
	label_names_look_up(names);
	label_names_release(names);
}

/*
 * What comes and goes leaves nothing behind, and what is in use keeps its name. How much is kept of
 * a report varies a little, so the most of ten reports counts.
 */
static void test_names_are_forgotten(void **state)
{
	size_t most = 0, used = 0;
	char path[128];
	uint64_t id;

	(void)state;
	skip_without_cgroups();
	id = make_cgroup("kept");
	snprintf(path, sizeof(path), "cgroup=\"%s/kept\"", cgroup_name);
	ASSERT_LABELS(BIT(CGROUP), path, .key.cgroup = id);
	remove_cgroup("kept");
	for (int i = 0; i < 20; i++) {
		report_new(2000);
		ASSERT_LABELS(BIT(CGROUP), path, .key.cgroup = id);
		used = mallinfo2().uordblks;
		if (i < 10 && used > most)
			most = used;
	}
	assert_true(used < most + 10000);
}

static void assert_socket(struct socket_addresses addresses, const char *expected)
{
	const struct group group = { HOOK_tcp_do_rcv, .key.socket = 0x2f, .addresses = addresses };

	assert_labels(group, BIT(SOCKET), expected);
}

static void test_sockets_have_cookies_and_addresses(void **state)
{
	struct socket_addresses tcp = { .local = { htonl(0xc0000202) },
					.remote = { htonl(0xc0000201) },
					.local_port = htons(80),
					.remote_port = htons(65535),
					.family = AF_INET };
	struct socket_addresses any = { .local_port = htons(53), .family = AF_INET6 };
	struct socket_addresses longest = { .local_port = 0xffff,
					    .remote_port = 0xffff,
					    .family = AF_INET6 };

	(void)state;
	assert_socket(tcp, "socket=\"2f\",addresses=\"192.0.2.2:80-192.0.2.1:65535\"");
	assert_socket(any, "socket=\"2f\",addresses=\"*:53\"");
	assert_socket((struct socket_addresses){ 0 }, "socket=\"2f\"");
	memset(longest.local, 0xff, sizeof(longest.local));
	memset(longest.remote, 0xff, sizeof(longest.remote));
	assert_socket(longest,
		      "socket=\"2f\",addresses=\"[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535-"
		      "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535\"");
	/* A socket for both, that speaks IPv4. */
	tcp.family = AF_INET6;
	tcp.local[3] = tcp.local[0];
	tcp.local[2] = htonl(0xffff);
	tcp.local[0] = 0;
	tcp.remote_port = 0;
	assert_socket(tcp, "socket=\"2f\",addresses=\"192.0.2.2:80\"");
}

static bool is_number(const char *name)
{
	static const char *const numbers[] = { "port", "pid", "started", "cpu", "ip_version" };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!strcmp(name, numbers[i]))
			return true;
	return false;
}

/* A name may look like a number, and stays a name. */
static void test_which_labels_are_numbers(void **state)
{
	const struct group group = {
		HOOK_udp_socket_read,
		.key = { .netns = NO_ID,
			 .cgroup = NO_ID,
			 .started_ns = 9,
			 .ifindex = NO_IFINDEX,
			 .pid = 1,
			 .cpu = 2,
			 .port = 3,
			 .ip_version = 4,
			 .comm = "5" },
		.is_later_process = true,
	};
	const unsigned int all_keys = (1U << NR_KEYS) - 1;
	struct labels labels;

	(void)state;
	find_labels(&group, all_keys, &labels);
	assert_int_equal(labels.nr, 9);
	for (unsigned int i = 0; i < labels.nr; i++) {
		assert_int_equal(labels.labels[i].is_number, is_number(labels.labels[i].name));
		/* Not twice. */
		for (unsigned int j = 0; j < i; j++)
			assert_string_not_equal(labels.labels[i].name, labels.labels[j].name);
	}
}

static void test_text_is_escaped(void **state)
{
	(void)state;
	ASSERT_LABELS(BIT(COMM), "comm=\"a \\\"b\\\" \\\\c\\\\\"", .key.comm = "a \"b\" \\c\\");
	ASSERT_LABELS(BIT(COMM), "comm=\"{a=1},'b'\"", .key.comm = "{a=1},'b'");
	ASSERT_LABELS(BIT(COMM), "comm=\"Zähler\"", .key.comm = "Zähler");
}

/* Any process may call its threads like this. The backslash is doubled as Prometheus wants it. */
static void test_different_names_make_different_labels(void **state)
{
	(void)state;
	ASSERT_LABELS(BIT(COMM), "comm=\"x\\\\x01\"", .key.comm = "x\x01");
	ASSERT_LABELS(BIT(COMM), "comm=\"x\\\\x02\"", .key.comm = "x\x02");
	ASSERT_LABELS(BIT(COMM), "comm=\"x\\\\x0a\"", .key.comm = "x\n");
	ASSERT_LABELS(BIT(COMM), "comm=\"x\\\\x5cx0a\"", .key.comm = "x\\x0a");
	ASSERT_LABELS(BIT(COMM), "comm=\"x?\"", .key.comm = "x?");
	/* As long as they get: there is room for all of it before the next one. */
	ASSERT_LABELS(BIT(COMM) | BIT(CPU),
		      "comm=\"\\\\x01\\\\x02\\\\x03\\\\x04\\\\x05\\\\x06\\\\x07\\\\x08"
		      "\\\\x09\\\\x0a\\\\x0b\\\\x0c\\\\x0d\\\\x0e\\\\x0f\",cpu=\"9\"",
		      .key.comm = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f",
		      .key.cpu = 9);
}

/* Whatever its key is, which is not its own. */
static void test_those_forgotten_are_others(void **state)
{
	(void)state;
	assert_labels((struct group){ HOOK_udp_socket_read, .is_other = true },
		      BIT(PORT) | BIT(COMM) | BIT(CPU),
		      "port=\"other\",comm=\"other\",cpu=\"other\"");
	assert_labels((struct group){ HOOK_udp_start, .is_other = true }, BIT(PORT) | BIT(COMM),
		      "");
}

static void test_no_labels_are_no_text(void **state)
{
	const struct labels none = { 0 };
	char *text = labels_text(&none);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hooks_of_cpus_have_no_namespace),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_cpu_0_is_a_cpu_if_grouped_by_it),
		cmocka_unit_test(test_a_process_comes_with_a_name),
		cmocka_unit_test(test_later_processes_of_an_id_tell_when_they_began),
		cmocka_unit_test(test_reasons_have_names_if_there_are_any),
		cmocka_unit_test(test_polls_have_packets_or_none),
		cmocka_unit_test(test_what_is_unknown_is_left_out),
		cmocka_unit_test(test_names_that_are_not_there_are_numbers),
		cmocka_unit_test(test_interfaces_of_our_own_namespace),
		cmocka_unit_test(test_another_namespace_until_it_is_gone),
		cmocka_unit_test(test_cgroups_are_their_paths),
		cmocka_unit_test(test_numbers_instead_of_names),
		cmocka_unit_test(test_looking_up_cgroups_does_not_take_all_the_time),
		cmocka_unit_test(test_cgroups_of_stages_are_known_before_any_is_named),
		cmocka_unit_test(test_long_paths_are_numbers_and_still_tell_the_unit),
		cmocka_unit_test(test_names_are_forgotten),
		cmocka_unit_test(test_sockets_have_cookies_and_addresses),
		cmocka_unit_test(test_which_labels_are_numbers),
		cmocka_unit_test(test_text_is_escaped),
		cmocka_unit_test(test_different_names_make_different_labels),
		cmocka_unit_test(test_those_forgotten_are_others),
		cmocka_unit_test(test_no_labels_are_no_text),
	};

	return cmocka_run_group_tests(tests, make_names, free_names);
}
