// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/helper.h"
#include "lib/base/log.h"

/* A report takes no longer, unless the file system hangs. */
#define PATIENCE_MS 1000

/* Many times the size of any report. A process that sends more is not to be trusted any more. */
#define MAX_REPORT_SIZE (256UL << 20)

static int write_report(const char *report, size_t size, struct output *output)
{
	int err = output_begin(output);

	if (err)
		return err;
	/* The end of the output tells what could not be written. */
	fwrite(report, 1, size, output->file);
	return output_end(output);
}

/*
 * A report comes whole before any of it is written, so that its sender does not wait for the file.
 */
static bool serve_report(int socket, size_t size, struct output *output)
{
	char *report = malloc(size + 1);
	bool is_whole = report && helper_receive(socket, report, size);
	int err = -ENOMEM;

	if (!report)
		log_failure(err, "cannot write to '%s'", output->path);
	if (is_whole)
		err = write_report(report, size, output);
	free(report);
	return is_whole && helper_send(socket, &err, sizeof(err));
}

void writer_serve(int socket, struct output *output)
{
	size_t size;

	while (helper_receive(socket, &size, sizeof(size)) && size <= MAX_REPORT_SIZE &&
	       serve_report(socket, size, output))
		;
	output_close(output);
}

/* Reports that were sent, and not answered; and those that were dropped meanwhile. */
static struct {
	bool is_pending;
	uint64_t nr_dropped;
} sent;

static int has_ended(void)
{
	log_error("what writes the reports to a file has ended");
	return -EIO;
}

/* The result of the report that was sent last: 0, also if it is not known yet. */
static int hear_of_last(int socket, int patience_ms)
{
	struct pollfd answer = { .fd = socket, .events = POLLIN };
	int err;

	if (!sent.is_pending || !poll(&answer, 1, patience_ms))
		return 0;
	sent.is_pending = false;
	return helper_receive(socket, &err, sizeof(err)) ? err : has_ended();
}

int writer_write(int socket, const char *report, size_t size)
{
	int err = hear_of_last(socket, 0);

	if (err)
		return err;
	if (sent.is_pending) {
		if (!sent.nr_dropped++)
			log_error("the file for reports cannot be written now: reports are dropped "
				  "until it can");
		return 0;
	}
	if (sent.nr_dropped)
		log_error("the file for reports was written: %" PRIu64 " reports were dropped",
			  sent.nr_dropped);
	sent.nr_dropped = 0;
	if (!helper_send(socket, &size, sizeof(size)) || !helper_send(socket, report, size))
		return has_ended();
	sent.is_pending = true;
	return hear_of_last(socket, PATIENCE_MS);
}

int writer_finish(int socket)
{
	int err = hear_of_last(socket, PATIENCE_MS);
	bool is_lost = sent.is_pending || sent.nr_dropped;

	memset(&sent, 0, sizeof(sent));
	if (err || !is_lost)
		return err;
	log_error("ended while the file for reports could not be written: the last report is lost");
	return -EIO;
}
