// SPDX-License-Identifier: GPL-2.0
/* How a host is set up, as files in the place of /proc and /sys tell. */
#include "unit.h"

#include <stdbool.h>

#include "fake_root.h"
#include "lib/host/settings.h"

static struct settings settings;

static int end(void **state)
{
	settings_free(&settings);
	return remove_root(state);
}

static const char *value_of(const char *name)
{
	for (size_t i = 0; i < settings.nr; i++)
		if (!strcmp(settings.settings[i].name, name))
			return settings.settings[i].value;
	return NULL;
}

static void assert_value(const char *name, const char *expected)
{
	const char *value = value_of(name);

	if (!expected) {
		assert_null(value);
		return;
	}
	assert_non_null(value);
	assert_string_equal(value, expected);
}

static void test_sysctls_have_their_names(void **state)
{
	(void)state;
	write_file("/proc/sys/net/core/rmem_max", "212992\n");
	write_file("/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
	write_file("/proc/sys/net/ipv4/tcp_ecn_fallback", "");
	write_file("/proc/sys/net/ipv4/conf/all/rp_filter", "1\n");
	write_file("/proc/sys/net/ipv4/neigh/default/gc_thresh1", "128\n");
	write_file("/proc/sys/vm/swappiness", "60\n");
	assert_int_equal(settings_read(&settings, root), 0);
	assert_value("net.core.rmem_max", "212992");
	assert_value("net.ipv4.tcp_rmem", "4096 131072 6291456");
	assert_value("net.ipv4.tcp_ecn_fallback", "");
	assert_value("net.ipv4.conf.all.rp_filter", "1");
	assert_value("net.ipv4.neigh.default.gc_thresh1", "128");
	assert_value("vm.swappiness", NULL);
}

/* The kernel tells these otherwise. */
static bool is_in_no_file(const char *name)
{
	return !strncmp(name, "qdisc of ", 9) || !strcmp(name, "rules of netfilter") ||
	       !strncmp(name, "cpu.max of ", 11);
}

static void test_secrets_counts_and_interfaces_are_left_out(void **state)
{
	(void)state;
	write_file("/proc/sys/net/ipv4/tcp_fastopen_key", "0-1-2-3\n");
	write_file("/proc/sys/net/ipv6/conf/all/stable_secret", "2001:db8::1\n");
	write_file("/proc/sys/net/netfilter/nf_conntrack_count", "7\n");
	write_file("/proc/sys/net/ipv4/conf/eth0/rp_filter", "1\n");
	write_file("/proc/sys/net/ipv6/neigh/eth0/gc_stale_time", "60\n");
	assert_int_equal(settings_read(&settings, root), 0);
	for (size_t i = 0; i < settings.nr; i++)
		assert_true(is_in_no_file(settings.settings[i].name));
}

static void test_queues_and_cpus_have_their_paths(void **state)
{
	(void)state;
	write_file("/proc/cmdline", "quiet  mitigations=off\n");
	write_file("/sys/class/net/eth0/mtu", "1500\n");
	write_file("/sys/class/net/e\x1b/queues/rx-0/rps_cpus", "f\n");
	write_file("/sys/class/net/eth0/address", "00:00:5e:00:53:01\n");
	assert_int_equal(settings_read(&settings, root), 0);
	assert_value("/proc/cmdline", "quiet mitigations=off");
	assert_value("/sys/class/net/eth0/mtu", "1500");
	assert_value("/sys/class/net/e\\x1b/queues/rx-0/rps_cpus", "f");
	assert_value("/sys/class/net/eth0/address", NULL);
}

/* Nobody compares more of a line than that. */
static void test_long_lines_are_cut(void **state)
{
	char value[4096];

	(void)state;
	memset(value, '1', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	write_file("/proc/sys/net/core/long", value);
	assert_int_equal(settings_read(&settings, root), 0);
	assert_int_equal(strlen(value_of("net.core.long")), 511);
}

/* Of the host that the tests run on. */
static void test_this_host_has_some(void **state)
{
	(void)state;
	assert_int_equal(settings_read(&settings, ""), 0);
	assert_non_null(value_of("net.core.somaxconn"));
	assert_true(settings.nr <= MAX_SETTINGS);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, end)
	const struct CMUnitTest tests[] = {
		TEST(test_sysctls_have_their_names),
		TEST(test_secrets_counts_and_interfaces_are_left_out),
		TEST(test_queues_and_cpus_have_their_paths),
		TEST(test_long_lines_are_cut),
		TEST(test_this_host_has_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
