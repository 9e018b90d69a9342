// SPDX-License-Identifier: GPL-2.0
/* Where reports go, and what is said if they do not get there. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/serve/output.h"
#include "report_folder.h"
#include "said.h"

static int write_report(const char *text)
{
	struct output output;
	int err;

	assert_int_equal(output_open(&output, path), 0);
	assert_int_equal(output_begin(&output), 0);
	fputs(text, output.file);
	err = output_end(&output);
	output_close(&output);
	return err;
}

static void test_a_report_replaces_the_one_before(void **state)
{
	struct output output;

	(void)state;
	assert_int_equal(write_report("first and longer"), 0);
	assert_string_equal(content(), "first and longer");
	assert_int_equal(output_open(&output, path), 0);
	assert_int_equal(output_begin(&output), 0);
	fputs("second", output.file);
	fflush(output.file);
	assert_string_equal(content(), "first and longer");
	assert_int_equal(nr_files(), 2);
	assert_int_equal(output_end(&output), 0);
	assert_string_equal(content(), "second");
	assert_int_equal(nr_files(), 1);
	output_close(&output);
}

static void test_the_umask_says_who_may_read_it(void **state)
{
	const mode_t masks[] = { 022, 077, 027 };
	struct stat status;

	(void)state;
	for (int i = 0; i < 3; i++) {
		mode_t mask = umask(masks[i]);

		assert_int_equal(write_report("report"), 0);
		umask(mask);
		assert_int_equal(stat(path, &status), 0);
		assert_int_equal(status.st_mode, S_IFREG | (0666 & ~masks[i]));
	}
}

/* As by somebody who may write to the folder above, to have another file overwritten. */
static void test_what_takes_the_place_of_the_folder_gets_no_reports(void **state)
{
	char elsewhere[sizeof(folder) + sizeof(".moved")];
	struct output output;

	(void)state;
	snprintf(elsewhere, sizeof(elsewhere), "%s.moved", folder);
	assert_int_equal(output_open(&output, path), 0);
	assert_int_equal(rename(folder, elsewhere), 0);
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(output_begin(&output), 0);
	fputs("report", output.file);
	assert_int_equal(output_end(&output), 0);
	output_close(&output);
	assert_int_equal(nr_files(), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(rename(elsewhere, folder), 0);
	assert_string_equal(content(), "report");
}

static void test_a_file_in_the_current_folder(void **state)
{
	struct output output;
	int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(output_open(&output, "report"), 0);
	assert_int_equal(output_begin(&output), 0);
	fputs("here", output.file);
	assert_int_equal(output_end(&output), 0);
	output_close(&output);
	assert_string_equal(content(), "here");
	assert_int_equal(fchdir(before), 0);
	close(before);
}

static void test_a_folder_that_goes_away_is_told(void **state)
{
	struct output output;
	char expected[128];

	(void)state;
	snprintf(expected, sizeof(expected),
		 "netstacklat: cannot write to '%s': No such file or directory\n", path);
	assert_int_equal(output_open(&output, path), 0);
	assert_int_equal(output_begin(&output), 0);
	unlinkat(output.folder, output.temporary, 0);
	said_begin();
	assert_int_equal(output_end(&output), -ENOENT);
	assert_string_equal(said_end(), expected);
	assert_int_equal(nr_files(), 0);
	rmdir(folder);
	said_begin();
	assert_int_equal(output_begin(&output), -ENOENT);
	assert_string_equal(said_end(), expected);
	output_close(&output);
	assert_int_equal(output_open(&output, path), -ENOENT);
	said_begin();
	assert_int_equal(output_try(path), -ENOENT);
	assert_string_equal(said_end(), expected);
	assert_int_equal(mkdir(folder, 0700), 0);
}

/* As on a full disk: the file before stays. */
static void test_a_report_that_cannot_be_written_is_told_and_leaves_nothing(void **state)
{
	struct output output;
	char expected[128];

	(void)state;
	snprintf(expected, sizeof(expected),
		 "netstacklat: cannot write to '%s': No space left on device\n", path);
	assert_int_equal(write_report("before"), 0);
	assert_int_equal(output_open(&output, path), 0);
	assert_int_equal(output_begin(&output), 0);
	fclose(output.file);
	output.file = fopen("/dev/full", "we");
	fputs("after", output.file);
	said_begin();
	assert_int_equal(output_end(&output), -ENOSPC);
	assert_string_equal(said_end(), expected);
	assert_string_equal(content(), "before");
	assert_int_equal(nr_files(), 1);
	output_close(&output);
}

/* Of a write that failed before the last one, only that it did is known. */
static void test_a_report_of_which_a_part_is_missing_is_no_report(void **state)
{
	struct output output;

	(void)state;
	assert_int_equal(output_open(&output, path), 0);
	assert_int_equal(output_begin(&output), 0);
	fclose(output.file);
	output.file = fopen("/dev/full", "we");
	setvbuf(output.file, NULL, _IONBF, 0);
	fputs("part", output.file);
	said_begin();
	assert_int_equal(output_end(&output), -EIO);
	said_end();
	assert_int_equal(nr_files(), 0);
	output_close(&output);
}

static void test_trying_leaves_nothing(void **state)
{
	(void)state;
	assert_int_equal(output_try(path), 0);
	assert_int_equal(nr_files(), 0);
	assert_int_equal(write_report("before"), 0);
	assert_int_equal(output_try(path), 0);
	assert_string_equal(content(), "before");
	assert_int_equal(nr_files(), 1);
}

static void test_only_regular_files_are_replaced(void **state)
{
	(void)state;
	said_begin();
	assert_int_equal(output_try("/dev/null"), -EINVAL);
	assert_string_equal(said_end(),
			    "netstacklat: cannot write to '/dev/null': it is no regular file\n");
	said_begin();
	assert_int_equal(output_try("/tmp/"), -EINVAL);
	said_end();
	/* Not even what a link leads to, for it is the link that would be replaced. */
	assert_int_equal(symlink("/dev/null", path), 0);
	said_begin();
	assert_int_equal(output_try(path), -EINVAL);
	said_end();
}

/* Prints to another standard output, and returns what flushing it does. */
static int flush_to(int fd)
{
	int own, err;

	fflush(stdout);
	own = dup(STDOUT_FILENO);
	dup2(fd, STDOUT_FILENO);
	fputs("report", stdout);
	err = output_flush();
	dup2(own, STDOUT_FILENO);
	close(own);
	/* What could not be written is not to be written later. */
	__fpurge(stdout);
	clearerr(stdout);
	return err;
}

static void test_standard_output(void **state)
{
	int full = open("/dev/full", O_WRONLY), pipes[2];
	char text[16] = "";

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(flush_to(pipes[1]), 0);
	assert_int_equal(read(pipes[0], text, sizeof(text)), strlen("report"));
	assert_string_equal(text, "report");
	close(pipes[0]);
	/* Nobody reads: no failure that one would have to be reported. */
	said_begin();
	assert_int_equal(flush_to(pipes[1]), -EPIPE);
	assert_string_equal(said_end(), "");
	close(pipes[1]);
	said_begin();
	assert_int_equal(flush_to(full), -ENOSPC);
	assert_string_equal(said_end(), "netstacklat: cannot write to standard output: "
					"No space left on device\n");
	close(full);
}

/* Of a report larger than the pipe, a write in its midst fails, as a signal comes, and later ones
 * need not. */
static void test_why_an_early_write_failed(void **state)
{
	int own = dup(STDOUT_FILENO), pipes[2], err;
	static char room[1 << 20];
	FILE *own_file = stdout;

	(void)state;
	fflush(stdout);
	assert_int_equal(pipe(pipes), 0);
	raise(SIGINT);
	output_init();
	dup2(pipes[1], STDOUT_FILENO);
	for (int i = 0; i < 30000; i++)
		fputs("report", stdout);
	read(pipes[0], room, sizeof(room));
	said_begin();
	err = output_flush();
	dup2(own, STDOUT_FILENO);
	assert_string_equal(said_end(), "netstacklat: ended while nobody read the reports: what "
					"was not read is lost\n");
	assert_int_equal(err, -ECANCELED);
	fclose(stdout);
	stdout = own_file;
	close(own);
	close(pipes[0]);
	close(pipes[1]);
}

static int print_report(char letter)
{
	for (int i = 0; i < 200000; i++)
		putchar(letter);
	return output_flush();
}

/* What is in the pipe, up to a number of characters; whether all are this one. */
static size_t read_of(int pipe, size_t size, char letter)
{
	static char room[1 << 20];
	size_t done = 0;
	ssize_t part;

	while (done < size && (part = read(pipe, room, size - done)) > 0) {
		for (ssize_t i = 0; i < part; i++)
			assert_int_equal(room[i], letter);
		done += part;
	}
	return done;
}

static void test_nobody_waits_for_who_reads_nothing(void **state)
{
	int own = dup(STDOUT_FILENO), pipes[2], first, second, third, end;
	FILE *own_file = stdout;
	const char *said;
	size_t in_pipe;

	(void)state;
	fflush(stdout);
	assert_int_equal(pipe(pipes), 0);
	in_pipe = fcntl(pipes[1], F_GETPIPE_SZ);
	output_init();
	output_share();
	dup2(pipes[1], STDOUT_FILENO);
	said_begin();
	first = print_report('1');
	second = print_report('2');
	second |= print_report('2');
	/* A part of the first one, and then the rest of it before the third. */
	assert_int_equal(read_of(pipes[0], in_pipe, '1'), in_pipe);
	output_flush();
	assert_int_equal(read_of(pipes[0], in_pipe, '1'), in_pipe);
	output_flush();
	assert_int_equal(read_of(pipes[0], in_pipe, '1'), in_pipe);
	output_flush();
	assert_int_equal(read_of(pipes[0], 200000 - 3 * in_pipe, '1'), 200000 - 3 * in_pipe);
	third = print_report('3');
	assert_int_equal(read_of(pipes[0], in_pipe, '3'), in_pipe);
	end = output_end_sharing();
	dup2(own, STDOUT_FILENO);
	said = said_end();
	assert_int_equal(first | second | third, 0);
	assert_int_equal(end, -ECANCELED);
	assert_string_equal(
		said, "netstacklat: nobody reads standard output: what is printed is dropped until "
		      "somebody does\n"
		      "netstacklat: standard output goes on: 2 reports or packets were dropped\n"
		      "netstacklat: ended while nobody read the reports: what was not read is "
		      "lost\n");
	fclose(stdout);
	stdout = own_file;
	close(own);
	close(pipes[0]);
	close(pipes[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	sigset_t signals;
	const struct CMUnitTest tests[] = {
		TEST(test_a_report_replaces_the_one_before),
		TEST(test_the_umask_says_who_may_read_it),
		TEST(test_what_takes_the_place_of_the_folder_gets_no_reports),
		TEST(test_a_file_in_the_current_folder),
		TEST(test_a_folder_that_goes_away_is_told),
		TEST(test_a_report_that_cannot_be_written_is_told_and_leaves_nothing),
		TEST(test_a_report_of_which_a_part_is_missing_is_no_report),
		TEST(test_trying_leaves_nothing),
		TEST(test_only_regular_files_are_replaced),
		TEST(test_standard_output),
		TEST(test_why_an_early_write_failed),
		TEST(test_nobody_waits_for_who_reads_nothing),
	};

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
