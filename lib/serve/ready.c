// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/ready.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/log.h"

/* The manager must hear this, so a busy one is waited for; but not for ever. */
#define PATIENCE_S 5

void notify_ready(void)
{
	static const struct timeval patience = { .tv_sec = PATIENCE_S };
	static const char message[] = "READY=1";
	struct sockaddr_un manager = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t length = path ? strlen(path) : 0;
	socklen_t size = offsetof(struct sockaddr_un, sun_path) + length;
	int fd;

	if (!length || length >= sizeof(manager.sun_path))
		return;
	memcpy(manager.sun_path, path, length);
	/* A name that is no path. */
	if (*path == '@')
		*manager.sun_path = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (sendto(fd, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *)&manager, size) <
	    0)
		log_failure(-errno, "cannot tell %s that this is up", path);
	close(fd);
}
