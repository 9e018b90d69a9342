/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of --web.config.file, as Prometheus' exporter toolkit has it: TLS, certificates of
 * clients, passwords. What that knows and this does not is refused, as nobody may believe to be
 * protected by it.
 */
#ifndef NETSTACKLAT_WEB_CONFIG_H
#define NETSTACKLAT_WEB_CONFIG_H

#include <stdbool.h>

#define MAX_WEB_USERS 32

struct web_user {
	char *name, *hash; /* of the password, by bcrypt, as crypt(3) takes it */
};

struct web_config {
	char *certificate, *key;  /* PEM; NULL: without TLS */
	char *client_authorities; /* PEM: one of these must have signed a client's; NULL: none */
	const char *tls_versions; /* as gnutls_priority_init(3) takes them */
	struct web_user users[MAX_WEB_USERS]; /* one of these must ask, if there are any */
	unsigned int nr_users;
};

/*
 * Reads it, with the files that it names, which lie in its folder unless they are absolute. Returns
 * 0 or, after saying what is wrong and where, a negative errno; *config is to be freed then, too.
 */
int web_config_read(struct web_config *config, const char *path);

/* Frees what it holds. Secrets are overwritten. */
void web_config_free(struct web_config *config);

#endif
