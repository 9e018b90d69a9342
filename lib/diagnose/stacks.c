// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/printable.h"

void named_stack_free_frames(const struct named_stack *stack)
{
	for (int i = 0; i < NR_FRAMES; i++)
		free(stack->frames[i]);
}

static bool is_same(const struct named_stack *stack, const struct named_stack *other)
{
	if (stack->key.pid != other->key.pid || stack->key.port != other->key.port ||
	    stack->key.of != other->key.of)
		return false;
	for (int i = 0; i < NR_FRAMES; i++) {
		const char *frame = stack->frames[i], *of_other = other->frames[i];

		if (!frame || !of_other)
			return frame == of_other;
		if (strcmp(frame, of_other) != 0)
			return false;
	}
	return true;
}

int named_stacks_add(struct named_stacks *stacks, const struct named_stack *stack)
{
	struct named_stack *larger;

	for (size_t i = 0; i < stacks->nr; i++) {
		if (!is_same(&stacks->stacks[i], stack))
			continue;
		stacks->stacks[i].wait.count += stack->wait.count;
		stacks->stacks[i].wait.ns += stack->wait.ns;
		named_stack_free_frames(stack);
		return 0;
	}
	larger = reallocarray(stacks->stacks, stacks->nr + 1, sizeof(*larger));
	if (!larger) {
		named_stack_free_frames(stack);
		return -ENOMEM;
	}
	stacks->stacks = larger;
	stacks->stacks[stacks->nr++] = *stack;
	return 0;
}

static int compare_waits(const void *a, const void *b)
{
	const struct named_stack *stack = a, *other = b;

	return (stack->wait.ns < other->wait.ns) - (stack->wait.ns > other->wait.ns);
}

void named_stacks_sort(struct named_stacks *stacks)
{
	if (stacks->nr)
		qsort(stacks->stacks, stacks->nr, sizeof(*stacks->stacks), compare_waits);
}

void named_stacks_free(struct named_stacks *stacks)
{
	for (size_t i = 0; i < stacks->nr; i++)
		named_stack_free_frames(&stacks->stacks[i]);
	free(stacks->stacks);
	*stacks = (struct named_stacks){ 0 };
}

const struct named_stack *named_stacks_next(const struct named_stacks *stacks, enum stack_of of,
					    uint32_t pid, uint16_t port,
					    const struct named_stack *previous)
{
	const struct named_stack *stack = previous ? previous + 1 : stacks->stacks;

	for (; stack && stack < stacks->stacks + stacks->nr; stack++)
		if (stack->key.of == of && stack->key.pid == pid &&
		    (!port || stack->key.port == port))
			return stack;
	return NULL;
}

/* A semicolon would end a frame, and a newline is none any more. */
static void print_comm(FILE *out, const struct stack_wait *wait)
{
	char comm[COMM_SIZE + 1] = "", text[PRINTABLE_SIZE(COMM_SIZE)];

	memcpy(comm, wait->comm, COMM_SIZE);
	for (const char *c = printable_copy(text, comm); *c; c++)
		fputc(*c == ';' ? ':' : *c, out);
}

void named_stacks_print_collapsed(FILE *out, const struct named_stacks *stacks)
{
	static const char *const waits[NR_STACK_OF] = {
		[STACK_OF_READER] = "packets-for-its-reads",
		[STACK_OF_ANSWER] = "answers",
		[STACK_OF_HOLDER] = "segments-for-its-lock",
	};

	for (size_t i = 0; i < stacks->nr; i++) {
		const struct named_stack *stack = &stacks->stacks[i];

		print_comm(out, &stack->wait);
		fprintf(out, ";%s", waits[stack->key.of]);
		if (!stack->frames[0])
			fputs(";[none-taken]", out);
		for (int frame = NR_FRAMES - 1; frame >= 0; frame--)
			if (stack->frames[frame])
				fprintf(out, ";%s", stack->frames[frame]);
		fprintf(out, " %" PRIu64 "\n", (uint64_t)stack->wait.ns);
	}
}
