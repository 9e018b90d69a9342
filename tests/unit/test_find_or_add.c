// SPDX-License-Identifier: GPL-2.0
/* Elements are found, or added once. */
#include "unit.h"

#include <search.h>
#include <stdlib.h>

#include "lib/base/find_or_add.h"

struct element {
	int key;
	int value;
};

static int compare(const void *a, const void *b)
{
	return ((const struct element *)a)->key - ((const struct element *)b)->key;
}

static void test_the_first_of_each_key_is_kept(void **state)
{
	struct element element = { 3, 30 }, *first, *second;
	void *tree = NULL;
	bool is_new;

	(void)state;
	first = find_or_add(&tree, &element, sizeof(element), compare, &is_new);
	assert_true(is_new);
	assert_ptr_not_equal(first, &element);
	assert_int_equal(first->value, 30);

	element = (struct element){ 2, 20 };
	second = find_or_add(&tree, &element, sizeof(element), compare, &is_new);
	assert_true(is_new);
	assert_ptr_not_equal(first, second);

	element = (struct element){ 3, 31 };
	assert_ptr_equal(find_or_add(&tree, &element, sizeof(element), compare, &is_new), first);
	assert_false(is_new);
	assert_int_equal(first->value, 30);
	tdestroy(tree, free);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_of_each_key_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
