// SPDX-License-Identifier: GPL-2.0
#include "lib/confine/privileges.h"

#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lib/base/log.h"

#define BIT(capability) (1ULL << CAP_##capability)

/* These are needed to enter another's namespace, and to see in /proc which one that is. */
#define OTHERS_NETNS (BIT(SYS_ADMIN) | BIT(SYS_PTRACE))

const struct right_needs rights[NR_RIGHTS] = {
	[RIGHT_TO_COUNT] = { BIT(BPF) | BIT(PERFMON), "to count", NULL },
	[RIGHT_TO_READ_MAPS] = { BIT(BPF), "to read maps", NULL },
	[RIGHT_TO_FILTER_NETNS] = { OTHERS_NETNS, "-n", "only its own namespace is found" },
	[RIGHT_TO_FIND_NAMES] = { OTHERS_NETNS, "names of interfaces",
				  "numbers stand for those of other namespaces" },
	[RIGHT_TO_FIND_FACTS] = { OTHERS_NETNS | BIT(NET_ADMIN), "--diagnose",
				  "it says less of qdiscs and netfilter" },
	[RIGHT_TO_FIND_SYMBOLS] = { BIT(SYSLOG), "names of drops", "they are called unknown" },
	[RIGHT_TO_NAME_STACKS] = { BIT(SYSLOG), "--stack", NULL },
	[RIGHT_TO_TIME_PROGRAMS] = { BIT(SYS_ADMIN), "--overhead", NULL },
	[RIGHT_TO_WRITE_FILE] = { BIT(DAC_OVERRIDE), "--output-file",
				  "the folder must be one to write to" },
	[RIGHT_TO_REMOVE_SOCKET] = { BIT(DAC_OVERRIDE), "--listen=unix:PATH",
				     "the folder must be one to write to" },
};

static bool has(cap_value_t capability, cap_flag_t set)
{
	cap_flag_value_t value = CAP_CLEAR;
	cap_t process = cap_get_proc();

	if (process)
		cap_get_flag(process, capability, set, &value);
	cap_free(process);
	return value == CAP_SET;
}

bool privileges_have(uint64_t capabilities)
{
	for (cap_value_t capability = 0; capability < 64; capability++)
		if (capabilities >> capability & 1 && !has(capability, CAP_EFFECTIVE))
			return false;
	return true;
}

/* Each of those below returns 0, or -1 with errno set. */

/*
 * A process that may not empty its bounding set gets no more from it either, as it has no new
 * privileges.
 */
static int empty_bounding_set(void)
{
	if (!has(CAP_SETPCAP, CAP_EFFECTIVE))
		return 0;
	for (cap_value_t capability = 0; CAP_IS_SUPPORTED(capability); capability++)
		if (cap_drop_bound(capability))
			return -1;
	return 0;
}

/* Leaves capabilities permitted, but not in effect. */
static int become_nobody(void)
{
	if (geteuid() || !has(CAP_SETUID, CAP_EFFECTIVE) || !has(CAP_SETGID, CAP_EFFECTIVE))
		return 0;
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setgroups(0, NULL) ||
	    setresgid(NOBODY, NOBODY, NOBODY))
		return -1;
	return setresuid(NOBODY, NOBODY, NOBODY);
}

/* Keeps the rights in the set that are permitted. The ambient set goes with the others. */
static int keep_capabilities(uint64_t capabilities)
{
	cap_t kept = cap_init();
	int result;

	if (!kept)
		return -1;
	for (cap_value_t capability = 0; CAP_IS_SUPPORTED(capability); capability++) {
		if (!(capabilities & 1ULL << capability) || !has(capability, CAP_PERMITTED))
			continue;
		cap_set_flag(kept, CAP_PERMITTED, 1, &capability, CAP_SET);
		cap_set_flag(kept, CAP_EFFECTIVE, 1, &capability, CAP_SET);
	}
	result = cap_set_proc(kept);
	cap_free(kept);
	return result ? result : prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static int fail(void)
{
	return log_failure(-errno, "cannot drop privileges");
}

int privileges_drop(void)
{
	uint64_t kept = has(CAP_BPF, CAP_PERMITTED) ? rights[RIGHT_TO_READ_MAPS].capabilities
						    : BIT(SYS_ADMIN);

	if (empty_bounding_set() || become_nobody() || keep_capabilities(kept))
		return fail();
	return 0;
}

int privileges_keep(uint64_t capabilities)
{
	return empty_bounding_set() || keep_capabilities(capabilities) ? fail() : 0;
}
