/* SPDX-License-Identifier: GPL-2.0 */
/* The measurement as web pages: /metrics for Prometheus, and /healthz. */
#ifndef NETSTACKLAT_EXPORTER_H
#define NETSTACKLAT_EXPORTER_H

#include "lib/base/loop.h"
#include "lib/http/http.h"
#include "lib/serve/meter.h"

/* Scrapes share what was read for so long. */
#define EXPORTER_FRESH_MS 1000

struct exporter_config {
	struct http_access access;
	uint64_t forget_ns; /* groups that were not seen for as long are forgotten; 0: none */
};

struct exporter;

/*
 * Serves all counts since the meter was made, for as long as the loop runs. The meter, and
 * everything in access, stay the caller's. NULL, after saying why, with errno set.
 */
struct exporter *exporter_start(const struct exporter_config *config, struct meter *meter,
				struct loop *loop);

/* Accepts NULL. */
void exporter_end(struct exporter *exporter);

#endif
