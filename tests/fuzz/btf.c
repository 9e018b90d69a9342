// SPDX-License-Identifier: GPL-2.0
/* A file for --btf: what is looked for in it, and the names that it gives to reasons. */
#include "tests/fuzz/fuzz.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/kernel/btf.h"
#include "lib/kernel/btf_reasons.h"

static void look_into(const struct btf *btf)
{
	struct reason_names *names = reason_names_new(NULL);
	int targets[NR_PROBES];

	require(names);
	kernel_find_targets(btf, targets);
	kernel_has_tracing_sk_storage(btf);
	kernel_has_helper(btf, "BPF_FUNC_ktime_get_tai_ns");
	require(!kernel_add_reasons(names, btf, 1));
	for (uint32_t number = 0; number < 16; number++) {
		const char *name = reason_names_find(names, number);

		require(!name || *name);
		require_printable(name ? name : "");
	}
	reason_names_free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int file = memfd_create("btf", MFD_CLOEXEC);
	char path[32];
	struct btf *btf;

	libbpf_set_print(NULL);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	require(write(file, data, size) == (ssize_t)size);
	btf = kernel_btf(path);
	if (btf)
		look_into(btf);
	btf__free(btf);
	close(file);
	return 0;
}
