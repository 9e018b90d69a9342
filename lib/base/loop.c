// SPDX-License-Identifier: GPL-2.0
#include "lib/base/loop.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/tables/units.h"

struct source {
	struct source *next;
	int fd;
	bool is_ours; /* to read from before the handler is called, and to close */
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
		if (source->is_ours)
			close(source->fd);
		free(source);
	}
	close(loop->epoll_fd);
	free(loop);
}

static int add_source(struct loop *loop, const struct source *source, uint32_t events)
{
	struct source *added = malloc(sizeof(*added));
	struct epoll_event event = { .events = events, .data.ptr = added };

	if (!added || epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, source->fd, &event)) {
		int err = -errno;

		free(added);
		return log_failure(err, "cannot wait for another event");
	}
	*added = *source;
	added->next = loop->sources;
	loop->sources = added;
	return 0;
}

int loop_add(struct loop *loop, int fd, uint32_t events, loop_handler handler, void *context)
{
	const struct source source = { .fd = fd, .handler = handler, .context = context };

	return add_source(loop, &source, events);
}

void loop_remove(struct loop *loop, int fd)
{
	struct source **link = &loop->sources, *source;

	while (*link && (*link)->fd != fd)
		link = &(*link)->next;
	source = *link;
	if (!source)
		return;
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	*link = source->next;
	free(source);
}

/* Takes over fd, also on failure. */
static int add_ours(struct loop *loop, int fd, loop_handler handler, void *context)
{
	const struct source source = { NULL, fd, true, handler, context };
	int err = add_source(loop, &source, EPOLLIN);

	if (err)
		close(fd);
	return err;
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
	return add_ours(loop, fd, handler, context);
}

int loop_add_signals(struct loop *loop, const sigset_t *signals, loop_handler handler,
		     void *context)
{
	int fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);

	if (fd < 0)
		return log_failure(-errno, "cannot watch for signals");
	return add_ours(loop, fd, handler, context);
}

int loop_add_clock(struct loop *loop, loop_handler handler, void *context)
{
	/* The timer is never due: the loop waits for it to be canceled. */
	struct itimerspec timer = { .it_value.tv_sec = INT32_MAX };
	int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
	int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, flags, &timer, NULL)) {
		int err = log_failure(-errno, "cannot watch the clock");

		close(fd);
		return err;
	}
	return add_ours(loop, fd, handler, context);
}

/* One read takes what a timerfd (a count) or a signalfd (a signal) has to say. */
static int handle(const struct source *source)
{
	struct signalfd_siginfo message;

	/* ECANCELED is how a timerfd says that the clock was set; it stays armed. */
	if (source->is_ours && read(source->fd, &message, sizeof(message)) < 0 &&
	    errno != ECANCELED)
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
