// SPDX-License-Identifier: GPL-2.0
/* A line for each slow packet, as readers of tcpdump expect it, and its journey. */
#include "lib/packet/asleep_in.h"
#include "lib/packet/packet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/duration.h"
#include "lib/base/log.h"
#include "lib/tables/hooks.h"
#include "lib/tables/units.h"

static void print_time(FILE *out, uint64_t time_ns)
{
	time_t time = time_ns / NS_PER_S;
	char text[32];

	strftime(text, sizeof(text), "%H:%M:%S", localtime(&time));
	fprintf(out, "%s.%06u", text, (unsigned int)(time_ns % NS_PER_S / 1000));
}

static void print_endpoint(FILE *out, const char *address, bool has_port, uint16_t port)
{
	fputs(*address ? address : "*", out);
	if (has_port)
		fprintf(out, ".%u", port);
}

static void print_flow(FILE *out, const struct flow *flow)
{
	fprintf(out, flow->is_ip ? " %-4s " : " %s", flow->protocol);
	if (flow->is_ip) {
		print_endpoint(out, flow->saddr, flow->has_sport, flow->sport);
		fputs(" > ", out);
		print_endpoint(out, flow->daddr, flow->has_dport, flow->dport);
	}
	if (flow->length)
		fprintf(out, ": length %" PRIu32, flow->length);
}

static void print_labels(FILE *out, const struct labels *labels)
{
	char *text = labels_text(labels);

	fprintf(out, " {%s}", text ? text : "");
	free(text);
}

static void print_where(FILE *out, const struct packet_report *report)
{
	struct labels labels;

	packet_labels(report, 1U << KEY_CPU, &labels);
	print_labels(out, &labels);
	fputc('\n', out);
}

/*
 * Returns the number of the skb that a step was in, counted from 1, as only the kernel may know
 * addresses in memory.
 */
static unsigned int skb_number(const struct packet_report *report, const struct packet_step *last)
{
	unsigned int number = 0;
	uint64_t skb = 0;

	for (const struct packet_step *step = report->steps; step <= last; step++) {
		if (!step->seen || !step->seen->skb || step->seen->skb == skb)
			continue;
		skb = step->seen->skb;
		number++;
	}
	return number;
}

/* Prints where a traced packet was seen; with -v, in which of its skbs, too. */
static void print_step_where(FILE *out, const struct packet_report *report,
			     const struct packet_step *step)
{
	struct labels labels;

	packet_step_labels(report, step, 1U << KEY_CPU, &labels);
	print_labels(out, &labels);
	if (log_is_verbose() && step->seen->skb)
		fprintf(out, " skb %u", skb_number(report, step));
}

static void print_thread(FILE *out, const char comm[COMM_SIZE], uint32_t tid)
{
	char name[COMM_SIZE + 1], text[PRINTABLE_SIZE(COMM_SIZE)];

	snprintf(name, sizeof(name), "%.*s", COMM_SIZE, comm);
	fprintf(out, "%s/%" PRIu32, printable_copy(text, name), tid);
}

/* A task is named only where it reads: elsewhere, it has nothing to do with how long that took. */
static void print_mark(FILE *out, const struct packet_report *report,
		       const struct packet_step *step)
{
	uint64_t latency_ns = report->latency_ns;

	fprintf(out, "  <- %.0f %%", latency_ns ? 100.0 * step->ns / latency_ns : 0);
	if (!report->packet->tid || !(hooks[step->hook].has & HAS_READER))
		return;
	fputs("  ", out);
	print_thread(out, report->packet->comm, report->packet->tid);
}

static void print_journey(FILE *out, const struct packet_report *report)
{
	const struct packet_step *longest = packet_longest_step(report);

	for (unsigned int i = 0; i < report->nr_steps; i++) {
		const struct packet_step *step = &report->steps[i];
		char ns[DURATION_TEXT_SIZE], text[DURATION_TEXT_SIZE + 1];

		snprintf(text, sizeof(text), "+%s", duration_text(step->ns, ns));
		fprintf(out, step->seen ? "%15s %-19s" : "%15s %s", text, packet_step_name(step));
		if (step->seen)
			print_step_where(out, report, step);
		if (step == longest)
			print_mark(out, report, step);
		fputc('\n', out);
	}
}

static void print_other(FILE *out, const struct slow_other *other)
{
	char ran[DURATION_TEXT_SIZE];

	if (!other->tid) {
		fputs("the one that it got was idle", out);
		return;
	}
	if (other->tid == IS_SOFTIRQS)
		fputs("softirqs", out);
	else
		print_thread(out, other->comm, other->tid);
	fprintf(out, " ran instead, for %s", duration_text(other->ran_ns, ran));
}

static void print_asleep(FILE *out, uint32_t asleep_in)
{
	static const char *const why[NR_ASLEEP_HOW] = {
		[ASLEEP_FOR_IO] = ", for a disk or the like,",
		[ASLEEP_FOR_MEMORY] = ", for memory,",
	};
	char text[ASLEEP_IN_TEXT_SIZE];
	const char *in = asleep_by_itself_in(asleep_in, text);
	uint32_t how = ASLEEP_IN_HOW(asleep_in);

	if (asleep_is_stopped(asleep_in))
		fputs(asleep_how_name(asleep_in), out);
	else
		fprintf(out, "asleep%s%s%s", how < NR_ASLEEP_HOW && why[how] ? why[how] : "",
			in ? " in " : "", in ? in : "");
}

/* A sentence, then the figures. */
static void print_why(FILE *out, const struct packet_report *report)
{
	static const char *const sentences[] = {
		[READER_ASLEEP] = "the reader was ",
		[READER_READY] = "the reader was ready, but had no CPU: ",
		[READER_RUNNING] = "the reader was running, and busy",
	};
	const struct packet_reader *reader = &report->reader;
	char asleep[DURATION_TEXT_SIZE], ready[DURATION_TEXT_SIZE], running[DURATION_TEXT_SIZE];

	if (reader->state == READER_UNKNOWN)
		return;
	fprintf(out, "%15s %s", "", sentences[reader->state]);
	if (reader->state == READER_ASLEEP)
		print_asleep(out, reader->asleep_in);
	if (reader->state == READER_READY)
		print_other(out, &report->packet->other);
	fprintf(out, " (asleep %s, ready %s, running %s)\n",
		duration_text(reader->asleep_ns, asleep), duration_text(reader->ready_ns, ready),
		duration_text(reader->running_ns, running));
}

void packet_print_comment(FILE *out, const struct packet_report *report)
{
	char latency[DURATION_TEXT_SIZE];

	fprintf(out, "%s %s", packet_place(report->packet),
		duration_text(report->latency_ns, latency));
	print_where(out, report);
	print_journey(out, report);
	print_why(out, report);
}

void packet_print_text(FILE *out, const struct packet_report *report)
{
	const struct slow_packet *packet = report->packet;
	char latency[DURATION_TEXT_SIZE];

	print_time(out, packet->time_ns);
	fprintf(out, " %-19s %6s", packet_place(packet),
		duration_text(report->latency_ns, latency));
	print_flow(out, &report->flow);
	if (packet->queue_length >= 0)
		fprintf(out, ", queue %" PRId32, packet->queue_length);
	print_where(out, report);
	print_journey(out, report);
	print_why(out, report);
}

char *packet_text(void (*print)(FILE *out, const struct packet_report *report),
		  const struct packet_report *report)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print(out, report);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
