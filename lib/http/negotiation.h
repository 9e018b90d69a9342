/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The formats that a client accepts, by its Accept and Accept-Encoding headers (RFC 9110, 12.5),
 * each of which may be NULL: pure functions.
 */
#ifndef NETSTACKLAT_NEGOTIATION_H
#define NETSTACKLAT_NEGOTIATION_H

#include <stdbool.h>

/*
 * Returns whether to answer with OpenMetrics 1.0. Clients that do not ask for OpenMetrics by name
 * get the older text format.
 */
bool accepts_openmetrics(const char *accept);

bool accepts_gzip(const char *accept_encoding);

#endif
