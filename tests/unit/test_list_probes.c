// SPDX-License-Identifier: GPL-2.0
/* What is found out of the types of kernels, which are made up here, and what -l says of it. */
#include "unit.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli/list_probes.h"
#include "lib/kernel/btf.h"
#include "lib/tables/attributes.h"

static char path[] = "/tmp/netstacklat-btf.XXXXXX";

/* A file with the types of a kernel that has just these functions. */
static int make_btf(void **state)
{
	struct btf *btf = btf__new_empty();
	int proto = btf__add_func_proto(btf, 0), fd = mkstemp(path);
	const void *data;
	__u32 size;
	FILE *file = fdopen(fd, "we");

	(void)state;
	btf__add_func(btf, "udp_rcv", BTF_FUNC_STATIC, proto);
	/* Of that name, but no function. */
	btf__add_typedef(btf, "icmp_rcv", proto);
	btf__add_func(btf, "tcp_queue_rcv", BTF_FUNC_STATIC, proto);
	data = btf__raw_data(btf, &size);
	fwrite(data, 1, size, file);
	fclose(file);
	btf__free(btf);
	return 0;
}

static int remove_btf(void **state)
{
	(void)state;
	return remove(path);
}

static void test_functions_that_a_kernel_lacks_are_marked(void **state)
{
	char *text = PRINTED(list_probes, path);

	(void)state;
	assert_non_null(strstr(text, " udp_rcv, udpv6_rcv (not in this kernel)\n"));
	assert_non_null(strstr(text, " tcp_queue_rcv\n"));
	assert_non_null(strstr(text, " icmp_rcv (not in this kernel),\n"));
	assert_null(strstr(text, "shows no types"));
	free(text);
}

static void test_a_kernel_without_types_is_told_and_nothing_is_marked(void **state)
{
	char *text = PRINTED(list_probes, "/nonexistent");

	(void)state;
	assert_null(strstr(text, "not in this kernel"));
	assert_non_null(strstr(text, "\n\nThis kernel shows no types, so it is unknown which of "
				     "these it has.\n"));
	free(text);
}

/* What a list of a hook's says, of which each line but the last ends with a comma; "" if there is
 * none. */
static void copy_list(const char *text, enum hook hook, const char *label, char copy[1000])
{
	char begin[64];
	const char *of_hook, *end;
	size_t length;

	copy[0] = '\0';
	snprintf(begin, sizeof(begin), "\n%-20s ", hooks[hook].name);
	of_hook = strstr(text, begin);
	assert_non_null(of_hook);
	end = strchr(of_hook + 1, '\n');
	while (end && end[1] == ' ')
		end = strchr(end + 1, '\n');
	snprintf(begin, sizeof(begin), "\n%21s%s", "", label);
	text = strstr(of_hook, begin);
	if (!text || text > end)
		return;
	text += strlen(begin);
	for (length = 0; text[length] != '\n' || text[length - 1] == ','; length++)
		copy[length] = text[length];
	snprintf(copy + length, 2, ",");
}

static void assert_listed(const char *list, const char *name, bool is_expected)
{
	char word[100];

	snprintf(word, sizeof(word), " %s,", name);
	if (!!strstr(list, word) != is_expected)
		fail_msg("%s in '%s'", name, list);
}

static void test_each_hook_has_its_filters_and_keys(void **state)
{
	char *text = PRINTED(list_probes, "/nonexistent"), filters[1000], keys[1000],
	     name[KEY_NAME_SIZE];

	(void)state;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		copy_list(text, hook, "filters:", filters);
		copy_list(text, hook, "groups:", keys);
		for (enum filter filter = 0; filter < NR_FILTERS; filter++)
			assert_listed(filters, filter_table[filter].option,
				      hook_can_filter(hook, filter));
		for (enum key key = 0; key < NR_KEYS; key++)
			assert_listed(keys, key_name(key, name), hook_can_group(hook, key));
	}
	free(text);
}

static void test_each_hook_has_its_meaning(void **state)
{
	char *text = PRINTED(list_probes, "/nonexistent"), line[200];

	(void)state;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		bool is_span = hooks[hook].has & HAS_SPAN;

		snprintf(line, sizeof(line), "\n%-20s %s%s%s%s\n", hooks[hook].name,
			 is_span ? "the " : "", is_span ? hook_subject(hook) : "",
			 is_span ? " has " : "", hooks[hook].meaning);
		assert_non_null(strstr(text, line));
	}
	free(text);
}

static void test_targets_are_found_by_name_and_kind(void **state)
{
	int ids[NR_PROBES];

	(void)state;
	assert_true(kernel_look_for_targets(path, ids));
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		assert_int_equal(!!ids[probe],
				 probe == PROBE_udp_rcv || probe == PROBE_tcp_queue_rcv);
	assert_int_equal(ids[PROBE_udp_rcv], 2);
	assert_int_equal(ids[PROBE_tcp_queue_rcv], 4);
	assert_false(kernel_look_for_targets("/nonexistent", ids));
}

/* Each is known by what came with it. */
static void test_what_programs_may_do_there(void **state)
{
	struct btf *btf = btf__new_empty();

	(void)state;
	assert_false(kernel_has_helper(btf, "BPF_FUNC_ktime_get_tai_ns"));
	assert_false(kernel_has_tracing_sk_storage(btf));
	btf__add_func(btf, "bpf_sk_storage_tracing_allowed", BTF_FUNC_STATIC,
		      btf__add_func_proto(btf, 0));
	btf__add_enum(btf, "bpf_func_id", sizeof(int));
	btf__add_enum_value(btf, "BPF_FUNC_ktime_get_ns", 5);
	assert_false(kernel_has_helper(btf, "BPF_FUNC_ktime_get_tai_ns"));
	btf__add_enum_value(btf, "BPF_FUNC_ktime_get_tai_ns", 208);
	assert_true(kernel_has_helper(btf, "BPF_FUNC_ktime_get_tai_ns"));
	assert_true(kernel_has_tracing_sk_storage(btf));
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_that_a_kernel_lacks_are_marked),
		cmocka_unit_test(test_a_kernel_without_types_is_told_and_nothing_is_marked),
		cmocka_unit_test(test_each_hook_has_its_filters_and_keys),
		cmocka_unit_test(test_each_hook_has_its_meaning),
		cmocka_unit_test(test_targets_are_found_by_name_and_kind),
		cmocka_unit_test(test_what_programs_may_do_there),
	};

	return cmocka_run_group_tests(tests, make_btf, remove_btf);
}
