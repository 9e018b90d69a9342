// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/log.h"

/* How long a reader that reads nothing has left after a signal. */
#define PATIENCE_MS 500
#define POLL_MS 100

static bool is_told_to_end(void)
{
	sigset_t pending;

	return !sigpending(&pending) &&
	       (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
		sigismember(&pending, SIGHUP));
}

/* Returns 0, or -1 with errno set: to ECANCELED if a signal ends the waiting. */
static int wait_for_reader(int fd)
{
	struct pollfd reader = { .fd = fd, .events = POLLOUT };
	int waited_ms = 0, ready;

	while (!(ready = poll(&reader, 1, POLL_MS))) {
		waited_ms = is_told_to_end() ? waited_ms + POLL_MS : 0;
		if (waited_ms < PATIENCE_MS)
			continue;
		errno = ECANCELED;
		return -1;
	}
	return ready < 0 ? -1 : 0;
}

/* Writes no more at once than a pipe that is ready takes without blocking. */
static ssize_t write_some(const char *data, size_t size)
{
	ssize_t written;

	do {
		if (wait_for_reader(STDOUT_FILENO))
			return -1;
		written = write(STDOUT_FILENO, data, size < PIPE_BUF ? size : PIPE_BUF);
	} while (written < 0 && (errno == EAGAIN || errno == EINTR));
	return written;
}

/* Of less than all, the C library takes note as an error. */
static ssize_t write_all(void *cookie, const char *data, size_t size)
{
	size_t done = 0;

	(void)cookie;
	while (done < size) {
		ssize_t written = write_some(data + done, size - done);

		if (written < 0)
			break;
		done += written;
	}
	return done;
}

void output_init(void)
{
	const cookie_io_functions_t functions = { .write = write_all };
	FILE *patient = fopencookie(NULL, "w", functions);

	/* The C library allows this, so that printf() goes there, too. */
	if (patient)
		stdout = patient;
}

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
	if (err == -EPIPE)
		return err;
	if (err != -ECANCELED)
		return log_failure(err, "cannot write to standard output");
	log_error("ended by a signal while nobody read the reports: what was not read is lost");
	return err;
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

void output_cancel(struct output *output)
{
	fclose(output->file);
	forget_temporary(output);
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
	if (!err)
		output_cancel(&output);
	return err;
}
