// SPDX-License-Identifier: GPL-2.0
#include "hooks.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* What the skb tells, the socket, and the task that reads. */
#define KNOWS(fact) (1U << FACT_##fact)
#define KNOWS_ALWAYS (KNOWS(NETNS) | KNOWS(IP_VERSION) | KNOWS(CPU))
#define KNOWS_SKB (KNOWS_ALWAYS | KNOWS(INTERFACE))
/* A raw socket has no port; and a reader takes all that a UDP socket has queued at once. */
#define KNOWS_ANY_SOCKET (KNOWS_ALWAYS | KNOWS(CGROUP))
#define KNOWS_RAW_SOCKET (KNOWS_ANY_SOCKET | KNOWS(QUEUE_LENGTH))
#define KNOWS_EMPTIED_SOCKET (KNOWS_ANY_SOCKET | KNOWS(PORT))
#define KNOWS_SOCKET (KNOWS_RAW_SOCKET | KNOWS_EMPTIED_SOCKET)
#define KNOWS_READER (KNOWS(PID) | KNOWS(COMM))

const struct hook_info hooks[NR_HOOKS] = {
#define HOOK(id, name, facts, meaning) \
	[HOOK_##id] = { name, meaning, "netstack_latency_" #id "_seconds", facts },
#include "hooks.def"
};

const struct probe_info probes[NR_PROBES] = {
#define PROBE(hook, kind, function, ...) [PROBE_##function] = { HOOK_##hook, #function },
#include "hooks.def"
};

const struct fact_info facts[NR_FACTS] = {
#define FACT(id, name, option) [FACT_##id] = { name, option },
#include "facts.def"
};

bool hook_knows(enum hook hook, enum fact fact)
{
	return hooks[hook].facts & 1U << fact;
}

unsigned int hook_nr_probes(enum hook hook)
{
	unsigned int nr = 0;

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		nr += probes[probe].hook == hook;
	return nr;
}

bool hooks_select(const char *pattern, bool value, bool selected[NR_HOOKS])
{
	bool found = false;

	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		enum hook hook = probes[probe].hook;

		if (fnmatch(pattern, hooks[hook].name, 0) &&
		    fnmatch(pattern, probes[probe].function, 0))
			continue;
		selected[hook] = value;
		found = true;
	}
	return found;
}

bool hook_is_attached(enum hook hook, const struct left_out *left_out)
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (probes[probe].hook == hook && !left_out->why[probe])
			return true;
	return false;
}

const char *hook_reason(enum hook hook, const struct left_out *left_out,
			char text[HOOK_REASON_SIZE])
{
	*text = '\0';
	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		size_t length = strlen(text);

		if (probes[probe].hook == hook && left_out->why[probe])
			snprintf(text + length, HOOK_REASON_SIZE - length, "%s%s: %s",
				 length ? ", " : "", probes[probe].function, left_out->why[probe]);
	}
	return text;
}
