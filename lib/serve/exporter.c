// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/exporter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/host/clock.h"
#include "lib/serve/gzip.h"
#include "lib/serve/http.h"
#include "lib/serve/negotiation.h"
#include "lib/tables/units.h"

/* By whether the client accepts OpenMetrics. */
static const struct {
	const struct printer *printer;
	const char *type;
} formats[] = {
	{ &printer_prometheus, "text/plain; version=0.0.4; charset=utf-8" },
	{ &printer_openmetrics, "application/openmetrics-text; version=1.0.0; charset=utf-8" },
};
#define NR_FORMATS (sizeof(formats) / sizeof(*formats))

struct exporter {
	struct meter *meter;
	uint64_t forget_ns;
	struct intervals intervals; /* from reading to reading */
	struct http *http;
	/* What the last reading was printed as so far, without and with compression. */
	struct http_response *metrics[NR_FORMATS][2];
};

static void forget_metrics(struct exporter *exporter)
{
	for (size_t format = 0; format < NR_FORMATS; format++)
		for (int gzip = 0; gzip < 2; gzip++) {
			http_response_release(exporter->metrics[format][gzip]);
			exporter->metrics[format][gzip] = NULL;
		}
}

/* Reads the maps, unless that was only a moment ago. Returns 0 or, if it failed, a negative errno.
 */
static int refresh(struct exporter *exporter)
{
	uint64_t age_ns = clock_monotonic_ns() - intervals_started_ns(&exporter->intervals);

	if (age_ns < EXPORTER_FRESH_MS * NS_PER_MS && intervals_total_ns(&exporter->intervals))
		return 0;
	forget_metrics(exporter);
	return meter_advance(exporter->meter, &exporter->intervals, exporter->forget_ns);
}

/* What was read last, to be freed; NULL if that failed, after saying why. */
static char *print(struct exporter *exporter, const struct printer *printer, size_t *size)
{
	struct report report = {
		.kind = REPORT_CUMULATIVE,
		.duration_ns = intervals_total_ns(&exporter->intervals),
	};
	char *text = NULL;

	if (!meter_report(exporter->meter, &group_orders[0], &exporter->intervals.total, &report)) {
		text = printer_print_to_memory(printer, &report, size);
		if (!text)
			log_failure(-ENOMEM, "cannot print the metrics");
	}
	meter_free_report(&report);
	return text;
}

static struct http_response *make_metrics(struct exporter *exporter, size_t format, bool gzip)
{
	size_t size;
	char *text = print(exporter, formats[format].printer, &size);

	if (text && gzip)
		text = gzip_instead(text, &size);
	return text ? http_response_new(text, size, formats[format].type, gzip) : NULL;
}

static struct http_response *get_metrics(void *context, const struct http_request *request)
{
	struct exporter *exporter = context;
	size_t format = accepts_openmetrics(request->accept);
	bool gzip = accepts_gzip(request->accept_encoding);
	struct http_response **metrics = &exporter->metrics[format][gzip];

	if (refresh(exporter))
		return NULL;
	if (!*metrics)
		*metrics = make_metrics(exporter, format, gzip);
	return *metrics;
}

#define INDEX                                                                   \
	"<!DOCTYPE html>\n"                                                     \
	"<html lang=\"en\"><title>netstacklat</title>\n"                        \
	"<h1>netstacklat " VERSION "</h1>\n"                                    \
	"<p>Where in this host's receive path do packets wait, and how long?\n" \
	"<ul>\n"                                                                \
	"<li><a href=\"/metrics\">/metrics</a>: latency, for Prometheus\n"      \
	"<li><a href=\"/healthz\">/healthz</a>: whether this is up\n"           \
	"</ul></html>\n"

static const struct http_page pages[] = {
	{ "/metrics", .get = get_metrics },
	/* That it is answered says it all. */
	{ "/healthz", "text/plain; charset=utf-8", "ok\n", NULL },
	{ "/", "text/html; charset=utf-8", INDEX, NULL },
	{ 0 },
};

struct exporter *exporter_start(int fd, struct meter *meter, uint64_t forget_ns, struct loop *loop)
{
	struct exporter *exporter = calloc(1, sizeof(*exporter));
	int err = 0;

	if (!exporter)
		return NULL;
	exporter->meter = meter;
	exporter->forget_ns = forget_ns;
	err = meter_begin(meter, &exporter->intervals);
	if (!err) {
		exporter->http = http_start(fd, pages, exporter, loop);
		err = exporter->http ? 0 : -errno;
	}
	if (!err)
		return exporter;
	exporter_end(exporter);
	errno = -err;
	return NULL;
}

void exporter_end(struct exporter *exporter)
{
	if (!exporter)
		return;
	http_end(exporter->http);
	forget_metrics(exporter);
	intervals_free(&exporter->intervals);
	free(exporter);
}
