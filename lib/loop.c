// SPDX-License-Identifier: GPL-2.0
#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "log.h"

#define NS_PER_S 1000000000ULL

struct source {
	struct source *next;
	int fd;
	loop_handler handler;
	void *context;
};

struct loop {
	int epoll_fd;
	struct source *sources;
};

struct loop *loop_new(void)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0) {
		free(loop);
		return NULL;
	}
	return loop;
}

void loop_free(struct loop *loop)
{
	struct source *source, *next;

	if (!loop)
		return;
	for (source = loop->sources; source; source = next) {
		next = source->next;
		close(source->fd);
		free(source);
	}
	close(loop->epoll_fd);
	free(loop);
}

/* Takes over fd, also on failure. */
static int add_source(struct loop *loop, int fd, loop_handler handler, void *context)
{
	struct source *source = malloc(sizeof(*source));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = source };

	if (!source || epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event)) {
		int err = -errno;

		free(source);
		close(fd);
		return log_failure(err, "cannot wait for another event");
	}
	*source = (struct source){ loop->sources, fd, handler, context };
	loop->sources = source;
	return 0;
}

int loop_add_timer(struct loop *loop, uint64_t period_ns, loop_handler handler, void *context)
{
	struct timespec period = { period_ns / NS_PER_S, period_ns % NS_PER_S };
	struct itimerspec timer = { .it_interval = period, .it_value = period };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &timer, NULL)) {
		int err = log_failure(-errno, "cannot set a timer");

		close(fd);
		return err;
	}
	return add_source(loop, fd, handler, context);
}

int loop_add_signals(struct loop *loop, const sigset_t *signals, loop_handler handler,
		     void *context)
{
	int fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);

	if (fd < 0)
		return log_failure(-errno, "cannot watch for signals");
	return add_source(loop, fd, handler, context);
}

int loop_add_clock(struct loop *loop, loop_handler handler, void *context)
{
	/* Never due: what is awaited is that it is canceled. */
	struct itimerspec timer = { .it_value.tv_sec = INT32_MAX };
	int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
	int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, flags, &timer, NULL)) {
		int err = log_failure(-errno, "cannot watch the clock");

		close(fd);
		return err;
	}
	return add_source(loop, fd, handler, context);
}

/* One read takes what a timerfd (a count) or a signalfd (a signal) has to say. */
static int handle(const struct source *source)
{
	struct signalfd_siginfo message;

	/* ECANCELED is how a timerfd says that the clock was set; it stays armed. */
	if (read(source->fd, &message, sizeof(message)) < 0 && errno != ECANCELED)
		return errno == EAGAIN ? 0 : log_failure(-errno, "cannot read an event");
	return source->handler(source->context);
}

int loop_run(struct loop *loop)
{
	struct epoll_event event;
	int result = 0;

	while (!result) {
		int ready = epoll_wait(loop->epoll_fd, &event, 1, -1);

		if (ready < 0 && errno != EINTR)
			return log_failure(-errno, "cannot wait for events");
		if (ready > 0)
			result = handle(event.data.ptr);
	}
	return result == LOOP_END ? 0 : result;
}
