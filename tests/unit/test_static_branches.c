// SPDX-License-Identifier: GPL-2.0
/* Static branches in the programs, as they are compiled and as they are loaded. */
#include "unit.h"

#include <linux/bpf.h>
#include <string.h>

#include "lib/kernel/static_branches.h"

static struct bpf_object *object;

static int open_object(void **state)
{
	(void)state;
	object = bpf_object__open_file(OUTPUT "/netstacklat.group_stages.bpf.o", NULL);
	return object ? 0 : -1;
}

static int close_object(void **state)
{
	(void)state;
	bpf_object__close(object);
	return 0;
}

/* How many compares of 64 bits with such a number there are in a program. */
static size_t nr_compares(const struct bpf_program *program, int min, int max)
{
	const struct bpf_insn *insns = bpf_program__insns(program);
	size_t nr = 0;

	for (size_t i = 0; i < bpf_program__insn_cnt(program); i++)
		nr += insns[i].code == (BPF_JMP | BPF_JNE | BPF_K) && insns[i].imm >= min &&
		      insns[i].imm <= max;
	return nr;
}

static size_t nr_static_branches(const struct bpf_program *program)
{
	return nr_compares(program, STATIC_BRANCH_MAGIC, STATIC_BRANCH_MAGIC + NR_BRANCHES - 1);
}

static struct bpf_program *program_of(const char *name)
{
	return bpf_object__find_program_by_name(object, name);
}

static void test_programs_ask_for_what_they_can_tell(void **state)
{
	const struct bpf_program *start = program_of("udp_rcv");
	int port = STATIC_BRANCH_MAGIC + BRANCH_FILTER(FILTER_PORT);
	int netns = STATIC_BRANCH_MAGIC + BRANCH_FILTER(FILTER_NETNS);

	(void)state;
	assert_int_not_equal(nr_compares(start, netns, netns), 0);
	/* Before its socket is found, a packet has no port. */
	assert_int_equal(nr_compares(start, port, port), 0);
	assert_int_not_equal(nr_compares(program_of("udp_queue_rcv_one_skb"), port, port), 0);
}

static void test_each_is_decided(void **state)
{
	struct bpf_program *program = program_of("udp_queue_rcv_one_skb");
	size_t nr_yes = nr_compares(program, 0, 0), nr_no = nr_compares(program, 1, 1);
	int port = STATIC_BRANCH_MAGIC + BRANCH_FILTER(FILTER_PORT);
	size_t nr_port = nr_compares(program, port, port), nr = nr_static_branches(program);
	bool on[NR_BRANCHES] = { [BRANCH_FILTER(FILTER_PORT)] = true };

	(void)state;
	assert_true(nr > nr_port);
	assert_int_equal(static_branches_write(program, on), 0);
	assert_int_equal(nr_static_branches(program), 0);
	assert_int_equal(nr_compares(program, 0, 0), nr_yes + nr_port);
	assert_int_equal(nr_compares(program, 1, 1), nr_no + nr - nr_port);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_programs_ask_for_what_they_can_tell,
						open_object, close_object),
		cmocka_unit_test_setup_teardown(test_each_is_decided, open_object, close_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
