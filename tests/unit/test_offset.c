// SPDX-License-Identifier: GPL-2.0
/* How BPF programs learn the offset of TAI (lib/bpf/exporter/offset.bpf.h): packets, and clocks
 * that are set. */
#include "unit.h"

#include <linux/types.h>
#include <stdbool.h>

/* In place of lib/bpf/kernel/clock.bpf.h and of libbpf's headers. */
#define NETSTACKLAT_CLOCK_BPF_H
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))

static __s64 clock_offset_ns;
static __u64 boot_ns, wall_ns;
static __s64 tai_offset_ns;

static __u64 bpf_ktime_get_boot_ns(void)
{
	return boot_ns;
}

static __u64 bpf_ktime_get_tai_ns(void)
{
	return wall_ns + tai_offset_ns;
}

#include "lib/bpf/exporter/offset.bpf.h"

#define S NS_PER_S
#define MS NS_PER_MS
#define US 1000LL

static int start(void **state)
{
	(void)state;
	clocks = (typeof(clocks)){ .doubted_ns = IN_DOUBT_FOR_LONG };
	clock_offset_ns = tai_offset_ns = 0;
	boot_ns = 100 * S;
	wall_ns = 1700000000 * S + 123456789;
	return 0;
}

static void wait_ns(__u64 ns)
{
	boot_ns += ns;
	wall_ns += ns;
}

/* What a program makes of a stamp at a hook of new packets. */
static bool fits(__u64 stamp_ns)
{
	return offset_fits(stamp_ns, bpf_ktime_get_tai_ns() - clock_offset_ns - stamp_ns);
}

static bool packet_fits(__u64 age_ns)
{
	__u64 stamp_ns = wall_ns;

	wait_ns(age_ns);
	return fits(stamp_ns);
}

/* How old a packet seems to be that was read so late, and whether that is believed. */
static bool is_believed_later(__u64 age_ns)
{
	__u64 latency_ns = bpf_ktime_get_tai_ns() - clock_offset_ns - (wall_ns - age_ns);

	return !clocks_were_set_in(latency_ns);
}

static void assert_learnt(__s64 offset_s)
{
	assert_true(packet_fits(3 * US));
	assert_int_equal(clock_offset_ns, offset_s * S);
	assert_int_equal(clocks.doubted_ns, NOT_IN_DOUBT);
}

static void test_offset_of_0(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		assert_learnt(0);
	assert_true(is_believed_later(20 * S));
}

static void test_first_packets(void **state)
{
	(void)state;
	tai_offset_ns = 37 * S;
	/* It may have been stamped before a clock was set; the next one was not. */
	assert_false(packet_fits(5 * US));
	wait_ns(10 * MS);
	assert_false(fits(wall_ns - 11 * MS));
	assert_int_equal(clock_offset_ns, 0);
	assert_false(packet_fits(5 * US));
	assert_learnt(37);
}

static void test_each_offset(void **state)
{
	for (int offset_s = 0; offset_s < 100; offset_s++) {
		start(state);
		tai_offset_ns = offset_s * S;
		for (int i = 0; i < 3; i++) {
			packet_fits(7 * US);
			wait_ns(10 * MS);
		}
		assert_learnt(offset_s);
	}
}

static void learn(__s64 offset_s)
{
	tai_offset_ns = offset_s * S;
	packet_fits(5 * US);
	wait_ns(10 * MS);
	packet_fits(5 * US);
	assert_learnt(offset_s);
}

static void test_change_by_chrony(void **state)
{
	(void)state;
	learn(0);
	wait_ns(S);
	tai_offset_ns = 37 * S;
	/* What is read then is not taken for 37 s late, nor is what is read later. */
	assert_false(is_believed_later(100 * US));
	wait_ns(20 * S);
	assert_false(is_believed_later(100 * US));
	assert_false(packet_fits(5 * US));
	assert_learnt(37);
	assert_true(is_believed_later(19 * S));
	/* Not known to be after the change. */
	assert_false(is_believed_later(21 * S));
	tai_offset_ns = 0;
	assert_false(packet_fits(5 * US));
	wait_ns(10 * MS);
	assert_false(packet_fits(5 * US));
	assert_learnt(0);
}

