/* SPDX-License-Identifier: GPL-2.0 */
/* What is known of a packet at a hook (lib/facts.def), for BPF programs. */
#ifndef NETSTACKLAT_PACKET_BPF_H
#define NETSTACKLAT_PACKET_BPF_H

#include "stamp.bpf.h"

/*
 * Each mention of a volatile constant is a load. The verifier knows its value, and drops the
 * branches that it rules out.
 */
const volatile struct config config;

/*
 * The variants of each program. What knows of fewer features leaves the compiler more registers
 * than what the verifier clears of them.
 */
enum variant {
	COUNTS,	 /* all packets, by octaves */
	FILTERS, /* those asked for, at any resolution */
	GROUPS,	 /* in the histograms of their groups, besides */
};

static __always_inline __u32 todo(enum variant variant)
{
	return variant == COUNTS ? 0 : config.features;
}

/*
 * Whether the highest feature that is left is this one, which is then taken off. To look for bits
 * from the top takes compares only, of which nothing stays where the verifier knows how they end;
 * to mask them would.
 */
static __always_inline bool feature_takes(__u32 *left, __u32 feature)
{
	if (*left < feature)
		return false;
	*left -= feature;
	return true;
}

/* What functions that may free the skb leave of it, from their entry to their return. */
struct kept_packet {
	const struct sk_buff *skb; /* whose it is; not to be read from, as it may be freed */
	__u64 stamp_ns;
	__u32 ifindex;
	__be16 protocol;
};

/*
 * What a probe has at hand. Programs build it in place: has is a constant, so that the compiler
 * drops what would need anything else. Filters that would are never asked of a hook (hooks.def).
 */
enum {
	HAS_SKB = 1 << 0,
	HAS_KEPT = 1 << 1, /* instead of an skb */
	HAS_SOCKET = 1 << 2,
	HAS_PORT = 1 << 3,   /* as a socket, unless it is a raw one */
	HAS_READER = 1 << 4, /* as the current task */
};

struct packet {
	__u32 has;
	struct sk_buff *skb;
	const struct kept_packet *kept;
	const struct sock *sk;
	struct scm_timestamping_internal *tss; /* without any of skb and kept */
};

/*
 * One a CPU is enough: where it matters, these functions run in softirq, which does not interrupt
 * itself but for PREEMPT_RT (Linux 6.18, 3253cb49cbad). It does interrupt the process context in
 * which some other sockets queue (QRTR, Bluetooth), and with it maybe the program at entry.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kept_packet);
} packets_at_entry SEC(".maps");

static __always_inline struct kept_packet *packet_kept(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&packets_at_entry, &key);
}

static __always_inline int packet_keep(struct sk_buff *skb, enum variant variant)
{
	struct kept_packet *kept = packet_kept();
	__u32 features = todo(variant);

	if (!kept)
		return 0;
	kept->skb = skb;
	kept->stamp_ns = skb->tstamp;
	if (features & (FEATURE_GROUP(FACT_INTERFACE) | FEATURE_FILTER(FACT_INTERFACE)))
		kept->ifindex = skb->skb_iif;
	if (features & (FEATURE_GROUP(FACT_IP_VERSION) | FEATURE_FILTER(FACT_IP_VERSION)))
		kept->protocol = skb->protocol;
	return 0;
}

/* NULL if the kernel skipped the program at entry, or another packet came in between. */
static __always_inline const struct kept_packet *packet_take(const struct sk_buff *skb)
{
	struct kept_packet *kept = packet_kept();

	if (!kept || kept->skb != skb)
		return NULL;
	/* The next skb may have the same address. */
	kept->skb = NULL;
	return kept;
}

/* When it was received, see stamp.bpf.h. */
static __always_inline __u64 packet_stamp_ns(const struct packet *packet)
{
	if (packet->has & HAS_KEPT)
		return packet->kept->stamp_ns;
	return packet->has & HAS_SKB ? (__u64)packet->skb->tstamp : stamp_of_tcp_read(packet->tss);
}

static __always_inline __u32 packet_ifindex(const struct packet *packet)
{
	if (packet->has & HAS_KEPT)
		return packet->kept->ifindex;
	return packet->has & HAS_SKB ? packet->skb->skb_iif : 0;
}

/*
 * The cookie of a network namespace, for the inode number of one that is gone is soon used again:
 * an integer since Linux 5.12 (3d368ab87cf6), which sockets tell since 5.14 (e8b9eab99232).
 */
static __always_inline __u64 packet_netns(const struct packet *packet)
{
	const struct net *net;

	if (packet->has & HAS_SOCKET)
		net = packet->sk->__sk_common.skc_net.net;
	else
		net = packet->skb->dev->nd_net.net;

	return config.netns_has_cookie ? net->net_cookie : net->ns.inum;
}

/* An IPv6 socket may speak IPv4, with addresses such as ::ffff:192.0.2.1. */
static __always_inline __be16 protocol_of_connection(const struct sock *sk)
{
	const __be32 *peer = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32;

	if (sk->__sk_common.skc_family == AF_INET)
		return bpf_htons(ETH_P_IP);
	return bpf_htons(!peer[0] && !peer[1] && peer[2] == bpf_htonl(0xffff) ? ETH_P_IP
									      : ETH_P_IPV6);
}

/* ETH_P_IP or ETH_P_IPV6, in network byte order. */
static __always_inline __be16 packet_protocol(const struct packet *packet)
{
	if (packet->has & HAS_KEPT)
		return packet->kept->protocol;
	if (packet->has & HAS_SKB)
		return packet->skb->protocol;
	return protocol_of_connection(packet->sk);
}

static __always_inline __u8 packet_ip_version(const struct packet *packet)
{
	return packet_protocol(packet) == bpf_htons(ETH_P_IP) ? 4 : 6;
}

static __always_inline __u16 packet_port(const struct packet *packet)
{
	return packet->has & HAS_PORT ? packet->sk->__sk_common.skc_num : 0;
}

static __always_inline __u32 packet_pid(const struct packet *packet)
{
	return packet->has & HAS_READER ? bpf_get_current_pid_tgid() >> 32 : 0;
}

/* Whether a packet finds that many others on the queue. At return, it is on the queue itself. */
static __always_inline bool packet_finds_queued(const struct packet *packet, __u32 min)
{
	__u32 length = packet->sk->sk_receive_queue.qlen;

	return packet->has & HAS_KEPT ? length > min : length >= min;
}

#endif
