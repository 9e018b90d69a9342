// SPDX-License-Identifier: GPL-2.0
/* What a process without rights has others do, which keep the one that it takes. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "fds.h"
#include "lib/base/helper.h"
#include "lib/confine/landlock.h"
#include "lib/confine/privileges.h"
#include "lib/host/netns_names.h"
#include "lib/http/passwords.h"
#include "lib/serve/helpers.h"
#include "lib/serve/writer.h"
#include "real_netns.h"
#include "report_folder.h"
#include "said.h"
#include "secret.h"

/* A test that failed leaves its own behind. */
static void start(enum helper_task task, const char *output)
{
	helpers_end();
	assert_int_equal(helpers_start(1U << task, &(struct helpers_config){ .output = output }),
			 0);
}

static void as_nobody(void (*test)(void))
{
	int status;
	pid_t child = fork();

	if (!child) {
		setenv("CMOCKA_TEST_ABORT", "1", true);
		assert_int_equal(privileges_drop(), 0);
		test();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Until it is known what became of it, on a busy machine, too. */
static int write_report(const char *report, size_t size)
{
	int err = writer_write(helpers_socket(HELPER_WRITER), report, size);

	return err ? err : writer_finish(helpers_socket(HELPER_WRITER));
}

static void write_reports(void)
{
	const size_t size = 1 << 20;
	char *large = calloc(1, size);

	assert_non_null(large);
	memset(large, 'x', size);
	assert_null(fopen(path, "we"));
	assert_int_equal(write_report(large, size), 0);
	assert_int_equal(write_report("second", strlen("second")), 0);
	free(large);
}

static void test_reports_are_written_where_their_owner_may(void **state)
{
	(void)state;
	start(HELPER_WRITER, path);
	as_nobody(write_reports);
	helpers_end();
	assert_string_equal(content(), "second");
	assert_int_equal(nr_files(), 1);
	assert_int_equal(helpers_socket(HELPER_WRITER), -1);
}

static void test_what_cannot_be_written_is_told(void **state)
{
	char expected[128];
	int err;

	(void)state;
	snprintf(expected, sizeof(expected),
		 "netstacklat: cannot write to '%s': No such file or directory\n", path);
	said_begin();
	start(HELPER_WRITER, path);
	assert_int_equal(write_report("before", strlen("before")), 0);
	remove_folder(NULL);
	err = write_report("text", strlen("text"));
	helpers_end();
	assert_string_equal(said_end(), expected);
	assert_int_equal(err, -ENOENT);
	make_folder(NULL);
}

static void test_a_folder_that_is_missing_is_told(void **state)
{
	char missing[sizeof(folder) + sizeof("/no/report")], expected[256];
	int err;

	(void)state;
	snprintf(missing, sizeof(missing), "%s/no/report", folder);
	snprintf(expected, sizeof(expected),
		 "netstacklat: cannot write to '%s': No such file or directory\n"
		 "netstacklat: what writes the reports to a file has ended\n",
		 missing);
	said_begin();
	start(HELPER_WRITER, missing);
	err = write_report("text", strlen("text"));
	helpers_end();
	assert_string_equal(said_end(), expected);
	assert_int_equal(err, -EIO);
}

/* The folder is the one that was there at the start. */
static void test_what_takes_the_place_of_the_folder_gets_no_reports(void **state)
{
	char moved[sizeof(folder) + sizeof(".moved")];

	(void)state;
	snprintf(moved, sizeof(moved), "%s.moved", folder);
	start(HELPER_WRITER, path);
	assert_int_equal(write_report("before", strlen("before")), 0);
	assert_int_equal(rename(folder, moved), 0);
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(write_report("after", strlen("after")), 0);
	helpers_end();
	assert_int_equal(nr_files(), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(rename(moved, folder), 0);
	assert_string_equal(content(), "after");
}

/* As when a file system hangs: whoever is to write says nothing for a while. */
static void test_nobody_waits_for_a_file_system_that_hangs(void **state)
{
	const int written = 0, failed = -ENOSPC;
	int ends[2], err = 0;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	said_begin();
	err |= writer_write(ends[0], "1", 1);
	err |= writer_write(ends[0], "2", 1);
	err |= writer_write(ends[0], "3", 1);
	assert_true(helper_send(ends[1], &written, sizeof(written)));
	err |= writer_write(ends[0], "4", 1);
	assert_string_equal(
		said_end(),
		"netstacklat: the file for reports cannot be written now: reports are "
		"dropped until it can\n"
		"netstacklat: the file for reports was written: 2 reports were dropped\n");
	assert_int_equal(err, 0);
	/* What became of a report is told with the next, or at the end. */
	assert_true(helper_send(ends[1], &failed, sizeof(failed)));
	assert_int_equal(writer_finish(ends[0]), failed);
	assert_int_equal(writer_finish(ends[0]), 0);
	assert_int_equal(writer_write(ends[0], "5", 1), 0);
	said_begin();
	err = writer_finish(ends[0]);
	assert_string_equal(said_end(),
			    "netstacklat: ended while the file for reports could not be "
			    "written: the last report is lost\n");
	assert_int_equal(err, -EIO);
	close(ends[0]);
	close(ends[1]);
}

static bool may_open(const char *name, int flags)
{
	int fd = open(name, flags | O_CLOEXEC, 0666);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* As by somebody who has taken over the process, which may override who owns a file. */
static bool is_kept_in_folder(const char *elsewhere)
{
	int own = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return own >= 0 && may_open(elsewhere, O_WRONLY | O_CREAT) && !landlock_write_in(own) &&
	       may_open(path, O_WRONLY | O_CREAT) && !may_open(elsewhere, O_WRONLY | O_CREAT) &&
	       !may_open(elsewhere, O_RDONLY) && !may_open(path, O_RDONLY) &&
	       rename(path, elsewhere) && mkdir("/tmp/netstacklat-folder", 0700) &&
	       symlink("/", "/tmp/netstacklat-link") && !unlink(path);
}

static void test_who_takes_over_the_writer_writes_nowhere_else(void **state)
{
	char elsewhere[sizeof(folder) + sizeof(".elsewhere")];
	int status;
	pid_t child;

	(void)state;
	snprintf(elsewhere, sizeof(elsewhere), "%s.elsewhere", folder);
	child = fork();
	if (!child)
		_exit(is_kept_in_folder(elsewhere) ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	unlink(elsewhere);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_a_report_without_end_ends_the_writer(void **state)
{
	const size_t size = (256UL << 20) + 1;

	(void)state;
	start(HELPER_WRITER, path);
	assert_true(helper_send(helpers_socket(HELPER_WRITER), &size, sizeof(size)));
	said_begin();
	assert_int_equal(write_report("text", strlen("text")), -EIO);
	assert_string_equal(said_end(),
			    "netstacklat: what writes the reports to a file has ended\n");
	helpers_end();
	assert_int_equal(nr_files(), 0);
}

/* As when the process that sends it is killed. */
static void test_half_a_report_is_none(void **state)
{
	size_t size = 100;

	(void)state;
	start(HELPER_WRITER, path);
	assert_int_equal(write_report("before", strlen("before")), 0);
	assert_true(helper_send(helpers_socket(HELPER_WRITER), &size, sizeof(size)));
	assert_true(helper_send(helpers_socket(HELPER_WRITER), "after", strlen("after")));
	helpers_end();
	assert_string_equal(content(), "before");
	assert_int_equal(nr_files(), 1);
}

static struct netns other;

static void name_netns(void)
{
	struct netns_names *names = netns_names_new();
	struct netns_answer answer;
	struct netns netns;

	assert_int_equal(netns_find(other.path, &netns), -EACCES);
	netns_names_refresh(names);
	netns_names_find(names, other.id, 1, &answer);
	assert_true(answer.found);
	assert_int_equal(answer.inode, other.inode);
	assert_string_equal(answer.name, "");
	assert_string_equal(answer.interface, "lo");
	netns_names_find(names, other.id, 0, &answer);
	assert_true(answer.found);
	assert_string_equal(answer.interface, "");
	netns_names_find(names, other.id, INT32_MAX, &answer);
	assert_true(answer.found);
	assert_string_equal(answer.interface, "");
	netns_names_find(names, UINT64_MAX - 1, 1, &answer);
	assert_false(answer.found);
	netns_names_release(names);
	netns_names_free(names);
}

/* Also those that are made later. */
static void test_names_are_found_in_namespaces_of_others(void **state)
{
	struct real_netns real;

	(void)state;
	start(HELPER_NAMES, NULL);
	real = make_netns();
	assert_int_equal(netns_find(real.path, &other), 0);
	as_nobody(name_netns);
	end_netns(&real);
	helpers_end();
}

static void test_a_helper_that_cannot_start_is_told(void **state)
{
	const struct helpers_config config = { 0 };
	const struct rlimit none = { 0 };
	pid_t child;
	int status;

	(void)state;
	helpers_end();
	said_begin();
	child = fork();
	if (!child)
		_exit(setrlimit(RLIMIT_NOFILE, &none) ||
		      helpers_start(1U << HELPER_NAMES, &config) != -EMFILE);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_string_equal(said_end(),
			    "netstacklat: cannot start another process: Too many open files\n");
	assert_int_equal(status, 0);
}

/* Numbers then stand for names, and it is said once. */
static void test_without_the_process_there_are_no_names(void **state)
{
	struct netns_names *names = netns_names_new();
	struct netns_answer answer;
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	close(ends[1]);
	netns_names_ask_at(ends[0]);
	said_begin();
	netns_names_find(names, 1, 1, &answer);
	netns_names_find(names, 1, 1, &answer);
	assert_string_equal(
		said_end(),
		"netstacklat: what finds the names of interfaces and network namespaces "
		"has ended: from now on, numbers stand for them\n");
	assert_false(answer.found);
	close(ends[0]);
	netns_names_free(names);
}

static struct listen_addresses addresses = { .nr = 1 };

/* Returns a socket. */
static int listen_here(void)
{
	char text[LISTEN_TEXT_SIZE];
	int fd;

	snprintf(text, sizeof(text), "unix:%s", path);
	assert_true(listen_parse(text, addresses.list));
	fd = listen_open(addresses.list);
	assert_true(fd >= 0);
	return fd;
}

static void own_what_is_there(void)
{
	struct stat status;

	assert_int_equal(stat("/tmp", &status), 0);
	addresses.list[0].device = status.st_dev;
	addresses.list[0].inode = status.st_ino;
	helpers_own_sockets(&addresses);
}

/* Unless it is somebody else's, or by now; and whatever is said by who has no rights left. */
static void test_a_socket_is_removed_if_it_is_our_own(void **state)
{
	int own, others;

	(void)state;
	start(HELPER_REMOVER, NULL);
	others = listen_here();
	helpers_end();
	assert_int_equal(nr_files(), 1);
	close(others);
	start(HELPER_REMOVER, NULL);
	own = listen_here();
	helpers_own_sockets(&addresses);
	assert_int_equal(nr_files(), 1);
	as_nobody(own_what_is_there);
	helpers_end();
	assert_int_equal(nr_files(), 0);
	start(HELPER_REMOVER, NULL);
	helpers_own_sockets(&addresses);
	others = listen_here();
	helpers_end();
	assert_int_equal(nr_files(), 1);
	close(own);
	close(others);
}

static void test_passwords_are_checked(void **state)
{
	static const struct web_config web = {
		.users = { { SECRET_USER, SECRET_HASH } },
		.nr_users = 1,
	};
	struct passwords *passwords;
	int clients[2];
	void *client;
	bool is_good;

	(void)state;
	helpers_end();
	assert_int_equal(helpers_socket(HELPER_PASSWORDS), -1);
	assert_int_equal(
		helpers_start(1U << HELPER_PASSWORDS, &(struct helpers_config){ .web = &web }), 0);
	passwords = passwords_new(&web, helpers_socket(HELPER_PASSWORDS));
	assert_int_equal(passwords_look(passwords, WRONG_SAID, &clients[0]), PASSWORD_ASKED);
	assert_int_equal(passwords_look(passwords, SECRET_SAID, &clients[1]), PASSWORD_ASKED);
	assert_true(passwords_answer(passwords, &client, &is_good));
	assert_ptr_equal(client, &clients[0]);
	assert_false(is_good);
	assert_true(passwords_answer(passwords, &client, &is_good));
	assert_ptr_equal(client, &clients[1]);
	assert_true(is_good);
	assert_int_equal(passwords_look(passwords, SECRET_SAID, &clients[1]), PASSWORD_GOOD);
	passwords_free(passwords);
	helpers_end();
}

static void test_nothing_is_left(void **state)
{
	struct web_config web;
	int fds = nr_fds();

	(void)state;
	assert_int_equal(web_config_read(&web, "/dev/null"), 0);
	assert_int_equal(
		helpers_start((1U << NR_HELPERS) - 1, &(struct helpers_config){ path, &web }), 0);
	web_config_free(&web);
	helpers_end();
	helpers_end();
	assert_int_equal(nr_fds(), fds);
	/* On a busy machine, one may take longer to end than anybody waits for it. */
	alarm(60);
	while (waitpid(-1, NULL, 0) > 0)
		;
	assert_int_equal(errno, ECHILD);
	alarm(0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_reports_are_written_where_their_owner_may),
		TEST(test_what_cannot_be_written_is_told),
		TEST(test_a_folder_that_is_missing_is_told),
		TEST(test_what_takes_the_place_of_the_folder_gets_no_reports),
		TEST(test_half_a_report_is_none),
		TEST(test_who_takes_over_the_writer_writes_nowhere_else),
		TEST(test_a_helper_that_cannot_start_is_told),
		TEST(test_a_report_without_end_ends_the_writer),
		TEST(test_nobody_waits_for_a_file_system_that_hangs),
		TEST(test_names_are_found_in_namespaces_of_others),
		TEST(test_without_the_process_there_are_no_names),
		TEST(test_a_socket_is_removed_if_it_is_our_own),
		TEST(test_passwords_are_checked),
		TEST(test_nothing_is_left),
	};

	if (geteuid()) {
		puts("1..0 # SKIP this user is not root");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
