/* SPDX-License-Identifier: GPL-2.0 */
/* A web server in a process of its own, and what a client takes to ask it. */
#ifndef NETSTACKLAT_WEB_SERVER_H
#define NETSTACKLAT_WEB_SERVER_H

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/confine/syscall_filter.h"
#include "lib/http/http.h"
#include "lib/http/listen.h"
#include "lib/tables/units.h"
#include "fds.h"

/*
 * The linker makes these the server's clock and timer. Tests move its clock on, as they would wait
 * long otherwise: clients have ten seconds.
 */
static struct web_clock {
	_Atomic uint64_t ahead_ns, nr_looks;
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
	if (!web_clock)
		return __real_clock_monotonic_ns();
	web_clock->nr_looks++;
	return __real_clock_monotonic_ns() + web_clock->ahead_ns;
}

/* As its clock may be moved on, it looks again and again what is due. */
#define WEB_TICK_NS (10 * NS_PER_MS)

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *timer,
			   struct itimerspec *before)
{
	const struct timespec tick = { .tv_nsec = WEB_TICK_NS };
	const struct itimerspec ticking = { tick, tick };

	(void)flags;
	if (!timer->it_value.tv_sec && !timer->it_value.tv_nsec)
		return __real_timerfd_settime(fd, 0, timer, before);
	return __real_timerfd_settime(fd, 0, &ticking, before);
}

/* If it waits for anything, it looks at the clock twice at each tick. */
static inline void wait_until_it_has_looked(void)
{
	uint64_t before = atomic_load(&web_clock->nr_looks);

	for (int i = 0; i < 100 && atomic_load(&web_clock->nr_looks) - before < 4; i++)
		usleep(WEB_TICK_NS / 1000);
}

/* So much later, the server has seen that it is; what was said before came before that. */
static inline void wait_s(unsigned int seconds)
{
	wait_until_it_has_looked();
	web_clock->ahead_ns += seconds * NS_PER_S;
	wait_until_it_has_looked();
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
	sigset_t signals;
	int fds_before = nr_fds();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	loop = loop_new();
	http = http_start(access, &site, loop);
	if (!http || loop_add_signals(loop, &signals, web_on_signal, NULL) ||
	    syscall_filter_install(WEB_SYSCALLS) || loop_run(loop))
		_exit(2);
	loop_free(loop);
	http_end(http);
	_exit(nr_fds() != fds_before);
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
