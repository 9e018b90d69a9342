/* SPDX-License-Identifier: GPL-2.0 */
/* The cgroup of a socket, for BPF programs. */
#ifndef NETSTACKLAT_CGROUP_BPF_H
#define NETSTACKLAT_CGROUP_BPF_H

/* Nobody nests cgroups deeper, and the verifier wants loops to end. */
#define MAX_CGROUP_DEPTH 64

/* Whether what hangs off a socket can be read directly, or only through a helper. */
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

/* As user space knows it: the inode number of its folder. */
static __always_inline __u64 cgroup_id(const struct cgroup *cgroup, bool typed)
{
	return typed ? cgroup->kn->id : BPF_CORE_READ(cgroup, kn, id);
}

static __always_inline const struct cgroup *cgroup_parent(const struct cgroup *cgroup, bool typed)
{
	return typed ? cgroup->self.parent->cgroup : BPF_CORE_READ(cgroup, self.parent, cgroup);
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
