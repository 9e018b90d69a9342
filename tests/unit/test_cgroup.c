// SPDX-License-Identifier: GPL-2.0
/* What paths tell, and how cgroups are found. */
#include "unit.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "fds.h"
#include "lib/host/cgroup.h"
#include "real_cgroups.h"
#include "said.h"

/* The id of a container, and another one. */
#define ID "4bd1a9b0c2f35e7786d0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6"
#define INNER_ID "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

#define KUBEPODS "/kubepods.slice/kubepods-burstable.slice"
#define POD KUBEPODS "/kubepods-burstable-pod0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0.slice"

static size_t roots_length = SIZE_MAX; /* as much of a path is root's */

static bool belongs_to_root(const char *path, size_t length)
{
	(void)path;
	return length <= roots_length;
}

static void assert_role(const char *path, const char *expected, const char *expected_value)
{
	char value[CGROUP_ROLE_SIZE];
	const char *role = cgroup_role(path, belongs_to_root, value);

	if (!role)
		fail_msg("%s has no role", path);
	assert_string_equal(role, expected);
	assert_string_equal(value, expected_value);
}

static void assert_no_role(const char *path)
{
	char value[CGROUP_ROLE_SIZE];
	const char *role = cgroup_role(path, belongs_to_root, value);

	if (role)
		fail_msg("%s is a %s: %s", path, role, value);
}

static void test_containers(void **state)
{
	static const char *const paths[] = {
		/* Of docker, with systemd and without; of podman, as root. */
		"/system.slice/docker-" ID ".scope",
		"/docker/" ID,
		"/machine.slice/libpod-" ID ".scope",
		"/machine.slice/libpod-" ID ".scope/container",
		"/libpod_parent/libpod-" ID,
		/* Of Kubernetes, with containerd, CRI-O and docker, and without systemd. */
		POD "/cri-containerd-" ID ".scope",
		POD "/crio-" ID ".scope",
		POD "/docker-" ID ".scope",
		"/kubepods/burstable/pod0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0/" ID,
		"/system.slice/nerdctl-" ID ".scope",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_role(paths[i], "container", ID);
}

static void test_units(void **state)
{
	(void)state;
	assert_role("/system.slice/ssh.service", "unit", "ssh.service");
	assert_role("/init.scope", "unit", "init.scope");
	assert_role("/user.slice/user-1000.slice/session-3.scope", "unit", "session-3.scope");
	assert_role("/system.slice/system-getty.slice/getty@tty1.service", "unit",
		    "getty@tty1.service");
	assert_role("/system.slice/a\\x2db.service", "unit", "a\\x2db.service");
}

/* Whoever runs in a unit may call cgroups there as he likes. */
static void test_no_unit_is_in_another(void **state)
{
	(void)state;
	assert_role("/system.slice/postgres.service/workers/7", "unit", "postgres.service");
	assert_role("/system.slice/postgres.service/ssh.service", "unit", "postgres.service");
	assert_role("/machine.slice/systemd-nspawn@a.service/payload/system.slice/ssh.service",
		    "unit", "systemd-nspawn@a.service");
	assert_role("/system.slice/containerd.service/kubepods-besteffort/" ID, "container", ID);
}

/* A unit may be delegated to its user, who makes cgroups in it. */
static void test_containers_are_made_by_root(void **state)
{
	(void)state;
	roots_length = strlen("/system.slice");
	assert_role("/system.slice/web.service/" ID, "unit", "web.service");
	assert_role("/system.slice/web.service/docker-" ID ".scope/" INNER_ID, "unit",
		    "web.service");
	/* A container's own root, who is another user here, may own what is in it. */
	assert_role("/system.slice/docker-" ID ".scope/system.slice/" INNER_ID, "container", ID);
	roots_length = SIZE_MAX;
}

static void test_a_frozen_one_is_told(void **state)
{
	char path[256], file[PATH_MAX + 256];
	FILE *freezer;

	(void)state;
	skip_without_cgroups();
	make_cgroup("a");
	make_cgroup("a/b");
	snprintf(path, sizeof(path), "%s/a/b", cgroup_name);
	assert_false(cgroup_is_frozen(path));
	snprintf(file, sizeof(file), "%s/a/cgroup.freeze", cgroup_folder);
	freezer = fopen(file, "we");
	assert_non_null(freezer);
	fputs("1", freezer);
	assert_int_equal(fclose(freezer), 0);
	assert_true(cgroup_is_frozen(path));
	remove_cgroup("a/b");
	remove_cgroup("a");
	assert_false(cgroup_is_frozen(path));
}

static void test_folders_of_root(void **state)
{
	char path[256], folder[PATH_MAX + 256];

	(void)state;
	skip_without_cgroups();
	make_cgroup("a");
	make_cgroup("a/b");
	snprintf(path, sizeof(path), "%s/a/b/c", cgroup_name);
	assert_true(cgroup_is_roots(path, strlen(path) - strlen("/c")));
	assert_false(cgroup_is_roots(path, strlen(path)));
	snprintf(folder, sizeof(folder), "%s/a", cgroup_folder);
	assert_int_equal(chown(folder, 1, 1), 0);
	assert_false(cgroup_is_roots(path, strlen(path) - strlen("/c")));
	assert_false(cgroup_is_roots(path, strlen(path) - strlen("/b/c")));
	assert_true(cgroup_is_roots(path, strlen(path) - strlen("/a/b/c")));
	assert_true(cgroup_is_roots(path, 0));
	remove_cgroup("a/b");
	remove_cgroup("a");
}

static void test_users_tell_nothing(void **state)
{
	static const char *const below[] = {
		"",
		"/sshd.service",
		"/app.slice/firefox.service",
		"/user.slice/libpod-" ID ".scope",
		"/" ID,
	};
	char path[256];

	(void)state;
	for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++) {
		snprintf(path, sizeof(path), "/user.slice/user-1000.slice/user@1000.service%s",
			 below[i]);
		assert_role(path, "unit", "user@1000.service");
	}
	/* Nor do those of a container. */
	assert_role("/docker/" ID "/user.slice/user@0.service/" INNER_ID, "container", ID);
}

