// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/loader.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/base/clock.h"
#include "lib/filters/filters.h"
#include "lib/host/netns.h"
#include "lib/kernel/attach.h"
#include "lib/kernel/branches.h"
#include "lib/kernel/btf.h"
#include "lib/kernel/maps.h"
#include "lib/kernel/program_load.h"
#include "lib/kernel/programs.h"
#include "lib/kernel/refusal.h"
#include "lib/kernel/selection.h"
#include "lib/kernel/stage_drops.h"
#include "lib/kernel/static_branches.h"
#include "lib/tables/group_row.h"
#include "lib/tables/units.h"

struct loader {
	struct programs programs;
	struct left_out *left_out;
	const struct plan *plan; /* the caller's */
	uint64_t began_ns;	 /* on the kernel's clock */
	struct btf *btf;	 /* while loading */
	struct selection selection;
	bool branches[NR_BRANCHES];
	__s32 variables[NR_VARIABLES]; /* of the kernel, their BTF ids */
	clockid_t clock;	       /* that the programs read */
	int fds[MAX_PROGRAMS];	       /* of the programs, or -1 */
	int links[MAX_PROGRAMS];
	enum probe link_probes[MAX_PROGRAMS];
	int nr_links;
};

/* Returns MAX_PROGRAMS for a program that is not in the table: there is none. */
static unsigned int program_number(const struct bpf_program *program)
{
	unsigned int number = 0;

	while (number < MAX_PROGRAMS && strcmp(program_names[number], bpf_program__name(program)))
		number++;
	return number;
}

static enum probe program_probe(const struct bpf_program *program)
{
	return PROBE_OF(program_number(program));
}

static void select_programs(struct loader *loader)
{
	struct bpf_program *program;

	selection_make(&loader->selection, loader->plan, loader->left_out);
	bpf_object__for_each_program(program, loader->programs.object)
		bpf_program__set_autoload(
			program, selection_loads(loader->selection.tasks, program_probe(program)));
}

static int size_map(struct bpf_map *map, __u32 nr_entries)
{
	if (!map || nr_entries == AS_BUILT)
		return 0;
	return nr_entries ? bpf_map__set_max_entries(map, nr_entries)
			  : bpf_map__set_autocreate(map, false);
}

static int size_maps(const struct loader *loader)
{
	struct bpf_map *stages = programs_map(&loader->programs, MAP_netstack_stage_latency);
	__u32 sizes[NR_MAPS];
	int err = 0;

	maps_size(sizes, loader->programs.config, loader->plan, &loader->selection,
		  loader->left_out);
	for (enum object_map map = 0; map < NR_MAPS && !err; map++)
		err = size_map(programs_map(&loader->programs, map), sizes[map]);
	if (!err && stages)
		err = bpf_map__set_value_size(stages, STAGE_BLOCK_SIZE(loader->plan->resolution));
	return err;
}

static int configure(struct loader *loader)
{
	const struct plan *plan = loader->plan;
	loader->clock =
		/* Linux 6.1 and later have them (c8996c98f703). */
		kernel_has_helper(loader->btf, "BPF_FUNC_ktime_get_tai_ns") && !plan->stages
			? CLOCK_TAI
			: CLOCK_MONOTONIC;
	select_programs(loader);
	branches_find(loader->branches, plan, &loader->selection);
	loader->branches[BRANCH_BPF_LOOP] = kernel_has_helper(loader->btf, "BPF_FUNC_loop");
	loader->branches[BRANCH_NETNS_COOKIE] = netns_has_cookie();
	if (notes_others(plan))
		kernel_find_variables(loader->btf, loader->variables, loader->branches);
	*loader->programs.config = (struct config){
		.resolution = plan->resolution,
		.first_folded_port = plan->first_folded_port,
		.least_parts_ns = plan->least_parts_ns,
		.timely_ns = plan->timely_ns,
		.filter = filters_values(&plan->filters),
	};
	if (plan->slow)
		*loader->programs.slow_config = (struct slow_config){
			.least_ns = plan->slow_ns,
			.gap_ns = NS_PER_S / plan->slow_limit,
		};
	return size_maps(loader);
}

