// SPDX-License-Identifier: GPL-2.0
/* The loop with real timers, signals and pipes. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/loop.h"
#include "lib/tables/units.h"
#include "fds.h"
#include "said.h"

static struct loop *loop;

/* A handler that counts its calls, and says at one of them how to go on. */
struct calls {
	int nr, last;
	int result; /* at the last */
	int fd;	    /* to read a byte from, if it is not 0 */
	char byte;
	uint64_t sleep_ns; /* in the first call */
};

static int on_event(void *context)
{
	struct calls *calls = context;

	if (!calls->nr++)
		nanosleep(&(struct timespec){ .tv_nsec = calls->sleep_ns }, NULL);
	if (calls->fd)
		assert_int_equal(read(calls->fd, &calls->byte, 1), 1);
	return calls->nr == calls->last ? calls->result : 0;
}

static int fds_before;

static int make_loop(void **state)
{
	(void)state;
	fds_before = nr_fds();
	loop = loop_new();
	return loop ? 0 : -1;
}

/* It closes what it opened, and nothing else. */
static int free_loop(void **state)
{
	(void)state;
	loop_free(loop);
	return nr_fds() == fds_before ? 0 : -1;
}

static void test_a_timer_is_due_again_and_again(void **state)
{
	struct calls calls = { .last = 5, .result = LOOP_END };
	uint64_t started_ns = clock_monotonic_ns(), took_ns;

	(void)state;
	assert_int_equal(loop_add_timer(loop, 20 * NS_PER_MS, on_event, &calls), 0);
	assert_int_equal(loop_run(loop), 0);
	took_ns = clock_monotonic_ns() - started_ns;
	assert_int_equal(calls.nr, 5);
	assert_true(took_ns >= 100 * NS_PER_MS && took_ns < 2 * NS_PER_S);
}

static void test_a_period_may_be_longer_than_a_second(void **state)
{
	struct calls calls = { .last = 1, .result = LOOP_END };
	uint64_t started_ns = clock_monotonic_ns();

	(void)state;
	assert_int_equal(loop_add_timer(loop, NS_PER_S + 50 * NS_PER_MS, on_event, &calls), 0);
	assert_int_equal(loop_run(loop), 0);
	assert_true(clock_monotonic_ns() - started_ns >= NS_PER_S + 50 * NS_PER_MS);
}

static void test_missed_periods_are_handled_once(void **state)
{
	struct calls calls = { .last = 3, .result = LOOP_END, .sleep_ns = 200 * NS_PER_MS };
	uint64_t started_ns = clock_monotonic_ns();

	(void)state;
	assert_int_equal(loop_add_timer(loop, 40 * NS_PER_MS, on_event, &calls), 0);
	assert_int_equal(loop_run(loop), 0);
	/* Due at 40, for the five until 240, and at 280. */
	assert_true(clock_monotonic_ns() - started_ns >= 280 * NS_PER_MS);
}

static void test_an_error_ends_the_loop(void **state)
{
	struct calls calls = { .last = 2, .result = -ENOSPC };

	(void)state;
	assert_int_equal(loop_add_timer(loop, NS_PER_MS, on_event, &calls), 0);
	assert_int_equal(loop_run(loop), -ENOSPC);
	assert_int_equal(calls.nr, 2);
}

static void test_signals_are_taken_one_by_one(void **state)
{
	struct calls calls = { .last = 2, .result = LOOP_END };
	sigset_t signals, pending;

	(void)state;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	assert_int_equal(loop_add_signals(loop, &signals, on_event, &calls), 0);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR2);
	assert_int_equal(loop_run(loop), 0);
	assert_int_equal(calls.nr, 2);
	sigpending(&pending);
	assert_false(sigismember(&pending, SIGUSR1) || sigismember(&pending, SIGUSR2));
}

/* What there is to read is left to the handler, and the descriptor to its owner. */
static void test_any_descriptor_has_its_handler(void **state)
{
	struct calls first = { .last = -1 }, second = { .last = 2, .result = LOOP_END };
	int pipes[2][2];

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pipe(pipes[i]), 0);
	first.fd = pipes[0][0];
	second.fd = pipes[1][0];
	assert_int_equal(loop_add(loop, first.fd, EPOLLIN, on_event, &first), 0);
	assert_int_equal(loop_add(loop, second.fd, EPOLLIN, on_event, &second), 0);
	assert_int_equal(write(pipes[1][1], "ab", 2), 2);
	assert_int_equal(loop_run(loop), 0);
	assert_int_equal(first.nr, 0);
	assert_int_equal(second.nr, 2);
	assert_int_equal(second.byte, 'b');
	loop_free(loop);
	loop = NULL;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(close(pipes[i][0]), 0);
		assert_int_equal(close(pipes[i][1]), 0);
	}
}

