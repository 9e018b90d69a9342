// SPDX-License-Identifier: GPL-2.0
/* The tables against the BPF objects that were built from them. */
#include "unit.h"

#include <bpf/libbpf.h>
#include <netinet/in.h>
#include <string.h>

#include "lib/tables/attributes.h"
#include "lib/filters/filters.h"
#include "lib/kernel/attach.h"
#include "lib/kernel/maps.h"
#include "lib/tables/hooks.h"

/* The variants of the BPF object, in the order of their table. */
static const char *const variants[] = {
#define VARIANT(name, ...) OUTPUT "/netstacklat." #name ".bpf.o",
#include "lib/tables/variants.def"
};
#define NR_VARIANTS (sizeof(variants) / sizeof(*variants))

static const bool has_filters[] = {
#define VARIANT(name, filters, groups, stages, slow) filters,
#include "lib/tables/variants.def"
};
static const bool has_groups[] = {
#define VARIANT(name, filters, groups, stages, slow) groups,
#include "lib/tables/variants.def"
};

static const bool has_stages[] = {
#define VARIANT(name, filters, groups, stages, slow) stages,
#include "lib/tables/variants.def"
};

static const bool has_slow[] = {
#define VARIANT(name, filters, groups, stages, slow) slow,
#include "lib/tables/variants.def"
};

static struct bpf_object *objects[NR_VARIANTS];

static int open_objects(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_VARIANTS; i++) {
		objects[i] = bpf_object__open(variants[i]);
		if (!objects[i])
			return -1;
	}
	return 0;
}

static int close_objects(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_VARIANTS; i++)
		bpf_object__close(objects[i]);
	return 0;
}

static void test_each_probe_is_a_program_in_its_section(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_VARIANTS; i++)
		for (enum probe probe = 0; probe < NR_PROBES; probe++) {
			const struct bpf_program *program = bpf_object__find_program_by_name(
				objects[i], program_names[PROGRAM_OF(probe)]);

			assert_non_null(program);
			assert_string_equal(bpf_program__section_name(program),
					    probes[probe].section);
		}
}

static unsigned int number_of(const char *name)
{
	unsigned int number = 0;

	while (number < MAX_PROGRAMS && strcmp(program_names[number], name))
		number++;
	return number;
}

/* Those that do not count run at the entry of a function at whose return there is one that does. */
static void test_each_program_is_of_a_probe(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_VARIANTS; i++) {
		struct bpf_program *program;

		bpf_object__for_each_program(program, objects[i]) {
			const char *section = bpf_program__section_name(program);
			unsigned int number = number_of(bpf_program__name(program));

			assert_true(number < MAX_PROGRAMS);
			assert_string_equal(strchr(section, '/') + 1,
					    probe_target(PROBE_OF(number)));
			if (IS_ENTRY_PROGRAM(number))
				assert_memory_equal(section, "fentry/", 7);
		}
	}
}

static void test_programs_are_numbered_by_probe(void **state)
{
	(void)state;
	assert_string_equal(program_names[PROGRAM_OF(PROBE_udp_rcv)], "udp_rcv");
	assert_string_equal(program_names[ENTRY_PROGRAM_OF(PROBE_udp_rcv)], "udp_rcv__entry");
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++) {
		enum probe probe = PROBE_OF(program);

		assert_int_equal(program, IS_ENTRY_PROGRAM(program) ? ENTRY_PROGRAM_OF(probe)
								    : PROGRAM_OF(probe));
	}
}

static void test_each_section_is_of_a_kind(void **state)
{
	(void)state;
	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		const struct attach_kind *kind = attach_kind_of(probes[probe].section);

		assert_non_null(kind);
		assert_int_equal(strlen(kind->section) + strlen(probe_target(probe)),
				 strlen(probes[probe].section));
	}
	assert_int_equal(attach_kind_of("tp_btf/netif_receive_skb")->type, BPF_TRACE_RAW_TP);
	assert_null(attach_kind_of("kprobe/tcp_v4_rcv"));
}

