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
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_HASH = 5,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_LPM_TRIE = 11,
	BPF_MAP_TYPE_QUEUE = 22,
	BPF_MAP_TYPE_SK_STORAGE = 24,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_F_NO_PREALLOC = 1 << 0,
	BPF_F_MMAPABLE = 1 << 10,
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_SK_STORAGE_GET_F_CREATE = 1,
};

enum {
	AF_INET = 2,
	AF_INET6 = 10,
	SOCK_RAW = 3,
	IPPROTO_ICMP = 1,
	IPPROTO_TCP = 6,
	IPPROTO_UDP = 17,
	IPPROTO_ICMPV6 = 58,
	IPPROTO_UDPLITE = 136,
	ETH_P_IP = 0x0800,
	ETH_P_IPV6 = 0x86dd,
	ETH_P_8021Q = 0x8100,
	ETH_P_8021AD = 0x88a8,
	ETH_P_MPLS_UC = 0x8847,
	ETH_P_PPP_SES = 0x8864, /* PPPoE */
	ETH_P_MACSEC = 0x88e5,
	NET_RX_SOFTIRQ = 3,
};

/*
 * Since Linux 5.11 (3ca1032ab7ab, 4f19cab76136), 5.12 (34b2021cc616), 5.17 (e6f2dd0f8067) and 6.1
 * (c8996c98f703).
 */
enum bpf_func_id {
	BPF_FUNC_get_current_task_btf = 158,
	BPF_FUNC_sock_from_file = 162,
	BPF_FUNC_check_mtu = 163,
	BPF_FUNC_task_pt_regs = 175,
	BPF_FUNC_loop = 181,
	BPF_FUNC_ktime_get_tai_ns = 208,
};

/* Since Linux 6.10 (535a3692ba72). */
enum bpf_attach_type {
	BPF_TRACE_KPROBE_SESSION = 56,
};

