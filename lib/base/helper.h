/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that do one thing for this one, which gives up the right to do it. They have what was
 * open and mapped when they were started: start them early.
 */
#ifndef NETSTACKLAT_HELPER_H
#define NETSTACKLAT_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct helper {
	pid_t pid;  /* 0: there is none */
	int socket; /* to talk to it */
};

/*
 * Starts a process that calls serve() with the other end of the socket, and ends when that returns:
 * it should once the socket is closed. Standard input and output are no concern of it. Returns 0 or
 * a negative errno.
 */
int helper_start(struct helper *helper, void (*serve)(int socket, void *context), void *context);

/* Has it end, and waits for that. */
void helper_end(struct helper *helper);

/* Both move all of it, or return false: the other end is closed. */
bool helper_send(int socket, const void *data, size_t size);
bool helper_receive(int socket, void *data, size_t size);

#endif
