/* SPDX-License-Identifier: GPL-2.0 */
/* The event loop: epoll over timers, signals and whatever else has a descriptor. */
#ifndef NETSTACKLAT_LOOP_H
#define NETSTACKLAT_LOOP_H

#include <signal.h>
#include <stdint.h>

struct loop;

#define LOOP_END 1

/* The action at an event. Returns 0 to go on, LOOP_END, or a negative errno to end with that. */
typedef int (*loop_handler)(void *context);

/* All functions report what failed on stderr, except loop_new(): NULL with errno set. */
struct loop *loop_new(void);
void loop_free(struct loop *loop);

/*
 * Calls the handler whenever a descriptor is ready for events (EPOLLIN, ...), which are then the
 * handler's to take. The caller keeps the descriptor open as long as there is the loop, or until it
 * is removed.
 */
int loop_add(struct loop *loop, int fd, uint32_t events, loop_handler handler, void *context);
void loop_remove(struct loop *loop, int fd);

/* Calls the handler every period_ns from now on; periods that it missed are not made up for. */
int loop_add_timer(struct loop *loop, uint64_t period_ns, loop_handler handler, void *context);

/* Calls the handler for each of the signals, which the caller keeps blocked. */
int loop_add_signals(struct loop *loop, const sigset_t *signals, loop_handler handler,
		     void *context);

/* Calls the handler after the wall clock was set. */
int loop_add_clock(struct loop *loop, loop_handler handler, void *context);

/* Waits for events and handles them. Returns 0 after LOOP_END, or a negative errno. */
int loop_run(struct loop *loop);

#endif
