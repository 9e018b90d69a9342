// SPDX-License-Identifier: GPL-2.0
/* The hook table against the BPF object that was built from it. */
#include "unit.h"

#include <bpf/libbpf.h>
#include <string.h>

#include "../../lib/hooks.h"

static int open_object(void **state)
{
	struct bpf_object *object = bpf_object__open(BPF_OBJECT);

	*state = object;
	return object ? 0 : -1;
}

static int close_object(void **state)
{
	bpf_object__close(*state);
	return 0;
}

static void test_each_probe_is_a_program(void **state)
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		assert_non_null(bpf_object__find_program_by_name(*state, probes[probe].function));
}

/* The loader finds a program's probe by its section: fentry/<function> or fexit/<function>. */
static void test_each_program_is_of_a_probe(void **state)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, *state) {
		const char *section = bpf_program__section_name(program);
		enum probe probe = 0;

		assert_true(!strncmp(section, "fentry/", 7) || !strncmp(section, "fexit/", 6));
		while (probe < NR_PROBES &&
		       strcmp(probes[probe].function, strchr(section, '/') + 1))
			probe++;
		assert_true(probe < NR_PROBES);
	}
}

static void test_each_hook_is_a_map(void **state)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		assert_non_null(bpf_object__find_map_by_name(*state, hooks[hook].map));
}

static void test_probes_of_a_hook_follow_each_other(void **state)
{
	enum hook hook = 0;

	(void)state;
	assert_int_equal(probes[0].hook, 0);
	for (enum probe probe = 1; probe < NR_PROBES; probe++) {
		if (probes[probe].hook != hook)
			hook++;
		assert_int_equal(probes[probe].hook, hook);
	}
	assert_int_equal(hook, NR_HOOKS - 1);
}

static void test_names_are_distinct(void **state)
{
	(void)state;
	for (enum hook hook = 1; hook < NR_HOOKS; hook++)
		for (enum hook other = 0; other < hook; other++)
			assert_string_not_equal(hooks[hook].name, hooks[other].name);
}

static void test_probes_are_counted(void **state)
{
	(void)state;
	assert_int_equal(hook_nr_probes(HOOK_tcp_do_rcv), 2);
	assert_int_equal(hook_nr_probes(HOOK_tcp_data_queue), 1);
	assert_int_equal(hook_nr_probes(HOOK_icmp_start), 2);
}

/* Selects by a pattern and returns how many hooks that made. */
static int nr_selected(const char *pattern)
{
	bool selected[NR_HOOKS] = { false };
	int nr = 0;

	hooks_select(pattern, true, selected);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		nr += selected[hook];
	return nr;
}

static void test_hooks_are_selected_by_name_function_and_pattern(void **state)
{
	bool selected[NR_HOOKS] = { false };

	(void)state;
	assert_int_equal(nr_selected("tcp-do-rcv"), 1);
	assert_int_equal(nr_selected("tcp_v6_do_rcv"), 1);
	assert_int_equal(nr_selected("tcp-*"), 5);
	assert_int_equal(nr_selected("*"), NR_HOOKS);
	assert_int_equal(nr_selected("tcp"), 0);
	assert_int_equal(nr_selected(""), 0);

	assert_true(hooks_select("*", true, selected));
	assert_true(hooks_select("udpv6_rcv", false, selected));
	assert_false(hooks_select("nothing", false, selected));
	assert_false(selected[HOOK_udp_start]);
	assert_true(selected[HOOK_tcp_start]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_probe_is_a_program),
		cmocka_unit_test(test_each_program_is_of_a_probe),
		cmocka_unit_test(test_each_hook_is_a_map),
		cmocka_unit_test(test_probes_of_a_hook_follow_each_other),
		cmocka_unit_test(test_names_are_distinct),
		cmocka_unit_test(test_probes_are_counted),
		cmocka_unit_test(test_hooks_are_selected_by_name_function_and_pattern),
	};

	return cmocka_run_group_tests(tests, open_object, close_object);
}
