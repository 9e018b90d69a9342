// SPDX-License-Identifier: GPL-2.0
/* Pages that are served by TLS, to clients with and without certificates or passwords. */
#include "unit.h"

#include <gnutls/gnutls.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/helper.h"
#include "lib/http/passwords.h"
#include "lib/http/web_renewal.h"
#include "certificates.h"
#include "secret.h"
#include "web_files.h"
#include "web_server.h"

static struct certificate authority, impostor, server, good, bad;
static struct listen_address address;
static pid_t pid;
static struct helper checker, reader; /* of passwords, and of files */

static const struct http_page pages[] = {
	{ "/text", "text/x-plain", "the text", NULL },
	{ 0 },
};

static void check_passwords(int socket, void *unused)
{
	(void)unused;
	passwords_serve(socket);
}

static void read_files(int socket, void *context)
{
	const struct web_config *config = context;
	char request;

	if (config->nr_files)
		web_renewal_serve(socket, config);
	while (helper_receive(socket, &request, sizeof(request)))
		;
}

static void start(struct web_config *config)
{
	struct http_listener listener = { 0 };
	struct http_access access = { .listeners = &listener, .nr_listeners = 1, config };

	assert_int_equal(helper_start(&checker, check_passwords, NULL), 0);
	assert_int_equal(helper_start(&reader, read_files, config), 0);
	access.passwords = checker.socket;
	access.renewal = reader.socket;
	assert_true(listen_parse("0", &address));
	listener.fd = listen_open(&address);
	web_clock_start();
	pid = fork();
	if (!pid)
		web_serve(&access, pages);
	web_pid = pid;
	close(listener.fd);
}

static struct web_config tls_config(void)
{
	return (struct web_config){
		.certificate = server.pem,
		.key = server.key_pem,
		.needs_tls13 = true,
	};
}

static int start_with_tls(void **state)
{
	struct web_config config = tls_config();

	(void)state;
	start(&config);
	return 0;
}

static int start_for_clients_with_certificates(void **state)
{
	struct web_config config = tls_config();

	(void)state;
	config.client_authorities = authority.pem;
	start(&config);
	return 0;
}

static int start_with_passwords(void **state)
{
	static struct web_config config = {
		.users = { { "b", SECRET_HASH }, { SECRET_USER, SECRET_HASH } }, .nr_users = 2
	};

	(void)state;
	start(&config);
	return 0;
}

#define PAIR "tls_server_config: { cert_file: server.pem, key_file: server.key }\n"
#define USER(hash) "basic_auth_users: { " SECRET_USER ": '" hash "' }\n"

static void write_pair(const struct certificate *of)
{
	write_file("server.key", of->key_pem);
	write_file("server.pem", of->pem);
}

static void start_with_files(const char *text)
{
	struct web_config config;

	write_pair(&server);
	write_file("web.yml", text);
	assert_int_equal(web_config_read(&config, path), 0);
	start(&config);
	web_config_free(&config);
}

static int start_with_a_pair(void **state)
{
	(void)state;
	start_with_files(PAIR);
	return 0;
}

static int start_with_a_user(void **state)
{
	(void)state;
	start_with_files(USER(SECRET_HASH));
	return 0;
}

static int stop_serving(void **state)
{
	int status;

	(void)state;
	kill(pid, SIGTERM);
	kill(checker.pid, SIGCONT);
	helper_end(&reader);
	helper_end(&checker);
	return waitpid(pid, &status, 0) == pid && !status ? 0 : -1;
}

/* The one that checks passwords ends, if it has not yet. */
static int stop_with_checker(void **state)
{
	int status;

	(void)state;
	kill(checker.pid, SIGKILL);
	helper_end(&reader);
	helper_end(&checker);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 2
		       ? 0
		       : -1;
}

static int connect_client(void)
{
	return web_connect(&address);
}

#define REQUEST "GET /text HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

/* The name in the server's certificate, of the last that there was. */
static char served_by[32];