/* Since Linux 5.17 (c504e5c2f964); the numbers change. */
enum skb_drop_reason {
	SKB_DROP_REASON_NOT_SPECIFIED = 2,
	SKB_DROP_REASON_NETFILTER_DROP = 8,
	SKB_DROP_REASON_QDISC_DROP = 37,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct Qdisc;
struct netdev_queue;
struct napi_struct;
struct seq_file;
struct file;

struct ns_common {
	unsigned int inum;
};

struct net {
	__u64 net_cookie;
	__u32 hash_mix;
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct list_head {
	struct list_head *next;
};

struct rtnl_link_ops {
	const char *kind;
};

struct net_device {
	int ifindex;
	const struct rtnl_link_ops *rtnl_link_ops;
	possible_net_t nd_net;
	struct {
		struct list_head upper; /* the devices above this one, such as a bond */
	} adj_list;
};

struct sock;

struct sk_buff {
	struct sk_buff *next;
	struct net_device *dev;
	struct sock *sk;
	__s64 tstamp;
	__u8 tstamp_type : 2;
	__u8 cloned : 1;
	__u8 fclone : 2;
	__u8 pkt_type : 3;
	char cb[48];
	int skb_iif;
	__be16 protocol;
	__u16 network_header; /* behind head */
	unsigned char *head;
};

/* What only some programs read: with slow packets, or of the network card. */
struct sk_buff___bytes {
	struct sk_buff *next;
	unsigned int len;
	__u32 tail;		/* behind head, on machines of 64 bits */
	__u32 end;		/* likewise: there is struct skb_shared_info */
	__u16 transport_header; /* behind head */
	unsigned char *data;
};

/* The arguments of sendmsg(2), in the kernel's memory. */
struct msghdr {
	void *msg_name;
	unsigned int msg_flags;
};

struct skb_shared_hwtstamps {
	__s64 hwtstamp;
};

struct skb_shared_info {
	struct skb_shared_hwtstamps hwtstamps;
};

/* Linux 5.18 (a1ac9c8acec1) to 6.10; tstamp_type took its place in 6.11 (4d25ca2d6801). */
struct sk_buff___5_18 {
	__u8 mono_delivery_time : 1;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
	int level;
	struct cgroup *ancestors[];
};

/* Before Linux 6.1 (7f203bc89eb6). */
struct cgroup___5_10 {
	int level;
	__u64 ancestor_ids[];
};

struct sock_cgroup_data {
	struct cgroup *cgroup;
};

struct sk_buff_head {
	struct sk_buff *next, *prev;
	__u32 qlen;
};

struct in6_addr {
	union {
		__be32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	__be32 skc_daddr;
	__u32 skc_portpair;
	__u16 skc_num;
	__u16 skc_family;
	volatile unsigned char skc_state;
	unsigned char skc_net_refcnt : 1; /* none of the kernel's own */
	struct sock *skc_listener;	  /* of a request */
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
};

typedef struct {
	int owned;
} socket_lock_t;

/* What only some programs read. */
struct sock_common___identity {
	struct {
		__s64 counter;
	} skc_cookie;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	int skc_bound_dev_if;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock___identity {
	struct sock_common___identity __sk_common;
};

typedef struct {
	int counter;
} atomic_t;

struct sock {
	struct sock_common __sk_common;
	socket_lock_t sk_lock;
	atomic_t sk_drops;
	struct sk_buff_head sk_receive_queue, sk_write_queue;
	struct {
		atomic_t rmem_alloc;
		int len;
		struct sk_buff *head;
	} sk_backlog;
	int sk_rcvbuf, sk_sndbuf, sk_wmem_queued, sk_rcvlowat;
	__u32 sk_ack_backlog, sk_max_ack_backlog; /* of one that listens, or did where it began */
	__u16 sk_type;
	__u16 sk_protocol;
	__u8 sk_userlocks : 4;
	__u32 sk_pacing_status;
	struct sock_cgroup_data sk_cgrp_data;
};

/* Before Linux 5.15 (8520e224f547): the cgroup's address, unless the lowest bit is set. */
struct sock_cgroup_data___5_10 {
	__u64 val;
};

struct sock___5_10 {
	struct sock_cgroup_data___5_10 sk_cgrp_data;
};

struct nsproxy {
	struct net *net_ns;
};

struct task_struct {
	unsigned int __state;
	unsigned int flags;
	unsigned int on_cpu; /* a smaller one in Linux 7.2: only unsigned ones may differ */
	unsigned long jobctl;
	unsigned int in_iowait : 1;
	unsigned int in_memstall : 1;
	int pid, tgid;
	struct nsproxy *nsproxy;
	struct task_struct *group_leader;
	unsigned long nvcsw, maj_flt;
	__u64 start_boottime;
	char comm[16];
};

/* Where a task entered the kernel: the number of the system call, or -1. */
struct pt_regs___entry_x86 {
	unsigned long orig_ax;
};

struct pt_regs___entry_arm64 {
	__s32 syscallno;
};

/* The times of a CPU since boot, in ns; in Linux 7.2, they are not at its beginning. */
struct kernel_cpustat {
	__u64 cpustat[10];
};

struct thread_info___arm64 {
	struct {
		__u32 count;
	} preempt;
};

struct task_struct___arm64 {
	struct thread_info___arm64 thread_info;
};

/* With CONFIG_PREEMPT_RT. */
struct task_struct___rt {
	int softirq_disable_cnt;
};

struct task_struct___5_13 {
	volatile long state;
};

struct rb_node;

struct rb_root {
	struct rb_node *rb_node;
};

struct minmax_sample {
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct request_sock_queue {
	struct request_sock *rskq_accept_head;
};

struct inet_connection_sock {
	struct request_sock_queue icsk_accept_queue;
	__u8 icsk_ca_state : 5;
	struct {
		__u16 rcv_mss; /* how long the peer's full segments are, as far as is known */
	} icsk_ack;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u32 rcv_nxt;
	__u32 copied_seq;
	__u32 rcv_wup, rcv_wnd; /* where the window that peers know of begins, and how long it is */
	__u32 write_seq;
	__u32 snd_una;
	__u32 snd_sml; /* behind the last segment that was short */
	__u32 snd_nxt;
	__u32 mss_cache; /* how long a full segment is */
	__u32 packets_out, snd_cwnd, app_limited;
	__u64 tcp_wstamp_ns; /* when pacing lets the next segment go */
	__u8 nonagle : 4;
	__u32 srtt_us; /* in eighths */
	struct minmax rtt_min;
	__u32 rcv_ooopack;
	struct rb_root out_of_order_queue;
	struct sk_buff *ooo_last_skb;
	_Bool is_mptcp;			    /* with CONFIG_MPTCP */
	__u32 chrono_start, chrono_stat[3]; /* in jiffies */
	__u8 chrono_type : 2;
};

struct mptcp_sock {
	struct sock *first; /* the first subflow, of TCP */
};

struct neighbour {
	__u8 nud_state;
};

struct udp_sock {
	struct sk_buff_head reader_queue;
};

struct request_sock {
	struct request_sock *dl_next;
	struct sock *sk;
};

struct tcp_request_sock {
	__u64 snt_synack;
};

struct netlink_sock {
	__u32 portid;
};

struct socket {
	struct sock *sk;
};

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
};

struct tcp_skb_cb {
	__u32 seq;
	__u32 end_seq;
	__u16 tcp_gso_segs;
	__u8 tcp_flags; /* the last eight of TCP's header */
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
