// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/host/clock.h"
#include "lib/tables/units.h"

/* The library knows only how long a client was idle, and a byte now and then is not. */
struct client {
	struct client *next, *previous; /* in the order in which they came */
	int fd;
	uint64_t until_ns;
};

struct http {
	struct MHD_Daemon *daemon;
	struct client clients; /* the ends of a ring of them */
	int timer;
	const struct http_page *pages;
	void *context;
};

static struct MHD_Response *response_of(struct http_response *response)
{
	return (struct MHD_Response *)response;
}

struct http_response *http_response_new(char *text, size_t size, const char *type, bool is_gzip)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);

	if (!response) {
		free(text);
		return NULL;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	if (is_gzip)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	return (struct http_response *)response;
}

void http_response_release(struct http_response *response)
{
	if (response)
		MHD_destroy_response(response_of(response));
}

static enum MHD_Result answer_with(struct MHD_Connection *connection, unsigned int status,
				   const char *type, const char *text)
{
	char *copy = strdup(text);
	struct http_response *response =
		copy ? http_response_new(copy, strlen(text), type, false) : NULL;
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response_of(response), MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, status, response_of(response));
	http_response_release(response);
	return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned int status,
			      const char *why)
{
	return answer_with(connection, status, "text/plain; charset=utf-8", why);
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Called when the headers of a request are complete. A body is not waited for. */
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *body,
			      size_t *body_size, void **state)
{
	const struct http *http = context;
	const struct http_page *page = http->pages;
	const struct http_request request = {
		.accept = header(connection, MHD_HTTP_HEADER_ACCEPT),
		.accept_encoding = header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING),
	};
	struct http_response *response;

	(void)version, (void)body, (void)body_size, (void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
			      "pages can only be read, with GET or HEAD\n");
	while (page->path && strcmp(page->path, path))
		page++;
	if (!page->path)
		return refuse(connection, MHD_HTTP_NOT_FOUND,
			      "there is no such page; / has links to those that there are\n");
	if (page->text)
		return answer_with(connection, MHD_HTTP_OK, page->type, page->text);
	response = page->get(http->context, &request);
	if (!response)
		return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
			      "netstacklat cannot make this page now, and says why on stderr\n");
	return MHD_queue_response(connection, MHD_HTTP_OK, response_of(response));
}

static void come(struct http *http, struct client *client, int fd)
{
	*client = (struct client){ .next = &http->clients,
				   .previous = http->clients.previous,
				   .fd = fd,
				   .until_ns = clock_monotonic_ns() + HTTP_CLIENT_S * NS_PER_S };
	client->previous->next = client->next->previous = client;
}

static void go(struct client *client)
{
	client->previous->next = client->next;
	client->next->previous = client->previous;
	free(client);
}

/* Called when a client has connected, and before its connection is closed. */
static void on_connection(void *context, struct MHD_Connection *connection, void **client,
			  enum MHD_ConnectionNotificationCode what)
{
	int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*client)
			go(*client);
		return;
	}
	*client = malloc(sizeof(struct client));
	if (*client)
		come(context, *client, fd);
	else
		shutdown(fd, SHUT_RDWR);
}

/* The library sees to the rest, as if the client had gone. */
static void end_late_clients(const struct http *http)
{
	const struct client *client = http->clients.next;
	uint64_t now_ns = clock_monotonic_ns();

	for (; client != &http->clients && client->until_ns <= now_ns; client = client->next)
		shutdown(client->fd, SHUT_RDWR);
}

/* When to look after clients again, if none of them does anything; 0: there is none. */
static uint64_t next_time_ns(const struct http *http)
{
	const struct client *first = http->clients.next;
	unsigned MHD_LONG_LONG left_ms;

	if (MHD_get_timeout(http->daemon, &left_ms) == MHD_YES)
		return clock_monotonic_ns() + left_ms * NS_PER_MS;
	return first == &http->clients ? 0 : first->until_ns;
}

static int look_after_clients(void *context)
{
	struct http *http = context;
	struct itimerspec timer = { 0 };
	uint64_t next_ns;

	MHD_run(http->daemon);
	end_late_clients(http);
	next_ns = next_time_ns(http);
	timer.it_value = (struct timespec){ next_ns / NS_PER_S, next_ns % NS_PER_S };
	/* A timer that was due is so no more: setting it takes the event, too. */
	timerfd_settime(http->timer, TFD_TIMER_ABSTIME, &timer, NULL);
	return 0;
}

static struct MHD_Daemon *start_daemon(struct http *http, int fd)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer, http,
				MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
				(unsigned int)HTTP_MAX_CLIENTS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				(size_t)HTTP_CLIENT_MEMORY, MHD_OPTION_NOTIFY_CONNECTION,
				on_connection, http, MHD_OPTION_END);
}

static int add_to_loop(struct http *http, struct loop *loop)
{
	int events = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	int err = loop_add(loop, events, EPOLLIN, look_after_clients, http);

	if (!err)
		err = loop_add(loop, http->timer, EPOLLIN, look_after_clients, http);
	return err;
}

struct http *http_start(int fd, const struct http_page *pages, void *context, struct loop *loop)
{
	struct http *http = calloc(1, sizeof(*http));
	int err = 0;

	if (!http)
		return NULL;
	*http = (struct http){ .pages = pages, .context = context };
	http->clients.next = http->clients.previous = &http->clients;
	http->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	errno = 0;
	http->daemon = start_daemon(http, fd);
	if (http->timer < 0 || !http->daemon)
		err = log_failure(errno ? -errno : -ENOMEM, "cannot start a web server");
	if (!err)
		err = add_to_loop(http, loop);
	if (!err)
		return http;
	http_end(http);
	errno = -err;
	return NULL;
}

void http_end(struct http *http)
{
	if (!http)
		return;
	if (http->daemon) {
		/* Stopping would close the socket that it listens at. */
		MHD_quiesce_daemon(http->daemon);
		MHD_stop_daemon(http->daemon);
	}
	close(http->timer);
	free(http);
}