static void note_server(gnutls_session_t session)
{
	const gnutls_datum_t *der = gnutls_certificate_get_peers(session, &(unsigned int){ 0 });
	size_t size = sizeof(served_by);
	gnutls_x509_crt_t crt;

	gnutls_x509_crt_init(&crt);
	assert_int_equal(gnutls_x509_crt_import(crt, der, GNUTLS_X509_FMT_DER), 0);
	assert_int_equal(gnutls_x509_crt_get_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, 0,
						       served_by, &size),
			 0);
	gnutls_x509_crt_deinit(crt);
}

/* A client that speaks TLS. */
struct browser {
	int fd;
	gnutls_session_t session;
	gnutls_certificate_credentials_t credentials;
};

/* With this certificate, or NULL, and these versions of TLS. */
static struct browser open_client(const struct certificate *certificate, const char *versions)
{
	struct browser client = { .fd = connect_client() };

	gnutls_certificate_allocate_credentials(&client.credentials);
	if (certificate)
		gnutls_certificate_set_x509_key(client.credentials,
						(gnutls_x509_crt_t *)&certificate->crt, 1,
						certificate->key);
	/* It has this one, whoever the server would take one from. */
	gnutls_init(&client.session, GNUTLS_CLIENT | GNUTLS_FORCE_CLIENT_CERT);
	gnutls_priority_set_direct(client.session, versions, NULL);
	gnutls_credentials_set(client.session, GNUTLS_CRD_CERTIFICATE, client.credentials);
	gnutls_transport_set_int(client.session, client.fd);
	return client;
}

static void close_client(struct browser *client)
{
	gnutls_deinit(client->session);
	gnutls_certificate_free_credentials(client->credentials);
	close(client->fd);
}

/* Returns 0, or why the two do not agree. */
static int shake_hands(const struct browser *client)
{
	int result;

	do
		result = gnutls_handshake(client->session);
	while (result < 0 && !gnutls_error_is_fatal(result));
	return result;
}

/* All until the server closes the connection. */
static const char *hear(const struct browser *client)
{
	static char heard[4096];
	size_t length = 0;
	ssize_t size;

	while ((size = gnutls_record_recv(client->session, heard + length,
					  sizeof(heard) - 1 - length)) > 0)
		length += size;
	heard[length] = '\0';
	return heard;
}

static const char *ask_with(const struct certificate *certificate, const char *versions)
{
	struct browser client = open_client(certificate, versions);
	int result = shake_hands(&client);
	const char *heard = gnutls_strerror(result);

	if (!result) {
		note_server(client.session);
		gnutls_record_send(client.session, REQUEST, strlen(REQUEST));
		heard = hear(&client);
	}
	close_client(&client);
	return heard;
}

static bool is_ok(const char *heard)
{
	return !strncmp(heard, "HTTP/1.1 200 ", 13) && strstr(heard, "\r\n\r\nthe text");
}

static void test_pages_are_served(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		assert_true(is_ok(ask_with(NULL, "NORMAL")));
	/* Nobody asked for it. */
	assert_true(is_ok(ask_with(&good, "NORMAL")));
}

static void test_what_is_older_than_the_oldest_version_is_refused(void **state)
{
	(void)state;
	assert_false(is_ok(ask_with(NULL, "NORMAL:-VERS-ALL:+VERS-TLS1.2")));
	assert_true(is_ok(ask_with(NULL, "NORMAL")));
}

/* To whom it may not say anything in clear. */
static void test_clients_without_tls_get_nothing(void **state)
{
	char heard[64];
	int fd = connect_client();
	ssize_t size;

	(void)state;
	assert_int_equal(send(fd, REQUEST, strlen(REQUEST), MSG_NOSIGNAL), strlen(REQUEST));
	size = recv(fd, heard, sizeof(heard), 0);
	assert_true(size <= 0 || !memmem(heard, size, "HTTP", 4));
	close(fd);
	assert_true(is_ok(ask_with(NULL, "NORMAL")));
}

