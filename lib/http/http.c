// SPDX-License-Identifier: GPL-2.0
#include "lib/http/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/http/clients.h"
#include "lib/http/listen.h"
#include "lib/http/passwords.h"
#include "lib/http/request.h"
#include "lib/http/response.h"
#include "lib/http/web_renewal.h"
#include "lib/tables/units.h"

/* The time after which to try again to accept clients, if that failed. */
#define RETRY_MS 100

/*
 * While a client pauses in its TLS handshake, libmicrohttpd asks to be run at once, again and again
 * (0.9.75). So after this many runs that no event asked for, there is a pause before each. It also
 * asks for that while it sends a page by TLS to a client that reads as fast, 16 KiB at a time.
 */
#define MAX_RUNS_AT_ONCE 64
#define MAX_RUNS_OF_ANSWERS 16384
#define PAUSE_MS 1

struct http {
	struct http_listener listeners[MAX_LISTEN_ADDRESSES];
	unsigned int nr_listeners;
	struct web_config open, *config;       /* for everybody; what is in effect */
	struct passwords *passwords;	       /* NULL: nobody will ever need any */
	struct web_renewal *renewal;	       /* NULL: there is nothing to renew */
	const struct http_listener *accepting; /* whose clients come now */
	bool cannot_accept;		       /* and has said so */
	struct loop *loop;
	struct MHD_Daemon *daemon;
	struct clients clients;
	int timer;
	unsigned int nr_runs_at_once; /* in a row, as no event asked for them */
	struct http_site site;
};

static struct client *client_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
		->socket_context;
}

/* Called when a client has been sent its answer, or never will be. */
static void on_completed(void *context, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode how)
{
	struct http *http = context;
	struct client *client = client_of(connection);

	(void)state, (void)how;
	if (client)
		clients_note_answer(&http->clients, client);
}

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned int status,
				     struct http_response *response)
{
	struct client *client = client_of(connection);

	client->response = http_response_hold(response);
	return MHD_queue_response(connection, status, http_response_content(response));
}

static enum MHD_Result answer_with(struct MHD_Connection *connection, unsigned int status,
				   const char *type, const char *text)
{
	char *copy = strdup(text);
	struct http_response *response =
		copy ? http_response_new(copy, strlen(text), type, false) : NULL;
	struct MHD_Response *content;
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	content = http_response_content(response);
	/* A client that asks for what there is not may send more of that. */
	if (status != MHD_HTTP_OK)
		MHD_add_response_header(content, MHD_HTTP_HEADER_CONNECTION, "close");
	if (status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(content, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
					"Basic realm=\"netstacklat\"");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(content, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = send_response(connection, status, response);
	http_response_release(response);
	return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned int status,
			      const char *why)
{
	return answer_with(connection, status, "text/plain; charset=utf-8", why);
}

/*
 * The request is answered when its password is checked. Until then, the library does not close the
 * connection, whatever its client does.
 */
static void wait_for_password(struct client *client, struct MHD_Connection *connection)
{
	clients_hold(client);
	client->waits = connection;
	MHD_suspend_connection(connection);
}

/* Returns MHD_HTTP_OK, the status of a refusal, or 0: that is not known yet. */
static unsigned int check_password(struct http *http, struct MHD_Connection *connection,
				   struct client *client)
{
	const char *said = request_header(connection, MHD_HTTP_HEADER_AUTHORIZATION);

	if (!http->config->nr_users)
		return MHD_HTTP_OK;
	if (client->is_checked) {
		client->is_checked = false;
		return client->is_good ? MHD_HTTP_OK : MHD_HTTP_UNAUTHORIZED;
	}
	switch (passwords_look(http->passwords, said, client)) {
	case PASSWORD_GOOD:
		return MHD_HTTP_OK;
	case PASSWORD_ASKED:
		wait_for_password(client, connection);
		return 0;
	case PASSWORD_TOO_MANY:
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	default:
		return MHD_HTTP_UNAUTHORIZED;
	}
}

static void go_on(struct http *http, struct client *client, bool is_good)
{
	struct MHD_Connection *connection = client->waits;

	client->waits = NULL;
	client->is_checked = true;
	client->is_good = is_good;
	clients_go_on(&http->clients, client);
	MHD_resume_connection(connection);
}

static bool has_body(struct MHD_Connection *connection)
{
	return request_header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH) ||
	       request_header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

/* Returns the status of a refusal, with why; MHD_HTTP_OK; or 0 if that is not known yet. */
static unsigned int look_at_client(struct http *http, struct MHD_Connection *connection,
				   struct client *client, const char **why)
{
	unsigned int status = request_refusal(connection, client->hosts, http->config, why);

	if (status != MHD_HTTP_OK)
		return status;
	status = check_password(http, connection, client);
	*why = status == MHD_HTTP_UNAUTHORIZED
		       ? "this takes a name and its password\n"
		       : "too many passwords are to be checked: try again\n";
	return status;
}

static enum MHD_Result send_page(struct http *http, struct MHD_Connection *connection,
				 const char *path)
{
	const struct http_page *page = http->site.pages;
	const struct http_request request = {
		.accept = request_header(connection, MHD_HTTP_HEADER_ACCEPT),
		.accept_encoding = request_header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING),
	};
	struct http_response *response;

	while (page->path && strcmp(page->path, path))
		page++;
	if (!page->path)
		return refuse(connection, MHD_HTTP_NOT_FOUND,
			      "there is no such page; / has links to those that there are\n");
	if (page->text)
		return answer_with(connection, MHD_HTTP_OK, page->type, page->text);
	response = page->get(http->site.context, &request);
	if (!response)
		return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
			      "netstacklat cannot make this page now, and says why on stderr\n");
	return send_response(connection, MHD_HTTP_OK, response);
}

