// SPDX-License-Identifier: GPL-2.0
/*
 * The BPF programs, in packet order: one for each probe of the table in lib/tables/hooks.def, and
 * of the same name. What they do is in lib/bpf/path/record.bpf.h. Compiled once for each variant of
 * lib/tables/variants.def.
 */
#include "vmlinux_local.h"
#include <stdbool.h>
#include <stddef.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include "netstacklat.h"
#include "lib/bpf/hooks/drop.bpf.h"
#include "lib/bpf/hooks/hardware.bpf.h"
#include "lib/bpf/path/record.bpf.h"
#include "lib/bpf/path/wakeup.bpf.h"
#include "lib/bpf/hooks/softirq.bpf.h"
#include "lib/bpf/hooks/span.bpf.h"
#include "lib/bpf/hooks/tcp_hol.bpf.h"
#include "lib/bpf/hooks/tcp_segments.bpf.h"
#include "lib/bpf/hooks/tcp_times.bpf.h"
#include "lib/bpf/hooks/failures.bpf.h"
#include "lib/bpf/hooks/tcp_retransmits.bpf.h"
#include "lib/bpf/hooks/tcp_writes.bpf.h"
#include "lib/bpf/hooks/thread_times.bpf.h"

/* netif-receive: every packet comes by. */
SEC("tp_btf/netif_receive_skb")
int BPF_PROG(netif_receive_skb, struct sk_buff *skb)
{
	return record(PROBE_netif_receive_skb, &(struct packet){ .skb = skb, .is_new = true });
}

/* ip-rcv */
SEC("fentry/ip_rcv_core")
int BPF_PROG(ip_rcv_core, struct sk_buff *skb, struct net *net)
{
	return record(PROBE_ip_rcv_core, &(struct packet){ .skb = skb });
}

SEC("fentry/ip6_rcv_core")
int BPF_PROG(ip6_rcv_core, struct sk_buff *skb, struct net_device *dev, struct net *net)
{
	return record(PROBE_ip6_rcv_core, &(struct packet){ .skb = skb });
}

/* ip-forward */
SEC("fentry/ip_forward")
int BPF_PROG(ip_forward, struct sk_buff *skb)
{
	return record(PROBE_ip_forward, &(struct packet){ .skb = skb });
}

SEC("fentry/ip6_forward")
int BPF_PROG(ip6_forward, struct sk_buff *skb)
{
	return record(PROBE_ip6_forward, &(struct packet){ .skb = skb });
}

/* ip-deliver */
SEC("fentry/ip_local_deliver")
int BPF_PROG(ip_local_deliver, struct sk_buff *skb)
{
	return record(PROBE_ip_local_deliver, &(struct packet){ .skb = skb });
}

SEC("fentry/ip6_input")
int BPF_PROG(ip6_input, struct sk_buff *skb)
{
	return record(PROBE_ip6_input, &(struct packet){ .skb = skb });
}

/* tcp-start */
SEC("fentry/tcp_v4_rcv")
int BPF_PROG(tcp_v4_rcv, struct sk_buff *skb)
{
	return record(PROBE_tcp_v4_rcv, &(struct packet){ .skb = skb });
}

SEC("fentry/tcp_v6_rcv")
int BPF_PROG(tcp_v6_rcv, struct sk_buff *skb)
{
	return record(PROBE_tcp_v6_rcv, &(struct packet){ .skb = skb });
}

/* udp-start */
SEC("fentry/udp_rcv")
int BPF_PROG(udp_rcv, struct sk_buff *skb)
{
	return record(PROBE_udp_rcv, &(struct packet){ .skb = skb });
}

SEC("fentry/udpv6_rcv")
int BPF_PROG(udpv6_rcv, struct sk_buff *skb)
{
	return record(PROBE_udpv6_rcv, &(struct packet){ .skb = skb });
}

/* icmp-start */
SEC("fentry/icmp_rcv")
int BPF_PROG(icmp_rcv, struct sk_buff *skb)
{
	return record(PROBE_icmp_rcv, &(struct packet){ .skb = skb });
}

SEC("fentry/icmpv6_rcv")
int BPF_PROG(icmpv6_rcv, struct sk_buff *skb)
{
	return record(PROBE_icmpv6_rcv, &(struct packet){ .skb = skb });
}

