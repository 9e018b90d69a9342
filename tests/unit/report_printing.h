/* SPDX-License-Identifier: GPL-2.0 */
/* Reports with made-up counts, and what printers make of them. */
#ifndef NETSTACKLAT_REPORT_PRINTING_H
#define NETSTACKLAT_REPORT_PRINTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/printer.h"
#include "lib/tables/units.h"

/* Of a few hooks, so that new ones change no report, attached to all their functions. */
static inline struct report_setup make_setup(void)
{
	return (struct report_setup){
		.clock = CLOCK_TAI,
		.top = 10,
		.plan.hooks = {
			[HOOK_tcp_start] = true,
			[HOOK_udp_start] = true,
			[HOOK_icmp_start] = true,
			[HOOK_tcp_socket_read] = true,
			[HOOK_udp_socket_read] = true,
		},
	};
}

/* The first, of one second that ends at 2026-02-01 12:00:05 UTC, for 80 columns of ASCII. */
static inline struct report make_report(const struct report_setup *setup,
					const struct hook_counts *hooks)
{
	return (struct report){
		.setup = setup,
		.kind = REPORT_INTERVAL,
		.time_ns = 1769947205 * NS_PER_S,
		.duration_ns = NS_PER_S,
		.clock_offset_ns = 37 * NS_PER_S,
		.hooks = hooks,
		.terminal = { .columns = 80 },
	};
}

/* What a printer makes of a report, to be freed. */
static inline char *print_report(const struct printer *printer, const struct report *report)
{
	size_t size;
	char *text = printer_print_to_memory(printer, report, 16U << 20, &size);

	assert_non_null(text);
	assert_int_equal(size, strlen(text));
	return text;
}

#endif
