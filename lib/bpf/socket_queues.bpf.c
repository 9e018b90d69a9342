// SPDX-License-Identifier: GPL-2.0
/*
 * Writes what is in the queues of all sockets that processes have open: an iterator (Linux 5.8)
 * over the files of all tasks, which finds sockets since 5.11 (4f19cab76136). What it reads may
 * change meanwhile, so all is read by helpers, and every walk has an end. See
 * lib/kernel/socket_queue_reader.h.
 */
#include "vmlinux_local.h"
#include <stdbool.h>
#include <stddef.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "lib/bpf/kernel/cgroup.bpf.h"
#include "lib/bpf/kernel/sock.bpf.h"
#include "lib/bpf/kernel/rounds.bpf.h"
#include "lib/tables/hook_ids.h"
#include "lib/tables/queued.h"
#include "lib/tables/tcp_limit.h"
#include "lib/tables/tcp_times.h"

/* The oldest ones of a queue: more would not fit into the iterator's buffer of 32 KiB. */
#define MAX_QUEUED 128
/* Segments that are unsent wait for the same thing, so that fewer of them tell as much. */
#define MAX_UNSENT 16

/* The kernel's. */
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define AF_NETLINK 16
#define NETLINK_NETFILTER 12
#define IPPROTO_MPTCP 262
#define TCP_CLOSE_WAIT 8
#define TCP_LISTEN 10

const volatile bool netns_has_cookie;
const volatile __u32 jiffy_ns;

/* The map of the programs that count, where they have it. */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tcp_times);
} tcp_times SEC(".maps");

/* User space fills these in before each reading. */
__u64 wall_ahead_ns; /* the clock of receive stamps, of CLOCK_MONOTONIC */
__u64 late_ns;	     /* what is younger is left out */
__u64 watch_ns;	     /* for how long packets have had stamps */

/* User space reads this behind each reading. */
__u32 nr_mptcp; /* connections, which no hook sees to be read from */

static __always_inline __u64 netns_of(const struct sock *sk)
{
	const struct net *net = BPF_CORE_READ(sk, __sk_common.skc_net.net);

	if (netns_has_cookie)
		return BPF_CORE_READ(net, net_cookie);
	return (__u64)BPF_CORE_READ(net, hash_mix) << 32 | BPF_CORE_READ(net, ns.inum);
}

/* Returns its age. A packet that came before there were stamps is taken to be as old as these. */
static __always_inline __u64 packet_age_ns(const struct sk_buff *skb)
{
	__s64 stamp = BPF_CORE_READ(skb, tstamp);
	__s64 age_ns = bpf_ktime_get_ns() + wall_ahead_ns - stamp;

	if (!stamp)
		return watch_ns;
	return age_ns < 0 ? 0 : age_ns;
}

/*
 * Its age counts from the end of the handshake: the SYN was answered at snt_synack (in us), a round
 * trip before. That is not known with SYN cookies.
 */
static __always_inline __u64 connection_age_ns(const struct request_sock *request)
{
	const struct tcp_request_sock *tcp_request = (const void *)request;
	const struct tcp_sock *child = (const void *)BPF_CORE_READ(request, sk);
	__u64 sent_us = BPF_CORE_READ(tcp_request, snt_synack);
	__u64 age_us = bpf_ktime_get_ns() / 1000 - sent_us;
	__u32 rtt_us = BPF_CORE_READ(child, srtt_us) >> 3;

	return sent_us && age_us > rtt_us ? (age_us - rtt_us) * 1000 : 0;
}

static __always_inline bool has_bpf_loop(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_loop);
}

/* The context of the rounds through a queue. */
struct round {
	struct seq_file *output;
	struct queued *queued;
	const void *next; /* in the queue */
	const struct sk_buff_head *queue;
	__u64 limited_ns; /* for so long, all of it has waited to be sent; or 0 */
	__u32 mss;	  /* of TCP, whose queue merges segments; or 0 */
};

static __always_inline void write(const struct round *round, __u64 age_ns)
{
	round->queued->age_ns = age_ns;
	if (age_ns >= late_ns)
		bpf_seq_write(round->output, round->queued, sizeof(*round->queued));
}

/*
 * Returns whether a socket is still read from. Nobody misses what is left in connections that their
 * peers have ended, as in pools. So a queue counts if something came to it of late, or if it is so
 * full that nothing more may come.
 */
