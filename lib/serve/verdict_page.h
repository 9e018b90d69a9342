/* SPDX-License-Identifier: GPL-2.0 */
/* The last verdict of --diagnose at /metrics, for Prometheus. */
#ifndef NETSTACKLAT_VERDICT_PAGE_H
#define NETSTACKLAT_VERDICT_PAGE_H

#include "lib/base/loop.h"
#include "lib/diagnose/verdict.h"
#include "lib/http/http.h"

struct verdict_page;

/*
 * Serves at sockets that listen, for as long as the loop runs; nothing until there is a verdict.
 * Everything in access (see lib/http/http.h) stays the caller's. NULL, after saying why, with errno
 * set.
 */
struct verdict_page *verdict_page_start(const struct http_access *access, struct loop *loop);

/* Accepts NULL. */
void verdict_page_end(struct verdict_page *page);

/* Serves this verdict from now on. Returns 0 or, after saying what failed, a negative errno. */
int verdict_page_show(struct verdict_page *page, const struct verdict *verdict);

#endif
