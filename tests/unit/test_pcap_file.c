// SPDX-License-Identifier: GPL-2.0
/* Where the bytes of slow packets go: only to whom they are meant for, and in whole blocks. */
#include "unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/serve/pcap_file.h"
#include "said.h"

#define SECTION_HEADER 0x0a0d0d0a
#define ENHANCED_PACKET 6

/* More than the largest pipe takes. */
#define MANY 20000

static char folder[] = "/tmp/netstacklat-pcap.XXXXXX";
static char path[sizeof(folder) + sizeof("/packets")];
static char other[sizeof(folder) + sizeof("/other")];
static struct label_names *names;

static int make_folder(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/packets", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	names = label_names_new();
	return names ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	label_names_free(names);
	unlink(path);
	unlink(other);
	return rmdir(folder);
}

static int add(struct pcap_file *file)
{
	const struct slow_packet packet = {
		.probe = PROBE_skb_consume_udp,
		.nr_bytes = 28,
		.ethertype = htons(0x0800),
		.bytes =
			"\x45\x00\x00\x1c\x00\x01\x00\x00\x40\x11\x00\x00\xc0\x00\x02\x01\xc0\x00\x02\x02",
	};
	struct packet_report report;

	packet_report_make(&report, &packet, names, false);
	return pcap_file_add(file, &report);
}

/* How many packets there are behind a header; -1 if a block is cut. */
static int nr_packets_in(int fd)
{
	uint32_t start[2], rest[1024];
	ssize_t size;
	int nr = -1;

	while ((size = read(fd, start, sizeof(start))) == sizeof(start)) {
		uint32_t left = start[1] - sizeof(start);

		if (left > sizeof(rest) || read(fd, rest, left) != left ||
		    rest[left / sizeof(*rest) - 1] != start[1])
			return -1;
		if (start[0] == SECTION_HEADER)
			nr = 0;
		nr += start[0] == ENHANCED_PACKET;
	}
	return size ? -1 : nr;
}

static int nr_packets(void)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), nr;

	assert_true(fd >= 0);
	nr = nr_packets_in(fd);
	close(fd);
	return nr;
}

static mode_t mode(void)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_mode & 07777;
}

/* A file that is there already, with more in it than a header. */
#define SIZE_BEFORE 1000
static void make_file(const char *name, mode_t its_mode)
{
	FILE *file = fopen(name, "we");

	assert_non_null(file);
	fprintf(file, "%*s", SIZE_BEFORE, "before");
	fchmod(fileno(file), its_mode);
	fclose(file);
}

static void assert_refused(const char *name, const char *why)
{
	char expected[256];

	snprintf(expected, sizeof(expected), "netstacklat: cannot write to '%s': %s\n", name, why);
	said_begin();
	assert_null(pcap_file_open(name, false));
	assert_string_equal(said_end(), expected);
}

static void write_packets(int nr)
{
	struct pcap_file *file = pcap_file_open(path, false);

	assert_non_null(file);
	for (int i = 0; i < nr; i++)
		assert_int_equal(add(file), 0);
	pcap_file_close(file);
}

static void test_only_its_owner_may_read_a_new_file(void **state)
{
	mode_t mask = umask(0);

	(void)state;
	write_packets(3);
	umask(mask);
	assert_int_equal(mode(), 0600);
	assert_int_equal(nr_packets(), 3);
}

static void test_a_file_that_is_there_is_emptied_and_keeps_its_mode(void **state)
{
	(void)state;
	make_file(path, 0640);
	write_packets(0);
	assert_int_equal(mode(), 0640);
	assert_int_equal(nr_packets(), 0);
}

static void test_packets_are_there_at_once(void **state)
{
	struct pcap_file *file = pcap_file_open(path, false);

	(void)state;
	assert_int_equal(nr_packets(), 0);
	assert_int_equal(add(file), 0);
	assert_int_equal(nr_packets(), 1);
	pcap_file_close(file);
}

static void test_links_are_not_followed(void **state)
{
	struct stat status;

	(void)state;
	make_file(other, 0600);
	assert_int_equal(symlink(other, path), 0);
	assert_refused(path, "it is a symbolic link");
	assert_int_equal(stat(other, &status), 0);
	assert_int_equal(status.st_size, SIZE_BEFORE);
	/* Nor is anything made where one leads to. */
	unlink(other);
	assert_refused(path, "it is a symbolic link");
	assert_int_equal(access(other, F_OK), -1);
}

static void test_what_has_another_name_is_refused(void **state)
{
	(void)state;
	make_file(other, 0666);
	assert_int_equal(link(other, path), 0);
	assert_refused(path, "it has another name, by a hard link");
	unlink(path);
	unlink(other);
}

static void test_what_is_neither_file_nor_pipe_is_refused(void **state)
{
	(void)state;
	assert_refused("/dev/null", "it is neither a regular file nor a pipe");
	assert_refused(folder, "it is neither a regular file nor a pipe");
	assert_refused("/nonexistent/packets", "No such file or directory");
}

static void test_what_belongs_to_another_user_is_refused_unless_that_called_sudo(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	make_file(path, 0666);
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_refused(path, "it belongs to another user");
	setenv("SUDO_UID", "1", 1);
	assert_refused(path, "it belongs to another user");
	setenv("SUDO_UID", "65534", 1);
	write_packets(1);
	assert_int_equal(nr_packets(), 1);
	unlink(path);
	assert_int_equal(mkfifo(path, 0666), 0);
	assert_int_equal(chown(path, 65534, 65534), 0);
	unsetenv("SUDO_UID");
	assert_refused(path, "it belongs to another user");
}

