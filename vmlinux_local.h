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

/* From the kernel's uapi headers, of which no value ever changes. */
enum {
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_ANY = 0,
};

enum {
	AF_INET = 2,
	AF_INET6 = 10,
	SOCK_RAW = 3,
	IPPROTO_ICMP = 1,
	IPPROTO_ICMPV6 = 58,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct msghdr;
struct net;
struct net_device;

struct sk_buff {
	__s64 tstamp;
	__u8 tstamp_type : 2;
	char cb[48];
};

/* Linux 5.18 (a1ac9c8acec1) to 6.10; tstamp_type took its place in 6.11 (4d25ca2d6801). */
struct sk_buff___5_18 {
	__u8 mono_delivery_time : 1;
};

struct sock_common {
	__u32 skc_portpair;
	__u16 skc_family;
};

struct sock {
	struct sock_common __sk_common;
	__u16 sk_type;
	__u16 sk_protocol;
};

struct rb_node;

struct rb_root {
	struct rb_node *rb_node;
};

struct tcp_sock {
	__u32 rcv_nxt;
	__u32 copied_seq;
	__u32 rcv_ooopack;
	struct rb_root out_of_order_queue;
	struct sk_buff *ooo_last_skb;
};

struct tcp_skb_cb {
	__u32 end_seq;
};

struct timespec64 {
	__s64 tv_sec;
	long tv_nsec;
};

struct scm_timestamping_internal {
	struct timespec64 ts[3];
};

struct scm_timestamping_internal___ktime {
	__s64 ts[3];
};

#pragma clang attribute pop

#endif
