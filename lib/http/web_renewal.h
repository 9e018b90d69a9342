/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of --web.config.file and those that it names, read again when they change: a certificate
 * that was renewed, another password. The process that serves pages may not read them any more:
 * another one does, and sends what they say.
 */
#ifndef NETSTACKLAT_WEB_RENEWAL_H
#define NETSTACKLAT_WEB_RENEWAL_H

#include "lib/base/loop.h"
#include "lib/http/web_config.h"

/* A change is in effect after so long, and the time that it takes to read the files. */
#define WEB_RENEWAL_S 10

/* Looks at the files when asked to, until the socket is closed; config is what they said before. */
void web_renewal_serve(int socket, const struct web_config *config);

/* Is called with what the files say now, which is the callee's. As a loop_handler, else. */
typedef int (*web_renewal_handler)(void *context, struct web_config *renewed);

struct web_renewal;

/*
 * Asks who serves it at the other end of the socket, which stays the caller's, for as long as the
 * loop runs. NULL with errno set, after saying why.
 */
struct web_renewal *web_renewal_start(int socket, struct loop *loop, web_renewal_handler handler,
				      void *context);

/* Accepts NULL. */
void web_renewal_free(struct web_renewal *renewal);

#endif
