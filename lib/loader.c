// SPDX-License-Identifier: GPL-2.0
#include "loader.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "filter_maps.h"
#include "hooks.h"
#include "kernel.h"
#include "log.h"
#include "netns.h"
#include "netstacklat.skel.h"

/* Probes that count only what succeeded have a program at entry and one at return. */
#define MAX_PROGRAMS (2 * NR_PROBES)

/* Parts of their names: of the variants (packet.bpf.h), and of those at entry. */
#define FILTERS "__filters"
#define GROUPS "__groups"
#define AT_ENTRY "__entry"

struct loader {
	struct netstacklat_bpf *skeleton;
	struct left_out *left_out;
	struct btf *btf;	  /* while loading */
	int functions[NR_PROBES]; /* their BTF ids */
	enum probe loading;	  /* NR_PROBES before the first program */
	clockid_t clock;	  /* that the programs read */
	unsigned int group_by;
	struct bpf_link *links[MAX_PROGRAMS];
	enum probe link_probes[MAX_PROGRAMS];
	int nr_links;
};

static struct bpf_map *latency_map(const struct loader *loader, enum hook hook)
{
	return bpf_object__find_map_by_name(loader->skeleton->obj, hooks[hook].map);
}

/* Each program names its kernel function in its section: fentry/<function> or fexit/<function>. */
static const char *program_function(const struct bpf_program *program)
{
	return strchr(bpf_program__section_name(program), '/') + 1;
}

/* Of the two programs of a probe, it is the one at return that counts. */
static bool program_counts(const struct bpf_program *program)
{
	return !strstr(bpf_program__name(program), AT_ENTRY);
}

static enum probe program_probe(const struct bpf_program *program)
{
	enum probe probe = 0;

	while (probe < NR_PROBES && strcmp(probes[probe].function, program_function(program)))
		probe++;
	return probe;
}

/* Interfaces are numbered anew in each network namespace. */
static unsigned int with_netns(unsigned int facts)
{
	return facts & 1U << FACT_INTERFACE ? facts | 1U << FACT_NETNS : facts;
}

static __u32 features(const struct loader_config *config)
{
	unsigned int filter_by = with_netns(config->filters ? config->filters->facts : 0);

	return config->resolution | filter_by * FEATURE_FILTER(0) |
	       with_netns(config->group_by) * FEATURE_GROUP(0);
}

static const char *variant_of(const struct bpf_program *program)
{
	const char *name = bpf_program__name(program);

	if (strstr(name, GROUPS))
		return GROUPS;
	return strstr(name, FILTERS) ? FILTERS : "";
}

/* The least that does what is asked for. */
static const char *variant_for(const struct loader_config *config)
{
	if (config->group_by)
		return GROUPS;
	return features(config) ? FILTERS : "";
}

/* One program whose function the kernel lacks would fail the load of all. */
static void select_programs(struct loader *loader, const struct loader_config *config)
{
	const char *variant = variant_for(config);
	struct bpf_program *program;

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (config->hooks[probes[probe].hook] && !loader->functions[probe])
			loader->left_out->why[probe] =
				"this kernel has no such function, or inlined it";

	bpf_object__for_each_program(program, loader->skeleton->obj) {
		enum probe probe = program_probe(program);

		bpf_program__set_autoload(program, config->hooks[probes[probe].hook] &&
							   !loader->left_out->why[probe] &&
							   !strcmp(variant_of(program), variant));
	}
}

/* No map for a hook without programs, or for groups instead: it takes memory, on each CPU. */
static int configure_latency_maps(struct loader *loader, const struct loader_config *config)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		unsigned int nr_keys = hook_nr_probes(hook) * NR_BUCKETS(config->resolution);
		struct bpf_map *map = latency_map(loader, hook);
		int err = bpf_map__set_max_entries(map, nr_keys);

		if (!err && (config->group_by || !config->hooks[hook] ||
			     !hook_is_attached(hook, loader->left_out)))
			err = bpf_map__set_autocreate(map, false);
		if (err)
			return err;
	}
	return 0;
}

/* The sizes of the maps of groups, which exist only if packets are grouped. */
static int configure_group_maps(struct loader *loader, const struct loader_config *config)
{
	__typeof__(loader->skeleton->maps) *maps = &loader->skeleton->maps;
	const struct {
		struct bpf_map *map;
		unsigned int nr_entries;
	} sizes[] = {
		{ maps->group_row_of, config->max_groups },
		{ maps->group_free_rows, config->max_groups },
		{ maps->netstack_groups, config->max_groups },
		{ maps->netstack_group_latency,
		  config->max_groups * NR_BUCKETS(config->resolution) },
		{ maps->group_cache, bpf_map__max_entries(maps->group_cache) },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes) && !err; i++)
		err = config->group_by ? bpf_map__set_max_entries(sizes[i].map, sizes[i].nr_entries)
				       : bpf_map__set_autocreate(sizes[i].map, false);
	return err;
}

