// SPDX-License-Identifier: GPL-2.0
/* Names of containers, as files in the places of the kubelet's, Docker's and Podman's tell them. */
#include "unit.h"

#include <limits.h>
#include <unistd.h>

#include "fake_root.h"
#include "lib/host/container.h"

#define ID "4bd1a9b0c2f35e7786d0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6"
#define OTHER_ID "5bd1a9b0c2f35e7786d0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6"
#define LOGS "/var/log/containers"

static void link_log(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), LOGS "/%s", name);
	assert_int_equal(symlink("/var/log/pods/0.log", in_root(path)), 0);
}

static void assert_names(const char *pod, const char *name)
{
	struct container_names names;

	container_find_names(root, ID "/and/so/on", &names);
	assert_string_equal(names.pod, pod);
	assert_string_equal(names.name, name);
}

static void test_nobody_tells(void **state)
{
	(void)state;
	assert_names("", "");
	in_root(LOGS "/");
	assert_names("", "");
}

static void test_kubernetes(void **state)
{
	(void)state;
	link_log("coredns-5d78c9869d-x2x7k_kube-system_coredns-" OTHER_ID ".log");
	assert_names("", "");
	link_log("cart-7d9f-2_shop_side-car-" ID ".log");
	assert_names("shop/cart-7d9f-2", "side-car");
}

static void test_what_the_kubelet_would_not_write(void **state)
{
	static const char *const links[] = {
		ID ".log",	    "-" ID ".log",	  "a_b-" ID ".log",  "__-" ID ".log",
		"a_b_-" ID ".log",  "a_b_c_d-" ID ".log", "a_b_c" ID ".log", "a_b_c-" ID ".log.1",
		"a_b_c-" ID ".txt", "a_b_c-" ID "0.log",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		link_log(links[i]);
	assert_names("", "");
}

/* As long as file names get. */
static void test_a_long_name(void **state)
{
	char link[NAME_MAX + 1], expected[NAME_MAX + 1];

	(void)state;
	memset(link, 'p', sizeof(link));
	memcpy(link + NAME_MAX - 73, "_s_c-" ID ".log", 74);
	link_log(link);
	snprintf(expected, sizeof(expected), "s/%.*s", NAME_MAX - 73, link);
	assert_names(expected, "c");
}

/* Neither where others may write, nor behind a link. */
static void test_what_others_may_have_written(void **state)
{
	char elsewhere[1024];

	(void)state;
	link_log("cart_shop_app-" ID ".log");
	assert_names("shop/cart", "app");
	chmod(in_root(LOGS), 0775);
	assert_names("", "");
	chmod(in_root(LOGS), 0757);
	assert_names("", "");
	chmod(in_root(LOGS), 0755);
	assert_names("shop/cart", "app");
	strcpy(elsewhere, in_root("/elsewhere"));
	assert_int_equal(rename(in_root(LOGS), elsewhere), 0);
	assert_int_equal(symlink(elsewhere, in_root(LOGS)), 0);
	assert_names("", "");
}

#define DOCKER "/var/lib/docker/containers/" ID "/config.v2.json"

static void test_docker(void **state)
{
	(void)state;
	write_file("/var/lib/docker/containers/" OTHER_ID "/config.v2.json",
		   "{\"Name\":\"/other\"}");
	assert_names("", "");
	write_file(DOCKER, "{\"State\":{\"Name\":\"x\"},\"Name\":\"/web\",\"ID\":\"" ID "\"}");
	assert_names("", "web");
	/* The kubelet's name tells more. */
	link_log("cart_shop_app-" ID ".log");
	assert_names("shop/cart", "app");
}

static void test_what_docker_would_not_write(void **state)
{
	static const char *const texts[] = {
		"", "{", "[]", "null", "{}", "{\"Name\":1}", "{\"Name\":\"\"}", "{\"Name\":\"/\"}",
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		write_file(DOCKER, texts[i]);
		assert_names("", "");
	}
	snprintf(text, sizeof(text), "{\"Name\":\"%0*d\"}", NAME_MAX + 1, 0);
	write_file(DOCKER, text);
	assert_names("", "");
	write_file(DOCKER, "{\"Name\":\"/web\"}");
	chmod(in_root(DOCKER), 0620);
	assert_names("", "");
}

#define PODMAN "/var/lib/containers/storage/overlay-containers/containers.json"

static void test_podman(void **state)
{
	(void)state;
	write_file(PODMAN, "[{\"id\":\"" OTHER_ID "\",\"names\":[\"other\"]},"
			   "{\"id\":\"" ID "\",\"names\":[\"web\",\"alias\"]}]");
	assert_names("", "web");
	write_file(PODMAN,
		   "[1,null,{},{\"id\":\"" ID "\"},{\"id\":\"" ID "\",\"names\":[]},"
		   "{\"id\":\"" ID "\",\"names\":[null]},{\"id\":\"" ID "\",\"names\":\"web\"}]");
	assert_names("", "");
}

/* It becomes a part of a path. */
static void test_what_is_no_id(void **state)
{
	struct container_names names;

	(void)state;
	write_file("/var/lib/docker/config.v2.json", "{\"Name\":\"/web\"}");
	container_find_names(
		root, "../../docker/../docker/../docker/../docker/../docker/containers/..", &names);
	assert_string_equal(names.name, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nobody_tells),
		TEST(test_kubernetes),
		TEST(test_what_the_kubelet_would_not_write),
		TEST(test_a_long_name),
		TEST(test_what_others_may_have_written),
		TEST(test_docker),
		TEST(test_what_docker_would_not_write),
		TEST(test_podman),
		TEST(test_what_is_no_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
