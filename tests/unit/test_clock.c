// SPDX-License-Identifier: GPL-2.0
/* The clocks of this host, which run at speeds of their own: they are compared with a second's
 * slack. */
#include "unit.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/tables/units.h"

static int64_t ahead_of_wall_clock_ns(clockid_t clock)
{
	struct timespec now, wall;

	clock_gettime(clock, &now);
	clock_gettime(CLOCK_REALTIME, &wall);
	return (now.tv_sec - wall.tv_sec) * NS_PER_S + now.tv_nsec - wall.tv_nsec;
}

static bool is_close(int64_t a_ns, int64_t b_ns)
{
	return llabs(a_ns - b_ns) < NS_PER_S;
}

static void test_offsets(void **state)
{
	const clockid_t clocks[] = { CLOCK_TAI, CLOCK_MONOTONIC };
	struct clock_offsets offsets;
	int64_t offset_ns;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(clock_offset_ns(clocks[i], &offset_ns), 0);
		assert_true(is_close(offset_ns, ahead_of_wall_clock_ns(clocks[i])));
	}
	assert_int_equal(clock_read_offsets(&offsets), 0);
	assert_true(is_close(offsets.wall_ns, -ahead_of_wall_clock_ns(CLOCK_BOOTTIME)));
	assert_true(is_close(offsets.tai_ns, ahead_of_wall_clock_ns(CLOCK_TAI)));
}

static void test_the_monotonic_clock_goes_on(void **state)
{
	uint64_t before_ns = clock_monotonic_ns(), took_ns;

	(void)state;
	nanosleep(&(struct timespec){ .tv_nsec = 20 * NS_PER_MS }, NULL);
	took_ns = clock_monotonic_ns() - before_ns;
	assert_true(took_ns >= 20 * NS_PER_MS && took_ns <= 60 * NS_PER_S);
}

/* From here on, children have a monotonic clock that is a day ahead. */
static bool enter_time_namespace(void)
{
	static const char offset[] = "monotonic 86400 500000000\n";
	int fd;

	if (unshare(CLONE_NEWTIME))
		return false;
	fd = open("/proc/self/timens_offsets", O_WRONLY);
	assert_int_equal(write(fd, offset, strlen(offset)), strlen(offset));
	close(fd);
	return true;
}

/* Programs are not in it, and their clock is the same. */
static void test_a_time_namespace_changes_nothing(void **state)
{
	int64_t offset_ns, offset_there_ns;
	int pipes[2], status;

	(void)state;
	assert_int_equal(clock_offset_ns(CLOCK_MONOTONIC, &offset_ns), 0);
	if (!enter_time_namespace())
		skip();
	assert_int_equal(pipe(pipes), 0);
	if (!fork()) {
		clock_offset_ns(CLOCK_MONOTONIC, &offset_there_ns);
		write(pipes[1], &offset_there_ns, sizeof(offset_there_ns));
		_exit(is_close(ahead_of_wall_clock_ns(CLOCK_MONOTONIC), offset_ns));
	}
	assert_int_equal(read(pipes[0], &offset_there_ns, sizeof(offset_there_ns)), 8);
	wait(&status);
	assert_int_equal(status, 0);
	assert_true(is_close(offset_there_ns, offset_ns));
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_the_monotonic_clock_goes_on),
		cmocka_unit_test(test_a_time_namespace_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
