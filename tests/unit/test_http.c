// SPDX-License-Identifier: GPL-2.0
/* The web server, in a process of its own, and clients of all kinds. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/http/http.h"
#include "lib/http/listen.h"
#include "lib/tables/units.h"
#include "web_server.h"

#define LARGE (8 << 20)

/* The server answers to some names at one, and to all at the other; clients ask at the third. */
static struct listen_address by_names, by_all, address;
static pid_t server;
static FILE *server_says;

/* Echoes what it accepts, or fails. */
static struct http_response *get_echo(void *context, const struct http_request *request)
{
	static struct http_response *response;
	char *text;

	(void)context;
	http_response_release(response);
	response = NULL;
	if (request->accept && !strcmp(request->accept, "fail"))
		return NULL;
	if (asprintf(&text, "%s %s", request->accept ? request->accept : "-",
		     request->accept_encoding ? request->accept_encoding : "-") >= 0)
		response = http_response_new(text, strlen(text), "text/x-echo", false);
	return response;
}

static struct http_response *get_large(void *context, const struct http_request *request)
{
	static struct http_response *response;

	(void)context, (void)request;
	if (!response)
		response = http_response_new(calloc(1, LARGE), LARGE, "text/x-large", true);
	return response;
}

static const struct http_page pages[] = {
	{ "/text", "text/x-plain", "the text", NULL },
	{ "/echo", .get = get_echo },
	{ "/large", .get = get_large },
	{ 0 },
};

/* It says on stderr why it cannot accept clients. */
static void serve(const struct http_listener listeners[2])
{
	const struct http_access access = { .listeners = listeners, .nr_listeners = 2 };

	dup2(fileno(server_says), STDERR_FILENO);
	web_serve(&access, pages);
}

static int start_server(void **state)
{
	struct http_listener listeners[2] = { { .hosts = "x,Node7.example" }, { .hosts = NULL } };

	(void)state;
	listen_parse("0", &by_names);
	listen_parse("0", &by_all);
	listeners[0].fd = listen_open(&by_names);
	listeners[1].fd = listen_open(&by_all);
	address = by_names;
	server_says = tmpfile();
	web_clock_start();
	server = fork();
	if (!server)
		serve(listeners);
	web_pid = server;
	close(listeners[0].fd);
	close(listeners[1].fd);
	return 0;
}

static int stop_server(void **state)
{
	int status;

	(void)state;
	fclose(server_says);
	kill(server, SIGTERM);
	return waitpid(server, &status, 0) == server && !status ? 0 : -1;
}

static int connect_client(void)
{
	return web_connect(&address);
}

/* Sends what the server may not want to hear to the end. */
static void say(int fd, const char *text)
{
	send(fd, text, strlen(text), MSG_NOSIGNAL);
}

#define REQUEST "GET /text HTTP/1.1\r\nHost: x\r\n\r\n"
#define LAST "Connection: close\r\n\r\n"
#define LAST_REQUEST "GET /text HTTP/1.1\r\nHost: x\r\n" LAST
#define LARGE_REQUEST "GET /large HTTP/1.1\r\nHost: x\r\n" LAST

/* With a last header that has the connection closed behind the answer. */
static const char *ask(const char *request)
{
	int fd = connect_client();
	char last[512];

	snprintf(last, sizeof(last), "%.*s" LAST, (int)(strlen(request) - 2), request);
	say(fd, last);
	return web_hear(fd);
}

static void assert_answer(const char *answer, const char *status, const char *body)
{
	const char *end = strstr(answer, "\r\n\r\n");

	assert_int_equal(strncmp(answer, "HTTP/1.1 ", 9), 0);
	assert_int_equal(strncmp(answer + 9, status, strlen(status)), 0);
	assert_non_null(end);
	assert_string_equal(end + 4, body);
	assert_non_null(strstr(answer, "Connection: close\r\n"));
}

