// SPDX-License-Identifier: GPL-2.0
/* Where to listen: what is written, and real sockets there. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/http/listen.h"
#include "fds.h"
#include "said.h"

static void assert_parsed(const char *text, const char *expected)
{
	struct listen_address address;
	char parsed[LISTEN_TEXT_SIZE];

	assert_true(listen_parse(text, &address));
	assert_true(address.size);
	assert_string_equal(listen_text(&address, parsed), expected);
}

static void test_addresses_and_ports(void **state)
{
	(void)state;
	assert_parsed("0.0.0.0:80", "0.0.0.0:80");
	assert_parsed("192.0.2.1:65535", "192.0.2.1:65535");
	assert_parsed("[::]:9719", "[::]:9719");
	assert_parsed("[2001:db8:0:0::1]:9719", "[2001:db8::1]:9719");
	assert_parsed("[2001:db8:ffff:ffff:ffff:ffff:192.168.100.100]:9719",
		      "[2001:db8:ffff:ffff:ffff:ffff:c0a8:6464]:9719");
	assert_parsed("unix:/run/a socket", "unix:/run/a socket");
	assert_parsed("unix:socket:80", "unix:socket:80");
}

static void test_a_port_alone_is_for_this_host_only(void **state)
{
	(void)state;
	assert_parsed("9719", "127.0.0.1:9719");
	assert_parsed("0", "127.0.0.1:0");
}

static void test_anything_else_is_a_mistake(void **state)
{
	static const char *const mistakes[] = {
		"",
		":",
		":9719",
		"*:9719",
		"localhost:9719",
		"65536",
		"-1",
		"0x50",
		"80 ",
		"127.0.0.1",
		"127.0.0.1:",
		"127.1:80",
		"1.2.3.4.5:80",
		"::1:9719",
		"[::1]",
		"[::1]9719",
		"[::1:9719",
		"::1]:9719",
		"[]:9719",
		"[:9719",
		"[127.0.0.1]:9",
		"unix:",
		"http://[::1]:9",
		"[::1%lo]:80",
		"[2001:db8:ffff:ffff:ffff:ffff:192.168.100.100.100.100.100]:9719",
	};
	char path[256] = "unix:";
	struct listen_address address;

	(void)state;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
		if (listen_parse(mistakes[i], &address))
			fail_msg("'%s' was taken", mistakes[i]);
	/* Of 107 bytes at the most. */
	memset(path + strlen(path), 'x', 107);
	assert_true(listen_parse(path, &address));
	strcat(path, "x");
	assert_false(listen_parse(path, &address));
}

static int connect_to(const struct listen_address *address)
{
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err = connect(fd, &address->any, address->size) ? -errno : 0;

	close(fd);
	return err;
}

static int listen_at(const char *text, struct listen_address *address)
{
	assert_true(listen_parse(text, address));
	return listen_open(address);
}

static void stop_listening(const struct listen_address *address, int fd)
{
	listen_remove_files(&(struct listen_addresses){ { *address }, 1 });
	close(fd);
}

static void test_sockets_listen(void **state)
{
	static const char *const texts[] = { "0", "[::1]:0" };
	int fds_before = nr_fds();

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct listen_address address;
		int fd = listen_at(texts[i], &address);

		assert_true(fd >= 0);
		/* The one that the kernel chose. */
		assert_int_not_equal(address.ipv4.sin_port, 0);
		assert_int_equal(connect_to(&address), 0);
		stop_listening(&address, fd);
		assert_int_equal(connect_to(&address), -ECONNREFUSED);
	}
	assert_int_equal(nr_fds(), fds_before);
}

static void assert_fails(struct listen_address *address, const char *why)
{
	char text[LISTEN_TEXT_SIZE], expected[256];
	int fds_before = nr_fds(), fd;

	snprintf(expected, sizeof(expected), "netstacklat: cannot listen at %s: %s\n",
		 listen_text(address, text), why);
	said_begin();
	fd = listen_open(address);
	assert_string_equal(said_end(), expected);
	assert_true(fd < 0);
	assert_int_equal(nr_fds(), fds_before);
}

static void test_what_cannot_be_had_is_told(void **state)
{
	struct listen_address address, same;
	int fd = listen_at("0", &address);

	(void)state;
	same = address;
	assert_fails(&same, "Address already in use");
	stop_listening(&address, fd);
	assert_true(listen_parse("192.0.2.77:9719", &address));
	assert_fails(&address, "Cannot assign requested address");
	assert_true(listen_parse("unix:/nonexistent/socket", &address));
	assert_fails(&address, "No such file or directory");
}

