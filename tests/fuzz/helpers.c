// SPDX-License-Identifier: GPL-2.0
/*
 * What a helper hears once whoever started it is somebody else's: a byte for which helper, then
 * what is sent to it. Each answers what it is asked, in order, and ends. The linker makes these the
 * functions that reach outside.
 */
#include "tests/fuzz/fuzz.h"

#include <sys/socket.h>
#include <unistd.h>

#include "lib/host/container.h"
#include "lib/host/netns.h"
#include "lib/host/netns_facts.h"
#include "lib/host/netns_names.h"
#include "lib/http/passwords.h"
#include "lib/http/web_renewal.h"
#include "lib/serve/writer.h"

/* All answers to as much fit into a socket. */
#define MAX_SENT 512
#define NETNS 2

/* All that was written, a report behind the other. */
static struct {
	FILE *out;
	char *text;
	size_t size;
	unsigned int nr;
} written;

int __wrap_netns_for_each(bool (*found)(const struct netns *netns, void *context), void *context);
int __wrap_netns_for_each(bool (*found)(const struct netns *netns, void *context), void *context)
{
	static const struct netns netns = { .id = NETNS, .name = "web", .path = "/dev/null" };

	found(&netns, context);
	return 0;
}

int __wrap_output_begin(struct output *output);
int __wrap_output_begin(struct output *output)
{
	output->file = written.out;
	return 0;
}

int __wrap_output_end(struct output *output);
int __wrap_output_end(struct output *output)
{
	(void)output;
	written.nr++;
	return 0;
}

void __wrap_output_close(struct output *output);
void __wrap_output_close(struct output *output)
{
	(void)output;
}

static void serve_output(int socket)
{
	struct output output = { .folder = -1 };

	writer_serve(socket, &output);
}

/* Returns how much it answers. */
static size_t hear(const struct input *input, void (*serve)(int socket))
{
	size_t answered = 0;
	char answers[4096];
	ssize_t received;
	int ends[2];

	require(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	require(send(ends[0], input->data, input->size, 0) == (ssize_t)input->size);
	shutdown(ends[0], SHUT_WR);
	serve(ends[1]);
	close(ends[1]);
	while ((received = recv(ends[0], answers, sizeof(answers), 0)) > 0)
		answered += received;
	close(ends[0]);
	return answered;
}

/* Sizes, and reports of that size; the last one may be cut short, and is not written then. */
static void require_written(struct input input)
{
	const char *text = written.text;
	unsigned int nr = 0;
	size_t size;

	while (input.size >= sizeof(size)) {
		input_fill(&input, &size, sizeof(size));
		if (size > input.size)
			break;
		require(nr < written.nr && !memcmp(text, input.data, size));
		nr++;
		text += size;
		input.data += size;
		input.size -= size;
	}
	require(nr == written.nr && text == written.text + written.size);
}

static void hear_as_writer(const struct input *input)
{
	size_t answered;

	memset(&written, 0, sizeof(written));
	written.out = open_memstream(&written.text, &written.size);
	require(written.out);
	answered = hear(input, serve_output);
	fclose(written.out);
	require(answered == written.nr * sizeof(int));
	require_written(*input);
	free(written.text);
}

/* Requests begin with what is asked: nothing is answered to 0, and to what is not known. */
static void hear_as_facts(const struct input *input)
{
	static const size_t sizes[] = { 0, sizeof(struct netns_facts), sizeof(struct losses) };
	const size_t request_size = 2 * sizeof(uint64_t);
	size_t expected = 0;

	for (size_t at = 0; at + request_size <= input->size; at += request_size) {
		uint32_t what;

		memcpy(&what, input->data + at, sizeof(what));
		expected += what < 3 ? sizes[what] : 0;
	}
	require(hear(input, netns_facts_serve) == expected);
}

/* A hash and a password have a place each, of which not all need be text. */
#define QUESTION_SIZE 256

/* Whatever is asked, it looks at the same files, which do not change. */
static void serve_web_config(int socket)
{
	struct web_config config;

	require(!web_config_read(&config, "/dev/null"));
	web_renewal_serve(socket, &config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size < MAX_SENT ? size : MAX_SENT };
	uint8_t what = input_byte(&input);

	switch (what % 6) {
	case 0:
		hear_as_writer(&input);
		break;
	case 1:
		require(hear(&input, netns_names_serve) % sizeof(struct netns_answer) == 0);
		break;
	case 2:
		hear_as_facts(&input);
		break;
	case 3:
		require(hear(&input, container_names_serve) ==
			input.size / CONTAINER_ID_LENGTH * sizeof(struct container_names));
		break;
	case 4:
		require(hear(&input, passwords_serve) == input.size / QUESTION_SIZE);
		break;
	case 5:
		/* As much for each byte: fewer of them, as all must fit into a socket. */
		input.size %= 64;
		require(!input.size || hear(&input, serve_web_config) % input.size == 0);
		break;
	}
	return 0;
}