static __always_inline bool is_in_use(const struct sock *sk, const struct sk_buff_head *queue)
{
	const struct sk_buff *newest = BPF_CORE_READ(queue, prev);
	int used = BPF_CORE_READ(sk, sk_backlog.rmem_alloc.counter);

	return packet_age_ns(newest) < watch_ns || 2 * used > BPF_CORE_READ(sk, sk_rcvbuf);
}

/* Returns whether it takes packets for one address only, or of one device. */
static __always_inline bool is_bound(const struct sock *sk)
{
	const struct sock___identity *identity = (const void *)sk;
	struct in6_addr local;

	if (BPF_CORE_READ(identity, __sk_common.skc_bound_dev_if))
		return true;
	if (BPF_CORE_READ(sk, __sk_common.skc_family) == AF_INET)
		return BPF_CORE_READ(identity, __sk_common.skc_rcv_saddr);
	BPF_CORE_READ_INTO(&local, identity, __sk_common.skc_v6_rcv_saddr);
	return local.in6_u.u6_addr32[0] || local.in6_u.u6_addr32[1] || local.in6_u.u6_addr32[2] ||
	       local.in6_u.u6_addr32[3];
}

/*
 * Writes a socket where nobody waits: its port is a service's, and it has dropped so many packets.
 */
static __always_inline void write_service(const struct round *round, const struct sock *sk)
{
	round->queued->hook = NR_HOOKS;
	round->queued->is_bound = is_bound(sk);
	round->queued->age_ns = BPF_CORE_READ(sk, sk_drops.counter);
	bpf_seq_write(round->output, round->queued, sizeof(*round->queued));
}

static __always_inline __u32 nr_merged(const struct sk_buff *skb, __u32 mss)
{
	__u32 length = BPF_CORE_READ((const struct sk_buff___bytes *)skb, len);

	return mss && length ? (length - 1) / mss : 0;
}

static long write_packet(__u32 nr, void *context)
{
	struct round *round = context;
	const struct sk_buff *skb = round->next;

	if (!skb || skb == (const void *)round->queue)
		return 1;
	round->queued->nr_merged = nr_merged(skb, round->mss);
	write(round, round->limited_ns ?: packet_age_ns(skb));
	round->next = BPF_CORE_READ(skb, next);
	return 0;
}

static __always_inline void write_packets(struct round *round, const struct sk_buff_head *queue,
					  __u32 most)
{
	round->queue = queue;
	round->next = BPF_CORE_READ(queue, next);
	for_each_round(has_bpf_loop(), most, write_packet, round);
}

/* The head of a list in a socket, which is a part of it. */
#define QUEUE_IN(type, sk, member) \
	((const struct sk_buff_head *)((const void *)(sk) + bpf_core_field_offset(type, member)))

static __always_inline bool is_bound_for_anybody(const struct sock *sk)
{
	return !udp_is_client(BPF_CORE_READ(sk, __sk_common.skc_state),
			      BPF_CORE_READ_BITFIELD_PROBED(sk, sk_userlocks));
}

/* A reader of UDP moves all that has come to a queue of its own (Linux 4.12, 2276f58ac589). */
static __always_inline void write_udp(struct round *round, const struct sock *sk)
{
	const struct sk_buff_head *new = QUEUE_IN(struct sock, sk, sk_receive_queue);
	const struct sk_buff_head *old = QUEUE_IN(struct udp_sock, sk, reader_queue);
	bool has_new = BPF_CORE_READ(new, qlen), has_old = BPF_CORE_READ(old, qlen);

	if (is_bound_for_anybody(sk))
		write_service(round, sk);
	round->queued->hook = HOOK_udp_socket_read;
	if (!(has_new || has_old) || !is_in_use(sk, has_new ? new : old))
		return;
	write_packets(round, old, MAX_QUEUED);
	write_packets(round, new, MAX_QUEUED);
}

static long write_request(__u32 nr, void *context)
{
	struct round *round = context;
	const struct request_sock *request = round->next;

	if (!request)
		return 1;
	write(round, connection_age_ns(request));
	round->next = BPF_CORE_READ(request, dl_next);
	return 0;
}

static __always_inline void write_listener(struct round *round, const struct sock *sk)
{
	const struct inet_connection_sock *listener = (const void *)sk;

	write_service(round, sk);
	round->queued->hook = HOOK_tcp_accept;
	round->next = BPF_CORE_READ(listener, icsk_accept_queue.rskq_accept_head);
	for_each_round(has_bpf_loop(), MAX_QUEUED, write_request, round);
}