static void test_pages(void **state)
{
	const char *answer;

	(void)state;
	answer = ask("GET /text HTTP/1.1\r\nHost: x\r\n\r\n");
	assert_answer(answer, "200", "the text");
	assert_non_null(strstr(answer, "Content-Type: text/x-plain\r\n"));
	assert_non_null(strstr(answer, "Content-Length: 8\r\n"));
	assert_null(strstr(answer, "Content-Encoding"));
	assert_answer(ask("GET /text?a=b HTTP/1.1\r\nHost: x\r\n\r\n"), "200", "the text");
	assert_answer(ask("GET /echo HTTP/1.1\r\nHost: x\r\naccept: some/thing;q=1\r\n"
			  "ACCEPT-encoding: gzip\r\n\r\n"),
		      "200", "some/thing;q=1 gzip");
	assert_answer(ask("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n"), "200", "- -");
}

static void test_head_is_get_without_the_body(void **state)
{
	const char *answer = ask("HEAD /text HTTP/1.1\r\nHost: x\r\n\r\n");

	(void)state;
	assert_answer(answer, "200", "");
	assert_non_null(strstr(answer, "Content-Length: 8\r\n"));
}

static void test_what_cannot_be_answered(void **state)
{
	static const char *const methods[] = { "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "X" };
	char request[128];

	(void)state;
	assert_answer(ask("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"), "404",
		      "there is no such page; / has links to those that there are\n");
	assert_answer(ask("GET /text/ HTTP/1.1\r\nHost: x\r\n\r\n"), "404",
		      "there is no such page; / has links to those that there are\n");
	assert_answer(ask("GET /echo HTTP/1.1\r\nHost: x\r\nAccept: fail\r\n\r\n"), "500",
		      "netstacklat cannot make this page now, and says why on stderr\n");
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		const char *answer;

		snprintf(request, sizeof(request), "%s /text HTTP/1.1\r\nHost: x\r\n\r\n",
			 methods[i]);
		answer = ask(request);
		assert_answer(answer, "405", "pages can only be read, with GET or HEAD\n");
		assert_non_null(strstr(answer, "Allow: GET, HEAD\r\n"));
	}
}

/* As a page of evil.example finds it, whose name leads here now. */
static void test_other_names_of_this_host(void **state)
{
	static const char *const ours[] = {
		"127.0.0.1", "127.0.0.1:9435", "[::1]", "[::1]:9719",
		"localhost", "LocalHost:80",   "x:1",	"node7.EXAMPLE"
	};
	static const char *const others[] = { "evil.example",
					      "evil.example:9435",
					      "",
					      "node7.example.",
					      "node7",
					      "y,x",
					      "127.0.0.1.evil.example",
					      "localhost.evil.example",
					      "x,node7.example",
					      ":80" };
	char request[256];

	(void)state;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		snprintf(request, sizeof(request), "GET /text HTTP/1.1\r\nHost: %s\r\n\r\n",
			 ours[i]);
		assert_answer(ask(request), "200", "the text");
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(request, sizeof(request), "GET /text HTTP/1.1\r\nHost: %s\r\n\r\n",
			 others[i]);
		assert_answer(ask(request), "421",
			      "netstacklat does not serve this name: ask for an address or for "
			      "localhost, or start it with --host=NAME\n");
	}
	address = by_all;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(request, sizeof(request), "GET /text HTTP/1.1\r\nHost: %s\r\n\r\n",
			 others[i]);
		assert_answer(ask(request), "200", "the text");
	}
}

/* Browsers say what they are up to. */
static void test_other_sites(void **state)
{
	static const struct {
		const char *headers, *status;
	} cases[] = {
		{ "Host: [::1]:9719\r\n", "200" },
		{ "Host: x\r\nOrigin: http://evil.example\r\n", "403" },
		{ "Host: x\r\nOrigin: null\r\nSec-Fetch-Mode: navigate\r\n", "403" },
		{ "Host: x\r\nSec-Fetch-Site: cross-site\r\n", "403" },
		{ "Host: x\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n", "403" },
		{ "Host: x\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n", "200" },
		{ "Host: x\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n", "200" },
		{ "Host: x\r\nSec-Fetch-Site: none\r\n", "200" },
	};
	char request[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool is_refused = *cases[i].status == '4';
		const char *answer;

		snprintf(request, sizeof(request), "GET /text HTTP/1.1\r\n%s\r\n",
			 cases[i].headers);
		answer = ask(request);
		assert_answer(answer, cases[i].status,
			      is_refused ? "there is nothing here for other sites\n" : "the text");
		assert_non_null(strstr(answer, "X-Content-Type-Options: nosniff\r\n"));
		assert_non_null(strstr(answer, "Cross-Origin-Resource-Policy: same-origin\r\n"));
	}
	assert_answer(ask("GET /text HTTP/1.0\r\n\r\n"), "200", "the text");
}

