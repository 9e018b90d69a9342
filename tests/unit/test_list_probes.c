// SPDX-License-Identifier: GPL-2.0
/* What is found out of the types of kernels, which are made up here, and what -l says of it. */
#include "unit.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli/list_probes.h"
#include "lib/kernel/btf.h"

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

static char *list(const char *btf_path)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	list_probes(out, btf_path);
	fclose(out);
	return text;
}

static void test_functions_that_a_kernel_lacks_are_marked(void **state)
{
	char *text = list(path);

	(void)state;
	assert_non_null(strstr(text, " udp_rcv, udpv6_rcv (not in this kernel)\n"));
	assert_non_null(strstr(text, " tcp_queue_rcv\n"));
	assert_non_null(strstr(text, " icmp_rcv (not in this kernel),\n"));
	assert_null(strstr(text, "shows no types"));
	free(text);
}

static void test_a_kernel_without_types_is_told_and_nothing_is_marked(void **state)
{
	char *text = list("/nonexistent");

	(void)state;
	assert_null(strstr(text, "not in this kernel"));
	assert_non_null(strstr(text, "\n\nThis kernel shows no types, so it is unknown which of "
				     "these it has.\n"));
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
	assert_false(kernel_has_tai_helper(btf));
	assert_false(kernel_has_tracing_sk_storage(btf));
	btf__add_func(btf, "bpf_sk_storage_tracing_allowed", BTF_FUNC_STATIC,
		      btf__add_func_proto(btf, 0));
	btf__add_enum(btf, "bpf_func_id", sizeof(int));
	btf__add_enum_value(btf, "BPF_FUNC_ktime_get_ns", 5);
	assert_false(kernel_has_tai_helper(btf));
	btf__add_enum_value(btf, "BPF_FUNC_ktime_get_tai_ns", 208);
	assert_true(kernel_has_tai_helper(btf));
	assert_true(kernel_has_tracing_sk_storage(btf));
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_that_a_kernel_lacks_are_marked),
		cmocka_unit_test(test_a_kernel_without_types_is_told_and_nothing_is_marked),
		cmocka_unit_test(test_targets_are_found_by_name_and_kind),
		cmocka_unit_test(test_what_programs_may_do_there),
	};

	return cmocka_run_group_tests(tests, make_btf, remove_btf);
}
