/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A web server of a few pages, which the event loop drives. A client has ten seconds for a request
 * and its answer, whatever it does. Its connection stays open for the next request, for longer than
 * Prometheus usually takes until that. There is a limit on clients, which is lower if the process
 * may not open as many files. When one more comes, a client that has its answer goes, or else the
 * first of those that have not asked yet.
 */
#ifndef NETSTACKLAT_HTTP_H
#define NETSTACKLAT_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/loop.h"
#include "lib/http/response.h"
#include "lib/http/web_config.h"

#define HTTP_MAX_CLIENTS 128
/* The headers of a request, and what else a client takes, must fit into this. */
#define HTTP_CLIENT_MEMORY 16384
/*
 * So much of an answer may wait in the kernel, which takes twice as much memory for it. The default
 * would be some megabytes of a service's memory for each client that does not read.
 */
#define HTTP_SEND_BUFFER (128 << 10)

struct http_request {
	const char *accept, *accept_encoding; /* headers, NULL for none */
};

/* A page with a text that never changes, or one that is made when it is asked for. */
struct http_page {
	const char *path, *type, *text;
	/*
	 * Returns the page, which stays valid until the next call at least; or NULL if it failed,
	 * after saying so.
	 */
	struct http_response *(*get)(void *context, const struct http_request *request);
};

struct http_site {
	const struct http_page *pages; /* the last one has no path */
	void *context;		       /* of what makes pages */
};

/* The ways in to a site: up to MAX_LISTEN_ADDRESSES, and who may take them. */
struct http_access {
	const struct http_listener *listeners;
	unsigned int nr_listeners;
	struct web_config
		*config;	/* NULL: everybody, without TLS. Else it is renewed in place, ... */
	int renewal, passwords; /* ... and these lead to who serves them */
};

/* A socket that listens, at one of up to MAX_LISTEN_ADDRESSES addresses. */
struct http_listener {
	int fd;
	/*
	 * The names that clients know this host by, separated by commas, besides addresses and
	 * localhost: a request to another name is refused. NULL: all names are served.
	 */
	const char *hosts;
};

struct http;

/*
 * Serves a site at sockets that listen, for as long as the loop runs. The sockets, the pages and
 * everything in access stay the caller's. NULL with errno set, after saying why.
 */
struct http *http_start(const struct http_access *access, const struct http_site *site,
			struct loop *loop);

/* Closes all connections. Accepts NULL. */
void http_end(struct http *http);

#endif