static void test_a_body_is_not_waited_for(void **state)
{
	(void)state;
	assert_answer(ask("POST /text HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc"),
		      "405", "pages can only be read, with GET or HEAD\n");
}

static void test_a_header_of_a_megabyte(void **state)
{
	static char header[1 << 20];
	int fd = connect_client();
	const char *answer;

	(void)state;
	memset(header, 'x', sizeof(header) - 1);
	say(fd, "GET /text HTTP/1.1\r\nHost: x\r\nAccept: ");
	say(fd, header);
	say(fd, "\r\n\r\n");
	answer = web_hear(fd);
	/* It closes while the client still sends, so the answer may be lost on the way. */
	assert_true(!*answer || !strncmp(answer, "HTTP/1.1 431 ", 13));
	fd = connect_client();
	say(fd, "GET /");
	say(fd, header);
	answer = web_hear(fd);
	assert_true(!*answer || !strncmp(answer, "HTTP/1.1 414 ", 13));
	assert_answer(ask("GET /text HTTP/1.1\r\nHost: x\r\n\r\n"), "200", "the text");
}

static void test_nonsense(void **state)
{
	(void)state;
	ask("\x16\x03\x01\x02 hello TLS\r\n\r\n");
	ask("GET\r\n\r\n");
	assert_answer(ask("GET /text HTTP/1.1\r\nHost: x\r\n\r\n"), "200", "the text");
}

/* What the server has sent to a client, and the kernel still keeps. */
static unsigned int nr_kept_for(int client)
{
	struct sockaddr_in ours = { 0 };
	socklen_t size = sizeof(ours);
	unsigned int from, to, nr, found = 0;
	char line[256];
	FILE *file = fopen("/proc/net/tcp", "re");

	assert_non_null(file);
	assert_int_equal(getsockname(client, (struct sockaddr *)&ours, &size), 0);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " %*d: %*x:%x %*x:%x %*x %x:", &from, &to, &nr) == 3 &&
		    from == ntohs(address.ipv4.sin_port) && to == ntohs(ours.sin_port))
			found = nr;
	fclose(file);
	return found;
}

/* All of them count as the service's own. */
static void test_clients_that_do_not_read_take_little_memory(void **state)
{
	int fd = connect_client();

	(void)state;
	say(fd, LARGE_REQUEST);
	for (int i = 0; i < 1000 && nr_kept_for(fd) < HTTP_SEND_BUFFER / 2; i++)
		usleep(10000);
	usleep(100000);
	assert_true(nr_kept_for(fd) && nr_kept_for(fd) <= 2 * HTTP_SEND_BUFFER);
	close(fd);
}

static void test_a_large_page_comes_whole_however_slowly_it_is_read(void **state)
{
	static char part[1 << 20];
	size_t length = 0;
	ssize_t size;
	int fd = connect_client();
	char *body = NULL;

	(void)state;
	say(fd, LARGE_REQUEST);
	while ((size = recv(fd, part, sizeof(part), 0)) > 0) {
		if (!length) {
			assert_non_null(memmem(part, size, "Content-Encoding: gzip\r\n", 24));
			body = memmem(part, size, "\r\n\r\n", 4);
			assert_non_null(body);
			length -= body + 4 - part;
		}
		length += size;
		usleep(10000);
	}
	close(fd);
	assert_int_equal(length, LARGE);
}

