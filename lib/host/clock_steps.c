// SPDX-License-Identifier: GPL-2.0
#include "lib/host/clock_steps.h"

#include "lib/tables/units.h"

/* Two readings of one clock differ by less; smaller steps count when they have added up. */
#define MIN_STEP_NS NS_PER_MS

void clock_steps_init(struct clock_steps *steps, const struct clock_offsets *offsets)
{
	*steps = (struct clock_steps){ .offsets = *offsets };
}

static uint64_t larger(uint64_t step_ns, int64_t difference_ns)
{
	uint64_t size_ns = difference_ns < 0 ? -difference_ns : difference_ns;

	return size_ns > step_ns ? size_ns : step_ns;
}

void clock_steps_look(struct clock_steps *steps, const struct clock_offsets *offsets, time_t now)
{
	int64_t wall_ns = offsets->wall_ns - steps->offsets.wall_ns;
	int64_t tai_ns = offsets->tai_ns - steps->offsets.tai_ns;
	uint64_t step_ns = larger(larger(0, wall_ns), tai_ns);

	if (step_ns < MIN_STEP_NS)
		return;
	steps->offsets = *offsets;
	steps->change.time = now;
	steps->change.wall_ns += wall_ns;
	steps->change.tai_ns += tai_ns;
	if (step_ns > steps->step_ns)
		steps->step_ns = step_ns;
}

uint64_t clock_steps_end_interval(struct clock_steps *steps)
{
	uint64_t step_ns = larger(steps->step_ns, steps->last_step_ns);

	steps->last_step_ns = steps->step_ns;
	steps->step_ns = 0;
	return step_ns;
}

struct clock_change clock_steps_report(struct clock_steps *steps)
{
	struct clock_change change = steps->change;

	steps->change = (struct clock_change){ 0 };
	return change;
}
