// SPDX-License-Identifier: GPL-2.0
#include "lib/http/web_config.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "lib/base/log.h"

/* This is there in place of GnuTLS in binaries that are linked statically. */
extern const char tls_is_missing __attribute__((weak));

/* A longer file is none of these. */
#define MAX_FILE_SIZE (1 << 20)

struct reading {
	struct web_config *config;
	const char *path;
	yaml_document_t document;
	bool asks_clients;
};

/* One key of a section. Its function returns 0 or, after saying what is wrong, a negative errno. */
struct entry {
	const char *section, *key;
	int (*take)(struct reading *reading, const struct entry *entry, const yaml_node_t *value);
	size_t field; /* of struct web_config */
};

__attribute__((format(printf, 3, 4))) static int
wrong(const struct reading *reading, const yaml_node_t *node, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	log_error("%s:%zu: %s", reading->path, node->start_mark.line + 1, text);
	return -EINVAL;
}

/* NULL if it is no text. Not longer than a path may be. */
static const char *text_of(const yaml_node_t *node)
{
	const char *text;

	if (node->type != YAML_SCALAR_NODE || node->data.scalar.length >= PATH_MAX)
		return NULL;
	text = (const char *)node->data.scalar.value;
	return strlen(text) == node->data.scalar.length ? text : NULL;
}

/* Returns what a key is called. Nothing else in the file is printed, as it may be secret. */
static const char *word_of(const yaml_node_t *node)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	const char *text = text_of(node);

	return text && !text[strspn(text, letters)] && strlen(text) < 64 ? text : "this";
}

/* Notes which version of a file is about to be read. Returns false without memory. */
static bool note_file(struct web_config *config, const char *path)
{
	struct web_file *file = &config->files[config->nr_files];

	file->path = strdup(path);
	if (!file->path)
		return false;
	if (stat(path, &file->version))
		file->version = (struct stat){ 0 };
	config->nr_files++;
	return true;
}

/* Returns what is to be freed, or NULL with errno set. */
static char *read_whole(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(MAX_FILE_SIZE) : NULL;
	size_t size = text ? fread(text, 1, MAX_FILE_SIZE, file) : 0;
	int err = !file || !text || ferror(file) ? errno : 0;

	if (size == MAX_FILE_SIZE)
		err = EFBIG;
	if (file)
		fclose(file);
	if (err) {
		free(text);
		errno = err;
		return NULL;
	}
	text[size] = '\0';
	return text;
}

static int take_file(struct reading *reading, const struct entry *entry, const yaml_node_t *value)
{
	char **field = (char **)((char *)reading->config + entry->field);
	const char *name = text_of(value);
	char folder[PATH_MAX], path[2 * PATH_MAX];

	if (!name || !*name || *field)
		return wrong(reading, value, "%s: expected one path of a file", entry->key);
	snprintf(folder, sizeof(folder), "%s", reading->path);
	snprintf(path, sizeof(path), "%s%s%s", *name == '/' ? "" : dirname(folder),
		 *name == '/' ? "" : "/", name);
	if (note_file(reading->config, path))
		*field = read_whole(path);
	if (*field)
		return 0;
	return log_failure(-errno, "%s:%zu: cannot read %s", reading->path,
			   value->start_mark.line + 1, path);
}

/* The versions from this one on. */
static int take_version(struct reading *reading, const struct entry *entry,
			const yaml_node_t *value)
{
	const char *name = text_of(value);

	reading->config->needs_tls13 = name && !strcmp(name, "TLS13");
	if (reading->config->needs_tls13 || (name && !strcmp(name, "TLS12")))
		return 0;
	return wrong(reading, value, "%s: expected TLS12 or TLS13", entry->key);
}

static int take_client_auth(struct reading *reading, const struct entry *entry,
			    const yaml_node_t *value)
{
	const char *name = text_of(value);

	reading->asks_clients = name && !strcmp(name, "RequireAndVerifyClientCert");
	if (reading->asks_clients || (name && !strcmp(name, "NoClientCert")))
		return 0;
	return wrong(
		reading, value,
		"%s: expected NoClientCert or RequireAndVerifyClientCert: what is between asks "
		"for certificates, but not for good ones",
		entry->key);
}

