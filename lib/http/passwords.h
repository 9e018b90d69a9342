/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The passwords of those who may read pages. A process of its own checks them, as that takes a
 * tenth of a second; the last good one of each user is known from then on.
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
 * The socket leads to who serves them. It and config stay the caller's; what config says may
 * change. NULL without memory.
 */
struct passwords *passwords_new(const struct web_config *config, int socket);

/* Accepts NULL. */
void passwords_free(struct passwords *passwords);

enum password { PASSWORD_GOOD, PASSWORD_BAD, PASSWORD_ASKED, PASSWORD_TOO_MANY };

/*
 * Looks at the header Authorization of a client's request, NULL if it has none. Where that takes a
 * while, passwords_answer() tells later what is PASSWORD_ASKED here.
 */
enum password passwords_look(struct passwords *passwords, const char *authorization, void *client);

/*
 * Takes the next answer, in the order of the questions; the client is NULL if it was given up. To
 * be called when the socket can be read. Returns false if the other end is closed.
 */
bool passwords_answer(struct passwords *passwords, void **client, bool *is_good);

/* The next one that is to wait for no answer any more. NULL behind the last. */
void *passwords_give_up(struct passwords *passwords);

#endif
