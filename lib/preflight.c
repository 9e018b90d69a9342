// SPDX-License-Identifier: GPL-2.0
#include "preflight.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/utsname.h>

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

static bool has_tai_helper(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *helpers = id > 0 ? btf__type_by_id(btf, id) : NULL;

	for (int i = 0; helpers && i < btf_vlen(helpers); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(helpers)[i].name_off),
			    "BPF_FUNC_ktime_get_tai_ns"))
			return true;
	return false;
}

static bool kernel_is_new_enough(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct utsname kernel;
	bool has_helper;

	if (!btf) {
		log_error("this kernel describes its types nowhere (/sys/kernel/btf/vmlinux): "
			  "use one built with CONFIG_DEBUG_INFO_BTF");
		return false;
	}

	has_helper = has_tai_helper(btf);
	btf__free(btf);
	if (!has_helper) {
		uname(&kernel);
		log_error("Linux %s lacks the BPF helper ktime_get_tai_ns: use 6.1 or newer",
			  kernel.release);
	}
	return has_helper;
}

static bool kernel_allows_tracing(void)
{
	int supported = libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_TRACING, NULL);

	if (supported != 1)
		log_error("this kernel refuses BPF tracing programs, even from root, as in a "
			  "container, under "
			  "lockdown or without CONFIG_FUNCTION_TRACER: run on the host, or on "
			  "another kernel");
	return supported == 1;
}

bool preflight(void)
{
	return may_trace() && kernel_is_new_enough() && kernel_allows_tracing();
}
