// SPDX-License-Identifier: GPL-2.0
#include "lib/host/timestamping.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <sys/socket.h>
#include <unistd.h>

int timestamping_enable(void)
{
	const int flags = SOF_TIMESTAMPING_RX_SOFTWARE;
	int fd, err;

	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;

	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags))) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}
