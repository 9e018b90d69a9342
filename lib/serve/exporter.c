// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/exporter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/log.h"
#include "lib/base/clock.h"
#include "lib/base/gzip.h"
#include "lib/http/http.h"
#include "lib/http/negotiation.h"
#include "lib/tables/units.h"
#include "lib/print/metric_family.h"
#include "lib/print/printer.h"
#include "lib/report/group_order.h"
#include "lib/serve/pages.h"

static const struct printer *const printers_of[NR_METRICS_FORMATS] = {
	[TEXT_0_0_4] = &printer_prometheus,
	[OPENMETRICS] = &printer_openmetrics,
};

/* The pages of a reading so far, without and with compression. */
struct metrics {
	struct http_response *as[NR_METRICS_FORMATS][2];
};

struct exporter {
	struct meter *meter;
	uint64_t started_ns; /* wall clock, since 1970 */
	struct self_usage self;
	uint64_t forget_ns;
	struct intervals intervals; /* from reading to reading */
	struct http *http;
	struct metrics newest, before; /* of the last reading, and of the one before it */
	bool use_numbers, has_folded;  /* as the metrics were too large: see print() */
};

static void forget_metrics(struct metrics *metrics)
{
	for (enum metrics_format format = 0; format < NR_METRICS_FORMATS; format++)
		for (int gzip = 0; gzip < 2; gzip++) {
			http_response_release(metrics->as[format][gzip]);
			metrics->as[format][gzip] = NULL;
		}
}

static bool are_being_sent(const struct metrics *metrics)
{
	for (enum metrics_format format = 0; format < NR_METRICS_FORMATS; format++)
		for (int gzip = 0; gzip < 2; gzip++)
			if (http_response_is_being_sent(metrics->as[format][gzip]))
				return true;
	return false;
}

/*
 * Returns whether the last reading may be served again: it is of this moment, or somebody still
 * reads the one before. So there are at most two readings in memory, and none is older than a
 * client may stay.
 */
static bool is_fresh(const struct exporter *exporter)
{
	uint64_t age_ns = clock_monotonic_ns() - intervals_started_ns(&exporter->intervals);

	if (!intervals_total_ns(&exporter->intervals))
		return false;
	return age_ns < EXPORTER_FRESH_MS * NS_PER_MS || are_being_sent(&exporter->before);
}

/* Reads the maps if it is time to. Returns 0 or, if that failed, a negative errno. */
static int refresh(struct exporter *exporter)
{
	if (is_fresh(exporter))
		return 0;
	forget_metrics(&exporter->before);
	exporter->before = exporter->newest;
	exporter->newest = (struct metrics){ 0 };
	if (!are_being_sent(&exporter->before))
		forget_metrics(&exporter->before);
	exporter->self = self_usage_now();
	return meter_advance(exporter->meter, &exporter->intervals, exporter->forget_ns);
}

#define LARGEST_METRICS (16U << 20)
#define TOO_LARGE "the metrics would be larger than 16 MiB: "

/* Prints the last reading, to be freed; NULL with errno set: to EFBIG if it is too large. */
static char *try_to_print(struct exporter *exporter, const struct printer *printer, size_t *size)
{
	struct report report = {
		.kind = REPORT_CUMULATIVE,
		.duration_ns = intervals_total_ns(&exporter->intervals),
		.self = exporter->self,
		.started_ns = exporter->started_ns,
	};
	char *text = NULL;
	int err = meter_report(exporter->meter, &group_orders[0], &exporter->intervals.total,
			       &report);

	if (!err) {
		label_names_use_numbers(report.names, exporter->use_numbers);
		text = printer_print_to_memory(printer, &report, LARGEST_METRICS, size);
		err = text ? 0 : -errno;
		label_names_use_numbers(report.names, false);
	}
	meter_free_report(&report);
	errno = -err;
	return text;
}

/*
 * The same, after saying why it failed. Others make groups, and choose how long the names of
 * cgroups are. If the page is too large, cgroups are called by their numbers from then on. If that
 * is not enough, all groups are folded into one, as often as it takes.
 */
static char *print(struct exporter *exporter, const struct printer *printer, size_t *size)
{
	char *text = try_to_print(exporter, printer, size);

	if (!text && errno == EFBIG && !exporter->use_numbers) {
		log_error(TOO_LARGE "from now on, they have the numbers of cgroups and namespaces "
				    "instead of their names");
		exporter->use_numbers = true;
		text = try_to_print(exporter, printer, size);
	}
	if (!text && errno == EFBIG) {
		if (!exporter->has_folded)
			log_error(TOO_LARGE "all groups so far are now one, called other; group by "
					    "fewer keys, or see --max-groups and --forget");
		exporter->has_folded = true;
		if (!meter_fold_groups(exporter->meter, &exporter->intervals))
			text = try_to_print(exporter, printer, size);
	}
	if (!text)
		log_failure(-errno, "cannot print the metrics");
	return text;
}

static struct http_response *make_metrics(struct exporter *exporter, enum metrics_format format,
					  bool gzip)
{
	size_t size;
	char *text = print(exporter, printers_of[format], &size);

	if (text && gzip)
		text = gzip_instead(text, &size, GZIP_QUICKLY);
	return text ? http_response_new(text, size, metrics_type(format), gzip) : NULL;
}

static struct http_response *get_metrics(void *context, const struct http_request *request)
{
	struct exporter *exporter = context;
	enum metrics_format format = metrics_format_for(request);
	bool gzip = accepts_gzip(request->accept_encoding);
	struct http_response **metrics = &exporter->newest.as[format][gzip];

	if (refresh(exporter))
		return NULL;
	if (!*metrics)
		*metrics = make_metrics(exporter, format, gzip);
	return *metrics;
}

static const struct http_page pages[] = {
	{ "/metrics", .get = get_metrics },
	PAGE_HEALTHZ,
	PAGE_INDEX,
	{ 0 },
};

struct exporter *exporter_start(const struct exporter_config *config, struct meter *meter,
				struct loop *loop)
{
	struct exporter *exporter = calloc(1, sizeof(*exporter));
	const struct http_site site = { pages, exporter };
	int err = 0;

	if (!exporter)
		return NULL;
	exporter->meter = meter;
	exporter->started_ns = time(NULL) * NS_PER_S;
	exporter->forget_ns = config->forget_ns;
	err = meter_begin(meter, &exporter->intervals);
	if (!err) {
		exporter->http = http_start(&config->access, &site, loop);
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
	forget_metrics(&exporter->newest);
	forget_metrics(&exporter->before);
	intervals_free(&exporter->intervals);
	free(exporter);
}