static __always_inline void write_rtt(struct round *round, enum hook hook, __u32 rtt_us)
{
	round->queued->hook = hook;
	round->queued->age_ns = rtt_us * 1000ULL;
	bpf_seq_write(round->output, round->queued, sizeof(*round->queued));
}

/*
 * Returns whether the network limits what is under way, and not what the application has written.
 */
static __always_inline bool is_bulk(const struct tcp_sock *tp)
{
	return !BPF_CORE_READ(tp, app_limited) && BPF_CORE_READ(tp, packets_out) >= 4;
}

/*
 * Writes how far away the peer is, if an ACK has told, and how far behind the queues on the way. A
 * client, which connected and has another port for each connection, is left out.
 */
static __always_inline void write_rtts(struct round *round, const struct sock *sk)
{
	const struct tcp_sock *tp = (const void *)sk;
	__u32 min_us = BPF_CORE_READ(tp, rtt_min.s[0].v);

	if (!rtt_is_known(min_us) || tcp_is_client_untyped(sk))
		return;
	write_rtt(round, HOOK_tcp_min_rtt, min_us);
	if (is_bulk(tp))
		write_rtt(round, HOOK_tcp_rtt, BPF_CORE_READ(tp, srtt_us) >> 3);
}

/*
 * Writes what waits to be sent while the peer's window is full, as tcp-transmit tells nothing of it
 * yet. All of it counts as the oldest, as nobody knows when the rest was written. If the peer has
 * paused for all of the watch, that is nobody's fault, unless the application has no room left.
 */
static __always_inline void write_unsent(struct round *round, const struct sock *sk)
{
	const struct tcp_sock *tp = (const void *)sk;
	__u32 jiffies = bpf_jiffies64();
	__u64 ns;

	if (BPF_CORE_READ_BITFIELD_PROBED(tp, chrono_type) != TCP_CHRONO_RWND_LIMITED)
		return;
	ns = (__u64)(jiffies - BPF_CORE_READ(tp, chrono_start)) * jiffy_ns;
	if (!ns || (ns >= watch_ns &&
		    2 * BPF_CORE_READ(sk, sk_wmem_queued) < BPF_CORE_READ(sk, sk_sndbuf)))
		return;
	round->limited_ns = ns;
	round->queued->hook = HOOK_tcp_transmit;
	round->queued->key.limit = TCP_LIMIT_RWND;
	write_packets(round, QUEUE_IN(struct sock, sk, sk_write_queue), MAX_UNSENT);
	round->limited_ns = round->queued->key.limit = 0;
}

/*
 * Returns whether somebody will read from it. A client may leave its peer's last words unread when
 * it is done.
 */
static __always_inline bool is_read_from(const struct sock *sk, __u8 state)
{
	return state == TCP_ESTABLISHED || (state == TCP_CLOSE_WAIT && !tcp_is_client_untyped(sk));
}

/*
 * Returns whether a queue has more than the peer may still send. Buffers may grow with what comes,
 * so the queue of a socket with no window left is half full.
 */
static __always_inline bool has_little_window(const struct sock *sk)
{
	const struct tcp_sock *tp = (const void *)sk;
	__u32 come = BPF_CORE_READ(tp, rcv_nxt);
	__u32 end = BPF_CORE_READ(tp, rcv_wup) + BPF_CORE_READ(tp, rcv_wnd);

	return (__s32)(come - BPF_CORE_READ(tp, copied_seq)) > (__s32)(end - come);
}

/*
 * Returns whether its peer has sent enough, or all: before, it waits for the peer, see
 * tcp_segments_wait_for_peer().
 */
static __always_inline bool has_enough(const struct sock *sk, __u8 state)
{
	const struct tcp_sock *tp = (const void *)sk;
	__u32 bytes = BPF_CORE_READ(tp, rcv_nxt) - BPF_CORE_READ(tp, copied_seq);

	return state == TCP_CLOSE_WAIT || bytes >= (__u32)BPF_CORE_READ(sk, sk_rcvlowat);
}

