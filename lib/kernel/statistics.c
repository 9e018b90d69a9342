// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/statistics.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "lib/base/log.h"

int statistics_enable(void)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	if (fd == -EPERM) {
		log_error("--overhead needs CAP_SYS_ADMIN, without which the kernel does not time "
			  "programs: run netstacklat as root, or without --overhead");
		return fd;
	}
	return fd < 0 ? log_failure(fd, "cannot have the kernel time programs") : fd;
}
