// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/program_load.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/kernel/messages.h"
#include "lib/kernel/refusal.h"

/* Before Linux 5.2, the kernel takes no more than 16 MiB less one byte, and it says a lot. */
#define LOG_SIZE (16 * 1024 * 1024 - 1)

static int load(const struct bpf_program *program, struct bpf_prog_load_opts *opts)
{
	return bpf_prog_load(BPF_PROG_TYPE_TRACING, bpf_program__name(program), "GPL",
			     bpf_program__insns(program), bpf_program__insn_cnt(program), opts);
}

/* The verifier tells its reasons only to who asks for them before. */
static void print_reasons(const struct bpf_program *program, const struct bpf_prog_load_opts *opts)
{
	struct bpf_prog_load_opts with_log = *opts;
	char *log = calloc(1, LOG_SIZE);

	if (!log)
		return;
	with_log.log_level = 1;
	with_log.log_buf = log;
	with_log.log_size = LOG_SIZE;
	load(program, &with_log);
	messages_print(log);
	free(log);
}

int program_load(const struct bpf_program *program, struct bpf_prog_load_opts *opts)
{
	int fd = load(program, opts);

	if (fd < 0 && is_refusal(-fd) && log_is_verbose())
		print_reasons(program, opts);
	return fd;
}

static struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};
#define NR_NOTHING (sizeof(nothing) / sizeof(*nothing))

int program_leave_stub(struct bpf_program *program, struct bpf_prog_load_opts *opts)
{
	/* A type that is attached to nothing in the kernel's BTF. */
	opts->attach_btf_id = 0;
	opts->expected_attach_type = 0;
	opts->func_info_cnt = 0;
	opts->line_info_cnt = 0;
	return bpf_program__set_insns(program, nothing, NR_NOTHING);
}

int program_try_attach(int function)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = function);
	int program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "attachable", "GPL", nothing, NR_NOTHING,
				    &opts);
	int link = program < 0 ? -1 : bpf_raw_tracepoint_open(NULL, program);
	int err = link < 0 ? -errno : 0;

	if (link >= 0)
		close(link);
	if (program >= 0)
		close(program);
	return err;
}