static __always_inline void write_tcp(struct round *round, const struct sock *sk)
{
	const struct sk_buff_head *queue = QUEUE_IN(struct sock, sk, sk_receive_queue);
	__u8 state = BPF_CORE_READ(sk, __sk_common.skc_state);

	if (state == TCP_LISTEN)
		write_listener(round, sk);
	else if (state == TCP_ESTABLISHED)
		write_rtts(round, sk);
	if (state == TCP_ESTABLISHED || state == TCP_CLOSE_WAIT)
		write_unsent(round, sk);
	round->queued->hook = HOOK_tcp_socket_read;
	round->mss = BPF_CORE_READ((const struct inet_connection_sock *)sk, icsk_ack.rcv_mss);
	if (is_read_from(sk, state) && BPF_CORE_READ(queue, qlen) && has_enough(sk, state) &&
	    (is_in_use(sk, queue) || has_little_window(sk)))
		write_packets(round, queue, MAX_QUEUED);
}

/* Writes for how long a connection that a service has read from is not answered, see tcp-send. */
static __always_inline void write_unanswered(struct round *round, struct sock *sk)
{
	const struct tcp_times *times = bpf_sk_storage_get(&tcp_times, sk, NULL, 0);

	if (!times || !times->answer.read_ns || tcp_is_client_untyped(sk))
		return;
	round->queued->hook = HOOK_tcp_send;
	write(round, bpf_ktime_get_ns() - times->answer.read_ns);
}

/* Netfilter knows by its portid who decides on the packets of a queue. */
static __always_inline void write_netfilter(struct round *round, const struct sock *sk)
{
	const struct netlink_sock *netlink = (const void *)sk;

	round->queued->protocol = QUEUED_NETFILTER;
	round->queued->hook = NR_HOOKS;
	round->queued->age_ns = BPF_CORE_READ(netlink, portid);
	bpf_seq_write(round->output, round->queued, sizeof(*round->queued));
}

static __always_inline struct socket *socket_of(struct file *file)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_sock_from_file))
		return NULL;
	return bpf_sock_from_file(file);
}

/*
 * Returns the subflow, of TCP, by which an MPTCP socket listens; NULL if it does not. Clients may
 * speak TCP alone: then, their connections are no different from others.
 */
static __always_inline const struct sock *listener_of_mptcp(const struct sock *sk)
{
	const struct mptcp_sock *mptcp = (const void *)sk;

	if (!bpf_core_field_exists(mptcp->first) ||
	    BPF_CORE_READ(sk, __sk_common.skc_state) != TCP_LISTEN)
		return NULL;
	return BPF_CORE_READ(mptcp, first);
}

static __always_inline bool is_of_netfilter(__u16 family, __u16 protocol)
{
	return family == AF_NETLINK && protocol == NETLINK_NETFILTER;
}

SEC("iter/task_file")
int socket_queues(struct bpf_iter__task_file *context)
{
	struct task_struct *task = context->task;
	struct file *file = context->file;
	struct socket *socket = file ? socket_of(file) : NULL;
	const struct sock *sk = socket ? BPF_CORE_READ(socket, sk) : NULL;
	struct queued queued = { .fd = context->fd, .socket = (__u64)sk };
	struct round round = { .output = context->meta->seq, .queued = &queued };
	__u16 family, type, protocol;

	if (!task || !sk)
		return 0;
	family = BPF_CORE_READ(sk, __sk_common.skc_family);
	type = BPF_CORE_READ(sk, sk_type);
	protocol = BPF_CORE_READ(sk, sk_protocol);
	if (family != AF_INET && family != AF_INET6 && !is_of_netfilter(family, protocol))
		return 0;
	if (protocol == IPPROTO_MPTCP) {
		nr_mptcp += BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_ESTABLISHED;
		sk = listener_of_mptcp(sk);
		if (!sk)
			return 0;
		protocol = IPPROTO_TCP;
	}
	queued.protocol = protocol;
	queued.key.netns = netns_of(sk);
	queued.key.pid = BPF_CORE_READ(task, tgid);
	BPF_CORE_READ_STR_INTO(&queued.comm, task, group_leader, comm);
	if (is_of_netfilter(family, protocol)) {
		write_netfilter(&round, sk);
		return 0;
	}
	queued.key.cgroup = cgroup_id(cgroup_of_untyped(sk), false);
	queued.key.port = BPF_CORE_READ(sk, __sk_common.skc_num);
	if (type == SOCK_DGRAM && protocol == IPPROTO_UDP)
		write_udp(&round, sk);
	if (type != SOCK_STREAM || protocol != IPPROTO_TCP)
		return 0;
	write_tcp(&round, sk);
	if (BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_ESTABLISHED)
		write_unanswered(&round, socket->sk);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
