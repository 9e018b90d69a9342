/* SPDX-License-Identifier: GPL-2.0 */
/* Facts about a network device, for BPF programs. */
#ifndef NETSTACKLAT_DEVICE_BPF_H
#define NETSTACKLAT_DEVICE_BPF_H

/*
 * Returns whether a device has this name of a kind, as of "ip link add type", of up to 7 letters.
 * Takes any address. The compiler compares 8 bytes at once, and calls a function for fewer.
 */
#define device_is_a(dev, name)                                                  \
	({                                                                      \
		char kind[8] = "", wanted[8] = name;                            \
                                                                                \
		bpf_probe_read_kernel(kind, sizeof(name),                       \
				      BPF_CORE_READ(dev, rtnl_link_ops, kind)); \
		!__builtin_memcmp(kind, wanted, sizeof(kind));                  \
	})

#endif