/* tcp-do-rcv */
SEC("fentry/tcp_v4_do_rcv")
int BPF_PROG(tcp_v4_do_rcv, struct sock *sk, struct sk_buff *skb)
{
	return record_for_socket(PROBE_tcp_v4_do_rcv, &(struct packet){ .skb = skb, .sk = sk },
				 ctx);
}

SEC("fentry/tcp_v6_do_rcv")
int BPF_PROG(tcp_v6_do_rcv, struct sock *sk, struct sk_buff *skb)
{
	return record_for_socket(PROBE_tcp_v6_do_rcv, &(struct packet){ .skb = skb, .sk = sk },
				 ctx);
}

/* tcp-data-queue: at entry, for at return the skb may be freed. */
SEC("fentry/tcp_data_queue")
int BPF_PROG(tcp_data_queue, struct sock *sk, struct sk_buff *skb)
{
	struct packet packet = { .skb = skb, .sk = sk };

	record(PROBE_tcp_data_queue, &packet);
	if (is_asked_for(PROBE_tcp_data_queue, TASK_STORE))
		tcp_segment_arrived(sk, skb, packet.here);
	return 0;
}

/*
 * tcp-socket-enqueued: every skb that comes here ends up on the receive queue, as its last or
 * merged with the last. They come from tcp_rcv_established() on the fast path and from
 * tcp_data_queue() on the slow path, if they are in order. Segments that waited in the out-of-order
 * queue are moved by tcp_ofo_queue() instead, and not counted here: how long they waited says
 * nothing about this host.
 */
SEC("fentry/tcp_queue_rcv")
int BPF_PROG(tcp_queue_rcv, struct sock *sk, struct sk_buff *skb, bool *fragstolen)
{
	struct packet packet = { .skb = skb, .sk = sk, .stamp_ns = skb->tstamp };

	record(PROBE_tcp_queue_rcv, &packet);
	if (!is_asked_for(PROBE_tcp_queue_rcv, TASK_STORE))
		return 0;
	tcp_segment_queued(sk, &packet);
	if (sk->sk_rcvlowat > 1)
		tcp_segments_wait_for_peer(sk, skb);
	return 0;
}

/*
 * udp-queue-rcv: at entry, as at return the skb may be freed. __udp_enqueue_schedule_skb() runs
 * within these functions, so this keeps what it has at its return.
 */
static __always_inline int record_and_keep(enum probe probe, struct sock *sk, struct sk_buff *skb)
{
	struct packet packet = { .skb = skb, .sk = sk, .stamp_ns = skb->tstamp };

	/*
	 * This comes behind record() with stages, as that finds where the packet is, and before it
	 * without, as that takes 4 instructions less.
	 */
	if (!WITH_STAGES && is_asked_for(probe, TASK_KEEP))
		keep_packet(skb, packet.stamp_ns, 0);
	record(probe, &packet);
	if (!WITH_STAGES || !is_asked_for(probe, TASK_KEEP))
		return 0;
	/* It is not known where a clone was, as of multicast. */
	if (packet.here <= 1)
		journey_begin_from_nowhere(skb);
	return keep_packet(skb, packet.stamp_ns, packet.here);
}

SEC("fentry/udp_queue_rcv_one_skb")
int BPF_PROG(udp_queue_rcv_one_skb, struct sock *sk, struct sk_buff *skb)
{
	return record_and_keep(PROBE_udp_queue_rcv_one_skb, sk, skb);
}

SEC("fentry/udpv6_queue_rcv_one_skb")
int BPF_PROG(udpv6_queue_rcv_one_skb, struct sock *sk, struct sk_buff *skb)
{
	return record_and_keep(PROBE_udpv6_queue_rcv_one_skb, sk, skb);
}

/* udp-socket-enqueued: the function returns 0 if it put the skb on the queue. */
SEC("fexit/__udp_enqueue_schedule_skb")
int BPF_PROG(__udp_enqueue_schedule_skb, struct sock *sk, struct sk_buff *skb, int error)
{
	if (error)
		return discard(PROBE___udp_enqueue_schedule_skb, DISCARD_FILTERED);
	return record_kept(PROBE___udp_enqueue_schedule_skb, skb, sk);
}