/* What no variant needs takes no memory: hooks of groups have no maps of their own, and so on. */
static void test_maps_are_those_of_the_variant(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_VARIANTS; i++) {
		for (enum hook hook = 0; hook < NR_HOOKS; hook++)
			assert_non_null(bpf_object__find_map_by_name(objects[i], hooks[hook].map));
		for (enum filter filter = 0; filter < NR_FILTERS; filter++)
			if (filter_map(filter))
				assert_int_equal(!!bpf_object__find_map_by_name(objects[i],
										filter_map(filter)),
						 has_filters[i]);
		assert_int_equal(!!bpf_object__find_map_by_name(objects[i], "netstack_groups"),
				 has_groups[i]);
		assert_int_equal(!!bpf_object__find_map_by_name(objects[i], "netstack_unpaired"),
				 has_stages[i]);
		assert_int_equal(
			!!bpf_object__find_map_by_name(objects[i], "netstack_stage_latency"),
			has_stages[i]);
		assert_int_equal(
			!!bpf_object__find_map_by_name(objects[i], "netstack_slow_packets"),
			has_slow[i]);
	}
}

/* libbpf makes those of what the compiler puts into sections: ".rodata". */
static bool is_section(const struct bpf_map *map)
{
	return strchr(bpf_map__name(map), '.');
}

static enum object_map object_map_of(const char *name)
{
	enum object_map map = 0;

	while (map < NR_MAPS && (!map_name(map) || strcmp(map_name(map), name) != 0))
		map++;
	return map;
}

static void test_the_table_has_the_maps_of_all_variants_and_no_others(void **state)
{
	bool is_there[NR_MAPS] = { false };

	(void)state;
	for (size_t i = 0; i < NR_VARIANTS; i++) {
		const struct bpf_map *map;

		bpf_object__for_each_map(map, objects[i])
		{
			if (is_section(map))
				continue;
			assert_true(object_map_of(bpf_map__name(map)) < NR_MAPS);
			is_there[object_map_of(bpf_map__name(map))] = true;
		}
	}
	for (enum object_map map = 0; map < NR_MAPS; map++)
		if (map_name(map))
			assert_true(is_there[map]);
}

static void test_interfaces_imply_their_netns(void **state)
{
	(void)state;
	assert_int_equal(filters_without_implied(1U << FILTER_INTERFACE | 1U << FILTER_NETNS |
						 1U << FILTER_PID),
			 1U << FILTER_INTERFACE | 1U << FILTER_PID);
	assert_int_equal(filters_without_implied(1U << FILTER_NETNS), 1U << FILTER_NETNS);
}

static void test_probes_of_a_hook_follow_each_other(void **state)
{
	enum probe probe = 1;
	enum hook hook = 0;

	(void)state;
	assert_int_equal(probes[0].hook, 0);
	for (; probe < NR_PROBES && !probes[probe].is_helper; probe++) {
		if (probes[probe].hook != hook)
			hook++;
		assert_int_equal(probes[probe].hook, hook);
	}
	assert_int_equal(hook, NR_HOOKS - 1);
	/* Helpers are behind all of them, and so of none. */
	for (; probe < NR_PROBES; probe++)
		assert_true(probes[probe].is_helper);
	for_each_probe_of(HOOK_tcp_socket_read, probe)
		assert_false(probes[probe].is_helper);
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
	/* Without those that are off by default, unless it names no others. */
	assert_int_equal(nr_selected("tcp-*"), 5);
	assert_int_equal(nr_selected("tcp-s*"), 3);
	assert_int_equal(nr_selected("*-send"), 3);
	assert_int_equal(nr_selected("*"), NR_HOOKS);
	assert_int_equal(nr_selected("tcp"), 0);
	assert_int_equal(nr_selected("ip-start"), nr_selected("ip-rcv"));
	assert_int_equal(nr_selected("ip-start"), 1);
	assert_int_equal(nr_selected(""), 0);

	assert_true(hooks_select("*", true, selected));
	assert_true(hooks_select("udpv6_rcv", false, selected));
	assert_false(hooks_select("nothing", false, selected));
	assert_false(selected[HOOK_udp_start]);
	assert_true(selected[HOOK_tcp_start]);
}

static void test_defaults_are_those_of_the_table(void **state)
{
	bool selected[NR_HOOKS];

	(void)state;
	/* Whatever was there before. */
	for (int before = 0; before <= 1; before++) {
		memset(selected, before, sizeof(selected));
		hooks_select_default(HOOK_ON, selected);
		for (enum hook hook = 0; hook < NR_HOOKS; hook++)
			assert_int_equal(selected[hook], hooks[hook].is_default == HOOK_ON);
		hooks_select_default(HOOK_STAGES, selected);
		for (enum hook hook = 0; hook < NR_HOOKS; hook++)
			assert_int_equal(selected[hook],
					 hooks[hook].is_default == HOOK_ON ||
						 hooks[hook].is_default == HOOK_STAGES);
		hooks_select_default(HOOK_TRACE, selected);
		for (enum hook hook = 0; hook < NR_HOOKS; hook++)
			assert_int_equal(selected[hook], hooks[hook].is_default != HOOK_OFF);
	}
	assert_true(selected[HOOK_tcp_start]);
	assert_true(selected[HOOK_netif_receive]);
	assert_true(selected[HOOK_ip_forward]);
	assert_false(selected[HOOK_napi_poll]);
}

