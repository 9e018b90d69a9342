/* SPDX-License-Identifier: GPL-2.0 */
/* Loops of many rounds, for BPF programs. */
#ifndef NETSTACKLAT_ROUNDS_BPF_H
#define NETSTACKLAT_ROUNDS_BPF_H

/*
 * Calls a function for each round until it returns 1; by bpf_loop() where the kernel has that
 * (Linux 5.17, e6f2dd0f8067). Of that, the verifier looks at one round or two; of a loop at each,
 * which takes it a hundred times as long. Before Linux 5.13 (69c087ba6225), it refuses a program
 * that takes a function's address, even if it never does.
 */
static __always_inline void for_each_round(bool has_bpf_loop, __u32 nr,
					   long (*function)(__u32, void *), void *context)
{
	if (has_bpf_loop)
		bpf_loop(nr, function, context, 0);
	else
		for (__u32 round = 0; round < nr && !function(round, context); round++)
			;
}

#endif
