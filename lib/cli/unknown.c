// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/unknown.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/log.h"

#define NAMES_SIZE 512

static void append(char names[NAMES_SIZE], enum hook hook)
{
	size_t length = strlen(names);

	snprintf(names + length, NAMES_SIZE - length, "%s%s", length ? ", " : "", hooks[hook].name);
}

/* Each hook is named once: with the first filter that it does not know. */
static void leave_out(struct loader_config *programs, enum fact filter)
{
	char names[NAMES_SIZE] = "";

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (!programs->hooks[hook] ||
		    filter_unknown_at(hook, programs->filters.facts) != filter)
			continue;
		append(names, hook);
		programs->hooks[hook] = false;
	}
	if (*names)
		log_error("left out, as %s cannot be told there: %s", facts[filter].option, names);
}

static void tell_ungrouped(const struct loader_config *programs, enum fact fact)
{
	char names[NAMES_SIZE] = "", key[FACT_KEY_SIZE];

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (programs->hooks[hook] && !hook_knows(hook, fact))
			append(names, hook);
	if (*names)
		log_error("not grouped by %s, which is not known there: %s", fact_key(fact, key),
			  names);
}

void leave_out_unknown(struct loader_config *programs)
{
	/* Stages begin there all the same. */
	memcpy(programs->followed, programs->hooks, sizeof(programs->followed));
	for (enum fact fact = 0; fact < NR_FACTS; fact++)
		if (programs->filters.facts & 1U << fact)
			leave_out(programs, fact);
	for (enum fact fact = 0; fact < NR_FACTS; fact++)
		if (programs->group_by & 1U << fact)
			tell_ungrouped(programs, fact);
}