/*
 * At first, all rows are free, and epochs count from 1: see group.bpf.h, which skips rows beyond
 * the last.
 */
static int fill_free_rows(struct loader *loader)
{
	int fd = programs_map_fd(&loader->programs, MAP_group_free_rows), err = 0;

	*loader->programs.group_epoch = 1;
	for (__u32 row = 0; fd >= 0 && row < FREE_ROWS && !err; row++)
		err = bpf_map_update_elem(fd, NULL, &row, BPF_ANY);
	return err;
}

static int put_in_map(void *map, const void *key, const void *value)
{
	return bpf_map_update_elem(*(int *)map, key, value, BPF_ANY);
}

static int fill_maps(struct loader *loader)
{
	int drops = programs_map_fd(&loader->programs, MAP_netstack_stage_drops);
	int err = fill_free_rows(loader);

	if (!err && drops >= 0)
		err = stage_drops_prepare(drops);
	for (enum filter filter = 0; filter < NR_FILTERS && !err; filter++) {
		int fd = programs_map_fd(&loader->programs, MAP_OF_FILTER(filter));

		if (fd >= 0)
			err = filter_map_fill(&loader->plan->filters, filter, put_in_map, &fd);
	}
	return err;
}

/* Loads a program, unless another of its probe is refused. */
static int load_program(struct loader *loader, const struct bpf_program *program,
			struct bpf_prog_load_opts *opts)
{
	enum probe probe = program_probe(program);
	int fd;

	if (loader->left_out->why[probe])
		return 0;
	fd = program_load(program, opts);
	if (fd >= 0) {
		loader->fds[program_number(program)] = fd;
		return 0;
	}
	if (!is_refusal(-fd))
		return fd;
	log_verbose("the program for %s() cannot be loaded", probe_target(probe));
	selection_refuse(&loader->selection, probe, loader->left_out);
	return 0;
}

/*
 * libbpf calls this right before it loads a program. It would look for the target in sysfs only,
 * and our BTF may come from a file: so this tells it the id that was found there.
 */
static int prepare_program(struct bpf_program *program, struct bpf_prog_load_opts *opts,
			   long cookie)
{
	struct loader *loader = (struct loader *)cookie;
	enum probe probe = program_probe(program);
	struct moved_info moved = { 0 };
	bool on[NR_BRANCHES];
	int err;

	memcpy(on, loader->branches, sizeof(on));
	branches_leave_out(on, loader->plan, probes[probe].hook);
	opts->attach_btf_id = loader->selection.targets[probe];
	err = static_branches_write(program, on, loader->variables, opts, &moved);
	if (!err)
		err = load_program(loader, program, opts);
	moved_info_free(&moved);
	return err ? err : program_leave_stub(program, opts);
}

static void close_programs(struct loader *loader)
{
	for (unsigned int number = 0; number < MAX_PROGRAMS; number++) {
		if (loader->fds[number] >= 0)
			close(loader->fds[number]);
		loader->fds[number] = -1;
	}
	programs_free(&loader->programs);
}

static int open_and_load(struct loader *loader)
{
	const struct plan *plan = loader->plan;
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = plan->btf_path);
	enum variant variant =
		variant_for(plan->filters.active || plan->resolution != DEFAULT_RESOLUTION,
			    plan->group_by, plan->stages, plan->slow);
	struct bpf_program *program;
	int err;

	err = programs_open(&loader->programs, variant, &opts);
	if (!err)
		err = configure(loader);
	if (!err)
		err = programs_load(&loader->programs);
	if (err)
		return err;
	/* These, of libbpf, are stubs. */
	bpf_object__for_each_program(program, loader->programs.object)
		bpf_program__unload(program);
	return 0;
}

static int load_all_accepted(struct loader *loader)
{
	int err = open_and_load(loader);

	while (!err && selection_has_changed(&loader->selection, loader->plan, loader->left_out)) {
		close_programs(loader);
		err = open_and_load(loader);
	}
	return err;
}