/* By a descriptor, as bash and zsh do it for >(...). */
static void test_a_pipe_that_is_open_is_written_to(void **state)
{
	static const char *const folders[] = { "/dev/fd", "/proc/self/fd" };
	int pipes[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe(pipes), 0);
		snprintf(path, sizeof(path), "%s/%d", folders[i], pipes[1]);
		write_packets(2);
		close(pipes[1]);
		assert_int_equal(nr_packets_in(pipes[0]), 2);
		close(pipes[0]);
	}
}

/* A child that opens the pipe after a while. */
static pid_t start_reader(void)
{
	pid_t child = fork();

	if (child)
		return child;
	usleep(200000);
	_exit(nr_packets() != 2);
}

static void test_a_reader_is_waited_for(void **state)
{
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	child = start_reader();
	write_packets(2);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_a_signal_ends_waiting(void **state)
{
	char expected[256];
	sigset_t signals;
	int signal;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(expected, sizeof(expected),
		 "netstacklat: ended by a signal while '%s' was not read\n", path);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	raise(SIGTERM);
	said_begin();
	assert_null(pcap_file_open(path, false));
	assert_int_equal(errno, ECANCELED);
	assert_string_equal(said_end(), expected);
	sigwait(&signals, &signal);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

/* A file at a pipe that this process will read from. */
static struct pcap_file *open_pipe(int *reader, bool is_optional)
{
	struct pcap_file *file;

	assert_int_equal(mkfifo(path, 0600), 0);
	*reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(*reader >= 0);
	file = pcap_file_open(path, is_optional);
	assert_non_null(file);
	fcntl(*reader, F_SETFL, 0);
	return file;
}

static void test_what_a_reader_is_too_slow_for_is_counted_and_no_block_is_cut(void **state)
{
	char expected[256];
	struct pcap_file *file;
	int reader, nr;

	(void)state;
	file = open_pipe(&reader, false);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(add(file), 0);
	said_begin();
	pcap_file_close(file);
	nr = nr_packets_in(reader);
	close(reader);
	assert_true(nr >= 100 && nr < MANY);
	snprintf(
		expected, sizeof(expected),
		"netstacklat: %d slow packets were not written to '%s': its consumer was too slow, "
		"or had gone\n",
		MANY - nr, path);
	assert_string_equal(said_end(), expected);
}

static void test_a_reader_that_goes_away_is_a_failure(void **state)
{
	char expected[256];
	struct pcap_file *file;
	int reader;

	(void)state;
	file = open_pipe(&reader, false);
	close(reader);
	said_begin();
	assert_int_equal(add(file), -ECANCELED);
	pcap_file_close(file);
	snprintf(expected, sizeof(expected), "netstacklat: what read '%s' has gone\n", path);
	assert_string_equal(said_end(), expected);
}

static void test_an_optional_reader_that_goes_away_is_told_once(void **state)
{
	char expected[256];
	struct pcap_file *file;
	int reader;

	(void)state;
	file = open_pipe(&reader, true);
	assert_int_equal(add(file), 0);
	close(reader);
	said_begin();
	for (int i = 0; i < 3; i++)
		assert_int_equal(add(file), 0);
	pcap_file_close(file);
	snprintf(
		expected, sizeof(expected),
		"netstacklat: what read '%s' has gone: no more packets are written there\n"
		"netstacklat: 3 slow packets were not written to '%s': its consumer was too slow, or "
		"had gone\n",
		path, path);
	assert_string_equal(said_end(), expected);
}

static void test_a_full_disk_cuts_no_block(void **state)
{
	struct rlimit before, limit = { 1000, RLIM_INFINITY };
	struct pcap_file *file = pcap_file_open(path, false);
	char expected[256];
	int err = 0, nr = -1;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &before);
	limit.rlim_max = before.rlim_max;
	said_begin();
	setrlimit(RLIMIT_FSIZE, &limit);
	for (; !err; nr++)
		err = add(file);
	setrlimit(RLIMIT_FSIZE, &before);
	pcap_file_close(file);
	snprintf(expected, sizeof(expected), "netstacklat: cannot write to '%s': File too large\n",
		 path);
	assert_string_equal(said_end(), expected);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(nr_packets(), nr);
	assert_true(nr > 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_only_its_owner_may_read_a_new_file),
		TEST(test_a_file_that_is_there_is_emptied_and_keeps_its_mode),
		TEST(test_packets_are_there_at_once),
		TEST(test_links_are_not_followed),
		TEST(test_what_has_another_name_is_refused),
		TEST(test_what_is_neither_file_nor_pipe_is_refused),
		TEST(test_what_belongs_to_another_user_is_refused_unless_that_called_sudo),
		TEST(test_a_pipe_that_is_open_is_written_to),
		TEST(test_a_reader_is_waited_for),
		TEST(test_a_signal_ends_waiting),
		TEST(test_what_a_reader_is_too_slow_for_is_counted_and_no_block_is_cut),
		TEST(test_a_reader_that_goes_away_is_a_failure),
		TEST(test_an_optional_reader_that_goes_away_is_told_once),
		TEST(test_a_full_disk_cuts_no_block),
	};

	/* What waits in vain hangs. */
	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
