/* SPDX-License-Identifier: GPL-2.0 */
/* A packet at a hook, for BPF programs. */
#ifndef NETSTACKLAT_PACKET_BPF_H
#define NETSTACKLAT_PACKET_BPF_H

#include "lib/bpf/kernel/context.bpf.h"
#include "lib/bpf/kernel/cgroup.bpf.h"
#include "lib/bpf/kernel/features.bpf.h"
#include "lib/bpf/kernel/header_port.bpf.h"
#include "lib/bpf/path/hook.bpf.h"
#include "lib/bpf/kernel/remote.bpf.h"
#include "lib/bpf/kernel/sent.bpf.h"
#include "lib/bpf/kernel/stamp.bpf.h"

/*
 * Members of an skb that are kept from a function's entry to its return, when the skb may be freed.
 */
struct kept_packet {
	const struct sk_buff *skb; /* whose it is; not to be read from, as it may be freed */
	__u64 stamp_ns;
	__u64 last; /* where it was last, see journey.bpf.h */
#define KEPT(id, type, member, ...) type member;
#include "lib/tables/kept.def"
};

/*
 * The packet, socket or time that a program has at hand. Programs build it in place, so that the
 * compiler drops members that are left out. The hook table says what a program must have, and so
 * what may be asked of it.
 */
struct packet {
	struct sk_buff *skb; /* not to be read from if it was kept */
	const struct kept_packet *kept;
	__u64 stamp_ns; /* without an skb, or if it was read from it already; then, what is known */
	const struct passed *passed; /* without an skb: all hooks so far; NULL if not known */
	const struct sock *sk;	     /* of what is sent, record() finds it */
	bool is_new; /* at netif-receive: only behind that does the kernel note the interface */
	bool may_be_in_softirq;	       /* at tcp-socket-read, see packet_has_reader() */
	__u32 reason;		       /* why it is dropped */
	const struct sock *connection; /* of a listener's request: whose peer it is */
	__u32 limit;		       /* what held it back, see tcp_limit.h */
	__u32 retransmit;	       /* why it is sent again, see retransmit.h */
	__u32 packets; /* without any of them, see span.bpf.h: how many there were */

	/* Its facts, see packet_begin() and packet_learn_stamp(). */
	__u32 has;		      /* in the hook table */
	const struct net_device *dev; /* of what is new, sent or dropped */
	__u32 keeps;		      /* of what asks for it, in the table of filters or keys */
	/* Its position, see follow(). */
	__u64 now_ns;
	__u64 before; /* the hook before, as LAST_HOOK(), which a program without an skb knows; 0 or
			 1 if it is not known */
	__u64 here;   /* this hook, as LAST_HOOK() */
	/* at netif-receive or, in a verdict, where it is dropped, without a receive stamp: since
	 * boot; 0: not known */
	__u64 arrived_ns;
	/* Its time, see measure(). */
	__u64 latency_ns; /* since the stamp; false if that is no receive stamp */
	__u32 weight;	  /* it counts for so many, see sample.bpf.h */
};

/* Fails the build. */
void __attribute__((error("this program has not what the hook table says that it has")))
program_lacks_what_its_hook_has(void);

/* A program that leaves out a member has a constant there, and the compiler knows. */
#define IS_LEFT_OUT(member) (__builtin_constant_p((long)(member)) && !(member))

static __always_inline void packet_assert_complete(const struct packet *packet)
{
	if (packet->has & HAS_SKB && IS_LEFT_OUT(packet->skb))
		program_lacks_what_its_hook_has();
	if (packet->has & (HAS_SOCKET | HAS_PORT | HAS_QUEUE | HAS_PEER) &&
	    !(packet->has & (HAS_SENT | HAS_REASON)) && IS_LEFT_OUT(packet->sk))
		program_lacks_what_its_hook_has();
	if (!(packet->has & HAS_SKB) && IS_LEFT_OUT(packet->stamp_ns))
		program_lacks_what_its_hook_has();
}