/*
 * The number of arguments that fit into registers. Since Linux 6.6 (473e3150e30a), kernels can
 * attach programs to functions with more, one architecture after the other.
 */
#define MAX_SURE_ARGUMENTS 6

/*
 * If a program cannot be attached, its fallback is loaded instead. If that is known before, nothing
 * has to be loaded twice.
 */
static void leave_out_unattachable(struct loader *loader)
{
	const struct plan *plan = loader->plan;
	const bool *hooks_used = plan->stages ? plan->followed : plan->hooks;

	for (enum probe probe = 0; probe + 1 < NR_PROBES; probe++) {
		int target = loader->selection.targets[probe], err;

		if (!probes[probe + 1].is_fallback || loader->left_out->why[probe] ||
		    !hooks_used[probes[probe].hook] ||
		    kernel_nr_arguments(loader->btf, target) <= MAX_SURE_ARGUMENTS)
			continue;
		err = program_try_attach(target);
		if (err)
			selection_give_up(&loader->selection, probe, why_not_attached(-err),
					  loader->left_out);
	}
}

static int load(struct loader *loader)
{
	int err;

	loader->btf = kernel_btf(loader->plan->btf_path);
	if (!loader->btf)
		return -errno;
	kernel_find_targets(loader->btf, loader->selection.targets);
	loader->selection.has_sk_storage = kernel_has_tracing_sk_storage(loader->btf);
	leave_out_unattachable(loader);
	err = load_all_accepted(loader);
	btf__free(loader->btf);
	/* The kernel's BTF takes more memory than anything else here, and glibc would keep that. */
	malloc_trim(0);
	return err;
}

static bool is_in_use(const struct loader *loader, const struct bpf_program *program)
{
	return bpf_program__autoload(program) && !loader->left_out->why[program_probe(program)];
}

/*
 * Attaches both programs of a probe that has two, or leaves the probe out. Returns 0 or, to end,
 * -errno.
 */
static int attach_program(struct loader *loader, struct bpf_program *program)
{
	enum probe probe = program_probe(program);
	int link;

	if (!is_in_use(loader, program))
		return 0;
	link = bpf_raw_tracepoint_open(NULL, loader->fds[program_number(program)]);
	if (link < 0 && is_shortage(errno))
		return -errno;
	if (link < 0) {
		selection_give_up(&loader->selection, probe, why_not_attached(errno),
				  loader->left_out);
		return 0;
	}
	loader->link_probes[loader->nr_links] = probe;
	loader->links[loader->nr_links++] = link;
	if (!IS_ENTRY_PROGRAM(program_number(program)) &&
	    loader->selection.tasks[probe] & TASK_COUNT)
		log_verbose("%s attached at %s()", hooks[probes[probe].hook].name,
			    probe_target(probe));
	return 0;
}

/* Detaches what was attached of probes that are left out. Returns how many programs remain. */
static int detach_halves(struct loader *loader)
{
	int remaining = 0;

	for (int i = 0; i < loader->nr_links; i++) {
		if (!loader->left_out->why[loader->link_probes[i]]) {
			remaining++;
			continue;
		}
		close(loader->links[i]);
		loader->links[i] = -1;
	}
	return remaining;
}

/* Returns the number of programs whose turn it is not yet, or -errno. */
static int attach_those(struct loader *loader, unsigned int turn)
{
	struct bpf_program *program;
	int nr_later = 0;

	bpf_object__for_each_program(program, loader->programs.object) {
		unsigned int of_program = loader->selection.turns[program_probe(program)];
		int err = 0;

		nr_later += of_program > turn;
		if (of_program == turn)
			err = attach_program(loader, program);
		if (err)
			return err;
	}
	return nr_later;
}

static int attach(struct loader *loader)
{
	unsigned int turn = 0;
	int err;

	do
		err = attach_those(loader, turn++);
	while (err > 0);
	if (err)
		return err;
	if (selection_lacks_fallback(&loader->selection, loader->left_out))
		return -EAGAIN;
	return detach_halves(loader) ? 0 : -ENOTSUP;
}

