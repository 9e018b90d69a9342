// SPDX-License-Identifier: GPL-2.0
/* The file that says how pages are served, and to whom. */
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/http/web_config.h"
#include "certificates.h"
#include "said.h"
#include "secret.h"
#include "web_files.h"

static struct web_config config;
static struct certificate authority, server, other;

static int make_files(void **state)
{
	(void)state;
	if (make_folder())
		return -1;
	certificate_make(&authority, "authority", NULL);
	certificate_make(&server, "server", &authority);
	certificate_make(&other, "other", &authority);
	write_file("ca.pem", authority.pem);
	write_file("server.pem", server.pem);
	write_file("server.key", server.key_pem);
	write_file("other.key", other.key_pem);
	return 0;
}

static int remove_files(void **state)
{
	static const char *const names[] = { "ca.pem", "server.pem", "server.key", "other.key" };

	(void)state;
	certificate_free(&authority);
	certificate_free(&server);
	certificate_free(&other);
	return remove_folder(names, sizeof(names) / sizeof(*names));
}

static int forget(void **state)
{
	(void)state;
	web_config_free(&config);
	return 0;
}

static int read_config(const char *text)
{
	write_file("web.yml", text);
	return web_config_read(&config, path);
}

#define PAIR "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n"

static void test_nothing_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(read_config(""), 0);
	assert_null(config.certificate);
	assert_int_equal(config.nr_users, 0);
	web_config_free(&config);
	assert_int_equal(read_config("tls_server_config:\nhttp_server_config:\n  http2: true\n"),
			 0);
	assert_null(config.certificate);
}

static void test_files_lie_in_its_folder_or_have_whole_paths(void **state)
{
	char text[256];

	(void)state;
	assert_int_equal(read_config(PAIR), 0);
	assert_string_equal(config.certificate, server.pem);
	assert_string_equal(config.key, server.key_pem);
	assert_null(config.client_authorities);
	assert_false(config.needs_tls13);
	web_config_free(&config);
	snprintf(text, sizeof(text),
		 "tls_server_config: { cert_file: %s/server.pem, key_file: '%s/server.key',\n"
		 "  min_version: TLS13,\n"
		 "  client_auth_type: RequireAndVerifyClientCert, client_ca_file: ca.pem }\n",
		 folder, folder);
	assert_int_equal(read_config(text), 0);
	assert_string_equal(config.certificate, server.pem);
	assert_string_equal(config.client_authorities, authority.pem);
	assert_true(config.needs_tls13);
}

static void test_users(void **state)
{
	(void)state;
	assert_int_equal(read_config("basic_auth_users:\n  prometheus: " SECRET_HASH
				     "\n  b: " SECRET_HASH "\n"),
			 0);
	assert_int_equal(config.nr_users, 2);
	assert_string_equal(config.users[0].name, "prometheus");
	assert_string_equal(config.users[1].hash, SECRET_HASH);
}

/* Each with its line, and what to do about it. */
static void test_mistakes_are_explained(void **state)
{
	static const struct {
		const char *text, *says;
	} mistakes[] = {
		{ "a: [", "web.yml:2: this is no YAML" },
		{ "- a", "web.yml:1: expected keys and values" },
		{ "\ntls_server: {}", "web.yml:2: netstacklat does not know tls_server" },
		{ "\"a\\e[2J\": {}", "web.yml:1: netstacklat does not know this" },
		{ PAIR "  cipher_suites: [a]\n",
		  "web.yml:4: netstacklat does not know cipher_suites in tls_server_config" },
		{ PAIR "  client_allowed_sans: [a]\n", "does not know client_allowed_sans" },
		{ "http_server_config:\n  headers: {}\n", "does not know headers" },
		{ "http_server_config:\n  http2: maybe\n", "web.yml:2: http2: expected true" },
		{ PAIR "  min_version: TLS10\n",
		  "web.yml:4: min_version: expected TLS12 or TLS13" },
		{ PAIR "  cert_file: server.pem\n", "web.yml:4: cert_file: expected one path" },
		{ "tls_server_config:\n  cert_file: server.pem\n", "cert_file takes key_file" },
		{ "tls_server_config:\n  cert_file: missing.pem\n",
		  "missing.pem: No such file or directory" },
		{ "tls_server_config:\n  cert_file: server.pem\n  key_file: other.key\n",
		  "are no certificate and its key in PEM" },
		{ "tls_server_config:\n  cert_file: server.key\n  key_file: server.pem\n",
		  "are no certificate and its key in PEM" },
		{ PAIR "  client_auth_type: RequestClientCert\n", "but not for good ones" },
		{ PAIR "  client_auth_type: RequireAndVerifyClientCert\n",
		  "RequireAndVerifyClientCert takes client_ca_file" },
		{ PAIR "  client_ca_file: ca.pem\n",
		  "RequireAndVerifyClientCert takes client_ca_file" },
		{ "tls_server_config:\n  client_auth_type: RequireAndVerifyClientCert\n"
		  "  client_ca_file: ca.pem\n",
		  "certificates of clients take TLS" },
		{ "basic_auth_users:\n  a: secret\n", "expected a password's hash by bcrypt" },
		{ "basic_auth_users:\n  'a:b': " SECRET_HASH "\n", "a user, without a colon" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		int err;

		said_begin();
		err = read_config(mistakes[i].text);
		assert_non_null(strstr(said_end(), mistakes[i].says));
		assert_true(err < 0);
		web_config_free(&config);
	}
}

/* Each of them, however it changes; also what could not be read. */
static void test_files_are_stale_once_they_change(void **state)
{
	char file[128];

	(void)state;
	assert_int_equal(read_config(PAIR), 0);
	assert_false(web_config_is_stale(&config));
	write_file("ca.pem", authority.pem);
	assert_false(web_config_is_stale(&config));
	write_file("server.key", server.key_pem);
	assert_true(web_config_is_stale(&config));
	web_config_free(&config);
	assert_int_equal(web_config_read(&config, path), 0);
	assert_false(web_config_is_stale(&config));
	write_file("web.yml", PAIR);
	assert_true(web_config_is_stale(&config));
	web_config_free(&config);

	snprintf(file, sizeof(file), "%s/server.pem", folder);
	unlink(file);
	said_begin();
	assert_true(web_config_read(&config, path) < 0);
	said_end();
	assert_false(web_config_is_stale(&config));
	write_file("server.pem", server.pem);
	assert_true(web_config_is_stale(&config));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, forget)
	const struct CMUnitTest tests[] = {
		TEST(test_nothing_is_asked_for),
		TEST(test_files_lie_in_its_folder_or_have_whole_paths),
		TEST(test_users),
		TEST(test_mistakes_are_explained),
		TEST(test_files_are_stale_once_they_change),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
