// SPDX-License-Identifier: GPL-2.0
/* Slow packets: the names of what they met, a line each, then a record of the ring buffer. */
#include "tests/fuzz/names.h"
#include "tests/fuzz/printed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	bool stages = input_byte(&input) & 1;
	struct reason_names *reasons;
	struct label_names *names = read_names(&input, &reasons);
	struct packet_report report;
	struct slow_packet packet;

	input_fill(&input, &packet, sizeof(packet));
	/* What our programs write themselves, they write as it is meant. */
	packet.probe %= NR_PROBES;
	packet.nr_bytes %= SLOW_BYTES + 1;
	packet_report_make(&report, &packet, names, stages);
	require(report.nr_steps <= MAX_PACKET_STEPS);
	print_packet(&report);
	label_names_free(names);
	reason_names_free(reasons);
	return 0;
}
