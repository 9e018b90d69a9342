// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/writer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/base/helper.h"
#include "lib/base/log.h"
#include "lib/serve/output.h"

/* Returns false if less comes. What cannot be written is known at the end of the output. */
static bool copy(int socket, size_t size, FILE *out)
{
	char part[4096];

	while (size) {
		size_t length = size < sizeof(part) ? size : sizeof(part);

		if (!helper_receive(socket, part, length))
			return false;
		if (out)
			fwrite(part, 1, length, out);
		size -= length;
	}
	return true;
}

static bool write_report(int socket, size_t size, struct output *output)
{
	int err = output_begin(output);

	if (!copy(socket, size, err ? NULL : output->file)) {
		if (!err)
			output_cancel(output);
		return false;
	}
	if (!err)
		err = output_end(output);
	return helper_send(socket, &err, sizeof(err));
}

void writer_serve(int socket, const char *path)
{
	struct output output;
	int err = output_open(&output, path);
	size_t size;

	while (!err && helper_receive(socket, &size, sizeof(size)) &&
	       write_report(socket, size, &output))
		;
	output_close(&output);
}

int writer_write(int socket, const char *report, size_t size)
{
	int err;

	if (helper_send(socket, &size, sizeof(size)) && helper_send(socket, report, size) &&
	    helper_receive(socket, &err, sizeof(err)))
		return err;
	log_error("what writes the reports to a file has ended");
	return -EIO;
}
