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

/* What libbpf says of a program: where its functions begin, and its lines. */
static const struct bpf_func_info functions[] = { { 0, 11 }, { 7, 12 }, { 9, 13 } };
static const struct bpf_line_info lines[] = {
	{ .insn_off = 0, .line_col = 1 }, { .insn_off = 2, .line_col = 2 },
	{ .insn_off = 4, .line_col = 3 }, { .insn_off = 5, .line_col = 4 },
	{ .insn_off = 7, .line_col = 5 }, { .insn_off = 9, .line_col = 6 }
};

#define IMM(reg, value)                                                             \
	{                                                                           \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = value \
	}
#define JUMP(op, offset)                              \
	{                                             \
		.code = BPF_JMP | (op), .off = offset \
	}
#define CALL(offset)                                                                  \
	{                                                                             \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = offset \
	}
#define EXIT                               \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}

/* As clang has it: a static branch, of which each side calls a function. */
static const struct bpf_insn compiled[] = {
	IMM(1, 0), /* 0 */
	{ .code = BPF_JMP | BPF_JNE | BPF_K,
	  .dst_reg = 1,
	  .off = 1,
	  .imm = STATIC_BRANCH_MAGIC + BRANCH_SLOW },
	JUMP(BPF_JA, 1), /* 2: yes */
	JUMP(BPF_JA, 1), /* no */
	CALL(2),	 /* 4: yes, to 7 */
	CALL(3),	 /* 5: both, to 9 */
	EXIT,		 /* 6 */
	IMM(0, 1),	 /* 7: a function for yes */
	EXIT,
	IMM(0, 2), /* 9: a function for both */
	EXIT,
};
/* The BTF ids of variables. */
static const __s32 variables[NR_VARIABLES] = { 4711, 4712 };
#define NR_COMPILED (sizeof(compiled) / sizeof(*compiled))

struct written {
	struct bpf_prog_load_opts opts;
	struct moved_info moved;
};

/* Writes a program as it is compiled, if slow packets are reported or not. */
static void write_program(struct bpf_program *program, bool is_slow, struct written *written)
{
	const bool on[NR_BRANCHES] = { [BRANCH_SLOW] = is_slow };
	struct bpf_insn insns[NR_COMPILED];

	*written = (struct written){ .opts = { .func_info = functions,
					       .func_info_cnt = 3,
					       .func_info_rec_size = sizeof(*functions),
					       .line_info = lines,
					       .line_info_cnt = 6,
					       .line_info_rec_size = sizeof(*lines) } };
	memcpy(insns, compiled, sizeof(insns));
	assert_int_equal(bpf_program__set_insns(program, insns, NR_COMPILED), 0);
	assert_int_equal(
		static_branches_write(program, on, variables, &written->opts, &written->moved), 0);
}

static void test_what_is_on_stays(void **state)
{
	static const struct bpf_insn expected[] = { IMM(1, 0), CALL(2), CALL(3),   EXIT,
						    IMM(0, 1), EXIT,	IMM(0, 2), EXIT };
	struct bpf_program *program = program_of("udp_rcv");
	const struct bpf_line_info *line;
	struct written written;

	(void)state;
	write_program(program, true, &written);
	assert_int_equal(bpf_program__insn_cnt(program), sizeof(expected) / sizeof(*expected));
	assert_memory_equal(bpf_program__insns(program), expected, sizeof(expected));
	assert_int_equal(written.opts.func_info_cnt, 3);
	assert_int_equal(((const struct bpf_func_info *)written.opts.func_info)[1].insn_off, 4);
	/* The line of a jump that is gone makes room for that of what it led to. */
	line = written.opts.line_info;
	assert_int_equal(written.opts.line_info_cnt, 5);
	assert_int_equal(line[1].insn_off, 1);
	assert_int_equal(line[1].line_col, 3);
	moved_info_free(&written.moved);
}

