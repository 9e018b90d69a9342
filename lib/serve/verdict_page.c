// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/verdict_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/serve/pages.h"

struct verdict_page {
	struct http *http;
	struct http_response *as[NR_METRICS_FORMATS];
};

static struct http_response *get_metrics(void *context, const struct http_request *request)
{
	struct verdict_page *page = context;

	return page->as[metrics_format_for(request)];
}

static const struct http_page pages[] = {
	{ "/metrics", .get = get_metrics },
	PAGE_HEALTHZ,
	PAGE_INDEX,
	{ 0 },
};

/* There is nothing to say before the first verdict. */
static struct http_response *print(const struct verdict *verdict, enum metrics_format format)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (verdict)
		verdict_print_metrics(out, verdict, format);
	else if (format == OPENMETRICS)
		fputs("# EOF\n", out);
	if (!fclose(out))
		return http_response_new(text, size, metrics_type(format), false);
	free(text);
	return NULL;
}

/* Clients that still read the one before get all of it. */
int verdict_page_show(struct verdict_page *page, const struct verdict *verdict)
{
	for (enum metrics_format format = 0; format < NR_METRICS_FORMATS; format++) {
		struct http_response *response = print(verdict, format);

		if (!response)
			return log_failure(-ENOMEM, "cannot serve the verdict");
		http_response_release(page->as[format]);
		page->as[format] = response;
	}
	return 0;
}

struct verdict_page *verdict_page_start(const struct http_access *access, struct loop *loop)
{
	struct verdict_page *page = calloc(1, sizeof(*page));
	const struct http_site site = { pages, page };
	int err;

	if (!page)
		return NULL;
	err = verdict_page_show(page, NULL);
	if (!err) {
		page->http = http_start(access, &site, loop);
		err = page->http ? 0 : -errno;
	}
	if (!err)
		return page;
	verdict_page_end(page);
	errno = -err;
	return NULL;
}

void verdict_page_end(struct verdict_page *page)
{
	if (!page)
		return;
	http_end(page->http);
	for (enum metrics_format format = 0; format < NR_METRICS_FORMATS; format++)
		http_response_release(page->as[format]);
	free(page);
}