/*
 * Returns whether its device tells the interface: the kernel notes that only behind netif-receive.
 */
static __always_inline bool packet_needs_device(const struct packet *packet)
{
	return packet->is_new || packet->has & (HAS_SENT | HAS_REASON);
}

/*
 * The pointers of the skb, each loaded once. Tracepoints hand out trusted pointers, and for each
 * load of a pointer from one, the verifier of Linux 6.12 searches all types of the kernel by name.
 */
static __always_inline void packet_load_pointers(struct packet *packet)
{
	if (packet->has & HAS_SENT)
		packet->sk = packet->skb->sk;
	if (packet_needs_device(packet))
		packet->dev = packet->skb->dev;
}

/* First of all: what the program has at hand. */
static __always_inline void packet_begin(struct packet *packet, enum probe probe)
{
	packet->has = probe_has(probe);
	packet_load_pointers(packet);
}

void __attribute__((error("filters.def or keys.def does not say that this is kept (kept.def)")))
attribute_is_not_kept(void);

/*
 * A member that was kept at a function's entry. It may be used only if the line of a filter or key
 * names it.
 */
#define packet_kept(packet, id, member)             \
	({                                          \
		if (!((packet)->keeps & KEEPS(id))) \
			attribute_is_not_kept();    \
		(packet)->kept->member;             \
	})

/* See HAS_ANY_STAMP. Looking again takes fewer instructions than to keep it across calls. */
static __always_inline bool packet_stamp_is_for_tx(const struct packet *packet)
{
	return packet->has & HAS_ANY_STAMP && stamp_is_for_tx(packet->skb);
}

/*
 * Finds out when it was received, see stamp.bpf.h. With stages, packets without a receive stamp
 * count, too: it is 0 then.
 */
static __always_inline void packet_learn_stamp(struct packet *packet)
{
	if (packet->kept)
		packet->stamp_ns = packet->kept->stamp_ns;
	else if (packet->has & HAS_SKB && IS_LEFT_OUT(packet->stamp_ns))
		packet->stamp_ns = packet->skb->tstamp;
	if (WITH_STAGES && packet_stamp_is_for_tx(packet))
		packet->stamp_ns = 0;
}

/* The device may be gone from the skb by then. */
static __always_inline bool packet_is_dropped(const struct packet *packet)
{
	return packet->has & HAS_REASON;
}

/* Linux 5.18 (2df3041ba3be) has this reason. */
static __always_inline bool packet_is_dropped_by_netfilter(const struct packet *packet)
{
	return bpf_core_enum_value_exists(enum skb_drop_reason, SKB_DROP_REASON_NETFILTER_DROP) &&
	       packet->reason ==
		       bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_NETFILTER_DROP);
}

/*
 * Returns whether a dropped packet has its device. Past reception, sockets keep other things in
 * that place of the skb, so the device's number is not the one that the kernel noted. A helper
 * reads it, as it takes any address. A forwarded packet has another device on its way out, and so
 * has one that a bridge passes on, at the bridge's hooks of netfilter.
 */
static __always_inline bool packet_has_device(const struct packet *packet)
{
	const struct net_device *dev = packet->dev;
	int received_at = packet->skb->skb_iif;

	if (WITH_STAGES && (IN_PLACES(packet->before, places_sent) ||
			    (LAST_PLACE(packet->before) == PLACE(HOOK_netif_receive) &&
			     packet_is_dropped_by_netfilter(packet))))
		return dev;
	return received_at ? BPF_CORE_READ(dev, ifindex) == received_at : !!dev;
}

/*
 * TCP, UDP and IP send packets before their device is noted. A load through NULL crashed Linux
 * 5.10: it faults there (the JIT compares with NULL since 4c5de127598e), and where a program has
 * functions, a kernel without 0108a4e9f358 may not know that a program, which may fault, did so.
 */
