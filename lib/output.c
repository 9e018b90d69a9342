// SPDX-License-Identifier: GPL-2.0
#include "output.h"

#include <errno.h>
#include <stdio.h>

#include "log.h"

int output_flush(void)
{
	int err;

	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	err = -errno;
	return err == -EPIPE ? err : log_failure(err, "cannot write to standard output");
}