/* raw-socket-enqueued: this function returns 0 then, too. */
SEC("fentry/__sock_queue_rcv_skb")
int BPF_PROG(__sock_queue_rcv_skb__entry, struct sock *sk, struct sk_buff *skb)
{
	__u64 last = WITH_STAGES ? journey_last_or_begin(skb, HOOK_raw_socket_enqueued) : 0;

	return keep_packet(skb, skb->tstamp, last);
}

SEC("fexit/__sock_queue_rcv_skb")
int BPF_PROG(__sock_queue_rcv_skb, struct sock *sk, struct sk_buff *skb, int error)
{
	if (!is_raw_or_ping(sk))
		return 0;
	if (error)
		return discard(PROBE___sock_queue_rcv_skb, DISCARD_FILTERED);
	return record_kept(PROBE___sock_queue_rcv_skb, skb, sk);
}

/*
 * tcp-socket-read: every way of reading ends here, except a peek. For tcp-send, this also notes
 * when the application last read.
 */
SEC("fentry/tcp_cleanup_rbuf")
int BPF_PROG(tcp_cleanup_rbuf, struct sock *sk, int copied)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct tcp_segments *segments = NULL;

	if (!tp)
		return 0;
	if (is_measured(PROBE_tcp_cleanup_rbuf))
		segments = bpf_sk_storage_get(&tcp_segments, sk, 0, 0);
	if (is_asked_for(PROBE_tcp_cleanup_rbuf, TASK_STORE) && copied > 0)
		tcp_note_read(sk, tp, segments);
	return is_measured(PROBE_tcp_cleanup_rbuf) ? tcp_segments_read(sk, tp, segments) : 0;
}

/*
 * tcp-socket-read, where segments cannot be kept apart: one sample for each call that reads. Data
 * that may have waited behind a lost segment says nothing about this host.
 */
SEC("fentry/tcp_recv_timestamp")
int BPF_PROG(tcp_recv_timestamp, struct msghdr *msg, const struct sock *sk,
	     struct scm_timestamping_internal *tss)
{
	if (tcp_hol_delayed(sk))
		return discard(PROBE_tcp_recv_timestamp, DISCARD_FILTERED);
	return record(PROBE_tcp_recv_timestamp,
		      &(struct packet){ .sk = sk, .stamp_ns = stamp_of_tcp_read(tss) });
}

/* udp-socket-read: a negative length means that the packet was only peeked at. */
SEC("fentry/skb_consume_udp")
int BPF_PROG(skb_consume_udp, struct sock *sk, struct sk_buff *skb, int len)
{
	if (len < 0)
		return discard(PROBE_skb_consume_udp, DISCARD_FILTERED);
	return record(PROBE_skb_consume_udp, &(struct packet){ .skb = skb, .sk = sk });
}

/* raw-socket-read */
SEC("fentry/skb_free_datagram")
int BPF_PROG(skb_free_datagram, struct sock *sk, struct sk_buff *skb)
{
	if (!is_raw_or_ping(sk))
		return 0;
	return record(PROBE_skb_free_datagram, &(struct packet){ .skb = skb, .sk = sk });
}

/*
 * tcp-accept. The result stands behind the function's arguments. Linux 6.10 replaced three of them
 * by one (92ef0fd55ac8), and has another enumerator, too. Looking for the new argument's type would
 * take CAP_SYS_ADMIN where the kernel lacks it, as libbpf goes through all modules then. The
 * barriers keep the two loads apart: the verifier takes no computed address in ctx.
 */
SEC("fexit/inet_csk_accept")
int inet_csk_accept(__u64 *ctx)
{
	struct sock *sk;

	if (bpf_core_enum_value_exists(enum bpf_attach_type, BPF_TRACE_KPROBE_SESSION)) {
		sk = (void *)ctx[2];
		barrier_var(sk);
	} else {
		sk = (void *)ctx[4];
		barrier_var(sk);
	}
	return tcp_count_accept(sk);
}

