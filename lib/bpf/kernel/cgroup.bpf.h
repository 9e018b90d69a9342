/* SPDX-License-Identifier: GPL-2.0 */
/* The cgroup of a socket, for BPF programs. */
#ifndef NETSTACKLAT_CGROUP_BPF_H
#define NETSTACKLAT_CGROUP_BPF_H

/* This says whether programs may read a socket's pointers directly, or only through a helper. */
static __always_inline bool cgroup_is_typed(const struct sock *sk)
{
	return bpf_core_field_exists(sk->sk_cgrp_data.cgroup);
}

/* NULL for a socket that cgroup v1 (net_cls, net_prio) claimed. */
static __always_inline const struct cgroup *cgroup_of(const struct sock *sk)
{
	const struct sock___5_10 *older = (const void *)sk;

	if (cgroup_is_typed(sk))
		return sk->sk_cgrp_data.cgroup;
	return older->sk_cgrp_data.val & 1 ? NULL : (const void *)older->sk_cgrp_data.val;
}

/* The same by a helper. */
static __always_inline const struct cgroup *cgroup_of_untyped(const struct sock *sk)
{
	const struct sock___5_10 *older = (const void *)sk;
	__u64 value;

	if (cgroup_is_typed(sk))
		return BPF_CORE_READ(sk, sk_cgrp_data.cgroup);
	value = BPF_CORE_READ(older, sk_cgrp_data.val);
	return value & 1 ? NULL : (const void *)value;
}

/* Returns what user space knows it by: the inode number of its folder. */
static __always_inline __u64 cgroup_id(const struct cgroup *cgroup, bool typed)
{
	return typed ? cgroup->kn->id : BPF_CORE_READ(cgroup, kn, id);
}

/*
 * Returns the id of a cgroup's ancestor at this level: 0 is the root, and the last is the cgroup
 * itself. Returns 0 if there is no such level. Since Linux 6.1 (7f203bc89eb6), a cgroup keeps its
 * ancestors, and not their ids.
 */
static __always_inline __u64 cgroup_ancestor_id(const struct cgroup *cgroup, int level)
{
	const void *start = cgroup;
	const struct cgroup *ancestor = NULL;
	__u64 id = 0;

	if (!cgroup || level > BPF_CORE_READ(cgroup, level))
		return 0;
	if (!bpf_core_field_exists(cgroup->ancestors)) {
		start += bpf_core_field_offset(struct cgroup___5_10, ancestor_ids);
		bpf_probe_read_kernel(&id, sizeof(id), start + level * sizeof(id));
		return id;
	}
	start += bpf_core_field_offset(struct cgroup, ancestors);
	bpf_probe_read_kernel(&ancestor, sizeof(ancestor), start + level * sizeof(ancestor));
	return cgroup_id(ancestor, false);
}

/* Out of line: calls cost registers, even where the verifier drops them. */
static __noinline __u64 cgroup_id_untyped(const struct sock *sk)
{
	return cgroup_id(cgroup_of(sk), false);
}

static __always_inline __u64 cgroup_id_of(const struct sock *sk)
{
	return cgroup_is_typed(sk) ? cgroup_id(cgroup_of(sk), true) : cgroup_id_untyped(sk);
}

#endif
