// SPDX-License-Identifier: GPL-2.0
/* Times the programs of tests/bench/native.bpf.c on this very machine, and prints that as JSON. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sysexits.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/kernel/btf.h"
#include "lib/tables/hooks.h"
#include "lib/tables/units.h"
#include "netstacklat.h"
#include "tests/bench/native.skel.h"

/* Of the hook that the programs count at. */
#define LATENCY_MAP(skeleton) ((skeleton)->maps.netstack_latency_udp_start_seconds)

/* Short, for a round that nothing disturbs; and many, for some are such. */
#define RUNS_PER_ROUND 10000
#define ROUNDS 5000

enum { EMPTY, FLOOR, RECORD, NR_PROGRAMS };

static long long now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int set_clock(struct native_bpf *skeleton)
{
	struct btf *btf = kernel_btf(NULL);
	int64_t offset_ns;
	int err;

	if (!btf)
		return -errno;
	err = clock_offset_ns(kernel_has_helper(btf, "BPF_FUNC_ktime_get_tai_ns") ? CLOCK_TAI
										  : CLOCK_MONOTONIC,
			      &offset_ns);
	btf__free(btf);
	if (!err)
		skeleton->bss->clock_offset_ns = offset_ns;
	return err;
}

/*
 * Runs the program on a packet that was received just now; *least_ns is that of its shortest round.
 * The time that this thread ran, as the kernel itself counts whole ns for a run.
 */
static int run_round(const struct bpf_program *program, long long *least_ns)
{
	char packet[ETH_HLEN] = { 0 };
	struct __sk_buff context = { .tstamp = now_ns(CLOCK_REALTIME) };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .ctx_in = &context, .ctx_size_in = sizeof(context), .repeat = RUNS_PER_ROUND);
	long long ns = -now_ns(CLOCK_THREAD_CPUTIME_ID);
	int err = bpf_prog_test_run_opts(bpf_program__fd(program), &opts);

	ns += now_ns(CLOCK_THREAD_CPUTIME_ID);
	if (ns < *least_ns)
		*least_ns = ns;
	return err;
}

/* In turns, for all to meet the same disturbances. What disturbs only adds: the least is the truth.
 */
static int run_all(struct native_bpf *skeleton, long long least_ns[NR_PROGRAMS])
{
	const struct bpf_program *programs[NR_PROGRAMS] = {
		[EMPTY] = skeleton->progs.empty,
		[FLOOR] = skeleton->progs.stamp_and_clock,
		[RECORD] = skeleton->progs.record_default,
	};
	int err = 0;

	for (int i = 0; i < NR_PROGRAMS; i++)
		least_ns[i] = INT64_MAX;
	for (int i = 0; i < ROUNDS * NR_PROGRAMS && !err; i++)
		err = run_round(programs[i % NR_PROGRAMS], &least_ns[i % NR_PROGRAMS]);
	return err;
}

/* Whether each run ended in a bucket other than the last, for else another way was timed. */
static bool all_recorded(struct native_bpf *skeleton)
{
	int nr_cpus = libbpf_num_possible_cpus();
	struct bucket *values = calloc(nr_cpus > 0 ? nr_cpus : 1, sizeof(*values));
	unsigned long long count = 0;

	for (__u32 key = 0; values && key < NR_BUCKETS(0) - 1; key++) {
		if (bpf_map__lookup_elem(LATENCY_MAP(skeleton), &key, sizeof(key), values,
					 nr_cpus * sizeof(*values), 0))
			break;
		for (int cpu = 0; cpu < nr_cpus; cpu++)
			count += values[cpu].count;
	}
	free(values);
	return count == (unsigned long long)ROUNDS * RUNS_PER_ROUND;
}

static void print(const long long least_ns[NR_PROGRAMS])
{
	double floor_ns = (double)(least_ns[FLOOR] - least_ns[EMPTY]) / RUNS_PER_ROUND;
	double record_ns = (double)(least_ns[RECORD] - least_ns[EMPTY]) / RUNS_PER_ROUND;
	struct utsname kernel;

	uname(&kernel);
	printf("{\"kernel\": \"%s\", \"floor_ns\": %.2f, \"record_ns\": %.2f, \"ratio\": %.3f}\n",
	       kernel.release, floor_ns, record_ns, record_ns / floor_ns);
}

static int fail(int err)
{
	fprintf(stderr, "native: this kernel does not run tc programs for us: %s\n",
		strerror(-err));
	return err == -EPERM || err == -EACCES ? EX_NOPERM : EXIT_FAILURE;
}

/* EX_NOPERM if this kernel or user may not do that. */
int main(void)
{
	struct native_bpf *skeleton;
	long long least_ns[NR_PROGRAMS];
	int err;

	libbpf_set_print(NULL);
	skeleton = native_bpf__open();
	if (!skeleton)
		return fail(-errno);
	err = bpf_map__set_max_entries(LATENCY_MAP(skeleton),
				       hook_nr_probes(HOOK_udp_start) * NR_BUCKETS(0));
	if (!err)
		err = native_bpf__load(skeleton);
	if (!err)
		err = set_clock(skeleton);
	if (!err)
		err = run_all(skeleton, least_ns);
	if (err)
		return fail(err);

	if (!all_recorded(skeleton)) {
		fputs("native: not every run was recorded\n", stderr);
		return EXIT_FAILURE;
	}
	print(least_ns);
	native_bpf__destroy(skeleton);
	return EXIT_SUCCESS;
}