/*
 * libmicrohttpd calls this when the headers of a request are complete, when the request is, and
 * when its password is checked. If it is answered at the first call, the library closes the
 * connection: there may be a body, for which nobody waits here.
 */
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *body,
			      size_t *body_size, void **state)
{
	struct http *http = context;
	struct client *client = client_of(connection);
	unsigned int status;
	const char *why;

	(void)version, (void)body, (void)body_size;
	/* There was no memory for it: it is being sent away. */
	if (!client)
		return MHD_NO;
	if (!*state) {
		*state = http;
		clients_note_request(&http->clients, client);
		if (!has_body(connection))
			return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
			      "pages can only be read, with GET or HEAD\n");
	if (http->config->nr_users && has_body(connection))
		return refuse(connection, MHD_HTTP_BAD_REQUEST,
			      "a request for a page has no body\n");
	status = look_at_client(http, connection, client, &why);
	if (!status)
		return MHD_YES;
	return status == MHD_HTTP_OK ? send_page(http, connection, path)
				     : refuse(connection, status, why);
}

/* Called when a client has connected, and before its connection is closed. */
static void on_connection(void *context, struct MHD_Connection *connection, void **client,
			  enum MHD_ConnectionNotificationCode what)
{
	int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	struct http *http = context;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*client)
			clients_remove(&http->clients, *client);
		return;
	}
	*client = clients_add(&http->clients, fd, http->accepting->hosts);
	if (!*client)
		shutdown(fd, SHUT_RDWR);
}

/* Sends a client away for another one. Returns false if there is none. */
static bool make_room(const struct http *http)
{
	if (!clients_end_one(&http->clients))
		return false;
	MHD_run(http->daemon);
	return true;
}

/* If there is no file left, accept() fails whether somebody waits or not. */
static int why_not_accepted(const struct http_listener *listener, int err)
{
	struct pollfd waiting = { .fd = listener->fd, .events = POLLIN };

	return poll(&waiting, 1, 0) ? err : -EAGAIN;
}

/* Returns 0, or a negative errno: -EAGAIN if nobody waits. */
static int accept_client(struct http *http, const struct http_listener *listener)
{
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	int fd = accept4(listener->fd, (struct sockaddr *)&from, &size,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return why_not_accepted(listener, -errno);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){ HTTP_SEND_BUFFER }, sizeof(int));
	if (http->clients.nr >= HTTP_MAX_CLIENTS)
		make_room(http);
	/*
	 * If that fails, the library has closed the socket. It calls on_connection() for no other
	 * one.
	 */
	http->accepting = listener;
	MHD_add_connection(http->daemon, fd, (struct sockaddr *)&from, size);
	MHD_run(http->daemon);
	return 0;
}

/*
 * Accepts clients that wait, but not so many that other events would wait for long. Returns 0 if
 * there may be more, -EAGAIN if there are none, or why they cannot be accepted.
 */
