/* SPDX-License-Identifier: GPL-2.0 */
/* The ways to attach a program, by the part of its section in front of the slash. */
#ifndef NETSTACKLAT_ATTACH_H
#define NETSTACKLAT_ATTACH_H

#include <bpf/bpf.h>

struct attach_kind {
	const char *section;	   /* with the slash */
	enum bpf_attach_type type; /* of programs of the type BPF_PROG_TYPE_TRACING */
	int btf_kind;		   /* what the target is in the kernel's BTF ... */
	const char *btf_prefix;	   /* ... where this stands in front of its name */
};

#define NR_ATTACH_KINDS 3
extern const struct attach_kind attach_kinds[NR_ATTACH_KINDS];

/* The kind of a section, which must be of one. */
const struct attach_kind *attach_kind_of(const char *section);

#endif
