/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The passwords of users who may read pages. A process of its own checks them, as that takes a
 * tenth of a second. From then on, the last good one of each user is known.
 */
#ifndef NETSTACKLAT_PASSWORDS_H
#define NETSTACKLAT_PASSWORDS_H

#include <stdbool.h>

#include "lib/http/web_config.h"

/* So many wait for an answer at most. */
#define MAX_ASKED 16

/* Answers whether passwords go with hashes, until the socket is closed. */
void passwords_serve(int socket);

struct passwords;

/*
 * The process that checks them is at the other end of the socket. The socket and config stay the
 * caller's; config may change its contents. NULL without memory.
 */
struct passwords *passwords_new(const struct web_config *config, int socket);

/* Accepts NULL. */
void passwords_free(struct passwords *passwords);

enum password { PASSWORD_GOOD, PASSWORD_BAD, PASSWORD_ASKED, PASSWORD_TOO_MANY };

/*
 * Looks at the Authorization header of a client's request, which is NULL if it has none. If that
 * takes a while, this returns PASSWORD_ASKED, and passwords_answer() tells the result later.
 */
enum password passwords_look(struct passwords *passwords, const char *authorization, void *client);

/*
 * Takes the next answer, in the order of the questions; the client is NULL if it was given up. Call
 * it when the socket is readable. Returns false if the other end is closed.
 */
bool passwords_answer(struct passwords *passwords, void **client, bool *is_good);

/* The next one that is to wait for no answer any more. NULL behind the last. */
void *passwords_give_up(struct passwords *passwords);

#endif
