/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads programs one by one. libbpf loads all or none: if the kernel refused one, all others would
 * have to be loaded again.
 */
#ifndef NETSTACKLAT_PROGRAM_LOAD_H
#define NETSTACKLAT_PROGRAM_LOAD_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/*
 * Call this while libbpf prepares a program (prog_prepare_load_fn), with the options that it hands
 * out. With -v, says why a program is refused. Returns a file descriptor, which the caller closes,
 * or a negative errno. (Some versions of libbpf write to the options how large a log is.)
 */
int program_load(const struct bpf_program *program, struct bpf_prog_load_opts *opts);

/*
 * Has libbpf load a program that does nothing in place of this one. Call it at the same time.
 * Returns 0 or a negative errno.
 */
int program_leave_stub(struct bpf_program *program, struct bpf_prog_load_opts *opts);

/* Attaches a program that does nothing, and detaches it. Returns 0 or a negative errno. */
int program_try_attach(int function);

#endif
