// SPDX-License-Identifier: GPL-2.0
/*
 * Returns the random number of the caller's network namespace (BPF_PROG_TEST_RUN). The kernel salts
 * its hashes with it, and tells nobody. It is only needed before Linux 5.14, see
 * lib/kernel/netns_mix.h.
 */
#include "vmlinux_local.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

SEC("raw_tp")
int netns_mix(void *context)
{
	const struct task_struct *task = (const void *)bpf_get_current_task();

	return BPF_CORE_READ(task, nsproxy, net_ns, hash_mix);
}

char LICENSE[] SEC("license") = "GPL";
