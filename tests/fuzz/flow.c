// SPDX-License-Identifier: GPL-2.0
/* Where packets go, and whether two are one: both as the ring buffer has them. */
#include "tests/fuzz/fuzz.h"

#include "lib/packet/flow.h"
#include "lib/packet/same_packet.h"

static void read_packet(struct input *input, struct slow_packet *packet)
{
	*packet = (struct slow_packet){ 0 };
	packet->nr_bytes = input_byte(input) % (SLOW_BYTES + 1);
	input_fill(input, &packet->ethertype, sizeof(packet->ethertype));
	input_fill(input, &packet->length, sizeof(packet->length));
	packet->family = input_byte(input);
	packet->protocol = input_byte(input);
	input_fill(input, packet->saddr, sizeof(packet->saddr));
	input_fill(input, &packet->sport, sizeof(packet->sport));
	input_fill(input, packet->bytes, sizeof(packet->bytes));
}

static void look_at(const struct slow_packet *packet)
{
	struct flow flow;

	flow_of(packet, &flow);
	require(*flow.protocol && strlen(flow.protocol) < sizeof(flow.protocol));
	require(strlen(flow.saddr) < sizeof(flow.saddr));
	require(strlen(flow.daddr) < sizeof(flow.daddr));
	require_printable(flow.protocol);
	require(flow.is_ip || !(*flow.saddr || *flow.daddr || flow.has_sport || flow.has_dport));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	struct slow_packet a, b;

	read_packet(&input, &a);
	read_packet(&input, &b);
	look_at(&a);
	look_at(&b);
	for (int translated = 0; translated < 2; translated++) {
		require(is_same_packet(&a, &a, translated));
		require(is_same_packet(&a, &b, translated) == is_same_packet(&b, &a, translated));
	}
	return 0;
}