static int accept_clients_of(struct http *http, const struct http_listener *listener)
{
	int err = 0;

	for (int i = 0; i < HTTP_MAX_CLIENTS && !err; i++) {
		err = accept_client(http, listener);
		if ((err == -EMFILE || err == -ENFILE) && make_room(http))
			err = 0;
	}
	return err;
}

/* The same of all listeners: if there may be more at any of them, this is 0. */
static int accept_clients(struct http *http)
{
	int result = -EAGAIN;

	for (unsigned int i = 0; i < http->nr_listeners; i++) {
		int err = accept_clients_of(http, &http->listeners[i]);

		if (!err || result == -EAGAIN)
			result = err;
	}
	if (!result || result == -EAGAIN)
		http->cannot_accept = false;
	else if (!http->cannot_accept) {
		http->cannot_accept = true;
		log_failure(result, "cannot accept clients, and tries again; ulimit -n allows more "
				    "open files");
	}
	return result;
}

static uint64_t sooner_ns(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

static bool needs_pause(const struct http *http)
{
	unsigned int runs = http->nr_runs_at_once;

	return runs >= MAX_RUNS_OF_ANSWERS ||
	       (runs >= MAX_RUNS_AT_ONCE && !clients_have_answers(&http->clients));
}

/*
 * Returns when to look after clients again if no event asks for it; UINT64_MAX: never. Waiting
 * clients are reported only once, when they come: if not all could be accepted, this has another
 * look.
 */
static uint64_t next_time_ns(const struct http *http, int accept_err)
{
	uint64_t now_ns = clock_monotonic_ns(), next_ns = UINT64_MAX;
	unsigned MHD_LONG_LONG left_ms;

	if (!accept_err)
		return now_ns;
	if (accept_err != -EAGAIN)
		next_ns = now_ns + RETRY_MS * NS_PER_MS;
	if (MHD_get_timeout(http->daemon, &left_ms) == MHD_YES) {
		if (!left_ms && needs_pause(http))
			left_ms = PAUSE_MS;
		next_ns = sooner_ns(next_ns, now_ns + left_ms * NS_PER_MS);
	}
	return sooner_ns(next_ns, clients_next_ns(&http->clients));
}

/* Sets the timer, and so takes back the event of one that was due. */
static void wake_at(const struct http *http, uint64_t ns)
{
	struct itimerspec timer = { 0 };

	if (ns != UINT64_MAX)
		timer.it_value = (struct timespec){ ns / NS_PER_S, ns % NS_PER_S };
	timerfd_settime(http->timer, TFD_TIMER_ABSTIME, &timer, NULL);
}

static void run(struct http *http)
{
	MHD_run(http->daemon);
	clients_end_late(&http->clients);
	wake_at(http, next_time_ns(http, accept_clients(http)));
}

static int look_after_clients(void *context)
{
	struct http *http = context;

	http->nr_runs_at_once = 0;
	run(http);
	return 0;
}

/* The timer fired, as no event came. */
static int look_again(void *context)
{
	struct http *http = context;

	http->nr_runs_at_once++;
	run(http);
	return 0;
}

#define MAX_TLS_OPTIONS 5
/* As gnutls_priority_init(3) takes them. */
#define TLS13 "NORMAL:-VERS-ALL:+VERS-TLS1.3"

/* Returns whether there are any. */
static bool tls_options(const struct web_config *config,
			struct MHD_OptionItem options[MAX_TLS_OPTIONS])
{
	int nr = 0;

	if (config->certificate) {
		options[nr++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_CERT, 0,
							 config->certificate };
		options[nr++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_KEY, 0, config->key };
		options[nr++] =
			(struct MHD_OptionItem){ MHD_OPTION_HTTPS_PRIORITIES, 0,
						 config->needs_tls13 ? TLS13
								     : TLS13 ":+VERS-TLS1.2" };
	}
	if (config->client_authorities)
		options[nr++] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_TRUST, 0,
							 config->client_authorities };
	options[nr] = (struct MHD_OptionItem){ MHD_OPTION_END, 0, NULL };
	return nr;
}

/* A password is checked. */
static int on_password(void *context)
{
	struct http *http = context;
	void *client;
	bool is_good;

	if (!passwords_answer(http->passwords, &client, &is_good)) {
		log_error("the process that checks passwords has ended: start netstacklat anew");
		return -ECHILD;
	}
	if (client)
		go_on(http, client, is_good);
	return look_after_clients(http);
}

/*
 * libmicrohttpd accepts nobody itself. At its limit it would stop to listen, and would only go on
 * when it is run after clients have gone, which no event might tell.
 */