static int configure(struct loader *loader, const struct loader_config *config)
{
	static const struct filters no_filters;
	struct config *programs = &loader->skeleton->rodata->config;
	int err;

	select_programs(loader, config);
	loader->clock = kernel_has_tai_helper(loader->btf) ? CLOCK_TAI : CLOCK_MONOTONIC;
	programs->features = features(config);
	programs->include_hol_delay = config->include_hol_delay;
	programs->netns_has_cookie = netns_has_cookie();
	loader->group_by = config->group_by;

	err = configure_latency_maps(loader, config);
	if (!err)
		err = configure_group_maps(loader, config);
	if (!err)
		err = filter_maps_configure(loader->skeleton->obj,
					    config->filters ? config->filters : &no_filters,
					    &programs->filter);
	return err;
}

/* All rows are free at first. */
static int fill_group_maps(struct loader *loader, const struct loader_config *config)
{
	int fd = kernel_map_fd(loader->skeleton->maps.group_free_rows), err = 0;

	for (__u32 row = 0; config->group_by && row < config->max_groups && !err; row++)
		err = bpf_map_update_elem(fd, NULL, &row, BPF_ANY);
	return err;
}

static int fill_maps(struct loader *loader, const struct loader_config *config)
{
	int err = config->filters ? filter_maps_fill(loader->skeleton->obj, config->filters) : 0;

	return err ? err : fill_group_maps(loader, config);
}

/*
 * libbpf calls this right before it loads a program. It finds functions to attach to in the BTF
 * that sysfs shows, and nowhere else: look them up here, where that may be another file. And if the
 * load fails, it does not tell at which program: remember that.
 */
static int prepare_program(struct bpf_program *program, struct bpf_prog_load_opts *opts,
			   long cookie)
{
	struct loader *loader = (struct loader *)cookie;

	loader->loading = program_probe(program);
	opts->attach_btf_id = loader->functions[loader->loading];
	return bpf_program__set_type(program, BPF_PROG_TYPE_TRACING);
}

static int open_and_load(struct loader *loader, const struct loader_config *config)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = config->btf_path);
	int err;

	loader->loading = NR_PROBES;
	loader->skeleton = netstacklat_bpf__open_opts(&opts);
	if (!loader->skeleton)
		return -errno;
	err = configure(loader, config);
	return err ? err : netstacklat_bpf__load(loader->skeleton);
}

/* ENOTSUPP, which the kernel should not hand out: arm64 before direct calls (Linux 6.4). */
#define KERNEL_ENOTSUPP 524

/* Whether a program itself is the reason, and not, say, a lack of memory. */
static bool is_refusal(int err)
{
	switch (-err) {
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

/* Tries again without what the verifier refused, until it refuses nothing. */
static int load_all_accepted(struct loader *loader, const struct loader_config *config)
{
	int err = open_and_load(loader, config);

	while (is_refusal(err) && loader->loading < NR_PROBES) {
		log_verbose("the program for %s() cannot be loaded: %s",
			    probes[loader->loading].function, strerror(-err));
		loader->left_out->why[loader->loading] =
			"this kernel's verifier refuses the program";
		netstacklat_bpf__destroy(loader->skeleton);
		err = open_and_load(loader, config);
	}
	return err;
}

/*
 * With our own handlers of these sections. As tracing programs they would make libbpf insist on the
 * BTF in sysfs, hence another type until right before they are loaded.
 */
static int load(struct loader *loader, const struct loader_config *config)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)loader,
		    .prog_prepare_load_fn = prepare_program);
	int fentry, fexit, err;

	loader->btf = kernel_btf(config->btf_path);
	if (!loader->btf)
		return -errno;
	kernel_find_functions(loader->btf, loader->functions);
	fentry = libbpf_register_prog_handler("fentry/", BPF_PROG_TYPE_RAW_TRACEPOINT,
					      BPF_TRACE_FENTRY, &opts);
	fexit = libbpf_register_prog_handler("fexit/", BPF_PROG_TYPE_RAW_TRACEPOINT,
					     BPF_TRACE_FEXIT, &opts);
	err = fentry < 0 || fexit < 0 ? -ENOMEM : load_all_accepted(loader, config);
	libbpf_unregister_prog_handler(fentry);
	libbpf_unregister_prog_handler(fexit);
	btf__free(loader->btf);
	/* The kernel's BTF is the most that we ever hold, and glibc would keep its memory. */
	malloc_trim(0);
	return err;
}

