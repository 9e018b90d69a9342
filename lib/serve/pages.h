/* SPDX-License-Identifier: GPL-2.0 */
/* The pages that whoever serves /metrics has besides. */
#ifndef NETSTACKLAT_PAGES_H
#define NETSTACKLAT_PAGES_H

#include "lib/http/http.h"
#include "lib/http/negotiation.h"
#include "lib/print/metric_family.h"

/* The format of metrics that a client accepts. */
static inline enum metrics_format metrics_format_for(const struct http_request *request)
{
	return accepts_openmetrics(request->accept) ? OPENMETRICS : TEXT_0_0_4;
}

/* An answer is all that it takes. */
#define PAGE_HEALTHZ                                                  \
	{                                                             \
		"/healthz", "text/plain; charset=utf-8", "ok\n", NULL \
	}

#define PAGE_INDEX                                                                         \
	{                                                                                  \
		"/", "text/html; charset=utf-8",                                           \
			"<!DOCTYPE html>\n"                                                \
			"<html lang=\"en\"><title>netstacklat</title>\n"                   \
			"<h1>netstacklat " VERSION "</h1>\n"                               \
			"<p>Where do packets wait in this host, for how long, and why?\n"  \
			"<ul>\n"                                                           \
			"<li><a href=\"/metrics\">/metrics</a>: latency, for Prometheus\n" \
			"<li><a href=\"/healthz\">/healthz</a>: whether this is up\n"      \
			"</ul></html>\n",                                                  \
			NULL                                                               \
	}

#endif
