// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/cli/finding.h"
#include "lib/serve/output.h"
#include "lib/host/reasons.h"
#include "lib/kernel/btf_reasons.h"
#include "lib/kernel/preflight.h"

#define SYSCTL_PREQUEUE "/proc/sys/net/core/netdev_tstamp_prequeue"

static void print_kernel(void)
{
	char text[sizeof(struct utsname)];
	struct utsname kernel;

	uname(&kernel);
	snprintf(text, sizeof(text), "%s %s on %s", kernel.sysname, kernel.release, kernel.machine);
	finding_print(stdout, "ok", "kernel", text);
}

static bool print_requirements(const char *btf_path)
{
	for (int i = 0; i < NR_REQUIREMENTS; i++) {
		const struct requirement *requirement = &requirements[i];

		if (!requirement->is_met(btf_path)) {
			finding_print(stdout, "NO", requirement->name, requirement->remedy);
			return false;
		}
		finding_print(stdout, "ok", requirement->name, requirement->finding);
	}
	return true;
}

/* A kernel that tells why it drops packets has no need of symbols. */
static bool tells_why(const char *btf_path)
{
	struct reason_names *names = kernel_reason_names(btf_path);
	bool tells = names && !reason_names_are_symbols(names);

	reason_names_free(names);
	return tells;
}

/* CAP_SYS_ADMIN suffices to count, too, as has been checked by now. */
static bool has_right(enum right right)
{
	return right == RIGHT_TO_COUNT || privileges_have(rights[right].capabilities);
}

static void print_rights(unsigned int needed, const char *btf_path)
{
	if (needed & 1U << RIGHT_TO_FIND_SYMBOLS && tells_why(btf_path))
		needed &= ~(1U << RIGHT_TO_FIND_SYMBOLS);
	for (enum right right = 0; right < NR_RIGHTS; right++)
		if (needed >> right & 1)
			finding_print_right(stdout, right, has_right(right));
}

/* One packet to ourselves: returns when it has gone all the way up. */
static bool send_packet(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	const struct timeval patience = { .tv_sec = 1 };
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool received;
	char byte = 0;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	received = fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof(address)) &&
		   !getsockname(fd, (struct sockaddr *)&address, &length) &&
		   !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) &&
		   sendto(fd, &byte, 1, 0, (struct sockaddr *)&address, length) == 1 &&
		   recv(fd, &byte, 1, 0) == 1;
	close(fd);
	return received;
}

/* Tells by a packet that is sent meanwhile. Counts that cannot be read are none. */
static void print_timestamping(const struct loader *loader)
{
	struct map_fds maps = loader_maps(loader);
	struct counters *counters = counters_new(&maps);
	struct snapshot counts;

	snapshot_init(&counts, maps.resolution);
	if (counters && send_packet() && counters_read(counters, &counts))
		snapshot_clear_hooks(&counts, maps.resolution);
	finding_print_stamps(stdout, &counts);
	snapshot_free(&counts);
	counters_free(counters);
	finding_print_prequeue(stdout, SYSCTL_PREQUEUE);
}

int check(const struct plan *plan, unsigned int rights_needed)
{
	struct left_out left_out;
	struct loader *loader;
	int err, written;

	print_kernel();
	if (!print_requirements(plan->btf_path)) {
		written = output_flush();
		return written ? written : -ENOTSUP;
	}
	print_rights(rights_needed, plan->btf_path);

	loader = loader_start(plan, &left_out);
	err = loader ? 0 : -errno;
	if (loader) {
		finding_print_clock(stdout, loader_clock(loader));
		print_timestamping(loader);
	}
	if (loader || err == -ENOTSUP) {
		for (enum hook hook = 0; hook < NR_HOOKS; hook++)
			if (plan->hooks[hook])
				finding_print_hook(stdout, hook, &left_out);
	} else {
		finding_print(stdout, "NO", "programs", "cannot be loaded, see the message");
	}
	loader_free(loader);
	written = output_flush();
	return written ? written : err;
}
