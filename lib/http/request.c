// SPDX-License-Identifier: GPL-2.0
#include "lib/http/request.h"

#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/list.h"

const char *request_header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/*
 * Returns whether a client asked for this host by an address or by a name that it has. A web page
 * may have its own name lead to this address (DNS rebinding), and the browser would take the answer
 * for that page's own. Browsers always send Host.
 */
static bool is_for_this_host(const char *host, const char *names)
{
	char name[LIST_ELEMENT_SIZE];
	struct in_addr ipv4;
	size_t length;

	if (!host || *host == '[')
		return true;
	length = strcspn(host, ":");
	if (length < INET_ADDRSTRLEN) {
		snprintf(name, sizeof(name), "%.*s", (int)length, host);
		if (inet_pton(AF_INET, name, &ipv4) == 1 || !strcasecmp(name, "localhost"))
			return true;
	}
	/* An empty list has one element, which is empty. */
	while (length && list_next(&names, name))
		if (strlen(name) == length && !strncasecmp(name, host, length))
			return true;
	return false;
}

/*
 * Returns whether a browser asks on behalf of another site's page. A browser would show the answer
 * to that page only if it were told that it may, but each request is work. Links from anywhere may
 * be followed.
 */
static bool is_for_another_site(struct MHD_Connection *connection)
{
	const char *site = request_header(connection, "Sec-Fetch-Site");
	const char *mode = request_header(connection, "Sec-Fetch-Mode");

	return request_header(connection, MHD_HTTP_HEADER_ORIGIN) ||
	       (site && !strcmp(site, "cross-site") && (!mode || strcmp(mode, "navigate")));
}

/* The library asks clients for certificates, and takes any. */
static bool has_good_certificate(struct MHD_Connection *connection)
{
	gnutls_typed_vdata_st purpose = { .type = GNUTLS_DT_KEY_PURPOSE_OID,
					  .data = (void *)GNUTLS_KP_TLS_WWW_CLIENT };
	gnutls_session_t session =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)
			->tls_session;
	unsigned int mistakes;

	return gnutls_certificate_verify_peers(session, &purpose, 1, &mistakes) >= 0 && !mistakes;
}

unsigned int request_refusal(struct MHD_Connection *connection, const char *hosts,
			     const struct web_config *config, const char **why)
{
	*why = "netstacklat does not serve this name: ask for an address or for localhost, or "
	       "start it with --host=NAME\n";
	if (hosts && !is_for_this_host(request_header(connection, MHD_HTTP_HEADER_HOST), hosts))
		return MHD_HTTP_MISDIRECTED_REQUEST;
	*why = "there is nothing here for other sites\n";
	if (is_for_another_site(connection))
		return MHD_HTTP_FORBIDDEN;
	*why = "this takes a certificate that one of client_ca_file has signed\n";
	if (config->client_authorities && !has_good_certificate(connection))
		return MHD_HTTP_FORBIDDEN;
	return MHD_HTTP_OK;
}