static void test_clients_that_leave_half_way(void **state)
{
	(void)state;
	for (int i = 0; i < 3 * HTTP_MAX_CLIENTS; i++) {
		int fd = connect_client();

		say(fd, i % 3 ? LARGE_REQUEST : "GET /large HT");
		if (i % 3 == 1)
			assert_int_equal(recv(fd, &(char){ 0 }, 1, 0), 1);
		close(fd);
	}
	assert_answer(ask("GET /text HTTP/1.1\r\nHost: x\r\n\r\n"), "200", "the text");
}

static double seconds_since(uint64_t start_ns)
{
	return (clock_monotonic_ns() - start_ns) / 1e9;
}

/* In all ways: a byte a second, an answer that nobody reads, empty lines, and nothing at all. */
static void test_slow_clients_are_sent_away(void **state)
{
	uint64_t start_ns = clock_monotonic_ns();
	int drips = connect_client(), stalled = connect_client();
	int silent[HTTP_MAX_CLIENTS - 2], sent = 0;

	(void)state;
	say(stalled, LARGE_REQUEST);
	/* As many as may be there at once. */
	for (int i = 0; i < HTTP_MAX_CLIENTS - 2; i++)
		silent[i] = connect_client();
	say(silent[0], "\r\n\r\n\r\n\r\n");
	while (send(drips, &REQUEST[sent++ % 20], 1, MSG_NOSIGNAL) == 1 && sent < 30) {
		/* None of them keeps it busy. */
		if (sent == HTTP_CLIENT_S / 2)
			web_assert_idle();
		wait_s(1);
	}
	assert_true(seconds_since(start_ns) >= HTTP_CLIENT_S);
	/* Counted in waits of a second, which are longer on a busy machine. */
	assert_true(sent <= HTTP_CLIENT_S + 5);
	assert_string_equal(web_hear(drips), "");
	assert_int_equal(strncmp(web_hear(stalled), "HTTP/1.1 200", 12), 0);
	for (int i = 0; i < HTTP_MAX_CLIENTS - 2; i++)
		assert_string_equal(web_hear(silent[i]), "");
}

/* Before those who are in the way are sent away. */
static void assert_served(void)
{
	uint64_t start_ns = clock_monotonic_ns();

	assert_answer(ask(REQUEST), "200", "the text");
	assert_true(seconds_since(start_ns) < HTTP_CLIENT_S / 2.0);
}

#define MAX_CROWD 400
static int crowd[MAX_CROWD];

static void connect_crowd(int nr)
{
	for (int i = 0; i < nr; i++)
		crowd[i] = connect_client();
}

static void close_crowd(int nr)
{
	for (int i = 0; i < nr; i++)
		close(crowd[i]);
}

static void test_bursts_of_clients_that_leave_at_once(void **state)
{
	static const int sizes[] = { HTTP_MAX_CLIENTS + 2, 200 };

	(void)state;
	for (int round = 0; round < 60; round++) {
		connect_crowd(sizes[round / 30]);
		close_crowd(sizes[round / 30]);
		assert_served();
	}
}

static void wait_for_events(void)
{
	usleep(100000);
}

/* All of them leave at once, whether they were accepted before or not. */
static void test_bursts_while_it_does_not_run(void **state)
{
	int status;

	(void)state;
	for (int round = 0; round < 5; round++) {
		if (round % 2) {
			connect_crowd(140);
			wait_for_events();
		}
		kill(server, SIGSTOP);
		assert_int_equal(waitpid(server, &status, WUNTRACED), server);
		if (!(round % 2))
			connect_crowd(140);
		close_crowd(140);
		kill(server, SIGCONT);
		wait_for_events();
		assert_served();
	}
}

/* Those who were sent away come again. */
static void test_more_idle_clients_than_there_may_be(void **state)
{
	/* A minute of it is for those who have one. */
	const char *longer = getenv("IDLE_S");
	int rounds = longer ? 3 * atoi(longer) : 3;
	int again = 0;

	(void)state;
	connect_crowd(MAX_CROWD);
	for (int i = 0; i < rounds; i++) {
		assert_served();
		usleep(300000);
		for (int j = 0; j < MAX_CROWD; j++) {
			if (recv(crowd[j], &(char){ 0 }, 1, MSG_DONTWAIT) && errno == EAGAIN)
				continue;
			close(crowd[j]);
			crowd[j] = connect_client();
			again++;
		}
	}
	assert_true(again >= rounds * (MAX_CROWD - HTTP_MAX_CLIENTS));
	close_crowd(MAX_CROWD);
}

