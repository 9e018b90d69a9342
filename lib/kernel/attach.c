// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/attach.h"

#include <bpf/btf.h>
#include <string.h>

const struct attach_kind attach_kinds[NR_ATTACH_KINDS] = {
	{ "fentry/", BPF_TRACE_FENTRY, BTF_KIND_FUNC, "" },
	{ "fexit/", BPF_TRACE_FEXIT, BTF_KIND_FUNC, "" },
	{ "tp_btf/", BPF_TRACE_RAW_TP, BTF_KIND_TYPEDEF, "btf_trace_" },
};

const struct attach_kind *attach_kind_of(const char *section)
{
	for (int i = 0; i < NR_ATTACH_KINDS; i++)
		if (!strncmp(section, attach_kinds[i].section, strlen(attach_kinds[i].section)))
			return &attach_kinds[i];
	return NULL;
}