static void test_paths(void **state)
{
	char folder[] = "/tmp/test_listen.XXXXXX", text[64];
	struct listen_address address, same;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(text, sizeof(text), "unix:%s/socket", folder);
	fd = listen_at(text, &address);
	assert_true(fd >= 0);
	assert_int_equal(connect_to(&address), 0);
	/* Somebody listens there ... */
	same = address;
	assert_fails(&same, "Address already in use");
	assert_int_equal(connect_to(&address), 0);
	/* ... until it was killed. */
	close(fd);
	fd = listen_open(&address);
	assert_true(fd >= 0);
	assert_int_equal(connect_to(&address), 0);
	stop_listening(&address, fd);
	/* Nothing is left. */
	assert_int_equal(rmdir(folder), 0);
}

static void test_a_queue_that_is_full_is_not_waited_for(void **state)
{
	char folder[] = "/tmp/test_listen.XXXXXX", text[64];
	struct listen_address address, same;
	int fd, client;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(text, sizeof(text), "unix:%s/socket", folder);
	fd = listen_at(text, &address);
	assert_int_equal(listen(fd, 0), 0);
	client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(client, &address.any, address.size), 0);
	same = address;
	/* A signal ends the test if it waits. */
	alarm(10);
	assert_fails(&same, "Address already in use");
	alarm(0);
	close(client);
	stop_listening(&address, fd);
	assert_int_equal(rmdir(folder), 0);
}

static void test_the_path_of_somebody_else_by_now(void **state)
{
	char folder[] = "/tmp/test_listen.XXXXXX", text[64];
	struct listen_address address, others;
	int fd, other;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(text, sizeof(text), "unix:%s/socket", folder);
	fd = listen_at(text, &address);
	assert_int_equal(unlink(address.local.sun_path), 0);
	other = listen_at(text, &others);
	assert_true(other >= 0);
	stop_listening(&address, fd);
	assert_int_equal(connect_to(&others), 0);
	stop_listening(&others, other);
	assert_int_equal(rmdir(folder), 0);
}

/* What was there before must not be lost. */
static void test_a_path_of_something_else_stays_what_it_is(void **state)
{
	char path[] = "/tmp/test_listen.XXXXXX", text[64];
	struct listen_address address;

	(void)state;
	close(mkstemp(path));
	snprintf(text, sizeof(text), "unix:%s", path);
	assert_true(listen_parse(text, &address));
	assert_fails(&address, "Address already in use");
	assert_int_equal(unlink(path), 0);
}

/* Another process, as its third descriptor and its environment change. Returns its exit status. */
static int in_child(int (*function)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(function());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Passes a socket as systemd does, which listens or not. */
static void pass_socket(int nr, bool listens)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char text[16];

	snprintf(text, sizeof(text), "%d", getpid());
	setenv("LISTEN_PID", text, 1);
	snprintf(text, sizeof(text), "%d", nr);
	setenv("LISTEN_FDS", text, 1);
	if (listens)
		listen(fd, 1);
	dup2(fd, 3);
}

/* Returns the socket, or 99 for none. */
static int take(void)
{
	struct listen_address address;
	int fd;

	if (!listen_parse("systemd", &address))
		return 98;
	fd = listen_open(&address);
	if (getenv("LISTEN_PID") || getenv("LISTEN_FDS"))
		return 97;
	return fd >= 0 && address.any.sa_family == AF_INET && address.ipv4.sin_port ? fd : 99;
}

static int take_one(void)
{
	pass_socket(1, true);
	return take();
}

static int take_deaf(void)
{
	pass_socket(1, false);
	return take();
}

static int take_two(void)
{
	pass_socket(2, true);
	return take();
}

static int take_of_another(void)
{
	pass_socket(1, true);
	setenv("LISTEN_PID", "1", 1);
	return take();
}

static void assert_takes_none(int (*function)(void), const char *expected)
{
	int status;

	said_begin();
	status = in_child(function);
	assert_non_null(strstr(said_end(), expected));
	assert_int_equal(status, 99);
}

static void test_a_socket_that_is_passed(void **state)
{
	(void)state;
	assert_int_equal(in_child(take_one), 3);
	assert_takes_none(take_deaf, "passed 1 sockets");
	assert_takes_none(take_two, "passed 2 sockets");
	assert_takes_none(take_of_another, "passed 0 sockets");
	assert_takes_none(take, "passed 0 sockets");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_and_ports),
		cmocka_unit_test(test_a_port_alone_is_for_this_host_only),
		cmocka_unit_test(test_anything_else_is_a_mistake),
		cmocka_unit_test(test_sockets_listen),
		cmocka_unit_test(test_what_cannot_be_had_is_told),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_a_queue_that_is_full_is_not_waited_for),
		cmocka_unit_test(test_the_path_of_somebody_else_by_now),
		cmocka_unit_test(test_a_path_of_something_else_stays_what_it_is),
		cmocka_unit_test(test_a_socket_that_is_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
