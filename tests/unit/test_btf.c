// SPDX-License-Identifier: GPL-2.0
/* What BTF tells, also when it is damaged. */
#include "unit.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fds.h"
#include "lib/kernel/btf.h"
#include "lib/kernel/btf_reasons.h"

/* A little of all that is looked for. */
static struct btf *make_btf(void)
{
	struct btf *btf = btf__new_empty();
	int integer, prototype;

	integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	prototype = btf__add_func_proto(btf, integer);
	btf__add_func_param(btf, "skb", integer);
	btf__add_func(btf, "tcp_v4_rcv", BTF_FUNC_STATIC, prototype);
	btf__add_func(btf, "__ip_local_out", BTF_FUNC_STATIC, prototype);
	btf__add_func(btf, "bpf_sk_storage_tracing_allowed", BTF_FUNC_STATIC, prototype);
	btf__add_typedef(btf, "btf_trace_kfree_skb", integer);
	btf__add_enum(btf, "skb_drop_reason", 4);
	btf__add_enum_value(btf, "SKB_DROP_REASON_NOT_SPECIFIED", 2);
	btf__add_enum_value(btf, "SKB_DROP_REASON_NO_SOCKET", 3);
	btf__add_enum(btf, "mac80211_drop_reason", 4);
	btf__add_enum_value(btf, "RX_DROP_U_DUP", 0x10004);
	btf__add_enum(btf, "bpf_func_id", 4);
	btf__add_enum_value(btf, "BPF_FUNC_loop", 181);
	btf__add_enum_value(btf, "BPF_FUNC_this_cpu_ptr", 154);
	assert_int_equal(btf__add_enum_value(btf, "BPF_FUNC_ktime_get_tai_ns", 208), 0);
	return btf;
}

/* Looks for all of it. Returns whether the file was read. */
static bool look_into(const char *path)
{
	struct reason_names *names = reason_names_new(NULL);
	struct btf *btf = kernel_btf(path);
	__s32 variables[NR_VARIABLES];
	bool on[NR_BRANCHES];
	int targets[NR_PROBES];

	if (btf) {
		kernel_find_targets(btf, targets);
		for (enum probe probe = 0; probe < NR_PROBES; probe++)
			kernel_nr_arguments(btf, targets[probe]);
		kernel_has_tracing_sk_storage(btf);
		kernel_has_helper(btf, "BPF_FUNC_ktime_get_tai_ns");
		kernel_find_variables(btf, variables, on);
		assert_int_equal(kernel_add_reasons(names, btf, 1), 0);
	}
	btf__free(btf);
	reason_names_free(names);
	return btf;
}

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "we");

	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
}

static void test_all_that_is_looked_for(void **state)
{
	struct reason_names *names = reason_names_new(NULL);
	struct btf *btf = make_btf();
	int targets[NR_PROBES];

	(void)state;
	kernel_find_targets(btf, targets);
	assert_true(targets[PROBE_tcp_v4_rcv] > 0);
	assert_int_equal(kernel_nr_arguments(btf, targets[PROBE_tcp_v4_rcv]), 1);
	/* Three probes are there. */
	assert_true(targets[PROBE___ip_local_out] > 0);
	assert_int_equal(targets[PROBE_udp_transmit], targets[PROBE___ip_local_out]);
	assert_int_equal(targets[PROBE_raw_transmit], targets[PROBE___ip_local_out]);
	assert_true(targets[PROBE_kfree_skb] > 0);
	assert_int_equal(kernel_nr_arguments(btf, targets[PROBE_kfree_skb]), 0);
	assert_int_equal(targets[PROBE_tcp_v6_rcv], 0);
	assert_true(kernel_has_tracing_sk_storage(btf));
	assert_true(kernel_has_helper(btf, "BPF_FUNC_ktime_get_tai_ns"));
	assert_int_equal(kernel_add_reasons(names, btf, 1), 0);
	assert_string_equal(reason_names_find(names, 3), "NO_SOCKET");
	reason_names_free(names);
	btf__free(btf);
}