static struct MHD_Daemon *start_daemon(struct http *http)
{
	struct MHD_OptionItem tls[MAX_TLS_OPTIONS];
	unsigned int flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET;

	if (http->passwords)
		flags |= MHD_ALLOW_SUSPEND_RESUME;
	if (tls_options(http->config, tls))
		flags |= MHD_USE_TLS;
	return MHD_start_daemon(flags, 0, NULL, NULL, answer, http, MHD_OPTION_ARRAY, tls,
				MHD_OPTION_CONNECTION_LIMIT, (unsigned int)HTTP_MAX_CLIENTS,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_CLIENT_MEMORY,
				MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
				MHD_OPTION_NOTIFY_COMPLETED, on_completed, http, MHD_OPTION_END);
}

static int events_of(struct MHD_Daemon *daemon)
{
	return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

/* Clients whose passwords are being checked are served no more. */
static void stop_daemon(struct http *http, struct MHD_Daemon *daemon)
{
	struct client *client;

	while (http->passwords && (client = passwords_give_up(http->passwords)))
		go_on(http, client, false);
	MHD_stop_daemon(daemon);
}

/* Another daemon takes the place of the one before, whose clients must come again. */
static int replace_daemon(struct http *http, struct MHD_Daemon *daemon)
{
	loop_remove(http->loop, events_of(http->daemon));
	stop_daemon(http, http->daemon);
	http->daemon = daemon;
	return loop_add(http->loop, events_of(daemon), EPOLLIN, look_after_clients, http);
}

static int on_renewal(void *context, struct web_config *renewed)
{
	struct http *http = context;
	struct web_config before = *http->config;
	struct MHD_Daemon *daemon;
	int err;

	*http->config = *renewed;
	daemon = start_daemon(http);
	if (!daemon) {
		*http->config = before;
		web_config_free(renewed);
		log_error("cannot serve by what --web.config.file says now: what it said before "
			  "stays in effect");
		return 0;
	}
	err = replace_daemon(http, daemon);
	web_config_free(&before);
	log_notice("--web.config.file, or a file that it names, has changed: pages are served by "
		   "what it says now");
	return err ? err : look_after_clients(http);
}

static int add_to_loop(struct http *http, const struct http_access *access)
{
	int err = loop_add(http->loop, events_of(http->daemon), EPOLLIN, look_after_clients, http);

	/*
	 * Reported once for each client: one that cannot be accepted yet must not keep the loop
	 * busy.
	 */
	for (unsigned int i = 0; i < http->nr_listeners && !err; i++)
		err = loop_add(http->loop, http->listeners[i].fd, EPOLLIN | EPOLLET,
			       look_after_clients, http);
	if (!err && http->passwords)
		err = loop_add(http->loop, access->passwords, EPOLLIN, on_password, http);
	if (!err)
		err = loop_add(http->loop, http->timer, EPOLLIN, look_again, http);
	if (err || !access->config)
		return err;
	http->renewal = web_renewal_start(access->renewal, http->loop, on_renewal, http);
	return http->renewal ? 0 : -errno;
}

/* Returns 0 or, after saying what failed, a negative errno. */
static int prepare(struct http *http, const struct http_access *access)
{
	http->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	errno = 0;
	if (access->config) {
		http->config = access->config;
		http->passwords = passwords_new(http->config, access->passwords);
	}
	if (http->timer >= 0 && (!access->config || http->passwords))
		http->daemon = start_daemon(http);
	return http->daemon ? 0
			    : log_failure(errno ? -errno : -ENOMEM, "cannot start a web server");
}

struct http *http_start(const struct http_access *access, const struct http_site *site,
			struct loop *loop)
{
	struct http *http = calloc(1, sizeof(*http));
	int err;

	if (!http)
		return NULL;
	*http = (struct http){
		.nr_listeners = access->nr_listeners,
		.site = *site,
		.loop = loop,
	};
	memcpy(http->listeners, access->listeners,
	       access->nr_listeners * sizeof(*access->listeners));
	http->config = &http->open;
	clients_init(&http->clients);
	err = prepare(http, access);
	if (!err)
		err = add_to_loop(http, access);
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
	if (http->daemon)
		stop_daemon(http, http->daemon);
	web_renewal_free(http->renewal);
	passwords_free(http->passwords);
	close(http->timer);
	free(http);
}
