/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The takers of what is measured: printed reports, the verdict, slow packets, a terminal, a web
 * server. The options say which of them there are. All functions return 0 or, after saying what
 * failed, a negative errno.
 */
#ifndef NETSTACKLAT_SINKS_H
#define NETSTACKLAT_SINKS_H

#include "lib/http/http.h"
#include "lib/http/listen.h"
#include "lib/run/measurement.h"

/* Sinks that are not asked for are NULL. */
struct sinks {
	struct measurement *measurement; /* the caller's */
	struct loop *loop;		 /* likewise, once they start */
	struct listen_addresses addresses;
	struct http_listener listeners[MAX_LISTEN_ADDRESSES]; /* sockets there */
	unsigned int nr_listeners;
	struct web_config web_config; /* how they are served, and to whom */
	struct pcap_file *pcap;
	struct recording *recording; /* of reports, for whoever draws them */
	struct live *live;
	struct reporter *reporter;
	struct diagnosis *diagnosis; /* instead of reports */
	struct slow_packets *packets;
	struct exporter *exporter;
	struct verdict_page *verdict_page; /* instead, with a diagnosis */
};

struct sinks sinks_for(struct measurement *measurement);

/* Reads what is to be known first: it opens and changes nothing. */
int sinks_read(struct sinks *sinks);

/* Opens what takes more rights than are kept: files and sockets. */
int sinks_open(struct sinks *sinks);

/* Prepares the rest, and puts into the loop what wakes it; counting has begun. */
int sinks_start(struct sinks *sinks, struct loop *loop);

/*
 * Everything is ready, and the timer of intervals runs: a verdict's seconds begin, and slow packets
 * are reported.
 */
int sinks_begin(struct sinks *sinks);

/* Says where pages are served, and when there will be reports or a verdict. */
void sinks_announce(const struct sinks *sinks);

/* Takes the terminal, when nothing is left to be said. */
int sinks_take_terminal(struct sinks *sinks);

/* An interval ends. */
int sinks_interval(struct sinks *sinks);

/* The run ends. Returns LOOP_END in place of 0. */
int sinks_end(struct sinks *sinks);

/* Returns whether they draw all intervals at the end, and have drawn none yet. */
bool sinks_draw_at_end(const struct sinks *sinks);

/*
 * Says what remains to be said when all is printed. Returns STATUS_FINDINGS instead of 0 if a
 * verdict has any.
 */
int sinks_conclude(const struct sinks *sinks);

/* Frees all of them, but keeps the sockets open: their files may still have to be removed. */
void sinks_free(struct sinks *sinks);

/* Closes these, too. */
void sinks_close_sockets(struct sinks *sinks);

#endif
