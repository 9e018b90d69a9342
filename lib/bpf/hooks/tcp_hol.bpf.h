/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Head-of-line blocking: data that arrived had to wait for a lost segment before it. This serves
 * kernels before Linux 5.11, where no tracing program can keep anything with a socket. On others,
 * it is known for each segment, see tcp_segments.bpf.h.
 */
#ifndef NETSTACKLAT_TCP_HOL_BPF_H
#define NETSTACKLAT_TCP_HOL_BPF_H

#include "lib/tables/sequence.h"

struct tcp_hol_key {
	__u64 sk;
	__u64 ports; /* against a new socket at an old one's address */
};

struct tcp_hol_state {
	__u32 rcv_ooopack; /* when last looked at */
	__u32 end_seq;	   /* of what may have waited by then; moves on with what is read */
};

/*
 * An entry for each socket that ever received out of order; sk_storage is not for fentry before
 * Linux 5.11. The loader sets max_entries, where segments cannot be told apart.
 */
MAP(1, tcp_hol_states, __uint(type, BPF_MAP_TYPE_LRU_HASH); __uint(max_entries, 1);
    __type(key, struct tcp_hol_key); __type(value, struct tcp_hol_state););

/* Kept out of line: few sockets ever receive out of order. */
static __noinline bool tcp_hol_read_waited(struct tcp_sock *tp, struct sock *sk)
{
	struct tcp_hol_key key = { .sk = (__u64)sk, .ports = sk->__sk_common.skc_portpair };
	struct tcp_hol_state *known = bpf_map_lookup_elem(&tcp_hol_states, &key);
	struct tcp_hol_state state;

	if (known && known->rcv_ooopack == tp->rcv_ooopack)
		return seq_is_up_to(tp->copied_seq, &known->end_seq);

	/*
	 * A segment came out of order since then: all data up to the highest byte may have waited.
	 */
	state.rcv_ooopack = tp->rcv_ooopack;
	state.end_seq = tp->rcv_nxt;
	if (tp->out_of_order_queue.rb_node) {
		struct tcp_skb_cb *last = (void *)tp->ooo_last_skb->cb;

		state.end_seq = last->end_seq;
	}
	bpf_map_update_elem(&tcp_hol_states, &key, &state, BPF_ANY);
	return true;
}

/*
 * Returns whether data that the application read just now may have waited behind a lost segment. In
 * doubt, it did: the read that notices new out-of-order segments counts as one that waited, and so
 * does all data up to the end of what was received by then.
 */
static __always_inline bool tcp_hol_delayed(const struct sock *sk)
{
	struct tcp_sock *tp;

	if (static_branch(BRANCH_HOL_DELAY))
		return false;
	tp = bpf_skc_to_tcp_sock((void *)sk);
	return tp && tp->rcv_ooopack && tcp_hol_read_waited(tp, (struct sock *)sk);
}

#endif
