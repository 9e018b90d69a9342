// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/pcap_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/list.h"
#include "lib/base/log.h"
#include "lib/packet/pcapng.h"
#include "lib/serve/output.h"

#define POLL_MS 100

/*
 * Some thousand packets may wait while the consumer is busy. Others than root may have no larger
 * pipe.
 */
#define PIPE_SIZE (1 << 20)

struct pcap_file {
	const char *path;
	bool is_optional;
	int fd;	      /* -1: its consumer has gone */
	FILE *blocks; /* to be written next, to memory */
	char *bytes;  /* of these */
	size_t size;
	off_t written; /* up to the end of a block */
	uint64_t nr_without_bytes;
	uint64_t nr_unread; /* that the consumer was too slow for, or was no longer there for */
};

static int fail(const struct pcap_file *file, int err)
{
	return log_failure(err, "cannot write to '%s'", file->path);
}

/* The environment is that of a user with fewer rights where setcap(8) was used. */
static bool called_sudo(uid_t user)
{
	const char *text = secure_getenv("SUDO_UID");
	uint64_t caller;

	return text && list_number(text, UINT32_MAX, &caller) && caller == user;
}

/*
 * Returns why not to write there, or NULL. Whoever put a file in the way should learn nothing from
 * it.
 */
static const char *why_not(const struct stat *status)
{
	if (S_ISLNK(status->st_mode))
		return "it is a symbolic link";
	if (!S_ISREG(status->st_mode) && !S_ISFIFO(status->st_mode))
		return "it is neither a regular file nor a pipe";
	if (status->st_nlink > 1)
		return "it has another name, by a hard link";
	if (status->st_uid != geteuid() && !called_sudo(status->st_uid))
		return "it belongs to another user";
	return NULL;
}

/*
 * Returns whether a shell gave the path, for >(...): in /dev and /proc, links lead where this
 * process writes anyway.
 */
static bool is_descriptor(const char *path)
{
	return !strncmp(path, "/dev/fd/", strlen("/dev/fd/")) ||
	       !strncmp(path, "/proc/self/fd/", strlen("/proc/self/fd/"));
}

/* Returns a descriptor or, after saying what failed, a negative errno. */
static int wait_for_reader(const struct pcap_file *file, const char *path)
{
	bool announced = false;
	int fd;

	while ((fd = open(path, O_WRONLY | O_TRUNC | O_NONBLOCK | O_CLOEXEC)) < 0 &&
	       errno == ENXIO) {
		if (!announced)
			log_info("waiting until something reads '%s'; Ctrl-C ends it", file->path);
		announced = true;
		if (output_interrupted()) {
			log_error("ended by a signal while '%s' was not read", file->path);
			return -ECANCELED;
		}
		poll(NULL, 0, POLL_MS);
	}
	return fd < 0 ? fail(file, -errno) : fd;
}

/* Opens what was looked at, whatever has replaced it since. Returns as wait_for_reader(). */
static int open_existing(const struct pcap_file *file, int existing)
{
	struct stat status;
	const char *why;
	char path[32];

	if (fstat(existing, &status))
		return fail(file, -errno);
	why = why_not(&status);
	if (why) {
		log_error("cannot write to '%s': %s", file->path, why);
		return -EPERM;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", existing);
	return wait_for_reader(file, path);
}

/* Returns as wait_for_reader(). */
static int open_or_make(const struct pcap_file *file)
{
	int links = is_descriptor(file->path) ? 0 : O_NOFOLLOW;
	int existing = open(file->path, O_PATH | O_CLOEXEC | links);
	int fd;

	if (existing >= 0) {
		fd = open_existing(file, existing);
		close(existing);
		return fd;
	}
	if (errno != ENOENT)
		return fail(file, -errno);
	fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? fail(file, -errno) : fd;
}

/*
 * A pipe takes up to PIPE_BUF bytes whole or, with -EAGAIN, not at all. If a disk gets full, the
 * part of the last blocks that was written is taken back. Returns 0 or, unsaid, a negative errno.
 */
static int write_out(struct pcap_file *file, const char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t written = write(file->fd, bytes + done, size - done);
		int err = -errno;

		if (written < 0 && done && ftruncate(file->fd, file->written))
			fail(file, -errno);
		if (written < 0)
			return err;
		done += written;
	}
	file->written += size;
	return 0;
}

/* Writes what was printed to blocks. Returns as write_out(). */
static int write_blocks(struct pcap_file *file)
{
	int err = fflush(file->blocks) || ferror(file->blocks)
			  ? -ENOMEM
			  : write_out(file, file->bytes, file->size);

	rewind(file->blocks);
	return err;
}

static int start(struct pcap_file *file)
{
	int err;

	file->blocks = open_memstream(&file->bytes, &file->size);
	if (!file->blocks)
		return fail(file, -errno);
	/* A pipe that cannot grow is as good, but for less time. */
	fcntl(file->fd, F_SETPIPE_SZ, PIPE_SIZE);
	pcapng_print_start(file->blocks, SLOW_BYTES);
	err = write_blocks(file);
	return err ? fail(file, err) : 0;
}

struct pcap_file *pcap_file_open(const char *path, bool is_optional)
{
	struct pcap_file *file = calloc(1, sizeof(*file));
	int err;

	if (!file) {
		log_failure(-ENOMEM, "cannot write to '%s'", path);
		return NULL;
	}
	file->path = path;
	file->is_optional = is_optional;
	file->fd = open_or_make(file);
	err = file->fd < 0 ? file->fd : start(file);
	if (!err)
		return file;
	pcap_file_close(file);
	errno = -err;
	return NULL;
}

static void tell_missing(const struct pcap_file *file)
{
	if (file->nr_without_bytes)
		log_error("of %" PRIu64 " slow packets, nothing was left to write to '%s'",
			  file->nr_without_bytes, file->path);
	if (file->nr_unread)
		log_error("%" PRIu64 " slow packets were not written to '%s': its consumer was too "
			  "slow, or had gone",
			  file->nr_unread, file->path);
}

void pcap_file_close(struct pcap_file *file)
{
	if (!file)
		return;
	tell_missing(file);
	if (file->blocks)
		fclose(file->blocks);
	free(file->bytes);
	if (file->fd >= 0 && close(file->fd))
		fail(file, -errno);
	free(file);
}

/* The consumer has gone. */
static int end_early(struct pcap_file *file)
{
	log_error("what read '%s' has gone%s", file->path,
		  file->is_optional ? ": no more packets are written there" : "");
	if (!file->is_optional)
		return -ECANCELED;
	close(file->fd);
	file->fd = -1;
	file->nr_unread++;
	return 0;
}

int pcap_file_add(struct pcap_file *file, const struct packet_report *report)
{
	int err;

	if (file->fd < 0) {
		file->nr_unread++;
		return 0;
	}
	if (!packet_print_pcapng(file->blocks, report)) {
		file->nr_without_bytes++;
		return 0;
	}
	err = write_blocks(file);
	switch (err) {
	case 0:
		return 0;
	case -EAGAIN:
		file->nr_unread++;
		return 0;
	case -EPIPE:
		return end_early(file);
	default:
		return fail(file, err);
	}
}
