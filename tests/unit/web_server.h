/* SPDX-License-Identifier: GPL-2.0 */
/* A web server in a process of its own, and what a client takes to ask it. */
#ifndef NETSTACKLAT_WEB_SERVER_H
#define NETSTACKLAT_WEB_SERVER_H

#include <signal.h>
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
 * The linker makes these the server's clock and timer. They are faster than others in some tests,
 * which would wait long otherwise: clients have ten seconds.
 */
static unsigned int speed = 1;
uint64_t __real_clock_monotonic_ns(void);
int __real_timerfd_settime(int fd, int flags, const struct itimerspec *timer,
			   struct itimerspec *before);

uint64_t __wrap_clock_monotonic_ns(void)
{
	return speed * __real_clock_monotonic_ns();
}

static inline struct timespec sooner(struct timespec time)
{
	uint64_t ns = (time.tv_sec * NS_PER_S + time.tv_nsec) / speed;

	return (struct timespec){ ns / NS_PER_S, ns % NS_PER_S };
}

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *timer,
			   struct itimerspec *before)
{
	const struct itimerspec faster = { sooner(timer->it_interval), sooner(timer->it_value) };

	return __real_timerfd_settime(fd, flags, &faster, before);
}

/* Of the server's seconds. */
static inline void wait_s(unsigned int seconds)
{
	usleep(seconds * 1000000 / speed);
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
