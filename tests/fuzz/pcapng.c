// SPDX-License-Identifier: GPL-2.0
/* Files for Wireshark: a line of comment, then the bytes of a packet. */
#include "tests/fuzz/printed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	char *comment = input_line(&input), *text;
	size_t printed;
	FILE *out = open_memstream(&text, &printed);

	require(out);
	pcapng_print_start(out, input.size);
	pcapng_print_packet(out, &(struct pcapng_packet){
					 .bytes = input.data,
					 .nr_bytes = input.size,
					 .length = input.size,
					 .comment = comment,
				 });
	fclose(out);
	require_pcapng(text, printed);
	free(text);
	free(comment);
	return 0;
}
