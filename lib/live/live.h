/* SPDX-License-Identifier: GPL-2.0 */
/* --live: draws what is recorded on the terminal, as keys ask for. */
#ifndef NETSTACKLAT_LIVE_H
#define NETSTACKLAT_LIVE_H

#include "lib/base/terminal.h"
#include "lib/packet/packet.h"
#include "lib/print/recording.h"

struct live;

/*
 * Draws both arguments, which stay the caller's, with slow packets or verdicts below. NULL with
 * errno set.
 */
struct live *live_new(const struct report_setup *setup, const struct recording *recording,
		      bool has_verdicts);
void live_free(struct live *live);

/* Takes the terminal over. Returns false where it cannot be drawn on. */
bool live_open(struct live *live, enum colour colour);

/* Returns whether it was, and has not been given back. NULL is not. */
bool live_is_open(const struct live *live);

/* Restores the terminal, and prints the messages that came meanwhile. Accepts NULL. */
void live_close(struct live *live);

/* Draws what was recorded since. */
void live_update(struct live *live);

/* Shows a verdict instead of the one before, until the next comes. */
void live_verdict(struct live *live, const char *text);

void live_packet(struct live *live, const struct packet_report *packet);

/* Handles what was typed. Returns false if that ends the program. */
bool live_keys(struct live *live);

/* Returns whether a key has asked for a page of the recording since the last call. */
bool live_wants_page(struct live *live);

/* The terminal has a new size. */
void live_resized(struct live *live);

#endif
