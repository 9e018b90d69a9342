// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/classes.h"

#include <string.h>

#include "lib/counts/stages.h"
#include "lib/tables/tcp_limit.h"

const struct class_info classes[NR_CLASSES] = {
#define CLASS(id, ...) [CLASS_##id] = { __VA_ARGS__ },
#include "lib/diagnose/classes.def"
};

#define HOOK_ANY ANY

static const struct class_stage stages[] = {
#define STAGE(class, to, from, between) \
	{ CLASS_##class, HOOK_##to, HOOK_##from, between, 0, false },
#define UNHELD(class, to, between) { CLASS_##class, HOOK_##to, ANY, between, 0, true },
#include "lib/diagnose/classes.def"
};
#define NR_STAGES (sizeof(stages) / sizeof(*stages))

#define LIMIT(limit) (1U << TCP_LIMIT_##limit)

static const struct class_stage spans[] = {
#define SPAN(class, hook, limits, between) \
	{ CLASS_##class, HOOK_##hook, ANY, between, limits, false },
#include "lib/diagnose/classes.def"
};
#define NR_SPANS (sizeof(spans) / sizeof(*spans))

static const struct class_drop drops[] = {
#define DROP(reason, cause, next) { reason, cause, next },
#define HARMLESS(reason) { reason, NULL, NULL },
#include "lib/diagnose/classes.def"
};
#define NR_DROPS (sizeof(drops) / sizeof(*drops))

static const struct class_stage *find_stage(int from, enum hook to, bool is_unheld)
{
	for (size_t i = 0; i < NR_STAGES; i++)
		if (stages[i].to == to && (stages[i].from == ANY || stages[i].from == from) &&
		    stages[i].is_unheld == is_unheld)
			return &stages[i];
	return NULL;
}

const struct class_stage *class_stage_find(int from, enum hook to)
{
	return find_stage(from, to, false);
}

int class_from_hook(const struct group *group)
{
	return group->from == FROM_STAMP ? ANY : (int)stage_from_hook(group->from);
}

const struct class_stage *class_stage_of(const struct group *group)
{
	bool is_unheld = hooks[group->hook].has & HAS_HOLDER && !group->key.pid;

	return find_stage(class_from_hook(group), group->hook, is_unheld);
}

const struct class_stage *class_stage_beside(const struct class_stage *stage)
{
	return find_stage(stage->from, stage->to, !stage->is_unheld);
}

const struct class_stage *class_span_next(enum hook hook, const struct class_stage *span)
{
	for (span = span ? span + 1 : spans; span < spans + NR_SPANS; span++)
		if (span->to == hook)
			return span;
	return NULL;
}

const struct class_drop *class_drop_find(const char *reason)
{
	for (size_t i = 0; i < NR_DROPS; i++)
		if (!strcmp(drops[i].reason, reason))
			return &drops[i];
	return NULL;
}

const struct class_drop *class_drop_judge(const char *reason)
{
	const struct class_drop *drop = class_drop_find(reason) ?: class_drop_find(DROP_FOR_OTHER);

	return drop->cause ? drop : NULL;
}
