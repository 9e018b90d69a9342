// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/log.h"

/* Why a write failed. Of an earlier write, it may only be known that it failed. */
static int write_error(void)
{
	return errno ? -errno : -EIO;
}

int output_flush(void)
{
	int err;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	err = write_error();
	return err == -EPIPE ? err : log_failure(err, "cannot write to standard output");
}

static int fail(const struct output *output, int err)
{
	return log_failure(err, "cannot write to '%s'", output->path);
}

static void forget_temporary(struct output *output)
{
	unlink(output->temporary);
	free(output->temporary);
	output->temporary = NULL;
}

/* Makes the temporary file, for all to read: whoever collects reports is not root. */
static int open_temporary(struct output *output)
{
	int fd = mkostemp(output->temporary, O_CLOEXEC);
	int err;

	if (fd < 0) {
		err = -errno;
		free(output->temporary);
		output->temporary = NULL;
		return err;
	}
	if (!fchmod(fd, 0644)) {
		output->file = fdopen(fd, "w");
		if (output->file)
			return 0;
	}
	err = -errno;
	close(fd);
	forget_temporary(output);
	return err;
}

int output_begin(struct output *output)
{
	int err;

	output->file = stdout;
	output->temporary = NULL;
	if (!output->path)
		return 0;
	if (asprintf(&output->temporary, "%s.XXXXXX", output->path) < 0)
		return fail(output, -ENOMEM);
	err = open_temporary(output);
	return err ? fail(output, err) : 0;
}

int output_end(struct output *output)
{
	int err = 0;

	if (!output->path)
		return output_flush();

	errno = 0;
	if (fflush(output->file) || ferror(output->file))
		err = write_error();
	if (fclose(output->file) && !err)
		err = write_error();
	if (!err && rename(output->temporary, output->path))
		err = -errno;
	if (err) {
		forget_temporary(output);
		return fail(output, err);
	}
	free(output->temporary);
	return 0;
}

int output_try(const char *path)
{
	struct output output = { .path = path };
	struct stat existing;
	int err;

	/* It would be replaced by a file, which is no good end for a device. */
	if (!lstat(path, &existing) && !S_ISREG(existing.st_mode)) {
		log_error("cannot write to '%s': it is no regular file", path);
		return -EINVAL;
	}
	err = output_begin(&output);
	if (err)
		return err;
	fclose(output.file);
	forget_temporary(&output);
	return 0;
}
