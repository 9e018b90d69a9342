/* SPDX-License-Identifier: GPL-2.0 */
/* The key of the maps in the object for ebpf_exporter. */
#ifndef NETSTACKLAT_EXPORTER_KEY_H
#define NETSTACKLAT_EXPORTER_KEY_H

#include "lib/tables/bucket.h"

/*
 * The key of both maps in the object for ebpf_exporter, cut into labels as
 * lib/generate/ebpf_exporter.c tells it. The slot is an octave, or that of the sum behind them; or
 * the cause of a discard.
 */
struct exporter_key {
	__u16 probe;
	__u16 slot;
};

#define EXPORTER_SUM_SLOT NR_BUCKETS(0)

#endif
