// SPDX-License-Identifier: GPL-2.0
#include "output.h"

#include <errno.h>
#include <stdio.h>

#include "log.h"

int output_flush(void)
{
	int err;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	/* Of an earlier write, only that it failed is known for sure. */
	err = errno ? -errno : -EIO;
	return err == -EPIPE ? err : log_failure(err, "cannot write to standard output");
}