static const char *why_not_attached(int err)
{
	const char *description = strerrordesc_np(err);

	if (err == KERNEL_ENOTSUPP)
		return "this kernel cannot attach programs to functions of this architecture";
	return description ? description : "this kernel refuses to attach the program";
}

static bool is_in_use(const struct loader *loader, const struct bpf_program *program)
{
	return bpf_program__autoload(program) && !loader->left_out->why[program_probe(program)];
}

/* A probe of two programs is attached with both, or left out. */
static void attach_program(struct loader *loader, struct bpf_program *program)
{
	enum probe probe = program_probe(program);
	struct bpf_link *link;

	if (!is_in_use(loader, program))
		return;
	link = bpf_program__attach_trace(program);
	if (!link) {
		loader->left_out->why[probe] = why_not_attached(errno);
		return;
	}
	loader->link_probes[loader->nr_links] = probe;
	loader->links[loader->nr_links++] = link;
	if (program_counts(program))
		log_verbose("%s attached at %s()", hooks[probes[probe].hook].name,
			    probes[probe].function);
}

/* Lets go of what was attached of probes that are left out. Returns how many programs remain. */
static int detach_halves(struct loader *loader)
{
	int remaining = 0;

	for (int i = 0; i < loader->nr_links; i++) {
		if (!loader->left_out->why[loader->link_probes[i]]) {
			remaining++;
			continue;
		}
		bpf_link__destroy(loader->links[i]);
		loader->links[i] = NULL;
	}
	return remaining;
}

static int attach(struct loader *loader)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, loader->skeleton->obj)
		attach_program(loader, program);
	return detach_halves(loader) ? 0 : -ENOTSUP;
}

/* Returns 0 or a negative errno, with the step that failed. */
static int start(struct loader *loader, const struct loader_config *config, const char **step)
{
	int err;

	*step = "load";
	err = load(loader, config);
	if (err)
		return err;

	*step = "prepare";
	err = fill_maps(loader, config);
	if (err)
		return err;

	*step = "set the clock of";
	err = loader_set_clock(loader);
	if (err)
		return err;

	*step = "attach";
	return attach(loader);
}

static const char *hint(int err)
{
	/* Until then, their memory counted as locked, of which users may have little. */
	if (err == -EPERM)
		return " (before Linux 5.11 it takes CAP_SYS_RESOURCE, too, or a larger ulimit -l)";
	return log_is_verbose() ? "" : " (-v shows what libbpf says of it)";
}

struct loader *loader_start(const struct loader_config *config, struct left_out *left_out)
{
	struct loader *loader = calloc(1, sizeof(*loader));
	const char *step = "allocate";
	int err = -ENOMEM;

	*left_out = (struct left_out){ 0 };
	if (loader) {
		loader->left_out = left_out;
		err = start(loader, config, &step);
	}
	if (!err)
		return loader;

	if (err == -ENOTSUP)
		log_error("nothing can be measured here: this kernel accepts none of the programs");
	else
		log_failure(err, "cannot %s the BPF programs%s", step, hint(err));
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

clockid_t loader_clock(const struct loader *loader)
{
	return loader->clock;
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

/* The programs that count, by probe; negative where none is attached. */
static void find_programs(const struct loader *loader, int fds[NR_PROBES])
{
	struct bpf_program *program;

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		fds[probe] = -1;
	bpf_object__for_each_program(program, loader->skeleton->obj)
		if (is_in_use(loader, program) && program_counts(program))
			fds[program_probe(program)] = bpf_program__fd(program);
}

struct snapshot_maps loader_maps(const struct loader *loader)
{
	const __typeof__(loader->skeleton->maps) *in = &loader->skeleton->maps;
	__u32 todo = loader->skeleton->rodata->config.features;
	struct snapshot_maps maps = {
		.discards = kernel_map_fd(in->netstack_discards),
		.resolution = todo & FEATURE_RESOLUTION,
		.groups = {
			.rows = kernel_map_fd(in->netstack_groups),
			.latency = kernel_map_fd(in->netstack_group_latency),
			.nr_rows = bpf_map__max_entries(in->netstack_groups),
			.resolution = todo & FEATURE_RESOLUTION,
			.facts = loader->group_by,
		},
	};

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		maps.latency[hook] = kernel_map_fd(latency_map(loader, hook));
	find_programs(loader, maps.programs);
	return maps;
}
