/* SPDX-License-Identifier: GPL-2.0 */
/* Why the kernel frees an skb that nobody consumed, for BPF programs. */
#ifndef NETSTACKLAT_DROP_BPF_H
#define NETSTACKLAT_DROP_BPF_H

#include "lib/bpf/kernel/header_port.bpf.h"
#include "lib/bpf/kernel/per_cpu.bpf.h"
#include "lib/bpf/path/hook.bpf.h"
#include "lib/bpf/path/journey.bpf.h"

/* Linux 5.17 (c504e5c2f964) has the enum, and added the argument to the tracepoint. */
static __always_inline bool drops_have_reasons(void)
{
	return bpf_core_enum_value_exists(enum skb_drop_reason, SKB_DROP_REASON_NOT_SPECIFIED);
}

/*
 * Takes the reason from the arguments of skb:kfree_skb: skb, location and, if there is one, reason.
 * Where there is none, the location stands for it. Its lower half is enough, as all code is in the
 * last 2 GiB of addresses.
 */
static __always_inline __u32 drop_reason(const __u64 *args)
{
	__u64 reason;

	/*
	 * The barrier keeps the compiler from loading from a computed address, which the verifier
	 * refuses.
	 */
	if (drops_have_reasons())
		asm volatile("%0 = *(u64 *)(%1 + 16)" : "=r"(reason) : "r"(args));
	else
		asm volatile("%0 = *(u64 *)(%1 + 8)" : "=r"(reason) : "r"(args));
	return reason;
}

/* Linux 6.11 (c53795d48ee8) added the argument, and with it another member that is known here. */
static __always_inline bool drops_have_sockets(void)
{
	return bpf_core_field_exists(((struct sk_buff *)0)->tstamp_type);
}

/*
 * Returns the socket that the packet was for, or NULL. A helper reads it, and only helpers may read
 * from it: before Linux 6.13, the verifier believes that it is never NULL.
 */
static __always_inline const struct sock *drop_socket(const __u64 *args)
{
	const struct sock *sk = NULL;

	if (drops_have_sockets())
		bpf_probe_read_kernel(&sk, sizeof(sk), &args[3]);
	return sk;
}

/*
 * Returns whether an skb is a packet of a network. Sockets of Unix, netlink and the like keep their
 * messages in skbs, too, which have neither a device nor a protocol. A packet that is received has
 * a device from its driver on, before it has a protocol. One that is sent has a protocol from IP
 * on, before it has a device: netfilter's OUTPUT sees it with one (__ip_local_out(),
 * __ip6_local_out()). What is dropped before that has no header yet.
 */
static __always_inline bool is_of_network(const struct sk_buff *skb)
{
	return skb->protocol || skb->dev;
}

/* A packet that a qdisc drops on this CPU, and why. */
struct qdisc_drop {
	__u64 skb;
	__u32 reason;
};
PER_CPU_VALUE(1, qdisc_drops, struct qdisc_drop);

/*
 * The first of enum qdisc_drop_reason, as a number: where the kernel lacks the type, looking for it
 * takes a right. It means that a qdisc is full, or drops by its rules.
 */
static __always_inline bool is_generic(__u32 reason)
{
	return (__u16)reason == 1;
}

/*
 * Since Linux 7.2, a qdisc tells its own reason at another tracepoint. Right after that, it frees
 * the packet for a reason that all qdiscs share.
 */
static __always_inline __u32 reason_of_qdisc(const struct sk_buff *skb, __u32 reason)
{
	const struct qdisc_drop *drop;

	if (!is_asked_for(PROBE_qdisc_drop, TASK_REMEMBER) ||
	    reason != bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_QDISC_DROP))
		return reason;
	drop = per_cpu_value(&qdisc_drops);
	if (!drop || drop->skb != (__u64)skb || is_generic(drop->reason))
		return reason;
	return drop->reason;
}

/* linux/if_packet.h */
#define PACKET_HOST 0
#define PACKET_OUTGOING 4

/*
 * Returns whether a packet that is freed without a reason is dropped. In the same way, TCP frees
 * packets that it no longer needs, as those of a connection that is closed, and IP those to groups
 * that nobody has joined. A packet is missed that is for this host, or sent by it, and has come to
 * no protocol: where a route is a black hole, an address is invalid, or a veth's other end takes no
 * packets of that length.
 */
static __always_inline bool is_drop_without_reason(struct sk_buff *skb)
{
	__u32 type = BPF_CORE_READ_BITFIELD(skb, pkt_type);

	return (type == PACKET_HOST || type == PACKET_OUTGOING) &&
	       IN_PLACES(journey_end(&(struct packet){ .skb = skb, .stamp_ns = skb->tstamp }),
			 places_of_ip);
}

/* RFC 792 */
#define ICMP_REDIRECT 5

/*
 * Returns whether a packet tells a sender of a shorter way, which nobody misses. NAT drops those of
 * connections that it translates (nf_nat_icmp_reply_translation()), as where a container asks its
 * own published port.
 */
static __always_inline bool is_redirect(const struct sk_buff *skb)
{
	const struct sk_buff___bytes *bytes = (const void *)skb;
	const unsigned char *network = skb->head + skb->network_header;
	const unsigned char *transport = skb->head + bytes->transport_header;
	__u8 protocol, type;

	return skb->protocol == bpf_htons(ETH_P_IP) &&
	       !bpf_probe_read_kernel(&protocol, 1, network + IPV4_PROTOCOL_OFFSET) &&
	       protocol == IPPROTO_ICMP && !bpf_probe_read_kernel(&type, 1, transport) &&
	       type == ICMP_REDIRECT;
}

/*
 * The code that drops a packet gives the reason. In the enum, all up to "not specified" are no
 * reasons.
 */
static __always_inline bool is_drop(struct sk_buff *skb, __u32 reason)
{
	__u32 none;

	if (!drops_have_reasons())
		return true;
	none = bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_NOT_SPECIFIED);
	if (!WITH_STAGES || !static_branch(BRANCH_ALL_DROPS))
		return reason > none;
	return reason == none ? is_drop_without_reason(skb) : reason > none && !is_redirect(skb);
}

#endif