/* Pages are served by HTTP/1.1, which all clients know, whatever this says. */
static int take_http2(struct reading *reading, const struct entry *entry, const yaml_node_t *value)
{
	const char *name = text_of(value);

	if (name && (!strcmp(name, "true") || !strcmp(name, "false")))
		return 0;
	return wrong(reading, value, "%s: expected true or false", entry->key);
}

static int take_user(struct reading *reading, const yaml_node_t *name, const yaml_node_t *value)
{
	struct web_config *config = reading->config;
	struct web_user *user = &config->users[config->nr_users];

	if (!text_of(name) || strchr(text_of(name), ':'))
		return wrong(reading, name, "expected the name of a user, without a colon");
	if (!text_of(value) || !web_hash_is_bcrypt(text_of(value)))
		return wrong(reading, value,
			     "expected a password's hash by bcrypt: htpasswd -nBC 10 '' makes one");
	if (config->nr_users == MAX_WEB_USERS)
		return wrong(reading, name, "there is room for %d users", MAX_WEB_USERS);
	user->name = strdup(text_of(name));
	user->hash = strdup(text_of(value));
	config->nr_users++;
	return user->name && user->hash ? 0 : log_failure(-ENOMEM, "cannot read %s", reading->path);
}

#define FIELD(name) offsetof(struct web_config, name)
#define TLS "tls_server_config"
#define USERS "basic_auth_users"
static const struct entry entries[] = {
	{ TLS, "cert_file", take_file, FIELD(certificate) },
	{ TLS, "key_file", take_file, FIELD(key) },
	{ TLS, "client_ca_file", take_file, FIELD(client_authorities) },
	{ TLS, "client_auth_type", take_client_auth, 0 },
	{ TLS, "min_version", take_version, 0 },
	{ "http_server_config", "http2", take_http2, 0 },
};
#define NR_ENTRIES (sizeof(entries) / sizeof(*entries))

static int take_entry(struct reading *reading, const char *section, const yaml_node_t *key,
		      const yaml_node_t *value)
{
	const char *name = text_of(key);

	if (!strcmp(section, USERS))
		return take_user(reading, key, value);
	for (size_t i = 0; name && i < NR_ENTRIES; i++)
		if (!strcmp(entries[i].section, section) && !strcmp(entries[i].key, name))
			return entries[i].take(reading, &entries[i], value);
	return wrong(reading, key, "netstacklat does not know %s in %s: see SERVING in its manual",
		     word_of(key), section);
}

static bool is_section(const char *name)
{
	bool found = !strcmp(name, USERS);

	for (size_t i = 0; i < NR_ENTRIES; i++)
		found |= !strcmp(name, entries[i].section);
	return found;
}

/* Calls take() with the keys and values of a mapping. An empty value counts as none. */
static int for_each_pair(struct reading *reading, const char *section, const yaml_node_t *mapping,
			 int (*take)(struct reading *reading, const char *section,
				     const yaml_node_t *key, const yaml_node_t *value))
{
	const yaml_node_pair_t *pair;
	int err = 0;

	if (mapping->type == YAML_SCALAR_NODE && !mapping->data.scalar.length)
		return 0;
	if (mapping->type != YAML_MAPPING_NODE)
		return wrong(reading, mapping, "expected keys and values");
	for (pair = mapping->data.mapping.pairs.start;
	     pair < mapping->data.mapping.pairs.top && !err; pair++)
		err = take(reading, section, yaml_document_get_node(&reading->document, pair->key),
			   yaml_document_get_node(&reading->document, pair->value));
	return err;
}

static int take_section(struct reading *reading, const char *unused, const yaml_node_t *key,
			const yaml_node_t *value)
{
	const char *name = text_of(key);

	(void)unused;
	if (name && is_section(name))
		return for_each_pair(reading, name, value, take_entry);
	return wrong(reading, key, "netstacklat does not know %s: see SERVING in its manual",
		     word_of(key));
}

static int take_document(struct reading *reading)
{
	const yaml_node_t *root = yaml_document_get_root_node(&reading->document);

	return root ? for_each_pair(reading, NULL, root, take_section) : 0;
}