/* The first type of all. */
#define INTEGER 1

static void test_variables_of_the_kernel(void **state)
{
	struct btf *btf = make_btf();
	bool on[NR_BRANCHES] = { false };
	__s32 ids[NR_VARIABLES], before, later, cpustat;

	(void)state;
	kernel_find_variables(btf, ids, on);
	assert_int_equal(ids[VARIABLE_PREEMPT_COUNT], 0);
	later = btf__add_var(btf, "pcpu_hot", BTF_VAR_GLOBAL_ALLOCATED, INTEGER);
	cpustat = btf__add_var(btf, "kernel_cpustat", BTF_VAR_GLOBAL_ALLOCATED, INTEGER);
	kernel_find_variables(btf, ids, on);
	assert_int_equal(ids[VARIABLE_PREEMPT_COUNT], later);
	assert_int_equal(ids[VARIABLE_CPUSTAT], cpustat);
	assert_true(on[BRANCH_PCPU_HOT] && on[BRANCH_CPUSTAT] && !on[BRANCH_PREEMPT_COUNT]);
	before = btf__add_var(btf, "__preempt_count", BTF_VAR_GLOBAL_ALLOCATED, INTEGER);
	on[BRANCH_PCPU_HOT] = false;
	kernel_find_variables(btf, ids, on);
	assert_int_equal(ids[VARIABLE_PREEMPT_COUNT], before);
	assert_true(on[BRANCH_PREEMPT_COUNT] && !on[BRANCH_PCPU_HOT]);
	btf__free(btf);
}

/* This looks into modules of this kernel, too, which do not fit the file. */
static void test_reasons_of_a_file(void **state)
{
	char path[] = "/tmp/btf.XXXXXX";
	struct reason_names *names;
	struct btf *btf = make_btf();
	int before = nr_fds();
	const char *data;
	__u32 size;

	(void)state;
	close(mkstemp(path));
	data = btf__raw_data(btf, &size);
	write_file(path, data, size);
	names = kernel_reason_names(path);
	unlink(path);
	assert_non_null(names);
	assert_string_equal(reason_names_find(names, 3), "NO_SOCKET");
	assert_int_equal(nr_fds(), before);
	reason_names_free(names);
	btf__free(btf);
}

/* Many of these are no BTF any more, which libbpf says. */
static void test_damaged_files_do_no_harm(void **state)
{
	struct btf *btf = make_btf();
	char path[] = "/tmp/btf.XXXXXX", damaged[4096];
	unsigned int nr_read = 0;
	const char *data;
	__u32 size;

	(void)state;
	close(mkstemp(path));
	data = btf__raw_data(btf, &size);
	assert_true(size <= sizeof(damaged));
	srandom(1);
	for (int i = 0; i < 10000; i++) {
		memcpy(damaged, data, size);
		for (int changes = 1 + i % 4; changes; changes--)
			damaged[random() % size] = (char)random();
		write_file(path, damaged, size);
		nr_read += look_into(path);
	}
	assert_true(nr_read > 1000);
	unlink(path);
	btf__free(btf);
}

static void test_names_are_made_printable(void **state)
{
	struct reason_names *names = reason_names_new(NULL);
	struct btf *btf = btf__new_empty();

	(void)state;
	btf__add_enum(btf, "skb_drop_reason", 4);
	assert_int_equal(btf__add_enum_value(btf, "SKB_DROP_REASON_\033[31m", 3), 0);
	assert_int_equal(kernel_add_reasons(names, btf, 1), 0);
	assert_string_equal(reason_names_find(names, 3), "\\x1b[31m");
	reason_names_free(names);
	btf__free(btf);
}

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_that_is_looked_for),
		cmocka_unit_test(test_variables_of_the_kernel),
		cmocka_unit_test(test_reasons_of_a_file),
		cmocka_unit_test(test_damaged_files_do_no_harm),
		cmocka_unit_test(test_names_are_made_printable),
	};

	libbpf_set_print(silent);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
