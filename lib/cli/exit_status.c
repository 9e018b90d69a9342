// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/exit_status.h"

#include <errno.h>
#include <stdlib.h>
#include <sysexits.h>

int exit_status(int err)
{
	switch (err) {
	case 0:
	/* A reader of standard output that has seen enough is no failure. */
	case -EPIPE:
		return EXIT_SUCCESS;
	case STATUS_FINDINGS:
	case STATUS_UNDECIDED:
		return err;
	case -ENOTSUP:
		return EX_NOPERM;
	default:
		return EXIT_FAILURE;
	}
}
