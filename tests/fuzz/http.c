// SPDX-License-Identifier: GPL-2.0
/* Requests to the web server, by a client that sends the input, hangs up, and reads to the end. */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/loop.h"
#include "lib/http/http.h"
#include "lib/http/negotiation.h"

static struct http_response *get_page(void *context, const struct http_request *request)
{
	static struct http_response *response;

	(void)context;
	http_response_release(response);
	response = NULL;
	if (!accepts_gzip(request->accept_encoding) && accepts_openmetrics(request->accept))
		response = http_response_new(strdup("page"), 4, "text/plain", false);
	return response;
}

static const struct http_page pages[] = {
	{ "/", "text/html", "text", NULL },
	{ "/metrics", .get = get_page },
	{ 0 },
};

static int client;
static char answer[1 << 16];
static size_t nr_answer;

/*
 * Until the server has hung up. The client does so in its direction only once the server has read
 * what was sent, which it does when it accepts the client: the library takes no notice of an end
 * that comes with the last bytes, and waits.
 */
static int read_answer(void *context)
{
	ssize_t nr = recv(client, answer + nr_answer, sizeof(answer) - nr_answer, MSG_DONTWAIT);

	(void)context;
	shutdown(client, SHUT_WR);
	if (nr < 0)
		return errno == EAGAIN ? 0 : LOOP_END;
	nr_answer += nr;
	return nr && nr_answer < sizeof(answer) ? 0 : LOOP_END;
}

/* At a name that the kernel chooses. */
static int listen_anywhere(void)
{
	const struct sockaddr anywhere = { .sa_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	require(!bind(fd, &anywhere, sizeof(anywhere.sa_family)) && !listen(fd, 1));
	return fd;
}

static void send_request(int listener, const uint8_t *data, size_t size)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);

	client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	require(!getsockname(listener, (struct sockaddr *)&address, &length));
	require(!connect(client, (struct sockaddr *)&address, length));
	require(send(client, data, size, MSG_NOSIGNAL) == (ssize_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loop *loop = loop_new();
	const struct http_site site = { .pages = pages };
	const struct http_listener listener = { listen_anywhere(), "host.example" };
	const struct http_access access = { .listeners = &listener, .nr_listeners = 1 };
	struct http *http;

	/* More takes no buffer without a reader. */
	if (size > sizeof(answer))
		return -1;
	nr_answer = 0;
	send_request(listener.fd, data, size);
	http = http_start(&access, &site, loop);
	require(loop && http && !loop_add(loop, client, EPOLLIN | EPOLLOUT, read_answer, NULL));
	require(!loop_run(loop));
	if (nr_answer) {
		require(!strncmp(answer, "HTTP/1.", strlen("HTTP/1.")));
		require(memmem(answer, nr_answer, "\r\n\r\n", 4));
	}
	close(client);
	loop_free(loop);
	http_end(http);
	close(listener.fd);
	return 0;
}
