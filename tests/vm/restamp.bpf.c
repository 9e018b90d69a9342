// SPDX-License-Identifier: GPL-2.0
/*
 * tc programs that change the stamp of each packet: at ingress, before any hook sees it, for known
 * latencies and each kind of stamp that cannot be measured; and at egress, where it says when the
 * packet is to leave.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#define NS_PER_MS 1000000ULL
#define NS_PER_S (1000 * NS_PER_MS)

SEC("tc/late_by_50ms")
int late_by_50ms(struct __sk_buff *skb)
{
	skb->tstamp -= 50 * NS_PER_MS;
	return TC_ACT_OK;
}

SEC("tc/late_by_700ms")
int late_by_700ms(struct __sk_buff *skb)
{
	skb->tstamp -= 700 * NS_PER_MS;
	return TC_ACT_OK;
}

SEC("tc/late_by_18s")
int late_by_18s(struct __sk_buff *skb)
{
	skb->tstamp -= 18 * NS_PER_S;
	return TC_ACT_OK;
}

SEC("tc/early_by_1s")
int early_by_1s(struct __sk_buff *skb)
{
	skb->tstamp += NS_PER_S;
	return TC_ACT_OK;
}

SEC("tc/no_stamp")
int no_stamp(struct __sk_buff *skb)
{
	skb->tstamp = 0;
	return TC_ACT_OK;
}

SEC("tc/monotonic")
int monotonic(struct __sk_buff *skb)
{
	skb->tstamp = bpf_ktime_get_ns();
	return TC_ACT_OK;
}

SEC("tc/leave_in_50ms")
int leave_in_50ms(struct __sk_buff *skb)
{
	skb->tstamp = bpf_ktime_get_ns() + 50 * NS_PER_MS;
	return TC_ACT_OK;
}

/* For BPF_PROG_TEST_RUN: hands a packet in at its interface, with the stamp of a card. */
SEC("tc/hand_in")
int hand_in(struct __sk_buff *skb)
{
	return bpf_clone_redirect(skb, skb->ifindex, BPF_F_INGRESS);
}

char LICENSE[] SEC("license") = "GPL";