static __always_inline __u32 packet_ifindex(const struct packet *packet)
{
	if (packet->kept)
		return packet_kept(packet, IFINDEX, ifindex);
	if (packet_is_dropped(packet) && !packet_has_device(packet))
		return 0;
	if (packet_needs_device(packet))
		return packet->dev ? packet->dev->ifindex : 0;
	return packet->has & HAS_SKB ? packet->skb->skb_iif : 0;
}

/* The namespace of a socket, as of packet_netns(), read by a helper; 0 if there is no socket. */
static __always_inline __u64 netns_of_untyped(const struct sock *sk)
{
	const struct net *net = BPF_CORE_READ(sk, __sk_common.skc_net.net);

	if (static_branch(BRANCH_NETNS_COOKIE))
		return BPF_CORE_READ(net, net_cookie);
	return (__u64)BPF_CORE_READ(net, hash_mix) << 32 | BPF_CORE_READ(net, ns.inum);
}

/*
 * The cookie of a network namespace: the inode number of one that is gone is soon used again. It is
 * an integer since Linux 5.12 (3d368ab87cf6), and sockets tell it since 5.14 (e8b9eab99232).
 * Before, this is the inode number together with the namespace's random number (netns_mix.bpf.c).
 */
static __always_inline __u64 packet_netns(const struct packet *packet)
{
	const struct net *net;

	if (!(packet->has & (HAS_SKB | HAS_SOCKET)))
		return 0;
	if (packet_is_dropped(packet) && !packet_has_device(packet))
		return netns_of_untyped(packet->sk);
	if (packet->has & HAS_SENT)
		net = sent_net(packet->dev, packet->sk);
	else if (packet->has & HAS_SOCKET)
		net = packet->sk->__sk_common.skc_net.net;
	else if (packet_needs_device(packet))
		net = packet->dev->nd_net.net;
	else
		net = packet->skb->dev->nd_net.net;
	if (packet->has & HAS_SENT && !net)
		return 0;

	if (static_branch(BRANCH_NETNS_COOKIE))
		return net->net_cookie;
	return (__u64)net->hash_mix << 32 | net->ns.inum;
}

static __always_inline const struct sock *packet_connection(const struct packet *packet)
{
	return IS_LEFT_OUT(packet->connection) ? packet->sk : packet->connection;
}

/* ETH_P_IP or ETH_P_IPV6, in network byte order. */
static __always_inline __be16 packet_protocol(const struct packet *packet)
{
	if (packet->kept)
		return packet_kept(packet, PROTOCOL, protocol);
	/* A VLAN's header hides it. */
	if (packet->has & HAS_SENT)
		return bpf_htons(packet->here & 1 ? ETH_P_IPV6 : ETH_P_IP);
	if (packet->has & HAS_SKB)
		return packet->skb->protocol;
	return protocol_of_connection(packet_connection(packet));
}

/* 0 for another protocol, which only comes to be dropped. */
static __always_inline __u8 packet_ip_version(const struct packet *packet)
{
	__be16 protocol = packet_protocol(packet);

	if (protocol == bpf_htons(ETH_P_IP))
		return 4;
	return packet_is_dropped(packet) && protocol != bpf_htons(ETH_P_IPV6) ? 0 : 6;
}

/* A packet that is sent may have no socket, or no port. The socket of a dropped one is unknown. */
static __always_inline __u16 packet_port(const struct packet *packet)
{
	if (!(packet->has & HAS_PORT))
		return 0;
	if (packet_is_dropped(packet))
		return header_port(packet->skb);
	if (packet->has & HAS_SENT && !sent_from_port(packet->sk))
		return 0;
	return packet->sk->__sk_common.skc_num;
}

/*
 * NULL if there is no socket, as may be on the way out or where it is dropped. So a helper reads
 * it.
 */
