/* SPDX-License-Identifier: GPL-2.0 */
/* A hash of the kernel's addresses, for BPF programs. */
#ifndef NETSTACKLAT_ADDRESS_BPF_H
#define NETSTACKLAT_ADDRESS_BPF_H

/*
 * The verifier takes half of a pointer for a number. Without the assembly, the compiler would
 * calculate with all of the pointer, which the verifier refuses.
 */
static __always_inline __u32 address_low(const void *address)
{
	__u32 low = (unsigned long)address;

	asm volatile("%0 = %1" : "=w"(low) : "w"(low));
	return low;
}

/* Addresses differ most in the middle. The upper bits of a product depend on all bits below. */
static __always_inline __u32 address_hash(const void *address, unsigned int bits)
{
	__u32 low = WITH_SLOW ? address_low(address) : (unsigned long)address;

	return low * 0x9e3779b1U >> (32 - bits);
}

#endif
