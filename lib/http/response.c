// SPDX-License-Identifier: GPL-2.0
#include "lib/http/response.h"

#include <microhttpd.h>
#include <stdlib.h>

struct http_response {
	struct MHD_Response *content;
	unsigned int users; /* its maker and the clients that are sent it */
};

struct http_response *http_response_new(char *text, size_t size, const char *type, bool is_gzip)
{
	struct http_response *made = malloc(sizeof(*made));
	struct MHD_Response *content =
		made ? MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE) : NULL;

	if (!content) {
		free(made);
		free(text);
		return NULL;
	}
	MHD_add_response_header(content, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(content, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	MHD_add_response_header(content, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(content, "Cross-Origin-Resource-Policy", "same-origin");
	if (is_gzip)
		MHD_add_response_header(content, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	*made = (struct http_response){ content, 1 };
	return made;
}

void http_response_release(struct http_response *response)
{
	if (!response || --response->users)
		return;
	MHD_destroy_response(response->content);
	free(response);
}

struct http_response *http_response_hold(struct http_response *response)
{
	response->users++;
	return response;
}

struct MHD_Response *http_response_content(const struct http_response *response)
{
	return response->content;
}

bool http_response_is_being_sent(const struct http_response *response)
{
	return response && response->users > 1;
}
