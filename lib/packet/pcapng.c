// SPDX-License-Identifier: GPL-2.0
#include "lib/packet/pcapng.h"

#include <string.h>

#define SECTION_HEADER 0x0a0d0d0a
#define INTERFACE_DESCRIPTION 1
#define ENHANCED_PACKET 6

#define BYTE_ORDER_MAGIC 0x1a2b3c4d
#define LINKTYPE_RAW 101 /* IPv4 or IPv6 */

#define OPT_ENDOFOPT 0
#define OPT_COMMENT 1
#define SHB_USERAPPL 4
#define IF_TSRESOL 9

/* Everything fills up words of 32 bits. */
#define WORD 4

static uint32_t padded(uint32_t size)
{
	return (size + WORD - 1) / WORD * WORD;
}

static void print_word(FILE *out, uint32_t word)
{
	fwrite(&word, sizeof(word), 1, out);
}

static void print_halves(FILE *out, uint16_t first, uint16_t second)
{
	fwrite(&first, sizeof(first), 1, out);
	fwrite(&second, sizeof(second), 1, out);
}

static void print_padded(FILE *out, const void *bytes, uint32_t size)
{
	static const char padding[WORD];

	fwrite(bytes, 1, size, out);
	fwrite(padding, 1, padded(size) - size, out);
}

/* The only option of its block, and the end of all. */
static uint32_t option_size(uint16_t size)
{
	return WORD + padded(size) + WORD;
}

static void print_option(FILE *out, uint16_t code, const void *value, uint16_t size)
{
	print_halves(out, code, size);
	print_padded(out, value, size);
	print_halves(out, OPT_ENDOFOPT, 0);
}

/* A block says how long it is at both ends. */
static uint32_t print_block_start(FILE *out, uint32_t type, uint32_t body_size)
{
	uint32_t size = 3 * WORD + body_size;

	print_word(out, type);
	print_word(out, size);
	return size;
}

void pcapng_print_start(FILE *out, uint32_t snaplen)
{
	static const char program[] = "netstacklat " VERSION;
	const uint8_t nanoseconds = 9;
	uint32_t size;

	size = print_block_start(out, SECTION_HEADER, 4 * WORD + option_size(strlen(program)));
	print_word(out, BYTE_ORDER_MAGIC);
	print_halves(out, 1, 0);
	/* The length of the section is not known yet. */
	print_word(out, ~0U);
	print_word(out, ~0U);
	print_option(out, SHB_USERAPPL, program, strlen(program));
	print_word(out, size);

	size = print_block_start(out, INTERFACE_DESCRIPTION, 2 * WORD + option_size(1));
	print_halves(out, LINKTYPE_RAW, 0);
	print_word(out, snaplen);
	print_option(out, IF_TSRESOL, &nanoseconds, sizeof(nanoseconds));
	print_word(out, size);
}

void pcapng_print_packet(FILE *out, const struct pcapng_packet *packet)
{
	uint16_t comment_size = strnlen(packet->comment, UINT16_MAX);
	uint32_t size =
		print_block_start(out, ENHANCED_PACKET,
				  5 * WORD + padded(packet->nr_bytes) + option_size(comment_size));

	/* The number of the only interface. */
	print_word(out, 0);
	print_word(out, packet->time_ns >> 32);
	print_word(out, packet->time_ns);
	print_word(out, packet->nr_bytes);
	print_word(out, packet->length);
	print_padded(out, packet->bytes, packet->nr_bytes);
	print_option(out, OPT_COMMENT, packet->comment, comment_size);
	print_word(out, size);
}
