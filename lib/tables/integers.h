/* SPDX-License-Identifier: GPL-2.0 */
/* __u64 and the like, on both sides: BPF programs have them from vmlinux_local.h. */
#ifndef NETSTACKLAT_INTEGERS_H
#define NETSTACKLAT_INTEGERS_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#endif
