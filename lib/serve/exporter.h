/* SPDX-License-Identifier: GPL-2.0 */
/* What is measured, as web pages: /metrics for Prometheus, and /healthz. */
#ifndef NETSTACKLAT_EXPORTER_H
#define NETSTACKLAT_EXPORTER_H

#include "lib/base/loop.h"
#include "lib/serve/meter.h"

/* So long, scrapes share what was read. */
#define EXPORTER_FRESH_MS 1000

struct exporter;

/*
 * Serves at a socket that listens, for as long as the loop runs, all counts since the meter was
 * made, but forgets groups that were not seen for forget_ns, if that is not 0. Meter and socket
 * stay the caller's. NULL, after saying why, with errno set.
 */
struct exporter *exporter_start(int fd, struct meter *meter, uint64_t forget_ns, struct loop *loop);

/* Accepts NULL. */
void exporter_end(struct exporter *exporter);

#endif
