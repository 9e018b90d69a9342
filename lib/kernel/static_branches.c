// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/static_branches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_static_branch(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_JNE | BPF_K) && insn->imm >= STATIC_BRANCH_MAGIC &&
	       insn->imm < STATIC_BRANCH_MAGIC + NR_BRANCHES;
}

int static_branches_write(struct bpf_program *program, const bool on[NR_BRANCHES])
{
	size_t nr = bpf_program__insn_cnt(program);
	struct bpf_insn *insns = calloc(nr, sizeof(*insns));
	int err;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(program), nr * sizeof(*insns));
	for (size_t i = 0; i < nr; i++)
		if (is_static_branch(&insns[i]))
			insns[i].imm = !on[insns[i].imm - STATIC_BRANCH_MAGIC];
	err = bpf_program__set_insns(program, insns, nr);
	free(insns);
	return err;
}
