// SPDX-License-Identifier: GPL-2.0
#include "lib/live/live.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/live/screen.h"
#include "lib/report/stage_names.h"
#include "lib/counts/stages.h"

/* Ten minutes of seconds. */
#define MAX_COLUMNS 600
#define MAX_PACKETS 16

struct live {
	const struct report_setup *setup;
	uint64_t interval_ns;
	struct timeline *timeline;
	struct view view;
	struct screen *screen; /* NULL: not open */
	char message[256];     /* the last one, which was seen once a key is pressed */
	bool is_seen;
	char *packets[MAX_PACKETS]; /* the latest first */
	size_t nr_packets;
};

struct live *live_new(const struct report_setup *setup, unsigned int resolution,
		      uint64_t interval_ns)
{
	const bool is_possible[NR_VIEWS] = {
		[VIEW_STAGES] = setup->stages,
		[VIEW_HOOKS] = true,
		[VIEW_GROUPS] = setup->group_by,
	};
	struct live *live = calloc(1, sizeof(*live));

	if (!live)
		return NULL;
	live->setup = setup;
	live->interval_ns = interval_ns;
	live->timeline = timeline_new(resolution, MAX_COLUMNS, MAX_PANELS);
	view_init(&live->view, is_possible, resolution);
	if (live->timeline)
		return live;
	free(live);
	errno = ENOMEM;
	return NULL;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	live_close(live);
	timeline_free(live->timeline);
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
	const struct picture picture = {
		.view = &live->view,
		.timeline = live->timeline,
		.message = new_message(live),
		.shows_packets = live->setup->slow,
		.packets = (const char *const *)live->packets,
		.nr_packets = live->nr_packets,
	};

	if (!live_is_open(live))
		return;
	view_list_panels(&live->view, live->timeline);
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

static int add_hooks(struct live *live, const struct report *report)
{
	int err = 0;

	for (enum hook hook = 0; hook < NR_HOOKS && !err; hook++) {
		const struct timeline_name name = { VIEW_HOOKS, hook, "", hooks[hook].name };

		if (report_shows(report, hook))
			err = timeline_add(live->timeline, &name,
					   report->hooks[hook].latency.buckets);
	}
	return err;
}

static int add_group(struct live *live, const struct report *report,
		     const struct report_group *group)
{
	struct timeline_name name = { .view = VIEW_GROUPS, .rank = group->group->hook };
	char *labels = report_group_text(report, group);
	int err;

	name.section = hooks[group->group->hook].name;
	name.label = labels && *labels ? labels : "all";
	err = labels ? timeline_add(live->timeline, &name, group->buckets) : -ENOMEM;
	free(labels);
	return err;
}

/* "tcp-start <- netif-receive" if it goes past hooks, or with what lies in between. */
static void name_stage(const struct report *report, const struct group *stage, char *label,
		       size_t size)
{
	struct stage_names names = stage_names_of(report, stage->from, stage->hook);

	if (stage_skips(report->setup->followed, stage->from, stage->hook))
		snprintf(label, size, "%s <- %s", names.to, names.from);
	else
		snprintf(label, size, "%s (%s)", names.to, names.before);
}

static int add_stage(struct live *live, const struct report *report,
		     const struct report_group *stage)
{
	size_t table = stage_table(stage->group);
	char *labels = report_group_text(report, stage), section[256], label[128];
	const struct timeline_name name = {
		.view = VIEW_STAGES,
		.rank = table * NR_HOOKS + stage->group->hook,
		.section = section,
		.label = label,
	};
	int err;

	snprintf(section, sizeof(section), "%s, %s%s%s", stage_table_way(table),
		 stage_table_name(table), labels && *labels ? " " : "", labels ? labels : "");
	name_stage(report, stage->group, label, sizeof(label));
	err = timeline_add(live->timeline, &name, stage->buckets);
	free(labels);
	return err;
}

int live_report(struct live *live, const struct report *report)
{
	const struct timeline_column column = {
		.time_ns = report->time_ns,
		.duration_ns = report->duration_ns,
		.clock_changed = report->clock_change.time,
		.is_gap = report->duration_ns > live->interval_ns + live->interval_ns / 2,
	};
	int err;

	report_look_up_names(report);
	timeline_begin_column(live->timeline, &column);
	err = add_hooks(live, report);
	for (size_t i = 0; i < report->nr_groups && !err; i++)
		err = add_group(live, report, &report->groups[i]);
	for (size_t i = 0; i < report->nr_stages && !err; i++)
		err = add_stage(live, report, &report->stages[i]);
	view_shift(&live->view, live->timeline);
	draw(live);
	return err ? log_failure(err, "cannot keep what is drawn") : 0;
}

/* The first line of its text; its journey is for those who have room. */
void live_packet(struct live *live, const struct packet_report *packet)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	packet_print_text(out, packet);
	fclose(out);
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

void live_resized(struct live *live)
{
	if (!live_is_open(live))
		return;
	screen_resize(live->screen);
	draw(live);
}
