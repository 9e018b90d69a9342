// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/log.h"

/* A consumer that reads nothing has so long after a signal. */
#define PATIENCE_MS 500
#define POLL_MS 100

bool output_interrupted(void)
{
	sigset_t pending;

	return !sigpending(&pending) &&
	       (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
		sigismember(&pending, SIGHUP));
}

/* Output that is printed while others are served. They must not wait for its consumer. */
static struct {
	bool is_on;
	int patience_ms; /* with the consumer */
	char *report;	 /* that is being printed ... */
	size_t size, room;
	bool is_whole; /* ... for all of which there was memory */
	char *rest;    /* of the one before: what nobody has taken yet */
	size_t rest_size;
	uint64_t nr_dropped; /* since somebody took something */
} shared;

/* Returns 0, or -1 with errno set: to ECANCELED if a signal ends the waiting, or to EAGAIN. */
static int wait_for_reader(int fd)
{
	struct pollfd consumer = { .fd = fd, .events = POLLOUT };
	int once_ms = shared.is_on && !shared.patience_ms ? 0 : POLL_MS, waited_ms = 0, ready;

	while (!(ready = poll(&consumer, 1, once_ms))) {
		if (shared.is_on && (waited_ms += POLL_MS) >= shared.patience_ms) {
			errno = EAGAIN;
			return -1;
		}
		if (shared.is_on)
			continue;
		waited_ms = output_interrupted() ? waited_ms + POLL_MS : 0;
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

/* Keeps what is printed until the report is complete: half of one is of no use. */
static void keep(const char *data, size_t size)
{
	if (shared.size + size > shared.room) {
		size_t room = 2 * (shared.size + size);
		char *report = realloc(shared.report, room);

		shared.is_whole &= report != NULL;
		if (!report)
			return;
		shared.report = report;
		shared.room = room;
	}
	memcpy(shared.report + shared.size, data, size);
	shared.size += size;
}

/* Returns 0, also if some is left, or a negative errno. */
static int hand_on_rest(void)
{
	size_t done = 0;

	if (!shared.rest_size)
		return 0;
	while (done < shared.rest_size) {
		ssize_t written = write_some(shared.rest + done, shared.rest_size - done);

		if (written < 0 && errno != EAGAIN)
			return -errno;
		if (written < 0)
			break;
		done += written;
	}
	shared.rest_size -= done;
	memmove(shared.rest, shared.rest + done, shared.rest_size);
	return 0;
}

static void drop_report(void)
{
	if (!shared.nr_dropped++)
		log_error("nobody reads standard output: what is printed is dropped until somebody "
			  "does");
	shared.size = 0;
	shared.is_whole = true;
}

static void tell_dropped(void)
{
	if (shared.nr_dropped)
		log_error("standard output goes on: %" PRIu64 " reports or packets were dropped",
			  shared.nr_dropped);
	shared.nr_dropped = 0;
}

/* New output comes behind the rest of what was printed before, or nowhere. */
static int hand_on(void)
{
	int err;

	/* A consumer that has read nothing for that long is not waited for again. */
	shared.patience_ms = shared.nr_dropped ? 0 : POLL_MS;
	err = hand_on_rest();
	if (err || (!shared.size && shared.is_whole))
		return err;
	if (shared.rest_size || !shared.is_whole) {
		drop_report();
		return 0;
	}
	tell_dropped();
	free(shared.rest);
	shared.rest = shared.report;
	shared.rest_size = shared.size;
	shared.report = NULL;
	shared.size = shared.room = 0;
	return hand_on_rest();
}

/*
 * Returns why a write failed, a negative errno, which only the C library knows. After that, no more
 * is written.
 */
static int write_failure;

/* The C library treats a short write as an error. */
static ssize_t write_all(void *cookie, const char *data, size_t size)
{
	size_t done = 0;

	(void)cookie;
	if (shared.is_on) {
		keep(data, size);
		return size;
	}
	while (done < size && !write_failure) {
		ssize_t written = write_some(data + done, size - done);

		if (written < 0)
			write_failure = -errno;
		else
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

static int write_error(void)
{
	if (write_failure)
		return write_failure;
	return errno ? -errno : -EIO;
}

static int flush_failed(int err)
{
	if (err == -EPIPE)
		return err;
	if (err != -ECANCELED)
		return log_failure(err, "cannot write to standard output");
	log_error("ended while nobody read the reports: what was not read is lost");
	return err;
}

int output_flush(void)
{
	int err = 0;

	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		err = write_error();
	else if (shared.is_on)
		err = hand_on();
	return err ? flush_failed(err) : 0;
}

void output_share(void)
{
	shared.is_on = shared.is_whole = true;
}

int output_end_sharing(void)
{
	int err;

	if (!shared.is_on)
		return 0;
	shared.patience_ms = PATIENCE_MS;
	err = hand_on_rest();
	if (!err && (shared.rest_size || shared.nr_dropped))
		err = -ECANCELED;
	free(shared.rest);
	free(shared.report);
	memset(&shared, 0, sizeof(shared));
	return err ? flush_failed(err) : 0;
}

static int fail(const struct output *output, int err)
{
	return log_failure(err, "cannot write to '%s'", output->path);
}

static const char *file_name(const struct output *output)
{
	const char *slash = strrchr(output->path, '/');

	return slash ? slash + 1 : output->path;
}

int output_open(struct output *output, const char *path)
{
	char *folder;
	int err;

	*output = (struct output){ .path = path, .folder = -1 };
	folder = strndup(path, file_name(output) - path);
	if (!folder)
		return fail(output, -ENOMEM);
	output->folder = open(*folder ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	err = output->folder < 0 ? fail(output, -errno) : 0;
	free(folder);
	return err;
}

void output_close(struct output *output)
{
	if (output->folder >= 0)
		close(output->folder);
	output->folder = -1;
}

static void remove_temporary(const struct output *output)
{
	unlinkat(output->folder, output->temporary, 0);
}

/* Creates a file under a name that is still free. Returns a descriptor, or -1 with errno set. */
static int open_temporary(struct output *output)
{
	uint32_t number;
	int fd;

	do {
		if (getrandom(&number, sizeof(number), 0) < 0)
			return -1;
		snprintf(output->temporary, sizeof(output->temporary), "%s.%06" PRIx32,
			 file_name(output), number >> 8);
		fd = openat(output->folder, output->temporary,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	} while (fd < 0 && errno == EEXIST);
	return fd;
}

int output_begin(struct output *output)
{
	int fd = open_temporary(output), err;

	if (fd < 0)
		return fail(output, -errno);
	output->file = fdopen(fd, "w");
	if (output->file)
		return 0;
	err = -errno;
	close(fd);
	remove_temporary(output);
	return fail(output, err);
}

int output_end(struct output *output)
{
	int err = 0;

	errno = 0;
	if (fflush(output->file) || ferror(output->file))
		err = write_error();
	if (fclose(output->file) && !err)
		err = write_error();
	if (!err && renameat(output->folder, output->temporary, output->folder, file_name(output)))
		err = -errno;
	if (!err)
		return 0;
	remove_temporary(output);
	return fail(output, err);
}

static int try_to_write(struct output *output)
{
	struct stat existing;
	int err;

	/* It would be replaced by a file, which is no good end for a device. */
	if (!fstatat(output->folder, file_name(output), &existing,
		     AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) &&
	    !S_ISREG(existing.st_mode)) {
		log_error("cannot write to '%s': it is no regular file", output->path);
		return -EINVAL;
	}
	err = output_begin(output);
	if (!err) {
		fclose(output->file);
		remove_temporary(output);
	}
	return err;
}

int output_try(const char *path)
{
	struct output output;
	int err = output_open(&output, path);

	if (!err)
		err = try_to_write(&output);
	output_close(&output);
	return err;
}
