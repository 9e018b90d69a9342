// SPDX-License-Identifier: GPL-2.0
/* The variants of the BPF object: which is taken, and what each has. */
#include "unit.h"

#include "lib/kernel/programs.h"

static const struct {
	bool filters, groups, stages, slow;
} does[NR_VARIANTS] = {
#define VARIANT(name, filters, groups, stages, slow) \
	[VARIANT_##name] = { filters, groups, stages, slow },
#include "lib/tables/variants.def"
};

static bool does_all(enum variant variant, bool filters, bool groups, bool stages, bool slow)
{
	return does[variant].filters >= filters && does[variant].groups >= groups &&
	       does[variant].stages >= stages && does[variant].slow >= slow;
}

static void test_the_first_that_does_all_is_taken(void **state)
{
	(void)state;
	for (unsigned int asked = 0; asked < 16; asked++) {
		const bool filters = asked & 1, groups = asked & 2, stages = asked & 4,
			   slow = asked & 8;
		enum variant taken = variant_for(filters, groups, stages, slow);

		assert_true(taken < NR_VARIANTS);
		assert_true(does_all(taken, filters, groups, stages, slow));
		for (enum variant before = 0; before < taken; before++)
			assert_false(does_all(before, filters, groups, stages, slow));
	}
}

/* It is opened, and not loaded: so it has no map to read yet. */
static void test_each_has_the_maps_of_what_it_does(void **state)
{
	struct programs programs;

	(void)state;
	for (enum variant variant = 0; variant < NR_VARIANTS; variant++) {
		assert_int_equal(programs_open(&programs, variant, NULL), 0);
		assert_non_null(programs.config);
		assert_non_null(programs_map(&programs, MAP_netstack_discards));
		assert_int_equal(!!programs_map(&programs, MAP_netstack_groups),
				 does[variant].groups);
		assert_int_equal(!!programs_map(&programs, MAP_netstack_stage_latency),
				 does[variant].stages);
		assert_int_equal(!!programs_map(&programs, MAP_netstack_slow_packets),
				 does[variant].slow);
		assert_true(programs_map_fd(&programs, MAP_netstack_discards) < 0);
		programs_free(&programs);
		/* Once is enough. */
		programs_free(&programs);
	}
}

/* Since libbpf 1.4, such a map has a file descriptor, of something else. */
static void test_a_map_that_is_not_made_has_none(void **state)
{
	struct programs programs;
	struct bpf_map *map;

	(void)state;
	assert_int_equal(programs_open(&programs, VARIANT_counts, NULL), 0);
	map = programs_map(&programs, MAP_netstack_discards);
	assert_int_equal(bpf_map__set_autocreate(map, false), 0);
	assert_int_equal(programs_map_fd(&programs, MAP_netstack_discards), -1);
	assert_int_equal(programs_map_fd(&programs, MAP_netstack_groups), -1);
	programs_free(&programs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_that_does_all_is_taken),
		cmocka_unit_test(test_each_has_the_maps_of_what_it_does),
		cmocka_unit_test(test_a_map_that_is_not_made_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
