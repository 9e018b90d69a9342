/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the file of --web.config.file, and those that it names, again when they change: a renewed
 * certificate, another password. The process that serves pages may no longer read them, so another
 * one does, and sends their contents.
 */
#ifndef NETSTACKLAT_WEB_RENEWAL_H
#define NETSTACKLAT_WEB_RENEWAL_H

#include "lib/base/loop.h"
#include "lib/http/web_config.h"

/* The time until a change takes effect, besides that for reading the files. */
#define WEB_RENEWAL_S 10

/*
 * Looks at the files when asked to, until the socket is closed. config is their previous contents.
 */
void web_renewal_serve(int socket, const struct web_config *config);

/*
 * Called with the files' contents now, which are the callee's. It returns as a loop_handler does.
 */
typedef int (*web_renewal_handler)(void *context, struct web_config *renewed);

struct web_renewal;

/*
 * Asks the process at the other end of the socket, which stays the caller's, for as long as the
 * loop runs. NULL with errno set, after saying why.
 */
struct web_renewal *web_renewal_start(int socket, struct loop *loop, web_renewal_handler handler,
				      void *context);

/* Accepts NULL. */
void web_renewal_free(struct web_renewal *renewal);

#endif
