// SPDX-License-Identifier: GPL-2.0
/* An XDP program that lets all packets pass. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int pass(struct xdp_md *packet)
{
	(void)packet;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
