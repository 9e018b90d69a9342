// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/privileges.h"

#include <errno.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include "lib/base/log.h"
#include "lib/tables/config.h"

/* Keeps a capability, if there is that one. */
static bool keep(cap_t kept, cap_t permitted, cap_value_t capability)
{
	cap_flag_value_t is_permitted = CAP_CLEAR;

	cap_get_flag(permitted, capability, CAP_PERMITTED, &is_permitted);
	if (is_permitted == CAP_CLEAR)
		return false;
	cap_set_flag(kept, CAP_PERMITTED, 1, &capability, CAP_SET);
	cap_set_flag(kept, CAP_EFFECTIVE, 1, &capability, CAP_SET);
	return true;
}

static void keep_needed(cap_t kept, cap_t permitted, unsigned int group_by, bool writes_files)
{
	/* Where users may make no bpf() calls, not even to read a map that is open. */
	if (!keep(kept, permitted, CAP_BPF))
		keep(kept, permitted, CAP_SYS_ADMIN);
	/* setns(), and /proc/PID/ns of others */
	if (group_by & (1U << KEY_INTERFACE | 1U << KEY_NETNS)) {
		keep(kept, permitted, CAP_SYS_ADMIN);
		keep(kept, permitted, CAP_SYS_PTRACE);
	}
	/* open_by_handle_at() */
	if (group_by & 1U << KEY_CGROUP)
		keep(kept, permitted, CAP_DAC_READ_SEARCH);
	if (writes_files)
		keep(kept, permitted, CAP_DAC_OVERRIDE);
}

int privileges_drop(unsigned int group_by, bool writes_files)
{
	cap_t permitted = cap_get_proc(), kept = cap_init();
	int err = permitted && kept ? 0 : -ENOMEM;

	if (!err) {
		keep_needed(kept, permitted, group_by, writes_files);
		if (cap_set_proc(kept) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
			err = -errno;
	}
	cap_free(permitted);
	cap_free(kept);
	return err ? log_failure(err, "cannot drop privileges") : 0;
}
