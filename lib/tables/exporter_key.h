/* SPDX-License-Identifier: GPL-2.0 */
/* The key of the maps in the object for ebpf_exporter. */
#ifndef NETSTACKLAT_EXPORTER_KEY_H
#define NETSTACKLAT_EXPORTER_KEY_H

#include "lib/tables/bucket.h"

/*
 * The key of both maps in the object for ebpf_exporter, which cuts it into labels as
 * lib/generate/ebpf_exporter.c says. The slot is an octave, or the sum behind the octaves; or the
 * cause of a discard.
 */
struct exporter_key {
	__u16 probe;
	__u16 slot;
};

#define EXPORTER_SUM_SLOT NR_BUCKETS(0)

#endif
