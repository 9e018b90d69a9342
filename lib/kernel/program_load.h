/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads programs one by one. libbpf loads all or none: where the kernel refuses one, it would take
 * all the others to be loaded again.
 */
#ifndef NETSTACKLAT_PROGRAM_LOAD_H
#define NETSTACKLAT_PROGRAM_LOAD_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/*
 * Call this while libbpf prepares a program (prog_prepare_load_fn), with what that is handed. With
 * -v, says why a program is refused. Returns a file descriptor, which is the caller's to close, or
 * a negative errno. (Some versions of libbpf write to the options how large a log is.)
 */
int program_load(const struct bpf_program *program, struct bpf_prog_load_opts *opts);

/*
 * Has libbpf load a program that does nothing in place of this one. To be called then, too.
 * Returns 0 or a negative errno.
 */
int program_leave_stub(struct bpf_program *program, struct bpf_prog_load_opts *opts);

/* Attaches a program that does nothing, and lets go of it. Returns 0 or a negative errno. */
int program_try_attach(int function);

#endif
