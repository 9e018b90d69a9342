// SPDX-License-Identifier: GPL-2.0
#include "loader.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"
#include "log.h"
#include "netstacklat.skel.h"

struct loader {
	struct netstacklat_bpf *skeleton;
	struct bpf_link *links[NR_PROBES];
};

static struct bpf_program *probe_program(const struct loader *loader, enum probe probe)
{
	return bpf_object__find_program_by_name(loader->skeleton->obj, probes[probe].function);
}

static struct bpf_map *latency_map(const struct loader *loader, enum hook hook)
{
	return bpf_object__find_map_by_name(loader->skeleton->obj, hooks[hook].map);
}

static void report_left_out(enum probe probe, const char *why)
{
	log_error("%s is left out at %s(): %s", hooks[probes[probe].hook].name,
		  probes[probe].function, why);
}

/* One program whose function the kernel lacks would fail the load of all. */
static int leave_out_missing_functions(struct loader *loader)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (!btf)
		return -errno;
	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		if (btf__find_by_name_kind(btf, probes[probe].function, BTF_KIND_FUNC) > 0)
			continue;
		report_left_out(probe, "this kernel has no such function, or has it only inlined");
		bpf_program__set_autoload(probe_program(loader, probe), false);
	}
	btf__free(btf);
	return 0;
}

static int configure(struct loader *loader)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		int err = bpf_map__set_max_entries(latency_map(loader, hook),
						   hook_nr_probes(hook) * NR_BUCKETS);

		if (err)
			return err;
	}
	return leave_out_missing_functions(loader);
}

static int attach(struct loader *loader)
{
	int attached = 0;

	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		struct bpf_program *program = probe_program(loader, probe);

		if (!bpf_program__autoload(program))
			continue;
		loader->links[probe] = bpf_program__attach(program);
		if (!loader->links[probe]) {
			report_left_out(probe, strerror(errno));
			continue;
		}
		log_verbose("%s attached at %s()", hooks[probes[probe].hook].name,
			    probes[probe].function);
		attached++;
	}
	return attached ? 0 : -ENOTSUP;
}

/* Returns 0 or a negative errno, with the step that failed. */
static int start(struct loader *loader, int64_t tai_offset_ns, const char **step)
{
	int err;

	*step = "open";
	loader->skeleton = netstacklat_bpf__open();
	if (!loader->skeleton)
		return -errno;

	*step = "configure";
	err = configure(loader);
	if (err)
		return err;

	*step = "load";
	err = netstacklat_bpf__load(loader->skeleton);
	if (err)
		return err;
	loader->skeleton->bss->tai_offset_ns = tai_offset_ns;

	*step = "attach";
	return attach(loader);
}

struct loader *loader_start(int64_t tai_offset_ns)
{
	struct loader *loader = calloc(1, sizeof(*loader));
	const char *step = "allocate";
	int err = -ENOMEM;

	if (loader)
		err = start(loader, tai_offset_ns, &step);
	if (!err)
		return loader;

	log_failure(err, "cannot %s the BPF programs%s", step,
		    log_is_verbose() ? "" : " (-v shows what libbpf says of it)");
	loader_free(loader);
	errno = -err;
	return NULL;
}

void loader_free(struct loader *loader)
{
	if (!loader)
		return;
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		bpf_link__destroy(loader->links[probe]);
	netstacklat_bpf__destroy(loader->skeleton);
	free(loader);
}

struct snapshot_maps loader_maps(const struct loader *loader)
{
	struct snapshot_maps maps = { .discards = bpf_map__fd(
					      loader->skeleton->maps.netstack_discards) };

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		maps.latency[hook] = bpf_map__fd(latency_map(loader, hook));
	return maps;
}
