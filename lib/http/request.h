/* SPDX-License-Identifier: GPL-2.0 */
/* A request: its headers, and whether it is refused, whatever its client knows. */
#ifndef NETSTACKLAT_REQUEST_H
#define NETSTACKLAT_REQUEST_H

#include <microhttpd.h>

#include "lib/http/web_config.h"

/* The value of a header; NULL if there is none. */
const char *request_header(struct MHD_Connection *connection, const char *name);

/*
 * Returns MHD_HTTP_OK or the status of a refusal; *why is a line about it. For hosts see struct
 * http_listener.
 */
unsigned int request_refusal(struct MHD_Connection *connection, const char *hosts,
			     const struct web_config *config, const char **why);

#endif
