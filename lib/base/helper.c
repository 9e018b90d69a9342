// SPDX-License-Identifier: GPL-2.0
#include "lib/base/helper.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A helper has so long to end. */
#define PATIENCE_MS 2000
#define POLL_MS 5

int helper_start(struct helper *helper, void (*serve)(int socket, void *context), void *context)
{
	int ends[2], err;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = fork();
	if (!pid) {
		close(ends[0]);
		/* A reader of what we print waits for the last process that might write. */
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
		serve(ends[1], context);
		_exit(0);
	}
	err = -errno;
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return err;
	}
	*helper = (struct helper){ pid, ends[0] };
	return 0;
}

void helper_end(struct helper *helper)
{
	if (!helper->pid)
		return;
	close(helper->socket);
	/*
	 * A helper that waits for a file system may never end, so this waits no longer than that.
	 */
	for (int waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += POLL_MS) {
		if (waitpid(helper->pid, NULL, WNOHANG))
			break;
		poll(NULL, 0, POLL_MS);
	}
	helper->pid = 0;
}

bool helper_send(int socket, const void *data, size_t size)
{
	const char *rest = data;

	while (size) {
		ssize_t sent = send(socket, rest, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return false;
		rest += sent;
		size -= sent;
	}
	return true;
}

bool helper_receive(int socket, void *data, size_t size)
{
	char *rest = data;

	while (size) {
		ssize_t received = recv(socket, rest, size, MSG_WAITALL);

		if (received < 0 && errno == EINTR)
			continue;
		if (received <= 0)
			return false;
		rest += received;
		size -= received;
	}
	return true;
}
