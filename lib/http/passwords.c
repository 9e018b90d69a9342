// SPDX-License-Identifier: GPL-2.0
#include "lib/http/passwords.h"

#include <crypt.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/helper.h"

#define DIGEST_SIZE 32 /* of SHA-256 */

/* The longest name and password that a client may give. Good ones are no longer than that. */
struct credentials {
	char user[64], password[192];
};

/* A question, which is of one size. */
struct question {
	char hash[64], password[192];
};

struct asked {
	void *client;	   /* NULL: it waits no more */
	unsigned int user; /* MAX_WEB_USERS: there is none of this name */
	struct question question;
};

struct passwords {
	const struct web_config *config;
	int socket;
	struct asked asked[MAX_ASKED]; /* in the order of their answers */
	unsigned int nr_asked;
	bool is_known[MAX_WEB_USERS]; /* the last good question of a user, of which ... */
	unsigned char digests[MAX_WEB_USERS][DIGEST_SIZE];
};

static bool is_good(const struct question *question, struct crypt_data *data)
{
	const char *found = crypt_r(question->password, question->hash, data);

	return found && !strcmp(found, question->hash);
}

void passwords_serve(int socket)
{
	struct crypt_data *data = calloc(1, sizeof(*data));
	struct question question;

	while (data && helper_receive(socket, &question, sizeof(question))) {
		bool answer;

		/* The process that asks may have been taken over. */
		question.hash[sizeof(question.hash) - 1] = '\0';
		question.password[sizeof(question.password) - 1] = '\0';
		answer = web_hash_is_bcrypt(question.hash) && is_good(&question, data);
		if (!helper_send(socket, &answer, sizeof(answer)))
			break;
	}
	free(data);
}

struct passwords *passwords_new(const struct web_config *config, int socket)
{
	struct passwords *passwords = calloc(1, sizeof(*passwords));

	if (passwords) {
		passwords->config = config;
		passwords->socket = socket;
	}
	return passwords;
}

void passwords_free(struct passwords *passwords)
{
	if (passwords)
		explicit_bzero(passwords, sizeof(*passwords));
	free(passwords);
}

/* "NAME:PASSWORD" (RFC 7617). Returns false if it is no such thing, or too long. */
static bool split(const gnutls_datum_t *text, struct credentials *credentials)
{
	const char *begin = (const char *)text->data, *end = begin + text->size;
	const char *colon = memchr(begin, ':', text->size);

	if (!colon || memchr(begin, '\0', text->size) ||
	    (size_t)(colon - begin) >= sizeof(credentials->user) ||
	    (size_t)(end - colon - 1) >= sizeof(credentials->password))
		return false;
	memcpy(credentials->user, begin, colon - begin);
	memcpy(credentials->password, colon + 1, end - colon - 1);
	return true;
}

static bool read_header(const char *header, struct credentials *credentials)
{
	static const char scheme[] = "Basic ";
	gnutls_datum_t encoded, decoded;
	bool result;

	*credentials = (struct credentials){ 0 };
	if (!header || strncasecmp(header, scheme, strlen(scheme)))
		return false;
	header += strlen(scheme);
	encoded = (gnutls_datum_t){ (void *)header, strlen(header) };
	if (gnutls_base64_decode2(&encoded, &decoded) < 0)
		return false;
	result = split(&decoded, credentials);
	explicit_bzero(decoded.data, decoded.size);
	gnutls_free(decoded.data);
	return result;
}

/* Returns MAX_WEB_USERS if there is none of this name. */
static unsigned int find_user(const struct web_config *config, const char *name)
{
	for (unsigned int i = 0; i < config->nr_users; i++)
		if (!strcmp(config->users[i].name, name))
			return i;
	return MAX_WEB_USERS;
}

/* An unknown user must take as long as a known one: then, another user's hash is checked. */
static struct question question_of(const struct web_config *config, unsigned int user,
				   const char *password)
{
	const char *hash = config->users[user < MAX_WEB_USERS ? user : 0].hash;
	struct question question = { 0 };

	snprintf(question.hash, sizeof(question.hash), "%s", hash);
	snprintf(question.password, sizeof(question.password), "%s", password);
	return question;
}

static bool digest(const struct question *question, unsigned char found[DIGEST_SIZE])
{
	return gnutls_hash_fast(GNUTLS_DIG_SHA256, question, sizeof(*question), found) >= 0;
}

static bool is_known(const struct passwords *passwords, unsigned int user,
		     const struct question *question)
{
	unsigned char found[DIGEST_SIZE];

	return user < MAX_WEB_USERS && passwords->is_known[user] && digest(question, found) &&
	       !gnutls_memcmp(found, passwords->digests[user], sizeof(found));
}

enum password passwords_look(struct passwords *passwords, const char *authorization, void *client)
{
	struct asked *next = &passwords->asked[passwords->nr_asked];
	struct credentials credentials;
	struct question question;
	unsigned int user;

	if (!read_header(authorization, &credentials))
		return PASSWORD_BAD;
	user = find_user(passwords->config, credentials.user);
	question = question_of(passwords->config, user, credentials.password);
	if (is_known(passwords, user, &question))
		return PASSWORD_GOOD;
	if (passwords->nr_asked == MAX_ASKED)
		return PASSWORD_TOO_MANY;
	if (!helper_send(passwords->socket, &question, sizeof(question)))
		return PASSWORD_BAD;
	*next = (struct asked){ client, user, question };
	passwords->nr_asked++;
	return PASSWORD_ASKED;
}

bool passwords_answer(struct passwords *passwords, void **client, bool *is_good)
{
	struct asked *asked = passwords->asked, first = asked[0];

	if (!helper_receive(passwords->socket, is_good, sizeof(*is_good)) || !passwords->nr_asked)
		return false;
	passwords->nr_asked--;
	memmove(asked, asked + 1, passwords->nr_asked * sizeof(*asked));
	*is_good &= first.user < MAX_WEB_USERS;
	if (*is_good)
		passwords->is_known[first.user] =
			digest(&first.question, passwords->digests[first.user]);
	*client = first.client;
	return true;
}

void *passwords_give_up(struct passwords *passwords)
{
	for (unsigned int i = 0; i < passwords->nr_asked; i++) {
		void *client = passwords->asked[i].client;

		passwords->asked[i].client = NULL;
		if (client)
			return client;
	}
	return NULL;
}
