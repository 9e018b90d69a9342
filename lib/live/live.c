// SPDX-License-Identifier: GPL-2.0
#include "lib/live/live.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/duration.h"
#include "lib/base/log.h"
#include "lib/live/screen.h"

#define MAX_LINES 100

struct live {
	const struct report_setup *setup;
	const struct recording *recording;
	struct view view;
	struct screen *screen; /* NULL: not open */
	char message[256];     /* the last one, which was seen once a key is pressed */
	bool is_seen;
	bool has_verdicts; /* instead of slow packets */
	char title[64];	   /* of the lines below; none is empty */
	char *lines[MAX_LINES];
	size_t nr_lines;
};

struct live *live_new(const struct report_setup *setup, const struct recording *recording,
		      bool has_verdicts)
{
	const struct splits *splits = recording_splits(recording);
	const bool is_possible[NR_VIEWS] = {
		[VIEW_STAGES] = setup->plan.stages,
		[VIEW_HOOKS] = true,
		[VIEW_GROUPS] = splits->masks[splits->nr - 1],
	};
	struct live *live = calloc(1, sizeof(*live));

	if (!live)
		return NULL;
	live->setup = setup;
	live->recording = recording;
	live->has_verdicts = has_verdicts;
	if (has_verdicts || setup->plan.slow)
		snprintf(live->title, sizeof(live->title), "no %s yet",
			 has_verdicts ? "verdict" : "slow packets");
	view_init(&live->view, is_possible, splits,
		  timeline_resolution(recording_timeline(recording)));
	return live;
}

static void forget_lines(struct live *live)
{
	for (size_t i = 0; i < live->nr_lines; i++)
		free(live->lines[i]);
	live->nr_lines = 0;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	live_close(live);
	forget_lines(live);
	free(live);
}

bool live_is_open(const struct live *live)
{
	return live && live->screen;
}

/* NULL: none, or it was seen. */
static const char *new_message(struct live *live)
{
	const char *last = log_held();

	if (last && strcmp(last, live->message)) {
		snprintf(live->message, sizeof(live->message), "%s", last);
		live->is_seen = false;
	}
	return last && !live->is_seen ? live->message : NULL;
}

static void draw(struct live *live)
{
	const struct timeline *timeline = recording_timeline(live->recording);
	const struct picture picture = {
		.view = &live->view,
		.timeline = timeline,
		.message = new_message(live),
		.title = live->title,
		.lines = (const char *const *)live->lines,
		.nr_lines = live->nr_lines,
		.is_verdict = live->has_verdicts,
	};

	if (!live_is_open(live))
		return;
	view_list_panels(&live->view, timeline);
	screen_draw(live->screen, &picture);
}

bool live_open(struct live *live, enum colour colour)
{
	live->screen = screen_open(colour);
	if (!live->screen)
		return false;
	log_hold();
	draw(live);
	return true;
}

void live_close(struct live *live)
{
	if (!live_is_open(live))
		return;
	screen_close(live->screen);
	live->screen = NULL;
	log_release();
}

void live_update(struct live *live)
{
	view_shift(&live->view, recording_timeline(live->recording));
	draw(live);
}

/* If there are too many, the last one goes. The text is the line's from now on. */
static void add_line_on_top(struct live *live, char *text)
{
	if (live->nr_lines == MAX_LINES)
		free(live->lines[--live->nr_lines]);
	memmove(&live->lines[1], &live->lines[0], live->nr_lines * sizeof(*live->lines));
	live->lines[0] = text;
	live->nr_lines++;
}

/*
 * Finds a line that the packet's text marks, such as "        +51.3ms udp-socket-read  <- 100 %";
 * NULL if there is none.
 */
static char *longest_step_text(const struct packet_report *packet)
{
	const struct packet_step *step = packet_longest_step(packet);
	char ns[DURATION_TEXT_SIZE], *text = NULL;

	if (!step || !packet->latency_ns ||
	    asprintf(&text, "%14s%s %s  <- %.0f %%", "+", duration_text(step->ns, ns),
		     packet_step_name(step), 100.0 * step->ns / packet->latency_ns) < 0)
		return NULL;
	return text;
}

/* The first line of its text, and where on its journey it took longest. */
void live_packet(struct live *live, const struct packet_report *packet)
{
	char *text = packet_text(packet_print_text, packet), *longest = longest_step_text(packet);

	if (longest)
		add_line_on_top(live, longest);
	if (!text)
		return;
	text[strcspn(text, "\n")] = '\0';
	add_line_on_top(live, text);
	snprintf(live->title, sizeof(live->title), "slow packets, the latest first");
}

void live_verdict(struct live *live, const char *text)
{
	time_t now = time(NULL);

	strftime(live->title, sizeof(live->title), "the verdict at %H:%M:%S", localtime(&now));
	forget_lines(live);
	while (*text && live->nr_lines < MAX_LINES) {
		size_t length = strcspn(text, "\n");
		char *line = length ? strndup(text, length) : NULL;

		if (line)
			live->lines[live->nr_lines++] = line;
		text += length + !!text[length];
	}
	draw(live);
}

/* Returns whether the terminal has gone: nobody will press a key any more. */
static bool has_hung_up(void)
{
	struct pollfd terminal = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&terminal, 1, 0) > 0 && terminal.revents & (POLLHUP | POLLERR);
}

bool live_keys(struct live *live)
{
	int key;

	if (!live_is_open(live))
		return true;
	live->is_seen = true;
	while ((key = screen_key(live->screen)) >= 0)
		if (!view_key(&live->view, key))
			return false;
	draw(live);
	return !has_hung_up();
}

bool live_wants_page(struct live *live)
{
	bool wants = live->view.wants_page;

	live->view.wants_page = false;
	return wants;
}

void live_resized(struct live *live)
{
	if (!live_is_open(live))
		return;
	screen_resize(live->screen);
	draw(live);
}
