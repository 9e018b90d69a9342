/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The content that clients are sent, many of them at once. It lives until the last client has it.
 */
#ifndef NETSTACKLAT_RESPONSE_H
#define NETSTACKLAT_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

struct MHD_Response;
struct http_response;

/* Makes one with text that it frees, also on failure. NULL without memory. */
struct http_response *http_response_new(char *text, size_t size, const char *type, bool is_gzip);

/* Keeps it for one more client. Returns it. */
struct http_response *http_response_hold(struct http_response *response);

/* Its maker, or a client, needs it no more. Accepts NULL. */
void http_response_release(struct http_response *response);

/* Returns whether some client does not have all of it yet. Accepts NULL. */
bool http_response_is_being_sent(const struct http_response *response);

/* Returns what the library sends. It stays the response's. */
struct MHD_Response *http_response_content(const struct http_response *response);

#endif
