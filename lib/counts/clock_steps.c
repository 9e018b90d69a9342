// SPDX-License-Identifier: GPL-2.0
#include "lib/counts/clock_steps.h"

#include "lib/tables/units.h"

/*
 * Two readings of one clock differ by less than this. Smaller steps count once they have added up.
 */
#define MIN_STEP_NS NS_PER_MS

/* The size of a step that nobody saw: smaller ones are not looked for. */
#define UNSEEN_STEP_NS NS_PER_S

void clock_steps_init(struct clock_steps *steps, const struct clock_offsets *offsets)
{
	*steps = (struct clock_steps){ .offsets = *offsets };
}

static uint64_t larger_size(int64_t a_ns, int64_t b_ns)
{
	uint64_t a_size_ns = a_ns < 0 ? -a_ns : a_ns, b_size_ns = b_ns < 0 ? -b_ns : b_ns;

	return a_size_ns > b_size_ns ? a_size_ns : b_size_ns;
}

static void remember(struct clock_steps *steps, uint64_t size_ns, uint64_t now_ns)
{
	steps->steps[steps->next] = (struct clock_step){ size_ns, now_ns };
	steps->next = (steps->next + 1) % NR_CLOCK_STEPS;
	steps->nr++;
}

void clock_steps_look(struct clock_steps *steps, const struct clock_offsets *offsets, bool was_set,
		      time_t now, uint64_t now_ns)
{
	int64_t wall_ns = offsets->wall_ns - steps->offsets.wall_ns;
	int64_t tai_ns = offsets->tai_ns - steps->offsets.tai_ns;
	uint64_t size_ns = larger_size(wall_ns, tai_ns);

	if (size_ns >= MIN_STEP_NS) {
		steps->offsets = *offsets;
		steps->change.wall_ns += wall_ns;
		steps->change.tai_ns += tai_ns;
		steps->is_unannounced = !was_set && larger_size(wall_ns, 0) >= MIN_STEP_NS;
	} else if (was_set && !steps->is_unannounced) {
		size_ns = UNSEEN_STEP_NS;
	} else {
		steps->is_unannounced = steps->is_unannounced && !was_set;
		return;
	}
	steps->change.time = now;
	remember(steps, size_ns, now_ns);
}

struct clock_invalidated clock_steps_invalidated(const struct clock_steps *steps,
						 uint64_t started_ns)
{
	struct clock_invalidated invalidated = { .from_ns = UINT64_MAX };

	for (int i = 0; i < NR_CLOCK_STEPS; i++) {
		const struct clock_step *step = &steps->steps[i];
		uint64_t age_ns = 0;

		if (!step->size_ns)
			continue;
		if (started_ns > step->noticed_ns)
			age_ns = started_ns - step->noticed_ns;
		if (step->size_ns + age_ns < invalidated.from_ns)
			invalidated.from_ns = step->size_ns + age_ns;
		if (age_ns < step->size_ns)
			invalidated.stamps = true;
	}
	return invalidated;
}

struct clock_change clock_steps_report(struct clock_steps *steps)
{
	struct clock_change change = steps->change;

	steps->change = (struct clock_change){ 0 };
	return change;
}
