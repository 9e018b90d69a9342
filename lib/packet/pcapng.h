/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets in a file for Wireshark: pcapng, as draft-ietf-opsawg-pcapng describes it, in the byte
 * order of this machine. They begin with their IP header, and have a comment each.
 */
#ifndef NETSTACKLAT_PCAPNG_H
#define NETSTACKLAT_PCAPNG_H

#include <stdint.h>
#include <stdio.h>

/* The beginning of such a file: no packet has more bytes than snaplen. */
void pcapng_print_start(FILE *out, uint32_t snaplen);

/* The size of a packet without its bytes and its comment, both of which fill up words of 32 bits.
 */
#define PCAPNG_PACKET_SIZE 40

struct pcapng_packet {
	uint64_t time_ns; /* since 1970 */
	const void *bytes;
	uint32_t nr_bytes;
	uint32_t length; /* that it had */
	const char *comment;
};

void pcapng_print_packet(FILE *out, const struct pcapng_packet *packet);

#endif