/* Returns 0 or a negative errno, with the step that failed. */
static int try_to_start(struct loader *loader, const char **step)
{
	int err;

	*step = "load";
	err = load(loader);
	if (err)
		return err;

	*step = "prepare";
	err = fill_maps(loader);
	if (err)
		return err;

	*step = "set the clock of";
	err = loader_set_clock(loader);
	if (err)
		return err;

	*step = "attach";
	return attach(loader);
}

static void unload(struct loader *loader)
{
	for (int i = 0; i < loader->nr_links; i++)
		if (loader->links[i] >= 0)
			close(loader->links[i]);
	loader->nr_links = 0;
	close_programs(loader);
}

/* Fallbacks take the place of more probes that cannot be attached, with each try. */
static int start(struct loader *loader, const char **step)
{
	int err = try_to_start(loader, step);

	while (err == -EAGAIN) {
		unload(loader);
		err = try_to_start(loader, step);
	}
	return err;
}

/*
 * Registers our own handlers of all sections, so that libbpf takes the programs for another type:
 * for tracing programs, it insists on the BTF in sysfs. This is done once for all attempts, as
 * libbpf 1.1 uses freed memory when handlers are registered again.
 */
static int start_with_handlers(struct loader *loader, const char **step)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)loader,
		    .prog_prepare_load_fn = prepare_program);
	int handlers[NR_ATTACH_KINDS], nr = 0, err = 0;

	for (; nr < NR_ATTACH_KINDS && !err; nr++) {
		handlers[nr] = libbpf_register_prog_handler(attach_kinds[nr].section,
							    BPF_PROG_TYPE_RAW_TRACEPOINT,
							    attach_kinds[nr].type, &opts);
		err = handlers[nr] < 0 ? handlers[nr] : 0;
	}
	if (!err)
		err = start(loader, step);
	while (nr--)
		libbpf_unregister_prog_handler(handlers[nr]);
	return err;
}

struct loader *loader_start(const struct plan *plan, struct left_out *left_out)
{
	struct loader *loader = calloc(1, sizeof(*loader));
	const char *step = "allocate";
	int err = -ENOMEM;

	*left_out = (struct left_out){ 0 };
	if (loader) {
		loader->left_out = left_out;
		loader->plan = plan;
		for (unsigned int number = 0; number < MAX_PROGRAMS; number++)
			loader->fds[number] = -1;
		loader->began_ns = clock_kernel_ns();
		err = start_with_handlers(loader, &step);
	}
	if (!err)
		return loader;

	if (err == -ENOTSUP)
		log_error("nothing can be measured here: none of the programs can be attached");
	else
		log_failure(err, "cannot %s the BPF programs%s", step, hint_not_started(-err));
	loader_free(loader);
	errno = -err;
	return NULL;
}

/*
 * The offset changes only if a clock was set, so that a packet's stages add up to the nanosecond.
 */
static void set_offset(__s64 *offset_ns, int64_t now_ns)
{
	if (llabs(now_ns - *offset_ns) >= CLOCK_ERROR_NS)
		*offset_ns = now_ns;
}

int loader_set_clock(struct loader *loader)
{
	int64_t offset_ns, tai_ns;
	int err = clock_offset_ns(loader->clock, &offset_ns);

	if (!err)
		err = clock_offset_ns(CLOCK_TAI, &tai_ns);
	if (err)
		return err;
	set_offset(loader->programs.clock_offset_ns, offset_ns);
	set_offset(loader->programs.tai_ahead_ns, tai_ns);
	log_verbose("the programs read %s, which is %.9f s ahead of the wall clock",
		    loader->clock == CLOCK_TAI ? "TAI" : "the monotonic clock", offset_ns / 1e9);
	return 0;
}

uint64_t loader_end_startup(struct loader *loader)
{
	struct startup *startup = loader->programs.startup;

	startup->began_ns = loader->began_ns;
	__atomic_store_n(&startup->ended_ns, clock_kernel_ns(), __ATOMIC_RELEASE);
	return startup->ended_ns;
}

/*
 * A program that runs now may still write down what it found before, so this waits until it has
 * ended. It takes a system call that is not allowed on machines with nohz_full CPUs.
 */
