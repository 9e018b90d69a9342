/* SPDX-License-Identifier: GPL-2.0 */
/* The table of hooks and probes (hooks.def) as user space sees it. */
#ifndef NETSTACKLAT_HOOKS_H
#define NETSTACKLAT_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/tables/config.h"

/* When a hook is measured unless users choose: always, with --stages, or with --trace, which has
 * stages, too. */
enum hook_default { HOOK_OFF, HOOK_ON, HOOK_STAGES, HOOK_TRACE };

struct hook_info {
	const char *name;    /* as users write it: tcp-do-rcv */
	const char *before;  /* what lies between the hook before and this one */
	const char *meaning; /* completes "the <subject> has ..." */
	const char *note;    /* a sentence of what else to know; NULL for none */
	const char *map;     /* the histogram map in the BPF object */
	enum hook_default is_default;
	unsigned int paths; /* that lead over it: PATH_*, a bit each */
	enum journey_place journey;
	unsigned int has;	/* what its programs have at hand: HAS_*, a bit each */
	enum probe first_probe; /* its probes follow each other */
};

/* The span of a hook that is a socket's; WAY_NONE for others. */
struct socket_span {
	enum socket_way way;
	unsigned int paths; /* PATH_*: of whose sockets */
	const char *begins; /* in a word */
};

struct probe_info {
	enum hook hook;
	const char *section; /* that program's: how it attaches, a slash, and where */
	bool is_fallback;    /* used only if the one above it cannot be */
	bool is_helper;	     /* counts nothing, but some that do need it */
	enum probe_when when;
	enum probe_ip ip;
};

/* A probe that is of no use without the program of another. */
struct probe_need {
	enum probe probe, other;
	enum task task; /* that the other does for it */
	enum probe_when when;
};

/* A probe whose work the program of another one does, if both count. */
struct probe_share {
	enum probe probe, other;
};

extern const struct hook_info hooks[NR_HOOKS];
extern const struct socket_span socket_spans[NR_HOOKS];
extern const struct probe_info probes[NR_PROBES];
extern const struct probe_need probe_needs[];
extern const unsigned int nr_probe_needs;
extern const struct probe_share probe_shares[];
extern const unsigned int nr_probe_shares;

/* The kernel's function or tracepoint where a probe is. */
const char *probe_target(enum probe probe);

/*
 * The programs of the BPF object, by number. Each probe has the program that counts and, behind it,
 * the one that runs at the entry of the same function and keeps what the other needs. Only probes
 * at return have that; for others, the number stays free.
 */
#define MAX_PROGRAMS (2 * NR_PROBES)
#define PROGRAM_OF(probe) (2 * (probe))
#define ENTRY_PROGRAM_OF(probe) (PROGRAM_OF(probe) + 1)
#define PROBE_OF(program) ((program) / 2)
#define IS_ENTRY_PROGRAM(program) ((program) % 2)

extern const char *const program_names[MAX_PROGRAMS];

/* All probes of a hook, but for helpers. */
#define for_each_probe_of(of_hook, probe)                   \
	for (enum probe probe = hooks[of_hook].first_probe; \
	     probe < NR_PROBES && probes[probe].hook == (of_hook); probe++)

/* The number of these: so many blocks of buckets are in its map. */
unsigned int hook_nr_probes(enum hook hook);

/*
 * Sets selected[] to value for each hook that pattern names: a hook's name, a kernel function of
 * it, or a shell pattern (fnmatch(3)) of either. If a pattern names hooks that are on by default,
 * with stages or with traces, it selects only these: tcp-* is the way in, and not the application.
 * "*" is all. Returns false if there is none.
 */
bool hooks_select(const char *pattern, bool value, bool selected[NR_HOOKS]);

/* IPPROTO_TCP or IPPROTO_UDP for hooks of these, or 0. */
uint8_t hook_protocol(enum hook hook);

/* The word for what has come to a hook: "packet", or "CPU" where there is no packet. */
const char *hook_subject(enum hook hook);

/*
 * Returns "Off unless chosen with -e.", or when else a hook is on that is not always on; NULL if it
 * is always on.
 */
const char *hook_default_text(enum hook hook);

/*
 * Selects what is measured unless users choose: all hooks that are on by default up to this level.
 */
void hooks_select_default(enum hook_default most, bool selected[NR_HOOKS]);

/* Why a fallback is left out that is not needed: nobody has to be told. */
#define NOT_NEEDED ""

/* Why each probe that was wanted is not attached; NULL for those that are. */
struct left_out {
	const char *why[NR_PROBES];
};

/* Returns whether any probe of the hook is attached. */
bool hook_is_attached(enum hook hook, const struct left_out *left_out);

#define HOOK_TEXT_SIZE 320

/* Writes "target, target": the hook's probes that are attached. Returns text. */
const char *hook_targets(enum hook hook, const struct left_out *left_out,
			 char text[HOOK_TEXT_SIZE]);

/*
 * Writes "target: why, target: why": the hook's probes that are left out; empty if none is. Returns
 * text.
 */
const char *hook_reason(enum hook hook, const struct left_out *left_out, char text[HOOK_TEXT_SIZE]);

#endif
