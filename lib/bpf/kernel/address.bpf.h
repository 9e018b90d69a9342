/* SPDX-License-Identifier: GPL-2.0 */
/* A hash of the kernel's addresses, for BPF programs. */
#ifndef NETSTACKLAT_ADDRESS_BPF_H
#define NETSTACKLAT_ADDRESS_BPF_H

/* The verifier takes that for a number, but does not let the compiler calculate with a pointer. */
static __always_inline __u32 address_low(const void *address)
{
	__u32 low = (unsigned long)address;

	asm volatile("%0 = %1" : "=w"(low) : "w"(low));
	return low;
}

/*
 * Multiplies, as addresses differ most in the middle, and the upper bits of the product depend on
 * all below.
 */
static __always_inline __u32 address_hash(const void *address, unsigned int bits)
{
	__u32 low = WITH_SLOW ? address_low(address) : (unsigned long)address;

	return low * 0x9e3779b1U >> (32 - bits);
}

#endif