static void test_more_clients_than_there_may_be_who_read_no_answer(void **state)
{
	(void)state;
	connect_crowd(HTTP_MAX_CLIENTS + 10);
	for (int i = 0; i < HTTP_MAX_CLIENTS + 10; i++)
		say(crowd[i], LARGE_REQUEST);
	assert_served();
	close_crowd(HTTP_MAX_CLIENTS + 10);
}

static void test_who_came_first_and_has_not_asked_makes_room(void **state)
{
	int reads = connect_client();
	size_t length = 0;
	ssize_t size;
	static char part[1 << 20];

	(void)state;
	say(reads, LARGE_REQUEST);
	assert_int_equal(recv(reads, part, 1, MSG_PEEK), 1);
	connect_crowd(HTTP_MAX_CLIENTS - 1);
	say(crowd[0], "GET");
	for (int i = 0; i < 3; i++) {
		assert_true(web_is_there(crowd[i]));
		assert_served();
		assert_false(web_is_there(crowd[i]));
		/* Whoever was served has gone: here is another one. */
		close(crowd[i]);
		crowd[i] = connect_client();
	}
	for (int i = 3; i < HTTP_MAX_CLIENTS - 1; i++)
		assert_true(web_is_there(crowd[i]));
	while ((size = recv(reads, part, sizeof(part), 0)) > 0)
		length += size;
	assert_true(length > LARGE);
	close(reads);
	close_crowd(HTTP_MAX_CLIENTS - 1);
}

/* So many files, and no more, may the server open from now on. */
static void leave_fds(int nr)
{
	struct rlimit limit;
	char path[64];

	/* That of the client before may still be open. */
	wait_for_events();
	assert_int_equal(prlimit(server, RLIMIT_NOFILE, NULL, &limit), 0);
	limit.rlim_cur = 0;
	while (nr >= 0) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", server, (int)limit.rlim_cur++);
		nr -= faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
	}
	limit.rlim_cur--;
	assert_int_equal(prlimit(server, RLIMIT_NOFILE, &limit, NULL), 0);
}

static void test_fewer_files_than_clients(void **state)
{
	(void)state;
	assert_served();
	leave_fds(2);
	/* Nobody has to go for nobody. */
	connect_crowd(2);
	wait_s(1);
	assert_true(web_is_there(crowd[0]) && web_is_there(crowd[1]));
	close_crowd(2);
	connect_crowd(20);
	for (int i = 0; i < 3; i++) {
		assert_served();
		wait_s(1);
	}
	web_assert_idle();
	close_crowd(20);
	connect_crowd(200);
	close_crowd(200);
	assert_served();
}

static void test_no_file_for_a_client(void **state)
{
	char said[256];
	int client;

	(void)state;
	assert_served();
	leave_fds(0);
	client = connect_client();
	say(client, LAST_REQUEST);
	wait_s(2);
	assert_true(web_is_there(client));
	/* It tries again, but not all the time. */
	web_assert_idle();
	leave_fds(1);
	assert_answer(web_hear(client), "200", "the text");
	assert_served();
	rewind(server_says);
	assert_non_null(fgets(said, sizeof(said), server_says));
	assert_string_equal(said, "netstacklat: cannot accept clients, and tries again; ulimit -n "
				  "allows more open files: Too many open files\n");
	assert_null(fgets(said, sizeof(said), server_says));
}

/* The answer to REQUEST, whose connection is kept. */
static void assert_kept_after_answer(int fd)
{
	char answer[1024];
	size_t length = 0;
	ssize_t size;

	do {
		size = recv(fd, answer + length, sizeof(answer) - 1 - length, 0);
		assert_true(size > 0);
		length += size;
		answer[length] = '\0';
	} while (!strstr(answer, "\r\n\r\nthe text"));
	assert_int_equal(strncmp(answer, "HTTP/1.1 200 ", 13), 0);
	assert_null(strstr(answer, "Connection: close"));
	assert_true(web_is_there(fd));
}

