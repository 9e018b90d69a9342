/* SPDX-License-Identifier: GPL-2.0 */
/* Loops of many rounds, for BPF programs. */
#ifndef NETSTACKLAT_ROUNDS_BPF_H
#define NETSTACKLAT_ROUNDS_BPF_H

/*
 * Calls a function for each round until it returns 1. Where the kernel has bpf_loop() (Linux 5.17,
 * e6f2dd0f8067), this uses it: the verifier looks at one round or two, and at a plain loop for each
 * round, which takes it a hundred times as long. Before Linux 5.13 (69c087ba6225), the verifier
 * refuses a program that takes a function's address, even if that is never reached.
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