/* As much of the beginning of a handshake as tells what it is. */
static void test_who_does_not_end_a_handshake_is_sent_away(void **state)
{
	int fd = connect_client();

	(void)state;
	assert_int_equal(send(fd, "\x16\x03\x01", 3, MSG_NOSIGNAL), 3);
	web_assert_idle();
	wait_s(HTTP_CLIENT_S / 2);
	assert_true(is_ok(ask_with(NULL, "NORMAL")));
	assert_true(web_is_there(fd));
	wait_s(HTTP_CLIENT_S / 2);
	assert_string_equal(web_hear(fd), "");
}

/* One has sent the beginning of a request, and the other that of a record. */
static void test_who_does_not_end_a_request_is_sent_away(void **state)
{
	struct browser clients[] = { open_client(NULL, "NORMAL"), open_client(NULL, "NORMAL") };

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(shake_hands(&clients[i]), 0);
	assert_int_equal(gnutls_record_send(clients[0].session, REQUEST, 10), 10);
	assert_int_equal(send(clients[1].fd, "\x17\x03\x03", 3, MSG_NOSIGNAL), 3);
	web_assert_idle();
	wait_s(HTTP_CLIENT_S / 2);
	assert_true(is_ok(ask_with(NULL, "NORMAL")));
	wait_s(HTTP_CLIENT_S / 2);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(hear(&clients[i]), "");
		close_client(&clients[i]);
	}
}

static void test_clients_need_a_certificate(void **state)
{
	(void)state;
	assert_non_null(strstr(ask_with(NULL, "NORMAL"), "HTTP/1.1 403 "));
	assert_non_null(strstr(ask_with(&bad, "NORMAL"), "HTTP/1.1 403 "));
	assert_true(is_ok(ask_with(&good, "NORMAL")));
	assert_non_null(strstr(ask_with(NULL, "NORMAL"), "HTTP/1.1 403 "));
}

/* A client sends these as Authorization. */
#define NOBODY NULL
#define GOOD SECRET_SAID
#define WRONG WRONG_SAID
#define UNKNOWN_USER "Basic bm9ib2R5OnNlY3JldA=="

static void say(int fd, const char *authorization, const char *last)
{
	char request[1024];

	snprintf(request, sizeof(request), "GET /text HTTP/1.1\r\nHost: localhost\r\n%s%s%s%s\r\n",
		 authorization ? "Authorization: " : "", authorization ? authorization : "",
		 authorization ? "\r\n" : "", last);
	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
}

#define LAST "Connection: close\r\n"

static const char *ask_as(const char *authorization)
{
	int fd = connect_client();

	say(fd, authorization, LAST);
	return web_hear(fd);
}

static void assert_refused(const char *heard)
{
	assert_non_null(strstr(heard, "HTTP/1.1 401 "));
	assert_non_null(strstr(heard, "WWW-Authenticate: Basic realm=\"netstacklat\""));
	assert_null(strstr(heard, "the text"));
}

static void test_those_who_know_a_password_are_served(void **state)
{
	static const char *const refused[] = {
		NOBODY,	   WRONG,	    UNKNOWN_USER, "Basic", "Basic cHJvbWV0aGV1cw==",
		"Basic *", "Bearer secret", "Basic ",
	};

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
			assert_refused(ask_as(refused[i]));
		assert_true(is_ok(ask_as(GOOD)));
		assert_true(is_ok(ask_as("basic cHJvbWV0aGV1czpzZWNyZXQ=")));
	}
}

static void test_a_connection_may_change_its_mind(void **state)
{
	int fd = connect_client();
	const char *heard;

	(void)state;
	say(fd, GOOD, "");
	say(fd, GOOD, "");
	say(fd, WRONG, LAST);
	heard = web_hear(fd);
	assert_true(is_ok(heard));
	heard = strstr(heard, "the text") + strlen("the text");
	assert_true(is_ok(heard));
	assert_refused(strstr(heard, "the text") + strlen("the text"));
}

