// SPDX-License-Identifier: GPL-2.0
#include "lib/live/live.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/live/screen.h"

#define MAX_PACKETS 16

struct live {
	const struct report_setup *setup;
	const struct recording *recording;
	struct view view;
	struct screen *screen; /* NULL: not open */
	char message[256];     /* the last one, which was seen once a key is pressed */
	bool is_seen;
	char *packets[MAX_PACKETS]; /* the latest first */
	size_t nr_packets;
};

struct live *live_new(const struct report_setup *setup, const struct recording *recording)
{
	const bool is_possible[NR_VIEWS] = {
		[VIEW_STAGES] = setup->plan.stages,
		[VIEW_HOOKS] = true,
		[VIEW_GROUPS] = setup->plan.group_by,
	};
	struct live *live = calloc(1, sizeof(*live));

	if (!live)
		return NULL;
	live->setup = setup;
	live->recording = recording;
	view_init(&live->view, is_possible, timeline_resolution(recording_timeline(recording)));
	return live;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	live_close(live);
	for (size_t i = 0; i < live->nr_packets; i++)
		free(live->packets[i]);
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
		.shows_packets = live->setup->plan.slow,
		.packets = (const char *const *)live->packets,
		.nr_packets = live->nr_packets,
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

/* The first line of its text; its journey is for those who have room. */
void live_packet(struct live *live, const struct packet_report *packet)
{
	char *text = packet_text(packet_print_text, packet);

	if (!text)
		return;
	text[strcspn(text, "\n")] = '\0';
	if (live->nr_packets == MAX_PACKETS)
		free(live->packets[--live->nr_packets]);
	memmove(&live->packets[1], &live->packets[0], live->nr_packets * sizeof(*live->packets));
	live->packets[0] = text;
	live->nr_packets++;
}

/* Nobody will press a key any more. */
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