static void assert_texts(enum hook hook, const struct left_out *left_out, const char *targets,
			 const char *reason)
{
	char text[HOOK_TEXT_SIZE] = "before";

	assert_string_equal(hook_targets(hook, left_out, text), targets);
	assert_string_equal(hook_reason(hook, left_out, text), reason);
	assert_int_equal(hook_is_attached(hook, left_out), !!*targets);
}

static void test_texts_tell_what_is_attached_and_why_the_rest_is_not(void **state)
{
	struct left_out left_out = { 0 };

	(void)state;
	assert_texts(HOOK_udp_start, &left_out, "udp_rcv, udpv6_rcv", "");
	left_out.why[PROBE_udp_rcv] = "refused";
	assert_texts(HOOK_udp_start, &left_out, "udpv6_rcv", "udp_rcv: refused");
	left_out.why[PROBE_udpv6_rcv] = "not there";
	assert_texts(HOOK_udp_start, &left_out, "", "udp_rcv: refused, udpv6_rcv: not there");
	/* That is no matter of others. */
	assert_texts(HOOK_tcp_start, &left_out, "tcp_v4_rcv, tcp_v6_rcv", "");
	assert_texts(HOOK_icmp_start, &left_out, "icmp_rcv, icmpv6_rcv", "");
	/* Targets are named without the way to attach to them. */
	assert_texts(HOOK_udp_socket_enqueued, &left_out, "__udp_enqueue_schedule_skb", "");
}

static void test_texts_have_room_for_the_longest(void **state)
{
	struct left_out left_out;
	char text[HOOK_TEXT_SIZE];

	(void)state;
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		left_out.why[probe] = "this kernel cannot attach programs to this function";
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		hook_reason(hook, &left_out, text);
		assert_true(strlen(text) < HOOK_TEXT_SIZE - 1);
	}
}

static void test_keys_are_spelled_with_a_dash(void **state)
{
	char name[KEY_NAME_SIZE];

	(void)state;
	assert_string_equal(key_name(KEY_IP_VERSION, name), "ip-version");
	assert_string_equal(key_name(KEY_PORT, name), "port");
}

/* What is of sockets says of which, and where on the way of a request; and nothing else does. */
static void test_each_span_of_a_socket_has_its_way(void **state)
{
	(void)state;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		unsigned int span_of_socket = HAS_SPAN | HAS_SOCKET;

		assert_int_equal((hooks[hook].has & span_of_socket) == span_of_socket,
				 socket_spans[hook].way != WAY_NONE);
		/* As its name has it. */
		if (!strncmp(hooks[hook].name, "tcp-", 4))
			assert_int_equal(hook_protocol(hook), IPPROTO_TCP);
		else if (!strncmp(hooks[hook].name, "udp-", 4))
			assert_int_equal(hook_protocol(hook), IPPROTO_UDP);
		else
			assert_int_equal(hook_protocol(hook), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_probe_is_a_program_in_its_section),
		cmocka_unit_test(test_each_program_is_of_a_probe),
		cmocka_unit_test(test_programs_are_numbered_by_probe),
		cmocka_unit_test(test_each_section_is_of_a_kind),
		cmocka_unit_test(test_maps_are_those_of_the_variant),
		cmocka_unit_test(test_the_table_has_the_maps_of_all_variants_and_no_others),
		cmocka_unit_test(test_interfaces_imply_their_netns),
		cmocka_unit_test(test_probes_of_a_hook_follow_each_other),
		cmocka_unit_test(test_names_are_distinct),
		cmocka_unit_test(test_probes_are_counted),
		cmocka_unit_test(test_hooks_are_selected_by_name_function_and_pattern),
		cmocka_unit_test(test_defaults_are_those_of_the_table),
		cmocka_unit_test(test_texts_tell_what_is_attached_and_why_the_rest_is_not),
		cmocka_unit_test(test_texts_have_room_for_the_longest),
		cmocka_unit_test(test_keys_are_spelled_with_a_dash),
		cmocka_unit_test(test_each_span_of_a_socket_has_its_way),
	};

	return cmocka_run_group_tests(tests, open_objects, close_objects);
}
