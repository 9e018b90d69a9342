// SPDX-License-Identifier: GPL-2.0
#include "lib/host/self_usage.h"

#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/host/file_number.h"

struct self_usage self_usage_now(void)
{
	return (struct self_usage){
		.cpu_ns = clock_process_ns(),
		/* All pages, and then those that are resident (proc_pid_statm(5)). */
		.resident_bytes = file_number("/proc/self/statm", 1) * sysconf(_SC_PAGESIZE),
	};
}