static __always_inline const struct cgroup *packet_cgroup(const struct packet *packet)
{
	if (packet->has & HAS_SENT)
		return sent_cgroup(packet->sk);
	return packet_is_dropped(packet) ? cgroup_of_untyped(packet->sk) : cgroup_of(packet->sk);
}

static __always_inline __u64 packet_cgroup_id(const struct packet *packet)
{
	if (packet->has & (HAS_SENT | HAS_RX_SOCKET))
		return cgroup_id(packet_cgroup(packet), false);
	return cgroup_id_of(packet->sk);
}

/*
 * Returns whether the current task held the socket's lock while a segment waited: the task handles
 * the backlog, and owns the lock until that is done. In a softirq, nobody owns the lock.
 */
static __always_inline bool packet_has_holder(const struct packet *packet)
{
	return packet->has & HAS_HOLDER && packet->sk->sk_lock.owned;
}

/*
 * Returns whether the current task is the reader. The kernel may read from TCP itself, as for KCM,
 * in a softirq that interrupts any task: then, none owns the socket's lock. When a task reads by
 * MPTCP, the lock is taken, but not owned (lock_sock_fast()).
 */
static __always_inline bool packet_has_reader(const struct packet *packet)
{
	const struct tcp_sock *tp;

	if (!(packet->has & HAS_READER) || !packet->may_be_in_softirq || packet->sk->sk_lock.owned)
		return packet->has & HAS_READER;
	tp = bpf_skc_to_tcp_sock((void *)packet->sk);
	return tp && bpf_core_field_exists(tp->is_mptcp) && tp->is_mptcp;
}

static __always_inline __u32 packet_pid(const struct packet *packet)
{
	return packet_has_reader(packet) ? current_pid() : 0;
}

static __always_inline __u32 packet_tid(const struct packet *packet)
{
	return packet_has_reader(packet) ? (__u32)bpf_get_current_pid_tgid() : 0;
}

/*
 * A process as one number, as two would take a register that groups by other keys need: when it
 * started, since boot in units of 65.5 us (there is room for nine years), and its id. No id is used
 * again that soon.
 */
#define PROCESS_PID_BITS 22 /* PID_MAX_LIMIT */
#define PROCESS_UNIT_BITS 16

static __always_inline __u64 process_number(__u64 started_ns, __u32 pid)
{
	return started_ns >> PROCESS_UNIT_BITS << PROCESS_PID_BITS | pid;
}

static __always_inline __u32 process_pid(__u64 process)
{
	return process & ((1 << PROCESS_PID_BITS) - 1);
}

static __always_inline __u64 process_started_ns(__u64 process)
{
	return process >> PROCESS_PID_BITS << PROCESS_UNIT_BITS;
}

/* A thread that calls execve(2) takes over its leader's start. */
static __always_inline __u64 packet_process(const struct packet *packet)
{
	const struct task_struct *task;

	if (!packet_has_reader(packet) && !packet_has_holder(packet))
		return 0;
	if (current_task_is_typed()) {
		task = bpf_get_current_task_btf();
		return process_number(task->group_leader->start_boottime, task->tgid);
	}
	task = (const void *)bpf_get_current_task();
	return process_number(BPF_CORE_READ(task, group_leader, start_boottime), current_pid());
}

static __always_inline struct remote_key packet_remote(const struct packet *packet)
{
	if (packet->kept)
		return packet_kept(packet, REMOTE, remote);
	if (packet->has & HAS_SKB)
		return remote_of_skb(packet->skb, !packet->is_new, packet->has & HAS_SENT);
	return remote_of_connection(packet_connection(packet));
}

/*
 * Returns whether a packet finds that many others on the queue. It is on the queue itself at
 * return.
 */
static __always_inline bool packet_finds_queued(const struct packet *packet, __u32 min)
{
	__u32 length = packet->sk->sk_receive_queue.qlen;

	return packet->kept ? length > min : length >= min;
}

#endif
