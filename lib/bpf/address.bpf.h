/* SPDX-License-Identifier: GPL-2.0 */
/* A hash of the kernel's addresses, for BPF programs. */
#ifndef NETSTACKLAT_ADDRESS_BPF_H
#define NETSTACKLAT_ADDRESS_BPF_H

/*
 * By multiplication: addresses differ most in the middle, and the upper bits of the product depend
 * on all below. The verifier takes the lower half of a pointer for a number.
 */
static __always_inline __u32 address_hash(const void *address, unsigned int bits)
{
	__u32 low = (unsigned long)address;

	/* The verifier does not let the compiler multiply the pointer in place. */
	if (WITH_SLOW)
		asm volatile("%0 = %1" : "=w"(low) : "w"(low));
	return low * 0x9e3779b1U >> (32 - bits);
}

#endif