/* The library that takes them later would not say what is wrong. */
static int check_pair(const struct reading *reading)
{
	const struct web_config *config = reading->config;
	const gnutls_datum_t certificate = { (void *)config->certificate,
					     strlen(config->certificate) };
	const gnutls_datum_t key = { (void *)config->key, strlen(config->key) };
	gnutls_certificate_credentials_t credentials;
	int result = gnutls_certificate_allocate_credentials(&credentials);

	if (result < 0)
		return log_failure(-ENOMEM, "cannot read %s", reading->path);
	result = gnutls_certificate_set_x509_key_mem(credentials, &certificate, &key,
						     GNUTLS_X509_FMT_PEM);
	gnutls_certificate_free_credentials(credentials);
	if (result >= 0)
		return 0;
	log_error("%s: cert_file and key_file are no certificate and its key in PEM: %s",
		  reading->path, gnutls_strerror(result));
	return -EINVAL;
}

/* Returns 0 if all that is there goes together. */
static int check_whole(const struct reading *reading)
{
	const struct web_config *config = reading->config;
	const char *mistake = NULL;

	if (!config->certificate != !config->key)
		mistake = "cert_file takes key_file, and the other way round";
	else if (reading->asks_clients != !!config->client_authorities)
		mistake =
			"RequireAndVerifyClientCert takes client_ca_file, and the other way round";
	else if (reading->asks_clients && !config->certificate)
		mistake = "certificates of clients take TLS: cert_file and key_file";
	else if ((config->certificate || config->nr_users) && &tls_is_missing)
		mistake = "this binary is linked statically, and has neither TLS nor passwords: "
			  "build one without STATIC=1, or put a proxy in front";
	if (!mistake)
		return config->certificate ? check_pair(reading) : 0;
	log_error("%s: %s", reading->path, mistake);
	return -EINVAL;
}

static int parse(struct reading *reading, FILE *file)
{
	yaml_parser_t parser;
	int err;

	if (!yaml_parser_initialize(&parser))
		return log_failure(-ENOMEM, "cannot read %s", reading->path);
	yaml_parser_set_input_file(&parser, file);
	if (!yaml_parser_load(&parser, &reading->document)) {
		log_error("%s:%zu: this is no YAML: %s", reading->path,
			  parser.problem_mark.line + 1,
			  parser.problem ? parser.problem : "it cannot be read");
		yaml_parser_delete(&parser);
		return -EINVAL;
	}
	err = take_document(reading);
	yaml_document_delete(&reading->document);
	yaml_parser_delete(&parser);
	return err ? err : check_whole(reading);
}

/* "$2y$10$", and 53 characters. */
bool web_hash_is_bcrypt(const char *hash)
{
	return strlen(hash) == 60 && !strncmp(hash, "$2", 2) && strchr("aby", hash[2]) &&
	       hash[3] == '$' && hash[6] == '$';
}

int web_config_read(struct web_config *config, const char *path)
{
	struct reading reading = { .config = config, .path = path };
	FILE *file;
	int err;

	*config = (struct web_config){ 0 };
	file = note_file(config, path) ? fopen(path, "re") : NULL;
	if (!file)
		return log_failure(-errno, "cannot read %s", path);
	err = parse(&reading, file);
	fclose(file);
	return err;
}

static bool is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool web_config_is_stale(const struct web_config *config)
{
	for (unsigned int i = 0; i < config->nr_files; i++) {
		const struct stat *before = &config->files[i].version;
		struct stat now;

		if (stat(config->files[i].path, &now))
			now = (struct stat){ 0 };
		if (now.st_dev != before->st_dev || now.st_ino != before->st_ino ||
		    !is_same_time(now.st_ctim, before->st_ctim))
			return true;
	}
	return false;
}

char **web_config_text(struct web_config *config, unsigned int number)
{
	char **const pem[] = { &config->certificate, &config->key, &config->client_authorities };
	unsigned int of_users = number - 3;
	struct web_user *user;

	if (number < 3)
		return pem[number];
	user = &config->users[of_users / 2];
	return of_users % 2 ? &user->hash : &user->name;
}

static void forget(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

void web_config_free(struct web_config *config)
{
	for (unsigned int i = 0; i < NR_WEB_TEXTS; i++)
		forget(*web_config_text(config, i));
	for (unsigned int i = 0; i < config->nr_files; i++)
		free(config->files[i].path);
	*config = (struct web_config){ 0 };
}
