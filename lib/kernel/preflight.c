// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/preflight.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "lib/base/log.h"
#include "lib/confine/privileges.h"
#include "lib/kernel/btf.h"

/* CAP_SYS_ADMIN includes the two. */
static bool may_trace(const char *btf_path)
{
	(void)btf_path;
	return privileges_have(1ULL << CAP_SYS_ADMIN) ||
	       privileges_have(rights[RIGHT_TO_COUNT].capabilities);
}

static bool has_btf(const char *btf_path)
{
	/* A file that was named has been read by now. */
	return btf_path || kernel_has_btf();
}

static bool allows_tracing(const char *btf_path)
{
	(void)btf_path;
	return libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_TRACING, NULL) == 1;
}

const struct requirement requirements[NR_REQUIREMENTS] = {
	{ "privileges", may_trace, "enough to trace",
	  "tracing the kernel needs root (or CAP_BPF and CAP_PERFMON): try it with sudo" },
	{ "kernel types", has_btf, "found (BTF)",
	  "this kernel describes its types nowhere (/sys/kernel/btf/vmlinux): use one built with "
	  "CONFIG_DEBUG_INFO_BTF, or name a file that has them with --btf" },
	{ "tracing", allows_tracing, "allowed",
	  "this kernel refuses BPF tracing programs even from root, as some containers and hardened "
	  "kernels do: run netstacklat on the host, or on another kernel" },
};

/* False types may have programs read any memory near what they look at. */
static bool has_rights_of_its_file(void)
{
	return getauxval(AT_SECURE);
}

int preflight_btf_file(const char *path)
{
	struct btf *btf = NULL;
	struct stat status;
	char why[80];
	int err;

	if (has_rights_of_its_file()) {
		log_error("--btf is for those who have rights themselves, not from setcap(8): what "
			  "the file says decides what is read of the kernel's memory");
		return -EPERM;
	}
	/* Opening a FIFO would wait for somebody who writes. */
	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		errno = EINVAL;
	else
		btf = kernel_btf(path);
	err = btf ? 0 : -errno;
	btf__free(btf);
	if (!err)
		return 0;
	libbpf_strerror(err, why, sizeof(why));
	log_error("cannot read the kernel's types from '%s': %s", path, why);
	return err;
}

bool preflight(const char *btf_path)
{
	for (int i = 0; i < NR_REQUIREMENTS; i++) {
		if (requirements[i].is_met(btf_path))
			continue;
		log_error("%s", requirements[i].remedy);
		return false;
	}
	return true;
}
