// SPDX-License-Identifier: GPL-2.0
#include "lib/confine/landlock.h"

#include <errno.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All that the first version knows: what later ones add, goes with these. */
#define ALL_ACCESS ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)

/* The C library has no functions for these calls. */
static int add_folder(int rules, int folder)
{
	const struct landlock_path_beneath_attr beneath = {
		.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
				  LANDLOCK_ACCESS_FS_REMOVE_FILE,
		.parent_fd = folder,
	};

	if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_landlock_restrict_self, rules, 0))
		return -errno;
	return 0;
}

int landlock_write_in(int folder)
{
	const struct landlock_ruleset_attr handled = { .handled_access_fs = ALL_ACCESS };
	int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0), err;

	if (rules < 0)
		return -errno;
	err = add_folder(rules, folder);
	close(rules);
	return err;
}
