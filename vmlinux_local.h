/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The little of the kernel's types that the BPF programs read, so that the build needs neither
 * kernel headers nor the BTF of any kernel. libbpf finds where the running kernel has each field
 * (CO-RE): order and size of the structs here mean nothing, names and types do.
 */
#ifndef VMLINUX_LOCAL_H
#define VMLINUX_LOCAL_H

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

/* From the kernel's uapi/linux/bpf.h, of which no value ever changes. */
enum {
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock;

struct sk_buff {
	__s64 tstamp;
	__u8 tstamp_type : 2;
};

/* Linux 5.18 (a1ac9c8acec1) to 6.10; tstamp_type took its place in 6.11 (4d25ca2d6801). */
struct sk_buff___5_18 {
	__u8 mono_delivery_time : 1;
};

#pragma clang attribute pop

#endif
