// SPDX-License-Identifier: GPL-2.0
#include "loader.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "hooks.h"
#include "kernel.h"
#include "log.h"
#include "netstacklat.skel.h"

/* Probes that count only what succeeded have a program at entry and one at return. */
#define MAX_PROGRAMS (2 * NR_PROBES)

struct loader {
	struct netstacklat_bpf *skeleton;
	clockid_t clock;	  /* that the programs read */
	bool left_out[NR_PROBES]; /* for they could not be attached */
	struct bpf_link *links[MAX_PROGRAMS];
	int nr_links;
};

static struct bpf_map *latency_map(const struct loader *loader, enum hook hook)
{
	return bpf_object__find_map_by_name(loader->skeleton->obj, hooks[hook].map);
}

/* Each program names its kernel function in its section: fentry/<function> or fexit/<function>. */
static enum probe program_probe(const struct bpf_program *program)
{
	const char *function = strchr(bpf_program__section_name(program), '/') + 1;
	enum probe probe = 0;

	while (probe < NR_PROBES && strcmp(probes[probe].function, function))
		probe++;
	return probe;
}

static void report_left_out(enum probe probe, const char *why)
{
	log_error("%s is left out at %s(): %s", hooks[probes[probe].hook].name,
		  probes[probe].function, why);
}

/* One program whose function the kernel lacks would fail the load of all. */
static void select_programs(struct loader *loader, const struct btf *btf,
			    const bool hooks_wanted[NR_HOOKS])
{
	bool wanted[NR_PROBES];
	struct bpf_program *program;

	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		wanted[probe] = hooks_wanted[probes[probe].hook];
		if (wanted[probe] && !kernel_has_function(btf, probes[probe].function)) {
			report_left_out(probe, "this kernel has no such function, or inlined it");
			wanted[probe] = false;
		}
	}
	bpf_object__for_each_program(program, loader->skeleton->obj)
		bpf_program__set_autoload(program, wanted[program_probe(program)]);
}

static int configure(struct loader *loader, const struct loader_config *config)
{
	struct btf *btf = kernel_btf();

	if (!btf)
		return -errno;
	loader->clock = kernel_has_tai_helper(btf) ? CLOCK_TAI : CLOCK_MONOTONIC;
	select_programs(loader, btf, config->hooks);
	btf__free(btf);

	loader->skeleton->rodata->clock_is_tai = loader->clock == CLOCK_TAI;
	loader->skeleton->rodata->include_hol_delay = config->include_hol_delay;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		int err = bpf_map__set_max_entries(latency_map(loader, hook),
						   hook_nr_probes(hook) * NR_BUCKETS);

		if (err)
			return err;
	}
	return 0;
}

/* ENOTSUPP, which the kernel should not hand out: arm64 before direct calls (Linux 6.4). */
#define KERNEL_ENOTSUPP 524

static const char *why_not_attached(int err)
{
	if (err == KERNEL_ENOTSUPP)
		return "this kernel cannot attach programs to functions of this architecture";
	return strerror(err);
}

/* A probe of two programs is attached with both, or left out. */
static void attach_program(struct loader *loader, struct bpf_program *program)
{
	enum probe probe = program_probe(program);
	struct bpf_link *link;

	if (!bpf_program__autoload(program) || loader->left_out[probe])
		return;
	link = bpf_program__attach(program);
	if (!link) {
		report_left_out(probe, why_not_attached(errno));
		loader->left_out[probe] = true;
		return;
	}
	loader->links[loader->nr_links++] = link;
	if (!strcmp(bpf_program__name(program), probes[probe].function))
		log_verbose("%s attached at %s()", hooks[probes[probe].hook].name,
			    probes[probe].function);
}

static int attach(struct loader *loader)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, loader->skeleton->obj)
		attach_program(loader, program);
	return loader->nr_links ? 0 : -ENOTSUP;
}

/* Returns 0 or a negative errno, with the step that failed. */
static int start(struct loader *loader, const struct loader_config *config, const char **step)
{
	int err;

	*step = "open";
	loader->skeleton = netstacklat_bpf__open();
	if (!loader->skeleton)
		return -errno;

	*step = "configure";
	err = configure(loader, config);
	if (err)
		return err;

	*step = "load";
	err = netstacklat_bpf__load(loader->skeleton);
	if (err)
		return err;

	*step = "set the clock of";
	err = loader_set_clock(loader);
	if (err)
		return err;

	*step = "attach";
	return attach(loader);
}

struct loader *loader_start(const struct loader_config *config)
{
	struct loader *loader = calloc(1, sizeof(*loader));
	const char *step = "allocate";
	int err = -ENOMEM;

	if (loader)
		err = start(loader, config, &step);
	if (!err)
		return loader;

	log_failure(err, "cannot %s the BPF programs%s", step,
		    log_is_verbose() ? "" : " (-v shows what libbpf says of it)");
	loader_free(loader);
	errno = -err;
	return NULL;
}

int loader_set_clock(struct loader *loader)
{
	int64_t offset_ns;
	int err = clock_offset_ns(loader->clock, &offset_ns);

	if (err)
		return err;
	loader->skeleton->bss->clock_offset_ns = offset_ns;
	log_verbose("the programs read %s, which is %.9f s ahead of the wall clock",
		    loader->clock == CLOCK_TAI ? "TAI" : "the monotonic clock", offset_ns / 1e9);
	return 0;
}

void loader_free(struct loader *loader)
{
	if (!loader)
		return;
	for (int i = 0; i < loader->nr_links; i++)
		bpf_link__destroy(loader->links[i]);
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
