// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/static_branches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A program as it was compiled. */
struct code {
	struct bpf_insn *insns;
	size_t nr;
	const bool *on;
	const __s32 *variables; /* their BTF ids */
	bool *is_reached, *is_kept;
	__u32 *to_visit; /* places that were reached, as a stack */
	size_t nr_to_visit;
	__u32 *place; /* behind how many that are kept each is */
	size_t nr_kept;
};

static bool is_static_branch(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_JNE | BPF_K) && insn->imm >= STATIC_BRANCH_MAGIC &&
	       insn->imm < STATIC_BRANCH_MAGIC + NR_BRANCHES;
}

/* Returns whether a branch is on. The instruction jumps if it is off. */
static bool is_on(const struct code *code, const struct bpf_insn *insn)
{
	return code->on[insn->imm - STATIC_BRANCH_MAGIC];
}

static bool is_goto(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_JA);
}

/* Returns whether one of two places, which may be the same, comes next. */
static bool is_jump(const struct bpf_insn *insn)
{
	__u8 class = BPF_CLASS(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && BPF_OP(insn->code) != BPF_CALL &&
	       BPF_OP(insn->code) != BPF_EXIT;
}

/* Returns whether an instruction takes two places. */
static bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

/* Returns whether an instruction calls another function of the program, or takes its address. */
static bool names_function(const struct bpf_insn *insn)
{
	if (insn->code == (BPF_JMP | BPF_CALL))
		return insn->src_reg == BPF_PSEUDO_CALL;
	return is_wide(insn) && insn->src_reg == BPF_PSEUDO_FUNC;
}

static void reach(struct code *code, size_t place)
{
	if (place >= code->nr || code->is_reached[place])
		return;
	code->is_reached[place] = true;
	code->to_visit[code->nr_to_visit++] = place;
}

/* Reaches what may come next. */
static void visit(struct code *code, size_t place)
{
	const struct bpf_insn *insn = &code->insns[place];

	if (names_function(insn))
		reach(code, place + 1 + insn->imm);
	if (is_wide(insn)) {
		code->is_reached[place + 1] = true;
		reach(code, place + 2);
		return;
	}
	if (is_jump(insn) && !(is_static_branch(insn) && is_on(code, insn)))
		reach(code, place + 1 + insn->off);
	if (insn->code != (BPF_JMP | BPF_EXIT) && !is_goto(insn) &&
	    !(is_static_branch(insn) && !is_on(code, insn)))
		reach(code, place + 1);
}

/*
 * Keeps all that is reached, except compares that were decided, and jumps to the next instruction.
 */
static void choose(struct code *code)
{
	size_t next = code->nr;

	reach(code, 0);
	while (code->nr_to_visit)
		visit(code, code->to_visit[--code->nr_to_visit]);
	for (size_t i = code->nr; i-- > 0;) {
		const struct bpf_insn *insn = &code->insns[i];

		code->is_kept[i] = code->is_reached[i] && !is_static_branch(insn) &&
				   !(is_goto(insn) && insn->off >= 0 && next >= i + 1 + insn->off);
		if (code->is_kept[i])
			next = i;
	}
	for (size_t i = 0; i < code->nr; i++) {
		code->place[i] = code->nr_kept;
		code->nr_kept += code->is_kept[i];
	}
}

/* A jump that libbpf has not resolved yet may go anywhere. */
static __s32 distance(const struct code *code, size_t from, __s32 before)
{
	size_t to = from + 1 + before;

	return to < code->nr ? (__s32)code->place[to] - (__s32)code->place[from] - 1 : before;
}

/* Loads the address of the kernel's variable, in place of the number that stood for it. */
static void name_variable(const struct code *code, struct bpf_insn *insn)
{
	__u32 number = (__u32)insn->imm - VARIABLE_MAGIC;

	if (insn->src_reg || number >= NR_VARIABLES)
		return;
	insn->src_reg = BPF_PSEUDO_BTF_ID;
	insn->imm = code->variables[number];
}

static void move(struct code *code)
{
	for (size_t i = 0; i < code->nr; i++) {
		struct bpf_insn insn = code->insns[i];

		if (!code->is_kept[i])
			continue;
		if (names_function(&insn))
			insn.imm = distance(code, i, insn.imm);
		else if (is_jump(&insn))
			insn.off = (__s16)distance(code, i, insn.off);
		if (is_wide(&insn))
			name_variable(code, &insn);
		code->insns[code->place[i]] = insn;
		/* The other half is no instruction, whatever it looks like. */
		if (is_wide(&insn)) {
			i++;
			code->insns[code->place[i]] = code->insns[i];
		}
	}
}

/*
 * Copies records that begin with a place in the program: struct bpf_func_info and struct
 * bpf_line_info. If two have the same place now, the latter one is right. NULL without memory.
 */
static void *move_info(const struct code *code, const void *records, __u32 *nr, __u32 size)
{
	char *moved = malloc((size_t)*nr * size + 1);
	__u32 nr_moved = 0, place, last = ~0U;

	for (__u32 i = 0; moved && i < *nr; i++) {
		const char *record = (const char *)records + (size_t)i * size;

		memcpy(&place, record, sizeof(place));
		if (place >= code->nr || !code->is_reached[place])
			continue;
		place = code->place[place];
		nr_moved -= nr_moved && place == last;
		memcpy(moved + (size_t)nr_moved * size, record, size);
		memcpy(moved + (size_t)nr_moved * size, &place, sizeof(place));
		nr_moved++;
		last = place;
	}
	*nr = nr_moved;
	return moved;
}

void moved_info_free(struct moved_info *moved)
{
	free(moved->functions);
	free(moved->lines);
	*moved = (struct moved_info){ 0 };
}

static int remove_dead(struct code *code, struct bpf_program *program,
		       struct bpf_prog_load_opts *opts, struct moved_info *moved)
{
	choose(code);
	moved->functions =
		move_info(code, opts->func_info, &opts->func_info_cnt, opts->func_info_rec_size);
	moved->lines =
		move_info(code, opts->line_info, &opts->line_info_cnt, opts->line_info_rec_size);
	if (!moved->functions || !moved->lines)
		return -ENOMEM;
	opts->func_info = moved->functions;
	opts->line_info = moved->lines;
	move(code);
	return bpf_program__set_insns(program, code->insns, code->nr_kept);
}

int static_branches_write(struct bpf_program *program, const bool on[NR_BRANCHES],
			  const __s32 variables[NR_VARIABLES], struct bpf_prog_load_opts *opts,
			  struct moved_info *moved)
{
	size_t nr = bpf_program__insn_cnt(program);
	struct code code = {
		.insns = calloc(nr, sizeof(*code.insns)),
		.nr = nr,
		.on = on,
		.variables = variables,
		.is_reached = calloc(nr, sizeof(*code.is_reached)),
		.is_kept = calloc(nr, sizeof(*code.is_kept)),
		.to_visit = calloc(nr, sizeof(*code.to_visit)),
		.place = calloc(nr, sizeof(*code.place)),
	};
	int err = -ENOMEM;

	if (code.insns && code.is_reached && code.is_kept && code.to_visit && code.place) {
		memcpy(code.insns, bpf_program__insns(program), nr * sizeof(*code.insns));
		err = remove_dead(&code, program, opts, moved);
	}
	free(code.insns);
	free(code.is_reached);
	free(code.is_kept);
	free(code.to_visit);
	free(code.place);
	return err;
}
