/* SPDX-License-Identifier: GPL-2.0 */
/* The bytes of slow packets, in a file for Wireshark or, by a pipe, in Wireshark itself. */
#ifndef NETSTACKLAT_PCAP_FILE_H
#define NETSTACKLAT_PCAP_FILE_H

#include <stdbool.h>

#include "lib/packet/packet.h"

struct pcap_file;

/*
 * Makes a file that only its owner may read, or takes one that is there: a regular file, which is
 * emptied, or a pipe. It must belong to this user or to the one who called sudo, and be no link. A
 * pipe is waited for until it has a consumer, or SIGINT, SIGTERM or SIGHUP, which must be blocked,
 * end the wait. The path is the caller's. NULL, after saying what failed, with errno set. A
 * consumer that goes away is a failure, unless the file is optional: then nothing more is written.
 */
struct pcap_file *pcap_file_open(const char *path, bool is_optional);

/* Says how many packets were not written, and why. Accepts NULL. */
void pcap_file_close(struct pcap_file *file);

/*
 * Writes a packet as a whole, at once, as a consumer may follow. If the pipe is full, the packet is
 * only counted. Returns 0 or, after saying what failed, a negative errno, but never -EPIPE:
 * standard output handles that, see output.h.
 */
int pcap_file_add(struct pcap_file *file, const struct packet_report *report);

#endif