/* Whoever tries passwords keeps nobody waiting whose password is known. */
static void test_a_known_password_takes_no_check(void **state)
{
	int waits[MAX_ASKED];

	(void)state;
	assert_true(is_ok(ask_as(GOOD)));
	kill(checker.pid, SIGSTOP);
	for (int i = 0; i < MAX_ASKED; i++) {
		waits[i] = connect_client();
		say(waits[i], WRONG, LAST);
	}
	/* Requests of several clients are taken in any order. */
	usleep(100000);
	assert_true(is_ok(ask_as(GOOD)));
	assert_non_null(strstr(ask_as(WRONG), "HTTP/1.1 503 "));
	assert_non_null(strstr(ask_as(NOBODY), "HTTP/1.1 401 "));
	/* One goes away meanwhile. */
	close(waits[3]);
	kill(checker.pid, SIGCONT);
	for (int i = 0; i < MAX_ASKED; i++)
		if (i != 3)
			assert_refused(web_hear(waits[i]));
	assert_true(is_ok(ask_as(GOOD)));
}

static void test_the_end_does_not_wait_for_answers(void **state)
{
	int fd;

	(void)state;
	/* It is there to be ended. */
	assert_true(is_ok(ask_as(GOOD)));
	kill(checker.pid, SIGSTOP);
	fd = connect_client();
	say(fd, WRONG, "");
	usleep(100000);
	kill(pid, SIGTERM);
	web_hear(fd);
}

static void test_without_its_checker_it_ends(void **state)
{
	(void)state;
	assert_true(is_ok(ask_as(GOOD)));
}

static void test_a_body_is_refused(void **state)
{
	(void)state;
	assert_true(is_ok(ask_as(GOOD)));
	assert_non_null(strstr(ask_as(GOOD "\r\nContent-Length: 3"), "HTTP/1.1 400 "));
}

/* Files are looked at, unless this machine is busy. */
static void wait_for_renewal(void)
{
	wait_s(WEB_RENEWAL_S);
	usleep(200000);
}

/* It is time for it once, and not again before this ends; a busy machine takes longer for that. */
static bool is_renewed(bool (*is_so)(void))
{
	wait_s(WEB_RENEWAL_S);
	for (int i = 0; i < 5 * WEB_RENEWAL_S; i++) {
		if (is_so())
			return true;
		usleep(100000);
	}
	return false;
}

static bool is_served_by_client(void)
{
	return is_ok(ask_with(NULL, "NORMAL")) && !strcmp(served_by, "client");
}

static bool takes_a_password(void)
{
	return strstr(ask_with(NULL, "NORMAL"), "HTTP/1.1 401 ");
}

static bool is_good_refused(void)
{
	return !is_ok(ask_as(GOOD));
}

static bool is_nobody_served(void)
{
	return is_ok(ask_as(NOBODY));
}

static void test_a_certificate_is_renewed(void **state)
{
	(void)state;
	assert_true(is_ok(ask_with(NULL, "NORMAL")));
	assert_string_equal(served_by, "server");
	write_pair(&good);
	assert_true(is_renewed(is_served_by_client));
	/* From here on, only those are served that are known. */
	write_file("web.yml", PAIR USER(SECRET_HASH));
	assert_true(is_renewed(takes_a_password));
}

static void test_what_goes_wrong_leaves_all_as_it_was(void **state)
{
	(void)state;
	write_file("server.key", bad.key_pem);
	wait_for_renewal();
	assert_true(is_ok(ask_with(NULL, "NORMAL")));
	assert_string_equal(served_by, "server");
	write_file("server.pem", bad.pem);
	assert_true(is_renewed(is_served_by_client));
}

/* "other", by bcrypt. */
#define OTHER_HASH "$2b$04$swlJLnMhHP9b36/iz/BY/OUVEsSugpvQOS1sX3yE494kKXyZ7jyhq"
#define OTHER_SAID "Basic cHJvbWV0aGV1czpvdGhlcg=="