/* tcp-rtt */
SEC("fentry/tcp_rcv_established")
int BPF_PROG(tcp_rtt, struct sock *sk)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);

	return tp ? record_rtt(PROBE_tcp_rtt, sk, tp->srtt_us >> 3) : 0;
}

/* tcp-min-rtt */
SEC("fentry/tcp_rcv_established")
int BPF_PROG(tcp_min_rtt, struct sock *sk)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);

	return tp ? record_rtt(PROBE_tcp_min_rtt, sk, tp->rtt_min.s[0].v) : 0;
}

/* tcp-send; and for tcp-transmit, when each byte was written. */
static __always_inline int tcp_note_write(struct sock *sk, __u32 flags)
{
	const bool stores = is_asked_for(PROBE_tcp_sendmsg_locked, TASK_STORE);
	struct tcp_times *times = tcp_times_of(sk, stores);
	__u64 now_ns = bpf_ktime_get_ns();

	if (is_asked_for(PROBE_tcp_sendmsg_locked, TASK_COUNT)) {
		if (times)
			answer_is_sent(PROBE_tcp_sendmsg_locked, sk, &times->answer, now_ns);
		else
			discard(PROBE_tcp_sendmsg_locked, DISCARD_FILTERED);
	}
	if (stores && times)
		tcp_write_begins(sk, &times->writes, flags, now_ns);
	return 0;
}

SEC("fentry/tcp_sendmsg_locked")
int BPF_PROG(tcp_sendmsg_locked, struct sock *sk, const struct msghdr *message)
{
	return tcp_note_write(sk, message->msg_flags);
}

SEC("fentry/do_tcp_sendpages")
int BPF_PROG(do_tcp_sendpages, struct sock *sk, void *page, int offset, __u64 size, int flags)
{
	return tcp_note_write(sk, flags);
}

/* udp-send. A datagram that a socket of IPv6 sends to IPv4 has come by udpv6_sendmsg() before. */
SEC("fentry/udp_sendmsg")
int BPF_PROG(udp_sendmsg, struct sock *sk, struct msghdr *message)
{
	if (sk->__sk_common.skc_family != AF_INET)
		return 0;
	return thread_writes(PROBE_udp_sendmsg, sk, message);
}

SEC("fentry/udpv6_sendmsg")
int BPF_PROG(udpv6_sendmsg, struct sock *sk, struct msghdr *message)
{
	return thread_writes(PROBE_udpv6_sendmsg, sk, message);
}

/* raw-send */
SEC("fentry/raw_sendmsg")
int BPF_PROG(raw_sendmsg, struct sock *sk, struct msghdr *message)
{
	return thread_writes(PROBE_raw_sendmsg, sk, message);
}

SEC("fentry/rawv6_sendmsg")
int BPF_PROG(rawv6_sendmsg, struct sock *sk, struct msghdr *message)
{
	return thread_writes(PROBE_rawv6_sendmsg, sk, message);
}

SEC("fentry/ping_v4_sendmsg")
int BPF_PROG(ping_v4_sendmsg, struct sock *sk, struct msghdr *message)
{
	return thread_writes(PROBE_ping_v4_sendmsg, sk, message);
}

SEC("fentry/ping_v6_sendmsg")
int BPF_PROG(ping_v6_sendmsg, struct sock *sk, struct msghdr *message)
{
	return thread_writes(PROBE_ping_v6_sendmsg, sk, message);
}

/* tcp-transmit */
SEC("fentry/__tcp_transmit_skb")
int BPF_PROG(__tcp_transmit_skb, struct sock *sk, struct sk_buff *skb)
{
	return tcp_transmits(sk, skb);
}

/* tcp-retransmit: __tcp_retransmit_skb() is partly inlined, for example on Linux 6.1. */
SEC("fentry/__tcp_transmit_skb")
int BPF_PROG(tcp_retransmit, struct sock *sk, struct sk_buff *skb)
{
	return tcp_sends_again(sk, skb);
}

SEC("fentry/tcp_rtx_synack")
int BPF_PROG(tcp_rtx_synack, struct sock *listener, struct request_sock *request)
{
	return tcp_sends_syn_ack_again(listener, request);
}

/* udp-transmit */
SEC("fentry/__ip_local_out")
int BPF_PROG(udp_transmit, struct net *net, struct sock *sk, struct sk_buff *skb)
{
	return thread_sends(PROBE_udp_transmit, skb);
}

