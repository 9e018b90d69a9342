// SPDX-License-Identifier: GPL-2.0
/* Programs of a cgroup, through which all that its sockets receive or send must pass. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

enum { DROPS, PASSES };

SEC("cgroup_skb/ingress")
int drop_in(struct __sk_buff *skb)
{
	return DROPS;
}

static long nothing(__u32 round, void *context)
{
	return 0;
}

/* A packet is late after one millisecond, and this takes some. */
static int take_long(void)
{
	bpf_loop(200000, nothing, NULL, 0);
	return PASSES;
}

SEC("cgroup_skb/ingress")
int delay_in(struct __sk_buff *skb)
{
	return take_long();
}

SEC("cgroup_skb/egress")
int delay_out(struct __sk_buff *skb)
{
	return take_long();
}
