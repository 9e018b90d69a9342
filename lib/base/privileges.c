// SPDX-License-Identifier: GPL-2.0
#include "lib/base/privileges.h"

#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lib/base/log.h"

static bool has(cap_value_t capability, cap_flag_t set)
{
	cap_flag_value_t value = CAP_CLEAR;
	cap_t process = cap_get_proc();

	if (process)
		cap_get_flag(process, capability, set, &value);
	cap_free(process);
	return value == CAP_SET;
}

/* Of those below, each returns 0, or -1 with errno set. */

/* Who may not empty it gets no more from it either, without new privileges. */
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

/* Those of them that are permitted. The ambient set goes with these. */
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
	/* Where users may make no bpf() calls, not even to read a map that is open. */
	cap_value_t to_read_maps = has(CAP_BPF, CAP_PERMITTED) ? CAP_BPF : CAP_SYS_ADMIN;

	if (empty_bounding_set() || become_nobody() || keep_capabilities(1ULL << to_read_maps))
		return fail();
	return 0;
}

int privileges_keep(uint64_t capabilities)
{
	return empty_bounding_set() || keep_capabilities(capabilities) ? fail() : 0;
}
