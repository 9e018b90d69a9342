// SPDX-License-Identifier: GPL-2.0
#include "preflight.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <sys/capability.h>

#include "kernel.h"
#include "log.h"

static bool has_capability(cap_t process, cap_value_t capability)
{
	cap_flag_value_t value = CAP_CLEAR;

	return process && !cap_get_flag(process, capability, CAP_EFFECTIVE, &value) &&
	       value == CAP_SET;
}

static bool may_trace(void)
{
	cap_t process = cap_get_proc();
	bool may = has_capability(process, CAP_SYS_ADMIN) ||
		   (has_capability(process, CAP_BPF) && has_capability(process, CAP_PERFMON));

	cap_free(process);
	if (!may)
		log_error("tracing the kernel needs root (or CAP_BPF and CAP_PERFMON): try it with "
			  "sudo");
	return may;
}

static bool has_btf(void)
{
	struct btf *btf = kernel_btf();

	if (!btf)
		log_error(
			"this kernel describes its types nowhere (/sys/kernel/btf/vmlinux): use one built with CONFIG_DEBUG_INFO_BTF");
	btf__free(btf);
	return btf;
}

static bool allows_tracing(void)
{
	int supported = libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_TRACING, NULL);

	if (supported != 1)
		log_error(
			"this kernel refuses BPF tracing programs even from root, as some containers and hardened kernels do: run netstacklat on the host, or on another kernel");
	return supported == 1;
}

bool preflight(void)
{
	return may_trace() && has_btf() && allows_tracing();
}
