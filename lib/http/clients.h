/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connected clients, and until when each may stay. The HTTP library only knows how long a client
 * was idle, and one that sends a byte now and then is not. To send a client away, its socket is
 * shut down: the library handles that as if the client had gone.
 */
#ifndef NETSTACKLAT_CLIENTS_H
#define NETSTACKLAT_CLIENTS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/http/response.h"

/* The time that a client has for a request and its answer, and then until its next request. */
#define HTTP_CLIENT_S 10
#define HTTP_KEEP_S 180

struct client {
	struct client *next, *previous; /* in a ring, in the order of until_ns */
	int fd;
	const char *hosts;		/* of the listener that it came by */
	uint64_t until_ns;		/* when it is sent away */
	struct http_response *response; /* that it is being sent; NULL: has not asked yet */
	bool is_kept;			/* has its answer, and may ask again */
	struct MHD_Connection *waits;	/* for its password to be checked; NULL: it does not */
	bool is_checked, is_good;	/* it was, and is good */
};

struct clients {
	/*
	 * The ends of two rings: of clients that wait for an answer, and of clients that are kept.
	 */
	struct client asking, kept;
	unsigned int nr;
};

/* The struct must stay where it is, as its rings lead to it. */
void clients_init(struct clients *clients);

/* NULL without memory. */
struct client *clients_add(struct clients *clients, int fd, const char *hosts);
void clients_remove(struct clients *clients, struct client *client);

/* A client asks: one that was kept has as long for that as others. */
void clients_note_request(struct clients *clients, struct client *client);

/* A client has been sent its answer, or never will be. */
void clients_note_answer(struct clients *clients, struct client *client);

/* A client waits for us, for as long as that takes; or does so no more. */
void clients_hold(struct client *client);
void clients_go_on(struct clients *clients, struct client *client);

/* Returns whether any is being sent its answer. */
bool clients_have_answers(const struct clients *clients);

/* Sends away those whose time is up. */
void clients_end_late(const struct clients *clients);

/*
 * Sends away one client for another: the one that was kept for longest; else the first that has not
 * asked yet; else the first. Returns false if there is none.
 */
bool clients_end_one(const struct clients *clients);

/* When the next client is to be sent away, as of clock_monotonic_ns(); UINT64_MAX: never. */
uint64_t clients_next_ns(const struct clients *clients);

#endif