static void test_a_connection_is_kept_for_the_next_request(void **state)
{
	int fd = connect_client();

	(void)state;
	for (int i = 0; i < 5; i++) {
		say(fd, REQUEST);
		assert_kept_after_answer(fd);
	}
	/* Two at once. */
	say(fd, REQUEST LAST_REQUEST);
	assert_answer(strstr(web_hear(fd), "the text") + strlen("the text"), "200", "the text");
}

static void test_no_connection_is_kept_after_an_error(void **state)
{
	int fd = connect_client();

	(void)state;
	say(fd, "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
	assert_answer(web_hear(fd), "404",
		      "there is no such page; / has links to those that there are\n");
	fd = connect_client();
	say(fd, "POST /text HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n" REQUEST);
	assert_answer(web_hear(fd), "405", "pages can only be read, with GET or HEAD\n");
}

/* It has three minutes from its last answer on, whatever it begins to ask meanwhile. */
static void test_who_is_kept_goes_after_a_while(void **state)
{
	int fd = connect_client(), other = connect_client();

	(void)state;
	say(fd, REQUEST);
	say(other, REQUEST);
	assert_kept_after_answer(fd);
	assert_kept_after_answer(other);
	wait_s(HTTP_KEEP_S / 2);
	say(fd, REQUEST);
	assert_kept_after_answer(fd);
	say(other, "GET /te");
	wait_s(HTTP_KEEP_S / 2 - 20);
	assert_true(web_is_there(other));
	wait_s(20);
	assert_string_equal(web_hear(other), "");
	wait_s(HTTP_KEEP_S / 2 - 20);
	assert_true(web_is_there(fd));
	wait_s(20);
	assert_string_equal(web_hear(fd), "");
}

static void test_who_is_kept_makes_room_first(void **state)
{
	int first, second;

	(void)state;
	connect_crowd(HTTP_MAX_CLIENTS - 2);
	first = connect_client();
	second = connect_client();
	say(second, REQUEST);
	assert_kept_after_answer(second);
	say(first, REQUEST);
	assert_kept_after_answer(first);
	assert_served();
	assert_false(web_is_there(second));
	/* Whoever was served has gone: here is another one. */
	close(second);
	second = connect_client();
	assert_true(web_is_there(first));
	assert_served();
	assert_false(web_is_there(first));
	for (int i = 0; i < HTTP_MAX_CLIENTS - 2; i++)
		assert_true(web_is_there(crowd[i]));
	assert_true(web_is_there(second));
	close(first);
	close(second);
	close_crowd(HTTP_MAX_CLIENTS - 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_server, stop_server)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_pages),
		TEST(test_head_is_get_without_the_body),
		TEST(test_what_cannot_be_answered),
		TEST(test_other_names_of_this_host),
		TEST(test_other_sites),
		TEST(test_a_body_is_not_waited_for),
		TEST(test_a_header_of_a_megabyte),
		TEST(test_nonsense),
		TEST(test_clients_that_do_not_read_take_little_memory),
		TEST(test_a_large_page_comes_whole_however_slowly_it_is_read),
		TEST(test_clients_that_leave_half_way),
		TEST(test_slow_clients_are_sent_away),
		TEST(test_bursts_of_clients_that_leave_at_once),
		TEST(test_bursts_while_it_does_not_run),
		TEST(test_more_idle_clients_than_there_may_be),
		TEST(test_more_clients_than_there_may_be_who_read_no_answer),
		TEST(test_who_came_first_and_has_not_asked_makes_room),
		TEST(test_a_connection_is_kept_for_the_next_request),
		TEST(test_no_connection_is_kept_after_an_error),
		TEST(test_who_is_kept_goes_after_a_while),
		TEST(test_who_is_kept_makes_room_first),
		TEST(test_fewer_files_than_clients),
		TEST(test_no_file_for_a_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
