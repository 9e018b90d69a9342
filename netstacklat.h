/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that the BPF programs and user space agree on, and nothing else: for netstacklat.c and
 * netstacklat.bpf.c, and for others who read the maps. Modules in lib include only the parts that
 * they need.
 */
#ifndef NETSTACKLAT_H
#define NETSTACKLAT_H

#include "lib/tables/bucket.h"
#include "lib/tables/config.h"
#include "lib/tables/discards.h"
#include "lib/tables/exporter_key.h"
#include "lib/tables/group_row.h"
#include "lib/tables/hook_ids.h"
#include "lib/tables/reader_wait.h"
#include "lib/tables/slow_packet.h"
#include "lib/tables/stage.h"

#endif