/* A container may run a systemd of its own, or containers. */
static void test_units_of_a_container_are_its_own(void **state)
{
	(void)state;
	assert_role("/system.slice/docker-" ID ".scope/system.slice/nginx.service", "container",
		    ID);
	assert_role("/docker/" ID "/init.scope", "container", ID);
	assert_role("/docker/" ID "/docker/" INNER_ID, "container", INNER_ID);
}

static void test_other_paths_tell_nothing(void **state)
{
	static const char *const paths[] = {
		"",
		"/",
		"/user.slice",
		"/user.slice/user-1000.slice",
		POD,
		"/lxc/web",
		"/a/b/c",
		/* Only a suffix, or not one at the end. */
		"/.service",
		"/.scope",
		"/my.services",
		"/ssh.service.old",
		"/service",
		/* A digit too short; too short on either side of a letter that is no digit. */
		"/docker/4bd1a9b0c2f35e7786d0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f",
		"/4bd1a9b0c2f35e7786d0a1b2c3d4e5f6-0718293a4b5c6d7e8f90a1b2c3d4e5f6",
		/* Long enough only across folders. */
		"/4bd1a9b0c2f35e7786d0a1b2c3d4e5f6/0718293a4b5c6d7e8f90a1b2c3d4e5f6",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_no_role(paths[i]);
}

static void test_the_longest_names(void **state)
{
	char path[1 + NAME_MAX + 1], name[NAME_MAX + 1];

	(void)state;
	snprintf(name, sizeof(name), "%0*d.service", NAME_MAX - (int)strlen(".service"), 0);
	/* Zeros are the digits of an id. */
	name[50] = name[100] = name[150] = name[200] = '-';
	snprintf(path, sizeof(path), "/%s", name);
	assert_role(path, "unit", name);
	memcpy(path + NAME_MAX - strlen(ID), "-" ID, 1 + strlen(ID));
	assert_role(path, "container", ID);
}

/* No folder has such a name. To look for its end behind what is kept of it would be fatal. */
static void test_names_without_end(void **state)
{
	const size_t size = 64 << 20;
	char *path = malloc(size);

	(void)state;
	assert_non_null(path);
	memset(path, 'z', size);
	path[0] = '/';
	path[size - 1] = '\0';
	assert_no_role(path);
	free(path);
}

/* Where there is no cgroup v2, there is nothing to be opened. */
static void test_looking_for_cgroups_leaves_nothing_open(void **state)
{
	char path[PATH_MAX];
	uint64_t id = 1;
	int before = nr_fds(), err = cgroup_find("/", &id);

	(void)state;
	assert_true(!err || err == -ENODEV);
	assert_true(err || cgroup_path(id, path));
	assert_false(cgroup_path(UINT64_MAX - 1, path));
	assert_int_equal(cgroup_find("18446744073709551614", &id), err ? err : -ENOENT);
	assert_int_equal(nr_fds(), before);
}

static void assert_found(const char *text, uint64_t expected)
{
	uint64_t id = 0;

	assert_int_equal(cgroup_find(text, &id), 0);
	assert_int_equal(id, expected);
}

static void test_cgroups_are_found_by_path_and_id(void **state)
{
	char path[sizeof(cgroup_folder) + 8], name[sizeof(cgroup_name) + 8], id_text[32];
	uint64_t id;

	(void)state;
	skip_without_cgroups();
	id = make_cgroup("a");
	snprintf(name, sizeof(name), "%s/a", cgroup_name);
	snprintf(path, sizeof(path), "%s/a", cgroup_folder);
	snprintf(id_text, sizeof(id_text), "%ju", (uintmax_t)id);
	assert_found(name, id);
	assert_found(name + 1, id);
	assert_found(path, id);
	assert_found(id_text, id);
	assert_true(cgroup_path(id, path));
	assert_string_equal(path, name);
	remove_cgroup("a");
	assert_false(cgroup_path(id, path));
	assert_int_equal(cgroup_find(name, &id), -ENOENT);
	assert_int_equal(cgroup_find(id_text, &id), -ENOENT);
}

/* Without any privileges. */
static void assert_found_by_nobody(uint64_t id, const char *expected)
{
	char path[PATH_MAX];
	int status;
	pid_t child = fork();

	if (!child)
		_exit(setresuid(65534, 65534, 65534) || !cgroup_path(id, path) ||
		      strcmp(path, expected));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_all_may_look_for_them(void **state)
{
	char name[sizeof(cgroup_name) + 8];
	uint64_t id, id_below;

	(void)state;
	skip_without_cgroups();
	id = make_cgroup("a");
	id_below = make_cgroup("a/b");
	snprintf(name, sizeof(name), "%s/a", cgroup_name);
	assert_found_by_nobody(id, name);
	strcat(name, "/b");
	assert_found_by_nobody(id_below, name);
	remove_cgroup("a/b");
	remove_cgroup("a");
}

/* Nested until their path is too long to be opened by: those that can be are found all the same. */
static void test_depth_is_no_harm(void **state)
{
	char name[101], folder[PATH_MAX], path[PATH_MAX];
	struct stat status;
	bool is_found, is_none_found, is_deep_found;
	int depth = 0, fds = nr_fds();
	uint64_t id;

	(void)state;
	skip_without_cgroups();
	id = make_cgroup("z");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_non_null(getcwd(folder, sizeof(folder)));
	assert_int_equal(chdir(cgroup_folder), 0);
	while (depth < 60 && !mkdir(name, 0755) && !chdir(name))
		depth++;
	assert_int_equal(depth, 60);
	assert_int_equal(stat(".", &status), 0);
	is_found = cgroup_path(id, path);
	is_none_found = cgroup_path(UINT64_MAX - 1, path);
	is_deep_found = cgroup_path(status.st_ino, path);
	/* They are gone before anything is asserted: nftw(3) cannot remove what lies so deep. */
	for (; depth; depth--) {
		assert_int_equal(chdir(".."), 0);
		assert_int_equal(rmdir(name), 0);
	}
	assert_int_equal(chdir(folder), 0);
	remove_cgroup("z");
	assert_true(is_found);
	assert_false(is_none_found || is_deep_found);
	assert_int_equal(nr_fds(), fds);
}

#define NR_SIBLINGS 200
#define NR_LEVELS 12

struct memory {
	unsigned int nr; /* of siblings that were found */
	size_t most;
};

static bool measure_memory(uint64_t id, const char *path, void *context)
{
	struct memory *memory = context;
	size_t used = mallinfo2().uordblks;

	(void)id;
	memory->nr += strstr(path, "/sibling-") != NULL;
	if (used > memory->most)
		memory->most = used;
	return true;
}

/* Makes or removes folders with the longest names, one in the other, and many in the last. */
static void change_siblings(int (*change)(const char *path), bool from_the_end)
{
	char path[PATH_MAX], name[NAME_MAX + 1];
	int length;

	memset(name, 'x', NAME_MAX);
	name[NAME_MAX] = '\0';
	for (int level = 0; level <= NR_LEVELS; level++) {
		int nr = from_the_end ? NR_LEVELS - level : level;

		length = snprintf(path, sizeof(path), "%s", cgroup_folder);
		for (int i = 0; i < nr; i++)
			length += snprintf(path + length, sizeof(path) - length, "/%s", name);
		if (nr && !from_the_end)
			change(path);
		for (int i = 0; nr == NR_LEVELS && i < NR_SIBLINGS; i++) {
			snprintf(path + length, sizeof(path) - length, "/sibling-%d", i);
			change(path);
		}
		path[length] = '\0';
		if (nr && from_the_end)
			change(path);
	}
}

static int make(const char *path)
{
	return mkdir(path, 0755);
}

/* Whoever may make cgroups takes little of our memory by that, however long their paths are. */
static void test_paths_of_siblings_take_no_memory(void **state)
{
	struct memory memory = { 0 };
	size_t before;
	int err;

	(void)state;
	skip_without_cgroups();
	change_siblings(make, false);
	before = mallinfo2().uordblks;
	err = cgroup_for_each(measure_memory, &memory);
	change_siblings(rmdir, true);
	/* A machine that is busy may see fewer of them in time. */
	if (err != -E2BIG)
		assert_int_equal(err, 0);
	if (!err)
		assert_int_equal(memory.nr, NR_SIBLINGS);
	assert_true(memory.nr > 0);
	assert_true(memory.most - before < 100000);
}

static void test_the_root_is_a_cgroup(void **state)
{
	char path[PATH_MAX] = "";
	uint64_t id;

	(void)state;
	skip_without_cgroups();
	assert_int_equal(cgroup_find("/", &id), 0);
	assert_true(cgroup_path(id, path));
	assert_string_equal(path, "/");
	assert_found(cgroup_mount_point(), id);
}

static void test_paths_begin_at_the_mount_that_is_used(void **state)
{
	char root[PATH_MAX], path[PATH_MAX] = "", mount[2 * PATH_MAX];
	uint64_t id, child;

	(void)state;
	skip_without_cgroups();
	child = make_cgroup("child");
	snprintf(root, sizeof(root), "%s", cgroup_mount_point());
	snprintf(mount, sizeof(mount), "%s/%s/.", root, cgroup_name);
	assert_int_equal(cgroup_use_mount(mount), 0);
	assert_int_equal(cgroup_find("child", &id), 0);
	assert_int_equal(id, child);
	assert_true(cgroup_path(id, path));
	assert_string_equal(path, "/child");

	said_begin();
	assert_int_equal(cgroup_use_mount("/nonexistent"), -ENOENT);
	assert_int_equal(cgroup_use_mount("/dev"), -ENODEV);
	assert_string_equal(
		said_end(),
		"netstacklat: cannot look for cgroups at '/nonexistent': No such file or directory\n"
		"netstacklat: no cgroups (v2) are mounted at '/dev': mount shows where they are\n");
	assert_int_equal(cgroup_use_mount(root), 0);
	assert_int_equal(cgroup_find("child", &id), -ENOENT);
	remove_cgroup("child");
}

static void test_what_is_no_cgroup(void **state)
{
	char file[sizeof(cgroup_name) + 16];
	uint64_t id;

	(void)state;
	skip_without_cgroups();
	snprintf(file, sizeof(file), "%s/cgroup.procs", cgroup_name);
	assert_int_equal(cgroup_find(file, &id), -ENOENT);
	snprintf(file, sizeof(file), "%s/nonsense", cgroup_name);
	assert_int_equal(cgroup_find(file, &id), -ENOENT);
	assert_int_equal(cgroup_find("/tmp", &id), -EXDEV);
	assert_int_equal(cgroup_find("/dev/null", &id), -EXDEV);
	assert_int_equal(cgroup_find("nonsense", &id), -ENOENT);
	assert_int_equal(cgroup_find("", &id), -ENOENT);
}

/* Programs look at so many, as users may nest them without end. */
static void test_levels_have_an_end(void **state)
{
	char path[2 * MAX_CGROUP_LEVEL + 1] = "a", name[sizeof(cgroup_name) + sizeof(path)];
	char id_text[32];
	uint64_t id, deepest;

	(void)state;
	skip_without_cgroups();
	/* The one that holds them is the first. */
	for (int level = 2; level < MAX_CGROUP_LEVEL; level++) {
		make_cgroup(path);
		strcat(path, "/a");
	}
	id = make_cgroup(path);
	snprintf(name, sizeof(name), "%s/%s", cgroup_name, path);
	assert_found(name, id);
	snprintf(id_text, sizeof(id_text), "%ju", (uintmax_t)id);
	assert_found(id_text, id);
	strcat(path, "/a");
	deepest = make_cgroup(path);
	snprintf(name, sizeof(name), "%s/%s", cgroup_name, path);
	assert_int_equal(cgroup_find(name, &id), -ELOOP);
	assert_int_equal(cgroup_find(name + 1, &id), -ELOOP);
	snprintf(name, sizeof(name), "%ju", (uintmax_t)deepest);
	assert_int_equal(cgroup_find(name, &id), -ELOOP);
	for (size_t length = strlen(path); *path; length -= 2) {
		remove_cgroup(path);
		path[length < 2 ? 0 : length - 2] = '\0';
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_containers),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_no_unit_is_in_another),
		cmocka_unit_test(test_containers_are_made_by_root),
		cmocka_unit_test(test_a_frozen_one_is_told),
		cmocka_unit_test(test_folders_of_root),
		cmocka_unit_test(test_users_tell_nothing),
		cmocka_unit_test(test_units_of_a_container_are_its_own),
		cmocka_unit_test(test_other_paths_tell_nothing),
		cmocka_unit_test(test_the_longest_names),
		cmocka_unit_test(test_names_without_end),
		cmocka_unit_test(test_cgroups_are_found_by_path_and_id),
		cmocka_unit_test(test_all_may_look_for_them),
		cmocka_unit_test(test_depth_is_no_harm),
		cmocka_unit_test(test_paths_of_siblings_take_no_memory),
		cmocka_unit_test(test_the_root_is_a_cgroup),
		cmocka_unit_test(test_paths_begin_at_the_mount_that_is_used),
		cmocka_unit_test(test_what_is_no_cgroup),
		cmocka_unit_test(test_levels_have_an_end),
		cmocka_unit_test(test_looking_for_cgroups_leaves_nothing_open),
	};

	return cmocka_run_group_tests(tests, make_cgroups, remove_cgroups);
}
