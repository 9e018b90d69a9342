/* SPDX-License-Identifier: GPL-2.0 */
/* Sums of a report for each class at each place, over all groups there. Pure arithmetic. */
#ifndef NETSTACKLAT_TALLY_H
#define NETSTACKLAT_TALLY_H

#include "lib/diagnose/classes.h"
#include "lib/diagnose/service_ports.h"
#include "lib/report/report.h"

/* The place of a finding. Members that its scope does not have are zero. */
struct place {
	uint64_t netns;
	uint32_t ifindex;
	uint32_t pid; /* of a client, whose ports say nothing */
	uint16_t cpu, port;
	uint8_t protocol; /* IPPROTO_*, 0: others */
};

/* NULL for others than TCP and UDP. */
const char *place_protocol_name(const struct place *place);

bool place_is_same(const struct place *place, const struct place *other);

/* A finding is about a class at a place. Subjects have an order, so that they can be searched. */
struct subject {
	enum class class;
	struct place place;
};
int subject_compare(const struct subject *subject, const struct subject *other);

/*
 * A client has another port for each connection, so its port is no part of a place. Neither is the
 * task that held the lock while segments waited.
 */
struct place place_of_service(const struct service_ports *ports, const struct group *group);

/* Returns where a group is, for findings of such a class. */
struct place place_of(const struct service_ports *ports, enum class class,
		      const struct group *group);

/* A smaller number or share is late by chance, unless it is late by many times as much. */
#define MIN_LATE 3
#define MIN_LATE_PERCENT 1
#define VERY_LATE 100

/* Packets that are late in one second only are late by chance, too, unless by this factor. */
#define LATE_ONCE 10

/* A queue of one is soon empty: its reader may have had other things to do. */
#define LONG_QUEUE 2

/*
 * A reader that is busy for this share of a second has no time left: the second may begin while it
 * reads.
 */
#define BUSY_PERCENT 80

/*
 * Answers are late if they take so many times the median of their application, however steady it
 * is.
 */
#define APPLICATION_TAIL 16

/* Packets that take as long are late. */
struct thresholds {
	uint64_t stack_ns; /* in the stack */
	uint64_t task_ns;  /* for a task, which waits for others that run, on a healthy host, too */
	uint64_t application_ns; /* from a request to the reply, if it takes as long for most */
};

/* Counts of samples, and of those that are late or, without times, lost. */
struct lateness {
	uint64_t count, late;
	uint64_t very_late; /* of these, VERY_LATE times as much ... */
	uint64_t late_once; /* ... and LATE_ONCE times */
	uint64_t late_ns;   /* all of the late ones together */
	uint64_t p50_ns, p99_ns, max_ns;
	uint64_t latest_ns; /* but for as few as may be late by chance */
};

enum { ASLEEP, READY, RUNNING, NR_PARTS };

struct tally {
	enum class class;
	struct place place;
	struct bucket *buckets; /* and behind them, as many for each part, and for the backlog */
	uint64_t queued;	/* of these, not read yet */
	struct lateness lateness;
	/*
	 * Datagrams wait for the reader, and for its work on those before them. This is both
	 * together.
	 */
	struct lateness backlog;
	/* The reader's parts of late datagrams, without their waits for others, all together. */
	uint64_t read_ns[NR_PARTS];
	bool is_overload;	    /* more of them came than the reader had time for */
	uint64_t came_again;	    /* of late segments: the socket had them already */
	uint64_t part_ns[NR_PARTS]; /* of what waits late for a reader, as far as that is known */
	const struct class_stage *stage;
	/* The group with the most late packets. Groups whose task is sure come first. */
	const struct report_group *main;
	uint64_t main_ns;
};

struct tallies {
	struct thresholds thresholds;
	const struct service_ports *ports; /* the caller's */
	uint64_t duration_ns;
	unsigned int resolution, nr_buckets;
	size_t nr, room;
	struct tally *tallies;
	void *index; /* of their subjects, for tsearch(3) */
	struct bucket *held_back_buckets;
	struct lateness held_back; /* segments, by their sender's own TCP: no fault of anybody */
};

/* Makes the tallies of a report. Returns 0 or -ENOMEM; the caller frees them in any case. */
int tallies_make(struct tallies *tallies, const struct report *report,
		 const struct thresholds *thresholds, const struct service_ports *ports);
void tallies_free(struct tallies *tallies);

/* The least time that is late in a class. For applications, in their tail. */
uint64_t threshold_of(const struct thresholds *thresholds, enum class class);

/* Returns how long the reader took for all that was late, with all parts together. */
uint64_t tally_read_ns(const struct tally *tally);

/* The one that has the reader of a place, or NULL. */
const struct tally *tallies_reader(const struct tallies *tallies, const struct place *place);

#endif
