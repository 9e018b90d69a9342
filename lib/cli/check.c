// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/check.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/tables/hooks.h"
#include "lib/serve/output.h"
#include "lib/host/reasons.h"
#include "lib/kernel/btf_reasons.h"
#include "lib/kernel/preflight.h"

#define SYSCTL_PREQUEUE "/proc/sys/net/core/netdev_tstamp_prequeue"

#define NAME_COLUMN 6
#define TEXT_COLUMN 28
#define TEXT_WIDTH (80 - TEXT_COLUMN)

/* "ok  name  text", the text in as many lines as it takes. */
static void print_finding(const char *verdict, const char *name, const char *text)
{
	printf("%-*s%-*s", NAME_COLUMN, verdict, TEXT_COLUMN - NAME_COLUMN, name);
	while (strlen(text) > TEXT_WIDTH) {
		int length = TEXT_WIDTH;

		while (length > 0 && text[length] != ' ')
			length--;
		if (!length)
			length = TEXT_WIDTH;
		printf("%.*s\n%*s", length, text, TEXT_COLUMN, "");
		text += length + (text[length] == ' ');
	}
	puts(text);
}

static void print_kernel(void)
{
	char text[sizeof(struct utsname)];
	struct utsname kernel;

	uname(&kernel);
	snprintf(text, sizeof(text), "%s %s on %s", kernel.sysname, kernel.release, kernel.machine);
	print_finding("ok", "kernel", text);
}

static bool print_requirements(const char *btf_path)
{
	for (int i = 0; i < NR_REQUIREMENTS; i++) {
		const struct requirement *requirement = &requirements[i];

		if (!requirement->is_met(btf_path)) {
			print_finding("NO", requirement->name, requirement->remedy);
			return false;
		}
		print_finding("ok", requirement->name, requirement->finding);
	}
	return true;
}

/* "CAP_BPF, CAP_PERFMON" */
static void write_capabilities(uint64_t capabilities, FILE *out)
{
	const char *separator = "";

	for (cap_value_t capability = 0; capability < 64; capability++) {
		char *name = capabilities >> capability & 1 ? cap_to_name(capability) : NULL;

		if (!name)
			continue;
		fputs(separator, out);
		for (const char *letter = name; *letter; letter++)
			fputc(toupper(*letter), out);
		cap_free(name);
		separator = ", ";
	}
}

static void print_right(enum right right)
{
	uint64_t capabilities = rights[right].capabilities;
	const char *otherwise = rights[right].otherwise;
	/* CAP_SYS_ADMIN suffices to count, too, as has been checked by now. */
	bool has = right == RIGHT_TO_COUNT || privileges_have(capabilities);
	char text[200] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (!out)
		return;
	write_capabilities(capabilities, out);
	if (!has)
		fprintf(out, ": not here, so %s", otherwise ? otherwise : "this fails");
	fclose(out);
	print_finding(has ? "ok" : otherwise ? "part" : "NO", rights[right].name, text);
}

/* A kernel that tells why it drops packets has no need of symbols. */
static bool tells_why(const char *btf_path)
{
	struct reason_names *names = kernel_reason_names(btf_path);
	bool tells = names && !reason_names_are_symbols(names);

	reason_names_free(names);
	return tells;
}

static void print_rights(unsigned int needed, const char *btf_path)
{
	if (needed & 1U << RIGHT_TO_FIND_SYMBOLS && tells_why(btf_path))
		needed &= ~(1U << RIGHT_TO_FIND_SYMBOLS);
	for (enum right right = 0; right < NR_RIGHTS; right++)
		if (needed >> right & 1)
			print_right(right);
}

static void print_clock(const struct loader *loader)
{
	struct clock_offsets offsets;
	char text[160];

	if (clock_read_offsets(&offsets))
		return;
	snprintf(text, sizeof(text), "%+.0f s%s", offsets.tai_ns / 1e9,
		 offsets.tai_ns ? "" : ": not set in the kernel, which does no harm");
	print_finding("ok", "TAI offset", text);
	print_finding("ok", "clock of the programs",
		      loader_clock(loader) == CLOCK_TAI
			      ? "TAI"
			      : "monotonic, as with --stages and before Linux 6.1");
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

/*
 * Returns whether packets carry stamps although we did not ask for them; the kernel does not tell.
 */
static const char *find_timestamping(const struct loader *loader)
{
	struct map_fds maps = loader_maps(loader);
	struct counters *counters = counters_new(&maps);
	uint64_t stamped = 0, unstamped = 0;
	struct snapshot counts;

	snapshot_init(&counts, maps.resolution);
	if (counters && send_packet() && !counters_read(counters, &counts)) {
		for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
			if (hooks[hook].has & HAS_SPAN)
				continue;
			stamped += histogram_count(&counts.hooks[hook].latency);
			unstamped += counts.hooks[hook].discarded[DISCARD_NO_STAMP];
		}
	}
	snapshot_free(&counts);
	counters_free(counters);
	if (stamped)
		return "on already, for another program";
	return unstamped ? "off; netstacklat turns them on while it runs"
			 : "on while netstacklat runs; no packet showed whether they are already";
}

static void print_timestamping(const struct loader *loader)
{
	FILE *sysctl = fopen(SYSCTL_PREQUEUE, "re");
	int prequeue = sysctl ? fgetc(sysctl) : EOF;

	if (sysctl)
		fclose(sysctl);
	print_finding("ok", "receive time stamps", find_timestamping(loader));
	if (prequeue == EOF)
		return;
	print_finding("ok", "stamps are taken",
		      prequeue == '0'
			      ? "after RPS (net.core.netdev_tstamp_prequeue is 0): the wait for "
				"another CPU is not measured"
			      : "before RPS (net.core.netdev_tstamp_prequeue is 1)");
}

/* Says where the programs of a hook are attached, and why not elsewhere. */
static void print_hook(enum hook hook, const struct left_out *left_out)
{
	char targets[HOOK_TEXT_SIZE], reason[HOOK_TEXT_SIZE];
	bool complete = !*hook_reason(hook, left_out, reason);

	if (!hook_is_attached(hook, left_out)) {
		print_finding("NO", hooks[hook].name, reason);
		return;
	}
	print_finding(complete ? "ok" : "part", hooks[hook].name,
		      hook_targets(hook, left_out, targets));
	if (!complete)
		print_finding("", "", reason);
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
		print_clock(loader);
		print_timestamping(loader);
	}
	if (loader || err == -ENOTSUP) {
		for (enum hook hook = 0; hook < NR_HOOKS; hook++)
			if (plan->hooks[hook])
				print_hook(hook, &left_out);
	} else {
		print_finding("NO", "programs", "cannot be loaded, see the message");
	}
	loader_free(loader);
	written = output_flush();
	return written ? written : err;
}