SEC("fentry/__ip6_local_out")
int BPF_PROG(udp6_transmit, struct net *net, struct sock *sk, struct sk_buff *skb)
{
	return thread_sends(PROBE_udp6_transmit, skb);
}

/* raw-transmit */
SEC("fentry/__ip_local_out")
int BPF_PROG(raw_transmit, struct net *net, struct sock *sk, struct sk_buff *skb)
{
	return thread_sends(PROBE_raw_transmit, skb);
}

SEC("fentry/__ip6_local_out")
int BPF_PROG(raw6_transmit, struct net *net, struct sock *sk, struct sk_buff *skb)
{
	return thread_sends(PROBE_raw6_transmit, skb);
}

/* tx-ip: all that IP sends comes by, except from raw sockets that make their own header. */
SEC("fentry/__ip_local_out")
int BPF_PROG(__ip_local_out, struct net *net, struct sock *sk, struct sk_buff *skb)
{
	return record(PROBE___ip_local_out, &(struct packet){ .skb = skb });
}

SEC("fentry/__ip6_local_out")
int BPF_PROG(__ip6_local_out, struct net *net, struct sock *sk, struct sk_buff *skb)
{
	return record(PROBE___ip6_local_out, &(struct packet){ .skb = skb });
}

/* TCP, and others with a connection. */
SEC("fentry/ip6_xmit")
int BPF_PROG(ip6_xmit, const struct sock *sk, struct sk_buff *skb)
{
	return record(PROBE_ip6_xmit, &(struct packet){ .skb = skb });
}

/*
 * Before Linux 6.6, no program can be attached to a function with seven arguments. This one misses
 * what TCP sends before there is a connection, or for none.
 */
SEC("fentry/inet6_csk_xmit")
int BPF_PROG(inet6_csk_xmit, struct sock *sk, struct sk_buff *skb)
{
	return record(PROBE_inet6_csk_xmit, &(struct packet){ .skb = skb });
}

/* tx-neighbour */
SEC("fentry/neigh_resolve_output")
int BPF_PROG(neigh_resolve_output, struct neighbour *neighbour, struct sk_buff *skb)
{
	/* It comes by once more when its address is known. */
	if (neighbour->nud_state & NUD_VALID)
		return 0;
	return record_sent(PROBE_neigh_resolve_output, &(struct packet){ .skb = skb });
}

/* egress */
SEC("fentry/__dev_queue_xmit")
int BPF_PROG(egress, struct sk_buff *skb)
{
	return record_sent(PROBE_egress, &(struct packet){ .skb = skb });
}

/* tx-queue */
SEC("tp_btf/net_dev_queue")
int BPF_PROG(net_dev_queue, struct sk_buff *skb)
{
	return record_sent(PROBE_net_dev_queue, &(struct packet){ .skb = skb });
}

SEC("fentry/__dev_queue_xmit")
int BPF_PROG(__dev_queue_xmit, struct sk_buff *skb)
{
	return record_sent(PROBE___dev_queue_xmit, &(struct packet){ .skb = skb });
}

/* tx-start */
SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(net_dev_start_xmit, struct sk_buff *skb)
{
	return record_sent(PROBE_net_dev_start_xmit, &(struct packet){ .skb = skb });
}

/* It may have a list of them, of which this counts the first. */
SEC("fentry/dev_hard_start_xmit")
int BPF_PROG(dev_hard_start_xmit, struct sk_buff *first)
{
	return record_sent(PROBE_dev_hard_start_xmit, &(struct packet){ .skb = first });
}

/* tun-read: whatever a process reads is copied here, from sockets mostly. */
SEC("fentry/skb_copy_datagram_iter")
int BPF_PROG(tun_read, struct sk_buff *skb)
{
	if (!WITH_STAGES || !journey_is_in_tun(skb))
		return 0;
	return record(PROBE_tun_read, &(struct packet){ .skb = skb });
}

/* drop */
SEC("tp_btf/qdisc_drop")
int BPF_PROG(qdisc_drop, struct Qdisc *qdisc, const struct netdev_queue *queue,
	     struct net_device *device, struct sk_buff *skb, __u32 reason)
{
	struct qdisc_drop *drop = per_cpu_value(&qdisc_drops);

