/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of --web.config.file, as Prometheus' exporter toolkit has it: TLS, certificates of
 * clients, passwords. Settings that the toolkit knows and this does not are refused, so that nobody
 * relies on their protection.
 */
#ifndef NETSTACKLAT_WEB_CONFIG_H
#define NETSTACKLAT_WEB_CONFIG_H

#include <stdbool.h>
#include <sys/stat.h>

#define MAX_WEB_USERS 32

struct web_user {
	char *name, *hash; /* of the password, by bcrypt, as crypt(3) takes it */
};

/* The file itself, and those that it names. */
#define MAX_WEB_FILES 4
struct web_file {
	char *path;
	struct stat version; /* as it was before it was read; zero: it was not there */
};

struct web_config {
	char *certificate, *key;  /* PEM; NULL: without TLS */
	char *client_authorities; /* PEM: one of these must have signed a client's; NULL: none */
	bool needs_tls13;	  /* TLS 1.2 is too old */
	struct web_user users[MAX_WEB_USERS]; /* one of these must ask, if there are any */
	unsigned int nr_users;
	struct web_file files[MAX_WEB_FILES];
	unsigned int nr_files;
};

/*
 * Returns whether a text looks like bcrypt's hash of a password: other hashes take longer to check.
 */
bool web_hash_is_bcrypt(const char *hash);

/*
 * Reads it, with the files that it names, which lie in its folder unless they are absolute. Returns
 * 0 or, after saying what is wrong and where, a negative errno; *config is to be freed then, too.
 */
int web_config_read(struct web_config *config, const char *path);

/*
 * Returns whether one of the files has changed, also those of a config that could not be read. A
 * change within the kernel's tick of 4 ms in which a file was read is not seen.
 */
bool web_config_is_stale(const struct web_config *config);

/*
 * All texts that it holds: three in PEM, and a name and a hash for each user. NULL is a text, too.
 */
#define NR_WEB_TEXTS (3 + 2 * MAX_WEB_USERS)
char **web_config_text(struct web_config *config, unsigned int number);

/* Frees what it holds. Secrets are overwritten. */
void web_config_free(struct web_config *config);

#endif
