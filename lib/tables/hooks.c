// SPDX-License-Identifier: GPL-2.0
#include "lib/tables/hooks.h"

#include <fnmatch.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

const struct hook_info hooks[NR_HOOKS] = {
#define HOOK(hook_id, hook_name, hook_default, hook_paths, hook_journey, hook_has, hook_before, \
	     hook_meaning, hook_note)                                                           \
	[HOOK_##hook_id] = {                                                                    \
		.name = hook_name,                                                              \
		.before = hook_before,                                                          \
		.meaning = hook_meaning,                                                        \
		.note = hook_note,                                                              \
		.map = "netstack_latency_" #hook_id "_seconds",                                 \
		.is_default = HOOK_##hook_default,                                              \
		.paths = hook_paths,                                                            \
		.journey = hook_journey,                                                        \
		.has = hook_has,                                                                \
		.first_probe = FIRST_PROBE_##hook_id,                                           \
	},
#include "lib/tables/hooks.def"
};

const struct socket_span socket_spans[NR_HOOKS] = {
#define SOCKET_SPAN(hook, way, paths, begins) [HOOK_##hook] = { way, paths, begins },
#include "lib/tables/hooks.def"
};

/* The target is what is behind the slash. */
const struct probe_info probes[NR_PROBES] = {
#define PROBE(hook, id, section, ip) \
	[PROBE_##id] = { HOOK_##hook, section, false, false, ALWAYS, ip },
#define FALLBACK(hook, id, section, ip) \
	[PROBE_##id] = { HOOK_##hook, section, true, false, ALWAYS, ip },
#define HELPER(hook, id, section, when) \
	[PROBE_##id] = { HOOK_##hook, section, false, true, when, IP_ANY },
#include "lib/tables/hooks.def"
};

const struct probe_need probe_needs[] = {
#define NEEDS(probe, other, task, when) { PROBE_##probe, PROBE_##other, task, when },
#include "lib/tables/hooks.def"
};
const unsigned int nr_probe_needs = sizeof(probe_needs) / sizeof(*probe_needs);

const struct probe_share probe_shares[] = {
#define SHARES(probe, other) { PROBE_##probe, PROBE_##other },
#include "lib/tables/hooks.def"
};
const unsigned int nr_probe_shares = sizeof(probe_shares) / sizeof(*probe_shares);

const char *const program_names[MAX_PROGRAMS] = {
#define PROBE(hook, id, ...) \
	[PROGRAM_OF(PROBE_##id)] = #id, [ENTRY_PROGRAM_OF(PROBE_##id)] = #id "__entry",
#define HELPER(hook, id, ...) PROBE(hook, id, )
#include "lib/tables/hooks.def"
};

const char *probe_target(enum probe probe)
{
	return strchr(probes[probe].section, '/') + 1;
}

uint8_t hook_protocol(enum hook hook)
{
	switch (hooks[hook].paths | socket_spans[hook].paths) {
	case PATH_TCP:
		return IPPROTO_TCP;
	case PATH_UDP:
		return IPPROTO_UDP;
	default:
		return 0;
	}
}

unsigned int hook_nr_probes(enum hook hook)
{
	unsigned int nr = 0;

	for_each_probe_of(hook, probe)
		nr++;
	return nr;
}

/* This is what bcc's netstacklat calls ip-rcv; its other names are ours. */
#define BCC_IP_RCV "ip-start"

static bool is_named(enum hook hook, const char *pattern)
{
	if (!fnmatch(pattern, hooks[hook].name, 0) ||
	    (hook == HOOK_ip_rcv && !strcmp(pattern, BCC_IP_RCV)))
		return true;
	for_each_probe_of(hook, probe)
		if (!fnmatch(pattern, probe_target(probe), 0))
			return true;
	return false;
}

static bool select_named(const char *pattern, bool value, bool with_off, bool selected[NR_HOOKS])
{
	bool found = false;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (is_named(hook, pattern) && (with_off || hooks[hook].is_default != HOOK_OFF)) {
			selected[hook] = value;
			found = true;
		}
	return found;
}

bool hooks_select(const char *pattern, bool value, bool selected[NR_HOOKS])
{
	if (!value || !strcmp(pattern, "*"))
		return select_named(pattern, value, true, selected);
	return select_named(pattern, value, false, selected) ||
	       select_named(pattern, value, true, selected);
}

const char *hook_subject(enum hook hook)
{
	if (hooks[hook].has & HAS_SPAN)
		return hooks[hook].has & HAS_SOCKET ? "socket" : "CPU";
	return "packet";
}

const char *hook_default_text(enum hook hook)
{
	static const char *const texts[] = {
		[HOOK_OFF] = "Off unless chosen with -e.",
		[HOOK_ON] = NULL,
		[HOOK_STAGES] = "On with --stages, or if chosen with -e.",
		[HOOK_TRACE] = "On with --trace, or if chosen with -e.",
	};

	return texts[hooks[hook].is_default];
}

void hooks_select_default(enum hook_default most, bool selected[NR_HOOKS])
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		selected[hook] =
			hooks[hook].is_default != HOOK_OFF && hooks[hook].is_default <= most;
}

bool hook_is_attached(enum hook hook, const struct left_out *left_out)
{
	for_each_probe_of(hook, probe)
		if (!left_out->why[probe])
			return true;
	return false;
}

/* Adds "target" or "target: why" to a list. */
static void append(char text[HOOK_TEXT_SIZE], enum probe probe, const char *why)
{
	size_t length = strlen(text);

	snprintf(text + length, HOOK_TEXT_SIZE - length, "%s%s%s%s", length ? ", " : "",
		 probe_target(probe), why ? ": " : "", why ? why : "");
}

const char *hook_targets(enum hook hook, const struct left_out *left_out, char text[HOOK_TEXT_SIZE])
{
	*text = '\0';
	for_each_probe_of(hook, probe)
		if (!left_out->why[probe])
			append(text, probe, NULL);
	return text;
}

const char *hook_reason(enum hook hook, const struct left_out *left_out, char text[HOOK_TEXT_SIZE])
{
	*text = '\0';
	for_each_probe_of(hook, probe)
		if (left_out->why[probe] && *left_out->why[probe])
			append(text, probe, left_out->why[probe]);
	return text;
}
