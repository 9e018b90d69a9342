/* SPDX-License-Identifier: GPL-2.0 */
/* The conditions that this user and this kernel must meet before anything else is tried. */
#ifndef NETSTACKLAT_PREFLIGHT_H
#define NETSTACKLAT_PREFLIGHT_H

#include <stdbool.h>

struct requirement {
	const char *name;
	/* btf_path: see kernel_btf() */
	bool (*is_met)(const char *btf_path);
	const char *finding; /* if it is met */
	const char *remedy;  /* if not: what is wrong, and what the user can do */
};

#define NR_REQUIREMENTS 3
/* Each makes sense only if those before it are met. */
extern const struct requirement requirements[NR_REQUIREMENTS];

/*
 * Checks that a file named by the user has a kernel's types. Returns 0 or, after saying what is
 * wrong, a negative errno.
 */
int preflight_btf_file(const char *path);

/* Returns whether BPF tracing programs can run here; if not, says what is missing. */
bool preflight(const char *btf_path);

#endif