	if (drop)
		*drop = (struct qdisc_drop){ (__u64)skb, reason };
	return 0;
}

SEC("tp_btf/kfree_skb")
int BPF_PROG(kfree_skb, struct sk_buff *skb)
{
	__u32 reason = reason_of_qdisc(skb, drop_reason(ctx));

	if (is_of_network(skb) && is_drop(skb, reason))
		return record(
			PROBE_kfree_skb,
			&(struct packet){ .skb = skb, .sk = drop_socket(ctx), .reason = reason });
	return is_asked_for(PROBE_kfree_skb, TASK_COUNT)
		       ? discard(PROBE_kfree_skb, DISCARD_FILTERED)
		       : 0;
}

/* softirq-net-rx: raised any number of times, it runs once. */
SEC("tp_btf/softirq_raise")
int BPF_PROG(softirq_raise, unsigned int vector)
{
	struct spans *spans = vector == NET_RX_SOFTIRQ ? per_cpu_value(&spans_of_cpus) : NULL;

	if (spans && !spans->softirq_net_rx_ns)
		spans->softirq_net_rx_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entry, unsigned int vector)
{
	struct spans *spans = vector == NET_RX_SOFTIRQ ? per_cpu_value(&spans_of_cpus) : NULL;
	__u64 now_ns;

	if (!spans)
		return 0;
	now_ns = bpf_ktime_get_ns();
	if (WITH_STAGES && static_branch(BRANCH_READER_WAITS) &&
	    softirq_is_late(spans->softirq_net_rx_ns, now_ns))
		softirq_keep_wait(spans->softirq_net_rx_ns, now_ns);
	return record_span(PROBE_softirq_entry, &(struct packet){ .has = 0 },
			   &spans->softirq_net_rx_ns, now_ns);
}