static void forget_cgroup_verdicts(struct loader *loader)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(10000);
	for (int i = 0; i < NR_CGROUP_VERDICTS; i++)
		__atomic_store_n(&loader->programs.cgroup_verdicts[i], 0, __ATOMIC_RELAXED);
}

int loader_replace_cgroup(struct loader *loader, uint64_t gone, uint64_t come)
{
	int map = programs_map_fd(&loader->programs, MAP_OF_FILTER(FILTER_CGROUP)), err = 0;
	const __u8 present = 1;

	/* One that was named twice may be gone from the map already. */
	if (gone)
		bpf_map_delete_elem(map, &gone);
	if (come)
		err = bpf_map_update_elem(map, &come, &present, BPF_ANY);
	if (!err)
		forget_cgroup_verdicts(loader);
	return err;
}

clockid_t loader_clock(const struct loader *loader)
{
	return loader->clock;
}

void loader_free(struct loader *loader)
{
	if (!loader)
		return;
	unload(loader);
	free(loader);
}

static void find_programs(const struct loader *loader, struct map_fds *maps)
{
	struct bpf_program *program;

	for (unsigned int number = 0; number < MAX_PROGRAMS; number++)
		maps->programs[number] = -1;
	bpf_object__for_each_program(program, loader->programs.object)
		if (is_in_use(loader, program))
			maps->programs[program_number(program)] =
				loader->fds[program_number(program)];
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		maps->counts[probe] = loader->selection.tasks[probe] & TASK_COUNT;
}

struct map_fds loader_maps(const struct loader *loader)
{
	const struct programs *programs = &loader->programs;
	const struct bpf_map *rows = programs_map(programs, MAP_netstack_groups);
	const struct bpf_map *stages = programs_map(programs, MAP_netstack_stage_latency);
	struct map_fds maps = {
		.discards = programs_map_fd(programs, MAP_netstack_discards),
		.resolution = programs->config->resolution,
		.overhead = loader->plan->overhead,
		.slow_packets = programs_map_fd(programs, MAP_netstack_slow_packets),
		.waits = {
			.reads = programs_map_fd(programs, MAP_netstack_reader_waits),
			.answers = programs_map_fd(programs, MAP_netstack_answer_waits),
			.accepts = programs_map_fd(programs, MAP_netstack_accept_waits),
			.softirqs = programs_map_fd(programs, MAP_netstack_softirq_waits),
			.failures = programs_map_fd(programs, MAP_netstack_failures),
			.upstreams = programs_map_fd(programs, MAP_netstack_upstreams),
			.tcp_times = programs_map_fd(programs, MAP_tcp_times),
		},
		.stacks = {
			.stacks = programs_map_fd(programs, MAP_netstack_stacks),
			.waits = programs_map_fd(programs, MAP_netstack_stack_waits),
		},
		.slow_counts = programs_map_fd(programs, MAP_netstack_slow_counts),
		.stages = {
			.latency = programs_map_fd(programs, MAP_netstack_stage_latency),
			.unpaired = programs_map_fd(programs, MAP_netstack_unpaired),
			.drops = programs_map_fd(programs, MAP_netstack_stage_drops),
			.nr_blocks = stages ? bpf_map__max_entries(stages) : 0,
			.blocks = programs->config->stage_blocks,
			.probe_blocks = programs->config->probe_blocks,
		},
		.groups = {
			.rows = programs_map_fd(programs, MAP_netstack_groups),
			.latency = programs_map_fd(programs, MAP_netstack_group_latency),
			.row_of = programs_map_fd(programs, MAP_group_row_of),
			.recycled = programs_map_fd(programs, MAP_group_recycled_rows),
			.epoch = programs->group_epoch,
			.nr_rows = rows ? bpf_map__max_entries(rows) : 0,
			.keys = loader->plan->group_by,
		},
	};

	maps.groups.resolution = maps.resolution;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		maps.latency[hook] = programs_map_fd(programs, MAP_OF_HOOK(hook));
	find_programs(loader, &maps);
	return maps;
}