static void test_what_is_no_descriptor_is_refused(void **state)
{
	int file = open("/proc/self/exe", O_RDONLY);

	(void)state;
	said_begin();
	assert_int_equal(loop_add(loop, -1, EPOLLIN, on_event, NULL), -EBADF);
	/* A regular file is always ready, and nothing to wait for. */
	assert_int_equal(loop_add(loop, file, EPOLLIN, on_event, NULL), -EPERM);
	assert_string_equal(
		said_end(),
		"netstacklat: cannot wait for another event: Bad file descriptor\n"
		"netstacklat: cannot wait for another event: Operation not permitted\n");
	close(file);
}

/* What the kernel says of the timer that watches a clock: its clock, its flags, and whether it is
 * armed. */
static bool find_watch(char *settings, size_t size)
{
	char path[64], line[256];
	bool found = false;

	for (int fd = 0; fd < 64 && !found; fd++) {
		FILE *info;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		info = fopen(path, "re");
		*settings = '\0';
		while (info && fgets(line, sizeof(line), info)) {
			found |= !strncmp(line, "clockid:", 8);
			strncat(settings, line, size - strlen(settings) - 1);
		}
		if (info)
			fclose(info);
	}
	return found;
}

/* Setting the clock, which ends the wait, would take the whole machine along. */
static void test_the_wall_clock_is_watched(void **state)
{
	struct calls calls = { 0 };
	char settings[1024], expected[64];

	(void)state;
	assert_int_equal(loop_add_clock(loop, on_event, &calls), 0);
	assert_true(find_watch(settings, sizeof(settings)));
	assert_non_null(strstr(settings, "clockid: 0\n"));
	snprintf(expected, sizeof(expected), "settime flags: 0%o\n",
		 TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET);
	assert_non_null(strstr(settings, expected));
	assert_non_null(strstr(settings, "it_value: ("));
	assert_null(strstr(settings, "it_value: (0, 0)"));
}

/* A read that finds nothing must not keep the loop from the others. */
static void test_its_descriptors_are_not_inherited_and_do_not_block(void **state)
{
	struct calls calls = { 0 };
	int first = dup(STDERR_FILENO);
	sigset_t signals;

	(void)state;
	close(first);
	sigemptyset(&signals);
	assert_int_equal(loop_add_timer(loop, NS_PER_S, on_event, &calls), 0);
	assert_int_equal(loop_add_signals(loop, &signals, on_event, &calls), 0);
	assert_int_equal(loop_add_clock(loop, on_event, &calls), 0);
	for (int fd = first; fd < first + 3; fd++) {
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	}
}

static void test_what_cannot_be_watched_is_told(void **state)
{
	int timer, signals_err, clock;
	struct rlimit before, none;
	const char *said;
	sigset_t signals;

	(void)state;
	sigemptyset(&signals);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	said_begin();
	setrlimit(RLIMIT_NOFILE, &none);
	timer = loop_add_timer(loop, NS_PER_S, on_event, NULL);
	signals_err = loop_add_signals(loop, &signals, on_event, NULL);
	clock = loop_add_clock(loop, on_event, NULL);
	setrlimit(RLIMIT_NOFILE, &before);
	said = said_end();
	assert_int_equal(timer, -EMFILE);
	assert_int_equal(signals_err, -EMFILE);
	assert_int_equal(clock, -EMFILE);
	assert_string_equal(said, "netstacklat: cannot set a timer: Too many open files\n"
				  "netstacklat: cannot watch for signals: Too many open files\n"
				  "netstacklat: cannot watch the clock: Too many open files\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_loop, free_loop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_timer_is_due_again_and_again),
		TEST(test_a_period_may_be_longer_than_a_second),
		TEST(test_missed_periods_are_handled_once),
		TEST(test_an_error_ends_the_loop),
		TEST(test_signals_are_taken_one_by_one),
		TEST(test_any_descriptor_has_its_handler),
		TEST(test_what_is_no_descriptor_is_refused),
		TEST(test_what_cannot_be_watched_is_told),
		TEST(test_the_wall_clock_is_watched),
		TEST(test_its_descriptors_are_not_inherited_and_do_not_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
