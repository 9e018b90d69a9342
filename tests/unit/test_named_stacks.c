// SPDX-License-Identifier: GPL-2.0
/* Stacks by the names of the kernel's functions, from maps that no program fills but the test. */
#include "unit.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/serve/stack_names.h"
#include "lib/tables/units.h"
#include "said.h"

#define SYMBOLS                                    \
	"ffffffff81000000 T _stext\n"              \
	"ffffffff81000040 t do_nanosleep\n"        \
	"ffffffff81000100 T hrtimer_nanosleep\n"   \
	"ffffffff81000200 t __release_sock\n"      \
	"ffffffffc0000100 t bpf_prog_1_x\t[bpf]\n" \
	"ffffffffc0000200 t nfs_wait\t[nfs]\n"

static struct stack_maps maps;
static struct named_stacks stacks;
static FILE *symbols;

static int begin(void **state)
{
	static char list[] = SYMBOLS;

	(void)state;
	maps.stacks = bpf_map_create(BPF_MAP_TYPE_LRU_HASH, "test", sizeof(__u32),
				     sizeof(struct stack), NR_STACKS, NULL);
	maps.waits = bpf_map_create(BPF_MAP_TYPE_LRU_HASH, "test", sizeof(struct stack_key),
				    sizeof(struct stack_wait), NR_STACKS, NULL);
	symbols = fmemopen(list, strlen(list), "r");
	return !symbols;
}

static int end(void **state)
{
	(void)state;
	named_stacks_free(&stacks);
	fclose(symbols);
	close(maps.stacks);
	close(maps.waits);
	return 0;
}

static void add_stack(__u32 number, const struct stack *stack)
{
	assert_int_equal(bpf_map_update_elem(maps.stacks, &number, stack, 0), 0);
}

static void add_wait(enum stack_of of, __u32 pid, __u16 port, __u32 number, __u64 ms)
{
	const struct stack_key key = { .pid = pid, .stack = number, .port = port, .of = of };
	const struct stack_wait wait = { .count = 1, .ns = ms * NS_PER_MS, .comm = "a;b\n" };

	assert_int_equal(bpf_map_update_elem(maps.waits, &key, &wait, 0), 0);
}

static void find(void)
{
	assert_int_equal(stack_names_find(symbols, &maps, &stacks), 0);
}

static void skip_without_maps(void)
{
	if (maps.stacks < 0 || maps.waits < 0)
		skip();
}

/* What differs by where in its functions it is, too. What was counted once is counted no more. */
static void test_stacks_of_the_same_functions_are_one(void **state)
{
	char *text;

	(void)state;
	skip_without_maps();
	add_stack(1, &(struct stack){ { 0xffffffff81000041, 0xffffffff81000101 } });
	add_stack(2, &(struct stack){ { 0xffffffff81000042, 0xffffffff81000109 } });
	add_wait(STACK_OF_READER, 7, 4000, 1, 20);
	add_wait(STACK_OF_READER, 7, 4000, 2, 22);
	add_wait(STACK_OF_READER, 7, 4001, 1, 1);
	add_wait(STACK_OF_ANSWER, 7, 4000, 1, 2);
	find();
	text = PRINTED(named_stacks_print_collapsed, &stacks);
	assert_string_equal(
		text, "a:b\\x0a;packets-for-its-reads;hrtimer_nanosleep;do_nanosleep 42000000\n"
		      "a:b\\x0a;answers;hrtimer_nanosleep;do_nanosleep 2000000\n"
		      "a:b\\x0a;packets-for-its-reads;hrtimer_nanosleep;do_nanosleep 1000000\n");
	free(text);
	assert_int_equal(stacks.stacks[0].wait.count, 2);
	named_stacks_free(&stacks);
	find();
	assert_int_equal(stacks.nr, 0);
}

/* As it was too short, or as its place was taken by another since. */
static void test_stacks_that_are_not_there_are_counted(void **state)
{
	char *text;

	(void)state;
	skip_without_maps();
	add_wait(STACK_OF_READER, 7, 4000, 0, 3);
	add_wait(STACK_OF_READER, 8, 4000, 99, 1);
	find();
	text = PRINTED(named_stacks_print_collapsed, &stacks);
	assert_string_equal(text, "a:b\\x0a;packets-for-its-reads;[none-taken] 3000000\n"
				  "a:b\\x0a;packets-for-its-reads;[none-taken] 1000000\n");
	free(text);
}

/* Addresses of no symbol are not told. A stack of as many frames as there may be has no end. */
static void test_frames_are_named_from_the_innermost_of_the_kernel(void **state)
{
	const struct named_stack *stack;
	struct stack full;

	(void)state;
	skip_without_maps();
	for (int i = 0; i < NR_FRAMES; i++)
		full.frames[i] = 0xffffffffc0000204;
	add_stack(1, &(struct stack){ { 0xffffffffc0000104, 0xffffffffc0000105, 0xffffffff81000201,
					0xffffffffc0000104, 0x1000 } });
	add_stack(2, &full);
	add_wait(STACK_OF_HOLDER, 7, 4000, 1, 2);
	add_wait(STACK_OF_HOLDER, 7, 4000, 2, 1);
	find();
	stack = named_stacks_next(&stacks, STACK_OF_HOLDER, 7, 0, NULL);
	assert_string_equal(stack->frames[0], "__release_sock");
	assert_string_equal(stack->frames[1], "bpf_prog_1_x");
	assert_string_equal(stack->frames[2], "unknown");
	assert_null(stack->frames[3]);
	stack = named_stacks_next(&stacks, STACK_OF_HOLDER, 7, 4000, stack);
	assert_string_equal(stack->frames[NR_FRAMES - 1], "nfs_wait");
	assert_null(named_stacks_next(&stacks, STACK_OF_HOLDER, 7, 0, stack));
	assert_null(named_stacks_next(&stacks, STACK_OF_HOLDER, 7, 4001, NULL));
	assert_null(named_stacks_next(&stacks, STACK_OF_READER, 7, 0, NULL));
	assert_null(named_stacks_next(&stacks, STACK_OF_HOLDER, 8, 0, NULL));
}

static void assert_refused(const char *content, const char *expected)
{
	const char *said;
	char path[] = "/tmp/symbols.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w"), *list;

	assert_non_null(file);
	fputs(content, file);
	fclose(file);
	said_begin();
	list = stack_names_open(path);
	said = said_end();
	if (expected)
		assert_non_null(strstr(said, expected));
	else
		assert_non_null(list);
	if (list)
		fclose(list);
	unlink(path);
}

static void test_symbols_without_addresses_are_refused(void **state)
{
	(void)state;
	assert_refused("0000000000000000 A irq_stack\nffffffff81000000 T _stext\n", NULL);
	assert_refused("0000000000000000 T _stext\n", "that takes CAP_SYSLOG");
	assert_refused("", "that takes CAP_SYSLOG");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stacks_of_the_same_functions_are_one, begin,
						end),
		cmocka_unit_test_setup_teardown(test_stacks_that_are_not_there_are_counted, begin,
						end),
		cmocka_unit_test_setup_teardown(
			test_frames_are_named_from_the_innermost_of_the_kernel, begin, end),
		cmocka_unit_test(test_symbols_without_addresses_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
