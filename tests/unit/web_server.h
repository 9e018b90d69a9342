/* SPDX-License-Identifier: GPL-2.0 */
/* A web server in a process of its own, and what a client takes to ask it. */
#ifndef NETSTACKLAT_WEB_SERVER_H
#define NETSTACKLAT_WEB_SERVER_H

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/confine/syscall_filter.h"
#include "lib/http/clients.h"
#include "lib/http/http.h"
#include "lib/http/listen.h"
#include "lib/tables/units.h"
#include "fds.h"
#include "leaks.h"

/*
 * The linker makes these the server's clock and timers. Tests move its clock on, as they would wait
 * long otherwise: clients have ten seconds.
 */
static struct web_clock {
	_Atomic uint64_t ahead_ns;
} * web_clock; /* shared by both processes */

uint64_t __real_clock_monotonic_ns(void);
int __real_timerfd_settime(int fd, int flags, const struct itimerspec *timer,
			   struct itimerspec *before);

/* Call this before the server is there: its clock is right. */
static inline void web_clock_start(void)
{
	if (!web_clock)
		web_clock = mmap(NULL, sizeof(*web_clock), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	web_clock->ahead_ns = 0;
}

uint64_t __wrap_clock_monotonic_ns(void)
{
	return __real_clock_monotonic_ns() + (web_clock ? web_clock->ahead_ns : 0);
}

/* The server's timers, by its clock. */
#define MAX_WEB_TIMERS 4
static struct web_timer {
	int fd;
	uint64_t due_ns; /* 0: it is not set */
	uint64_t interval_ns;
} web_timers[MAX_WEB_TIMERS];

static inline uint64_t web_ns(const struct timespec *time)
{
	return time->tv_sec * NS_PER_S + time->tv_nsec;
}

static inline struct timespec web_time(uint64_t ns)
{
	return (struct timespec){ ns / NS_PER_S, ns % NS_PER_S };
}

static inline int web_timer_set(const struct web_timer *timer)
{
	uint64_t now_ns = __wrap_clock_monotonic_ns();
	uint64_t rest_ns = timer->due_ns > now_ns ? timer->due_ns - now_ns : 1;
	const struct itimerspec rest = { web_time(timer->interval_ns),
					 web_time(timer->due_ns ? rest_ns : 0) };

	return __real_timerfd_settime(timer->fd, 0, &rest, NULL);
}

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *set,
			   struct itimerspec *before)
{
	bool is_absolute = flags & TFD_TIMER_ABSTIME;
	uint64_t since_ns = is_absolute ? 0 : __wrap_clock_monotonic_ns();
	struct web_timer *timer = web_timers;

	(void)before;
	while (timer->fd && timer->fd != fd)
		timer++;
	/* The last one ends the list. */
	if (timer == web_timers + MAX_WEB_TIMERS - 1)
		abort();
	*timer = (struct web_timer){ .fd = fd, .interval_ns = web_ns(&set->it_interval) };
	if (web_ns(&set->it_value))
		timer->due_ns = since_ns + web_ns(&set->it_value);
	return web_timer_set(timer);
}

/* The server's clock was moved on. */
static inline int web_on_clock(void *context)
{
	(void)context;
	for (const struct web_timer *timer = web_timers; timer->fd; timer++)
		web_timer_set(timer);
	return 0;
}

static pid_t web_pid;

/* Reads the line that proc_pid_stat(5) describes, of the server. */
static inline void web_read_stat(char line[1024])
{
	char name[64];
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/stat", web_pid);
	file = fopen(name, "re");
	assert_non_null(fgets(line, 1024, file));
	fclose(file);
}

/* It sleeps when it is done with all that was said. */
static inline void wait_until_it_sleeps(void)
{
	char line[1024] = "";

	for (int i = 0; i < 1000 && !strstr(line, ") S "); i++) {
		usleep(10000);
		web_read_stat(line);
	}
}

/* So much later, the server has done all that is due by then. */
static inline void wait_s(unsigned int seconds)
{
	wait_until_it_sleeps();
	web_clock->ahead_ns += seconds * NS_PER_S;
	kill(web_pid, SIGUSR1);
	wait_until_it_sleeps();
}

static inline int web_on_signal(void *context)
{
	(void)context;
	return LOOP_END;
}

/* The system calls that a process is left with that serves. */
#define WEB_SYSCALLS (SYSCALLS_MEASURE | SYSCALLS_FILES | SYSCALLS_HTTP | SYSCALLS_HELPERS)

/* Until SIGTERM; the status is 0 if nothing was left open, and 2 if it failed. */
static inline void web_serve(const struct http_access *access, const struct http_page *pages)
{
	const struct http_site site = { .pages = pages };
	struct loop *loop;
	struct http *http;
	sigset_t signals, clock;
	int fds_before = nr_fds();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	sigemptyset(&clock);
	sigaddset(&clock, SIGUSR1);
	sigprocmask(SIG_BLOCK, &clock, NULL);
	loop = loop_new();
	http = http_start(access, &site, loop);
	if (!http || loop_add_signals(loop, &signals, web_on_signal, NULL) ||
	    loop_add_signals(loop, &clock, web_on_clock, NULL) ||
	    syscall_filter_install(WEB_SYSCALLS) || loop_run(loop))
		_exit(2);
	loop_free(loop);
	http_end(http);
	_exit(nr_fds() != fds_before || has_leaks());
}

/* Returns how much CPU time the server took. */
static inline long web_ticks(void)
{
	char line[1024];
	long user, system;

	web_read_stat(line);
	/* The name of the process, in brackets, may have spaces. */
	assert_int_equal(sscanf(strrchr(line, ')'),
				") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user,
				&system),
			 2);
	return user + system;
}

static inline void web_assert_idle(void)
{
	long before = web_ticks();

	usleep(500000);
	assert_true(web_ticks() - before < sysconf(_SC_CLK_TCK) / 4);
}

static inline int web_connect(const struct listen_address *address)
{
	const struct timeval patience = { .tv_sec = 3 * HTTP_CLIENT_S };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, &address->any, address->size), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

/* Returns whether the server has said nothing yet, and has not closed the connection either. */
static inline bool web_is_there(int fd)
{
	return recv(fd, &(char){ 0 }, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* All until the server closes the connection. */
static inline const char *web_hear(int fd)
{
	static char heard[65536];
	size_t length = 0;
	ssize_t size;

	while ((size = recv(fd, heard + length, sizeof(heard) - 1 - length, 0)) > 0)
		length += size;
	heard[length] = '\0';
	close(fd);
	return heard;
}

#endif
