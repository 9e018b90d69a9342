/* SPDX-License-Identifier: GPL-2.0 */
/* What this user and this kernel must have before anything else is worth a try. */
#ifndef NETSTACKLAT_PREFLIGHT_H
#define NETSTACKLAT_PREFLIGHT_H

#include <stdbool.h>

/* True if BPF tracing programs can run here; otherwise says what is missing. */
bool preflight(void);

#endif