static void test_late_packets(void **state)
{
	(void)state;
	learn(37);
	for (int i = 0; i < 50; i++) {
		assert_false(packet_fits(1200 * MS));
		assert_learnt(37);
	}
	assert_true(packet_fits(900 * MS));
	assert_int_equal(clock_offset_ns, 37 * S);
}

static void test_first_packet_is_late(void **state)
{
	(void)state;
	tai_offset_ns = 37 * S;
	assert_false(packet_fits(5 * US));
	wait_ns(2 * S);
	assert_false(packet_fits(1001 * MS));
	assert_int_equal(clock_offset_ns, 38 * S);
	/* Those in time set it right soon. */
	assert_false(packet_fits(5 * US));
	wait_ns(DOUBT_NS);
	assert_false(packet_fits(5 * US));
	assert_learnt(37);
}

/* TAI goes on, so that only packets tell. */
static void leap(int s)
{
	wall_ns -= s * S;
	tai_offset_ns += s * S;
}

static void test_leap_seconds(void **state)
{
	(void)state;
	learn(37);
	for (int s = 1; s >= -1; s -= 2) {
		wait_ns(S);
		leap(s);
		assert_false(packet_fits(5 * US));
		wait_ns(DOUBT_NS / 2);
		assert_false(packet_fits(5 * US));
		assert_int_equal(clock_offset_ns, (s > 0 ? 37 : 38) * S);
		wait_ns(DOUBT_NS);
		assert_false(packet_fits(5 * US));
		assert_learnt(s > 0 ? 38 : 37);
	}
}

/* Stamped before, seen behind: many, and at the very hooks that tell. */
static void test_steps_of_the_wall_clock(void **state)
{
	static const __s64 steps_ns[] = { 10 * S,  -10 * S,	   3600 * S, -3600 * S,
					  -20 * S, 2 * S + 7 * MS, -S,	     500 * MS };

	for (size_t i = 0; i < sizeof(steps_ns) / sizeof(*steps_ns); i++) {
		__u64 stamp_ns;

		start(state);
		learn(37);
		wait_ns(S);
		stamp_ns = wall_ns;
		wall_ns += steps_ns[i];
		for (int j = 0; j < 100; j++) {
			wait_ns(10 * US);
			fits(stamp_ns + 9 * US * j);
			assert_int_equal(clock_offset_ns, 37 * S);
		}
		assert_learnt(37);
	}
}

static void test_stamps_of_another_kind(void **state)
{
	(void)state;
	learn(37);
	for (int i = 0; i < 20; i++) {
		wait_ns(DOUBT_NS);
		/* None, and of the monotonic clock: other causes to discard them will be found. */
		assert_true(fits(0));
		assert_true(fits(boot_ns));
		assert_int_equal(clocks.doubted_ns, NOT_IN_DOUBT);
		/* In TAI, and in the future. */
		assert_false(fits(wall_ns + tai_offset_ns));
		assert_false(fits(wall_ns + 2 * S));
		assert_learnt(37);
	}
}

static void test_readings_that_differ(void **state)
{
	(void)state;
	learn(37);
	assert_true(fits(wall_ns + 300));
	assert_int_equal(clocks.doubted_ns, NOT_IN_DOUBT);
	wait_ns(30 * S);
	boot_ns += 300;
	assert_true(is_believed_later(20 * S));
}

/* Time since boot goes on meanwhile. */
static void test_suspend(void **state)
{
	(void)state;
	learn(37);
	wait_ns(8 * 3600 * S);
	assert_true(is_believed_later(20 * S));
	assert_learnt(37);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_offset_of_0, start),
		cmocka_unit_test_setup(test_first_packets, start),
		cmocka_unit_test_setup(test_each_offset, start),
		cmocka_unit_test_setup(test_change_by_chrony, start),
		cmocka_unit_test_setup(test_late_packets, start),
		cmocka_unit_test_setup(test_first_packet_is_late, start),
		cmocka_unit_test_setup(test_leap_seconds, start),
		cmocka_unit_test_setup(test_steps_of_the_wall_clock, start),
		cmocka_unit_test_setup(test_stamps_of_another_kind, start),
		cmocka_unit_test_setup(test_readings_that_differ, start),
		cmocka_unit_test_setup(test_suspend, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