/* napi-poll: the function returns how many packets it handled. */
SEC("fentry/__napi_poll")
int BPF_PROG(__napi_poll__entry)
{
	struct spans *spans = per_cpu_value(&spans_of_cpus);

	if (spans)
		spans->napi_poll_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("fexit/__napi_poll")
int BPF_PROG(__napi_poll, struct napi_struct *napi, bool *repoll, int packets)
{
	struct spans *spans = per_cpu_value(&spans_of_cpus);

	if (!spans)
		return 0;
	return record_span(PROBE___napi_poll, &(struct packet){ .packets = packets },
			   &spans->napi_poll_ns, bpf_ktime_get_ns());
}

/* hardware: the first place with both stamps. */
SEC("tp_btf/netif_receive_skb")
int BPF_PROG(hardware_stamp, struct sk_buff *skb)
{
	return record_hardware(PROBE_hardware_stamp,
			       &(struct packet){ .skb = skb, .is_new = true });
}

/*
 * A connection ends, of IPv6, too, for tcp-socket-read. Its socket may be connected again, or is
 * gone.
 */
SEC("fentry/tcp_disconnect")
int BPF_PROG(tcp_disconnect, struct sock *sk, int flags)
{
	return tcp_segments_end(sk);
}

SEC("fentry/tcp_v4_destroy_sock")
int BPF_PROG(tcp_v4_destroy_sock, struct sock *sk)
{
	return tcp_segments_end(sk);
}

/* These are for tcp-accept. */
SEC("fentry/inet_csk_complete_hashdance")
int BPF_PROG(inet_csk_complete_hashdance, struct sock *listener, struct sock *child)
{
	return tcp_waits_to_be_accepted(child);
}

SEC("fentry/inet_csk_reqsk_queue_add")
int BPF_PROG(inet_csk_reqsk_queue_add, struct sock *listener, struct request_sock *request,
	     struct sock *child)
{
	return tcp_waits_to_be_accepted(child);
}

SEC("fentry/tcp_conn_request")
int BPF_PROG(tcp_conn_request, const void *request_ops, const void *family_ops,
	     struct sock *listener)
{
	return tcp_may_overflow(listener);
}

/* These come from IPv6, too. */
SEC("fentry/tcp_v4_syn_recv_sock")
int BPF_PROG(tcp_v4_syn_recv_sock, struct sock *listener)
{
	return tcp_may_overflow(listener);
}

SEC("fentry/tcp_v6_syn_recv_sock")
int BPF_PROG(tcp_v6_syn_recv_sock, struct sock *listener, struct sk_buff *skb)
{
	/* IPv4 goes on to the function above. */
	return skb->protocol == bpf_htons(ETH_P_IP) ? 0 : tcp_may_overflow(listener);
}

/*
 * These are for udp-send and raw-send. In the programs above, they would cost udp-socket-read 7
 * instructions, asked for or not.
 */
SEC("fentry/skb_consume_udp")
int BPF_PROG(udp_read, struct sock *sk, struct sk_buff *skb, int len)
{
	return len < 0 ? 0 : peer_is_read_from(sk, skb, true);
}

SEC("fentry/skb_free_datagram")
int BPF_PROG(raw_read, struct sock *sk, struct sk_buff *skb)
{
	return is_raw_or_ping(sk) ? peer_is_read_from(sk, skb, false) : 0;
}

/* These are for --diagnose: calls that fail. */
SEC("fexit/udp_sendmsg")
int BPF_PROG(udp_sent, struct sock *sk, struct msghdr *message, size_t size, int result)
{
	if (sk->__sk_common.skc_family != AF_INET)
		return 0;
	return datagram_is_sent(PROBE_udp_sent, sk, message, result);
}

SEC("fexit/udpv6_sendmsg")
int BPF_PROG(udp6_sent, struct sock *sk, struct msghdr *message, size_t size, int result)
{
	return datagram_is_sent(PROBE_udp6_sent, sk, message, result);
}

SEC("fexit/inet_csk_get_port")
int BPF_PROG(tcp_port_bound, struct sock *sk, unsigned short port, int result)
{
	return any_port_is_bound(PROBE_tcp_port_bound, sk, port, result);
}

SEC("fexit/inet_hash_connect")
int BPF_PROG(tcp_port_taken, const void *death_row, struct sock *sk, int result)
{
	return port_is_taken(PROBE_tcp_port_taken, sk, result);
}

SEC("fexit/inet6_hash_connect")
int BPF_PROG(tcp6_port_taken, const void *death_row, struct sock *sk, int result)
{
	return port_is_taken(PROBE_tcp6_port_taken, sk, result);
}

/* RPS and the like put packets there, too, for netif-receive. */
SEC("fentry/enqueue_to_backlog")
int BPF_PROG(enqueue_to_backlog, struct sk_buff *skb)
{
	return wait_in_backlog(PROBE_enqueue_to_backlog,
			       &(struct packet){ .skb = skb, .is_new = true });
}

/* The packet was in the queue, or on its way to the driver, for tx-start. */
SEC("fexit/__skb_gso_segment")
int BPF_PROG(__skb_gso_segment, struct sk_buff *skb, __u64 features, bool tx_path,
	     struct sk_buff *segments)
{
	return WITH_STAGES && tx_path ? journey_go_on_with_segments(skb, segments) : 0;
}

/* The packet is UDP's, for udp-socket-enqueued. */
SEC("fexit/__skb_gso_segment")
int BPF_PROG(udp_segments, struct sk_buff *skb, __u64 features, bool tx_path,
	     struct sk_buff *segments)
{
	return WITH_STAGES && !tx_path ? journey_go_on_with_datagrams(skb, segments) : 0;
}

/* These follow what the tasks do that read, with --wakeups. */
SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *task)
{
	return WITH_STAGES ? reader_note_wakeup(task) : 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 waited_to_poll_ns;

	if (!WITH_STAGES)
		return 0;
	if (static_branch(BRANCH_READER_WAITS))
		softirq_note_run(prev);
	waited_to_poll_ns = reader_switches(preempt, prev, next);
	return waited_to_poll_ns ? softirq_count_thread(next, waited_to_poll_ns) : 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sched_wakeup_new, struct task_struct *task)
{
	return WITH_STAGES ? reader_note_new(task) : 0;
}

/* The kernel lends its GPL-only helpers to GPL programs only. */
char LICENSE[] SEC("license") = "GPL";