static void test_what_is_off_is_removed(void **state)
{
	static const struct bpf_insn expected[] = { IMM(1, 0), CALL(1), EXIT, IMM(0, 2), EXIT };
	struct bpf_program *program = program_of("udp_rcv");
	const struct bpf_func_info *function;
	const struct bpf_line_info *line;
	struct written written;

	(void)state;
	write_program(program, false, &written);
	/* The way that is off led to 5; what is between is gone. */
	assert_int_equal(bpf_program__insn_cnt(program), sizeof(expected) / sizeof(*expected));
	assert_memory_equal(bpf_program__insns(program), expected, sizeof(expected));
	function = written.opts.func_info;
	assert_int_equal(written.opts.func_info_cnt, 2);
	assert_int_equal(function[1].insn_off, 3);
	assert_int_equal(function[1].type_id, 13);
	line = written.opts.line_info;
	assert_int_equal(written.opts.line_info_cnt, 3);
	assert_int_equal(line[1].insn_off, 1);
	assert_int_equal(line[1].line_col, 4);
	moved_info_free(&written.moved);
}

static bool is_jump(const struct bpf_insn *insn)
{
	__u8 op = BPF_OP(insn->code);

	return (BPF_CLASS(insn->code) == BPF_JMP || BPF_CLASS(insn->code) == BPF_JMP32) &&
	       op != BPF_CALL && op != BPF_EXIT;
}

static void test_a_variable_of_the_kernel_is_named(void **state)
{
	static const struct bpf_insn with_variable[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = 1,
		  .imm = VARIABLE_MAGIC + VARIABLE_CPUSTAT },
		{ .code = 0 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = 2,
		  .imm = VARIABLE_MAGIC + NR_VARIABLES },
		{ .code = 0 },
		EXIT,
	};
	const bool on[NR_BRANCHES] = { false };
	struct bpf_program *program = program_of("udp_rcv");
	struct written written = { 0 };
	struct bpf_insn insns[5];
	const struct bpf_insn *named;

	(void)state;
	memcpy(insns, with_variable, sizeof(insns));
	assert_int_equal(bpf_program__set_insns(program, insns, 5), 0);
	assert_int_equal(
		static_branches_write(program, on, variables, &written.opts, &written.moved), 0);
	named = bpf_program__insns(program);
	assert_int_equal(named[0].src_reg, BPF_PSEUDO_BTF_ID);
	assert_int_equal(named[0].imm, 4712);
	assert_int_equal(named[2].src_reg, 0);
	assert_int_equal(named[2].imm, VARIABLE_MAGIC + NR_VARIABLES);
	moved_info_free(&written.moved);
}

/* Of each program as it is compiled, nothing is left to decide, and no jump leads out of it. */
static void test_each_program_is_decided(void **state)
{
	const bool on[NR_BRANCHES] = { [BRANCH_FILTER(FILTER_PORT)] = true };
	struct bpf_program *program;

	(void)state;
	bpf_object__for_each_program(program, object) {
		size_t nr = bpf_program__insn_cnt(program);
		struct written written = { 0 };
		const struct bpf_insn *insns;

		assert_int_equal(static_branches_write(program, on, variables, &written.opts,
						       &written.moved),
				 0);
		insns = bpf_program__insns(program);
		assert_int_equal(nr_static_branches(program), 0);
		assert_true(bpf_program__insn_cnt(program) <= nr);
		nr = bpf_program__insn_cnt(program);
		for (size_t i = 0; i < nr; i++)
			if (is_jump(&insns[i]))
				assert_true(i + 1 + insns[i].off < nr);
		moved_info_free(&written.moved);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_programs_ask_for_what_they_can_tell,
						open_object, close_object),
		cmocka_unit_test_setup_teardown(test_what_is_on_stays, open_object, close_object),
		cmocka_unit_test_setup_teardown(test_what_is_off_is_removed, open_object,
						close_object),
		cmocka_unit_test_setup_teardown(test_a_variable_of_the_kernel_is_named, open_object,
						close_object),
		cmocka_unit_test_setup_teardown(test_each_program_is_decided, open_object,
						close_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