static void test_a_password_is_changed(void **state)
{
	int waits;

	(void)state;
	assert_true(is_ok(ask_as(GOOD)));
	/* One is just being checked, of a client that will not be served, nor anybody in its place.
	 */
	kill(checker.pid, SIGSTOP);
	waits = connect_client();
	say(waits, OTHER_SAID, LAST);
	usleep(100000);
	write_file("web.yml", USER(OTHER_HASH));
	wait_for_renewal();
	kill(checker.pid, SIGCONT);
	assert_null(strstr(web_hear(waits), "the text"));
	assert_true(is_renewed(is_good_refused));
	assert_refused(ask_as(GOOD));
	assert_true(is_ok(ask_as(OTHER_SAID)));
	assert_true(is_ok(ask_as(OTHER_SAID)));
	write_file("web.yml", "");
	assert_true(is_renewed(is_nobody_served));
}

static int make_all(void **state)
{
	(void)state;
	/* A connection may end while we ask, as what is served changes. */
	signal(SIGPIPE, SIG_IGN);
	if (make_folder())
		return -1;
	certificate_make(&authority, "authority", NULL);
	certificate_make(&impostor, "authority", NULL);
	certificate_make(&server, "server", &authority);
	certificate_make(&good, "client", &authority);
	certificate_make(&bad, "client", &impostor);
	return 0;
}

static int remove_all(void **state)
{
	static const char *const names[] = { "server.pem", "server.key" };

	(void)state;
	certificate_free(&authority);
	certificate_free(&impostor);
	certificate_free(&server);
	certificate_free(&good);
	certificate_free(&bad);
	return remove_folder(names, sizeof(names) / sizeof(*names));
}

/* The user and the password are as long as that. */
static enum password look_at(struct passwords *passwords, size_t user, size_t password)
{
	unsigned char text[512];
	const gnutls_datum_t plain = { text, user + 1 + password };
	gnutls_datum_t encoded;
	char header[1024];

	memset(text, 'a', sizeof(text));
	text[user] = ':';
	assert_int_equal(gnutls_base64_encode2(&plain, &encoded), 0);
	snprintf(header, sizeof(header), "Basic %.*s", (int)encoded.size, encoded.data);
	gnutls_free(encoded.data);
	return passwords_look(passwords, header, NULL);
}

static void test_who_has_more_letters_than_there_is_room_for_is_refused(void **state)
{
	static const struct web_config config = { .users = { { SECRET_USER, SECRET_HASH } },
						  .nr_users = 1 };
	struct passwords *passwords;
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	passwords = passwords_new(&config, ends[0]);
	assert_non_null(passwords);
	assert_int_equal(look_at(passwords, 63, 191), PASSWORD_ASKED);
	assert_int_equal(look_at(passwords, 63, 192), PASSWORD_BAD);
	assert_int_equal(look_at(passwords, 64, 191), PASSWORD_BAD);
	passwords_free(passwords);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
#define TEST(name, start) cmocka_unit_test_setup_teardown(name, start, stop_serving)
	const struct CMUnitTest tests[] = {
		TEST(test_pages_are_served, start_with_tls),
		TEST(test_what_is_older_than_the_oldest_version_is_refused, start_with_tls),
		TEST(test_clients_without_tls_get_nothing, start_with_tls),
		TEST(test_who_does_not_end_a_handshake_is_sent_away, start_with_tls),
		TEST(test_who_does_not_end_a_request_is_sent_away, start_with_tls),
		TEST(test_clients_need_a_certificate, start_for_clients_with_certificates),
		TEST(test_those_who_know_a_password_are_served, start_with_passwords),
		TEST(test_a_connection_may_change_its_mind, start_with_passwords),
		TEST(test_a_known_password_takes_no_check, start_with_passwords),
		TEST(test_the_end_does_not_wait_for_answers, start_with_passwords),
		TEST(test_a_body_is_refused, start_with_passwords),
		TEST(test_a_certificate_is_renewed, start_with_a_pair),
		TEST(test_what_goes_wrong_leaves_all_as_it_was, start_with_a_pair),
		TEST(test_a_password_is_changed, start_with_a_user),
		cmocka_unit_test_setup_teardown(test_without_its_checker_it_ends,
						start_with_passwords, stop_with_checker),
		cmocka_unit_test(test_who_has_more_letters_than_there_is_room_for_is_refused),
	};

	return cmocka_run_group_tests(tests, make_all, remove_all);
}
