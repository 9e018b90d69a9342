// SPDX-License-Identifier: GPL-2.0
/* What a service manager is told, at a socket as it would have it. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/serve/ready.h"
#include "fds.h"
#include "said.h"

/* The path of a socket may be long, but a name that is none may not have a zero behind it. */
static int listen_at(const char *path, socklen_t size)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	if (*path == '@')
		*address.sun_path = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address.sun_family) + size),
			 0);
	return fd;
}

static void fill_queue(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path + 1, name + 1, strlen(name) - 1);
	assert_int_equal(
		connect(fd, (struct sockaddr *)&address, sizeof(address.sun_family) + strlen(name)),
		0);
	while (send(fd, "", 1, MSG_DONTWAIT) == 1)
		;
	close(fd);
}

static void assert_told(const char *path)
{
	int manager = listen_at(path, strlen(path)), fds_before = nr_fds();
	char told[64] = "";

	setenv("NOTIFY_SOCKET", path, 1);
	notify_ready();
	assert_int_equal(nr_fds(), fds_before);
	assert_int_equal(recv(manager, told, sizeof(told), MSG_DONTWAIT), strlen("READY=1"));
	assert_string_equal(told, "READY=1");
	close(manager);
}

static void test_the_manager_is_told(void **state)
{
	char folder[] = "/tmp/test_ready.XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/notify", folder);
	assert_told(path);
	unlink(path);
	rmdir(folder);
	snprintf(path, sizeof(path), "@test_ready.%d", getpid());
	assert_told(path);
}

static void test_nobody_need_be_told(void **state)
{
	(void)state;
	said_begin();
	unsetenv("NOTIFY_SOCKET");
	notify_ready();
	setenv("NOTIFY_SOCKET", "", 1);
	notify_ready();
	assert_string_equal(said_end(), "");
}

static void test_a_manager_that_is_gone_is_no_failure(void **state)
{
	(void)state;
	setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1);
	said_begin();
	notify_ready();
	assert_string_equal(said_end(), "netstacklat: cannot tell /nonexistent/notify that this is "
					"up: No such file or directory\n");
}

static void test_a_manager_that_does_not_listen_is_not_waited_for_for_ever(void **state)
{
	char name[64], expected[256];
	int manager;

	(void)state;
	snprintf(name, sizeof(name), "@test_ready.%d", getpid());
	manager = listen_at(name, strlen(name));
	setenv("NOTIFY_SOCKET", name, 1);
	snprintf(expected, sizeof(expected),
		 "netstacklat: cannot tell %s that this is up: Resource temporarily unavailable\n",
		 name);
	fill_queue(name);
	said_begin();
	/* A signal ends the test if it waits. */
	alarm(30);
	notify_ready();
	alarm(0);
	assert_string_equal(said_end(), expected);
	close(manager);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_manager_is_told),
		cmocka_unit_test(test_nobody_need_be_told),
		cmocka_unit_test(test_a_manager_that_is_gone_is_no_failure),
		cmocka_unit_test(test_a_manager_that_does_not_listen_is_not_waited_for_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
