/* SPDX-License-Identifier: GPL-2.0 */
/* The clients that get no page, whatever they know. */
#ifndef NETSTACKLAT_REFUSAL_H
#define NETSTACKLAT_REFUSAL_H

#include <microhttpd.h>

#include "lib/http/web_config.h"

/*
 * Returns MHD_HTTP_OK or the status of a refusal; *why is a line about it. For hosts see struct
 * http_listener; config may be NULL.
 */
unsigned int refusal_of(struct MHD_Connection *connection, const char *hosts,
			const struct web_config *config, const char **why);

#endif
