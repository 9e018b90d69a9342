// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/refusal.h"

#include <errno.h>
#include <string.h>

#include "lib/base/log.h"

/*
 * ENOTSUPP, which the kernel should not return to user space: on arm64 before direct calls (Linux
 * 6.4); and for functions of more than six arguments, before Linux 6.6 (473e3150e30a).
 */
#define KERNEL_ENOTSUPP 524

bool is_refusal(int err)
{
	switch (err) {
	case EACCES:
	case EINVAL:
	case E2BIG:
	case ENOENT:
	case ENOTSUP:
	case KERNEL_ENOTSUPP:
		return true;
	default:
		return false;
	}
}

bool is_shortage(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOMEM;
}

const char *why_not_attached(int err)
{
	const char *description = strerrordesc_np(err);

	if (err == KERNEL_ENOTSUPP)
		return "this kernel cannot attach programs to this function";
	/* BPF_MAX_TRAMP_LINKS, or less where a page has no room for so many calls (arm64). */
	if (err == E2BIG)
		return "there are as many programs as a function can take, which is 38 at most, or "
		       "40 before Linux 5.12";
	return description ? description : "this kernel refuses to attach the program";
}

const char *hint_not_started(int err)
{
	/* Their memory is locked memory before 5.11, of which users may have little. */
	if (err == EPERM)
		return " (before Linux 5.11 it takes CAP_SYS_RESOURCE, too, or a larger ulimit -l)";
	if (err == EMFILE)
		return " (it takes about 100 files: raise ulimit -n)";
	return log_is_verbose() ? "" : " (-v shows what libbpf says of it)";
}
