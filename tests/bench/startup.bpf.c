// SPDX-License-Identifier: GPL-2.0
/* What netstacklat loads by default, for loaders that take all programs of an object. */
#define ONLY_COUNTS
#include "../../netstacklat.bpf.c"
