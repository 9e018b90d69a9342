// SPDX-License-Identifier: GPL-2.0
/* The verdict for people. */
#include <inttypes.h>
#include <net/if.h>
#include <string.h>

#include "lib/base/duration.h"
#include "lib/base/printable.h"
#include "lib/diagnose/verdict.h"
#include "lib/tables/units.h"

/* More would hide what else is to read. */
#define MAX_SERVICES 8
#define MAX_UPSTREAMS 8
#define MAX_STACKS 3
#define MAX_FRAMES 6

static size_t count_of(const struct verdict *verdict, enum class class)
{
	size_t nr = 0;

	for (size_t i = 0; i < verdict->nr; i++)
		nr += verdict->findings[i].class == class;
	return nr;
}

static size_t count_repetitions(const struct verdict *verdict)
{
	size_t nr = 0;

	for (size_t i = 0; i < verdict->nr; i++)
		nr += finding_is_repetition(&verdict->findings[i]);
	return nr;
}

/* "Two", and numbers from ten on. */
static void print_number(FILE *out, size_t number)
{
	static const char *const words[] = { "No",   "One", "Two",   "Three", "Four",
					     "Five", "Six", "Seven", "Eight", "Nine" };

	if (number < sizeof(words) / sizeof(*words))
		fputs(words[number], out);
	else
		fprintf(out, "%zu", number);
}

static bool has_seen_all(const struct verdict *verdict)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (verdict->lacks[hook] || verdict->unpaired[hook].count)
			return false;
	for (enum blind_spot spot = 0; spot < NR_BLIND_SPOTS; spot++)
		if (spot != BLIND_XDP && verdict->blind[spot].nr)
			return false;
	return !verdict->no_room && !verdict->nr_mptcp && !verdict->nr_sctp;
}

#define BIT_OF(outcome) (1U << OUTCOME_##outcome)

/* Returns whether something that is late, and not lost, had one of these outcomes, a bit each. */
static bool has_outcome(const struct verdict *verdict, unsigned int outcomes)
{
	for (enum class class = 0; class < NR_CLASSES; class ++)
		if (verdict->looked_at[class].outcomes & outcomes && !class_is_lost(class))
			return true;
	return false;
}

/* Returns whether TCP held segments back, as it should. They would be late otherwise. */
static bool is_held_back(const struct verdict *verdict)
{
	const struct tallies *tallies = &verdict->tallies;

	return tallies->held_back.latest_ns >= tallies->thresholds.stack_ns;
}

/* Says how long whatever is no finding takes at most. */
static void print_bound(FILE *out, const struct verdict *verdict)
{
	const struct thresholds *late = &verdict->tallies.thresholds;
	bool is_corked = verdict->looked_at[CLASS_cork].latest_ns >= late->task_ns;
	bool has_answers = (verdict->looked_at[CLASS_application].count || is_corked) &&
			   late->application_ns != late->task_ns;
	char text[DURATION_TEXT_SIZE];

	fprintf(out, "takes less than %s", duration_text(late->stack_ns, text));
	if (late->task_ns != late->stack_ns)
		fprintf(out, " in the stack, %s%s for a task", has_answers ? "" : "and ",
			duration_text(late->task_ns, text));
	if (has_answers)
		fprintf(out, ", and %s to begin an answer%s%s",
			duration_text(late->application_ns, text),
			is_corked ? " or write its rest" : "",
			has_outcome(verdict, BIT_OF(WAITING)) ? " that waits for nobody else" : "");
	fputs(".\n", out);
}

/* "10 s, 5120 packets, 2 services and 1 client. " */
static void print_readers(FILE *out, const struct verdict *verdict)
{
	unsigned int services = verdict->nr_services, clients = verdict->nr_clients;

	fprintf(out, "%.3g s, %" PRIu64 " packets, ", verdict->duration_ns / 1e9, verdict->packets);
	if (services || !clients)
		fprintf(out, "%u service%s%s", services, services == 1 ? "" : "s",
			clients ? " and " : "");
	if (clients)
		fprintf(out, "%u client%s", clients, clients == 1 ? "" : "s");
	fputs(". ", out);
}

/*
 * Nobody here reads packets that are sent to a tun, or forwarded below IP, and yet they may wait.
 */
static bool has_looked_at_waits(const struct verdict *verdict)
{
	for (enum class i = 0; i < NR_CLASSES; i++)
		if (verdict->looked_at[i].count && !class_is_lost(i))
			return true;
	return verdict->packets;
}

/* The service where most of the time was spent behind others, or NULL. */
static const struct service *worst_behind_others(const struct services *services)
{
	const struct service *worst = NULL;

	for (size_t i = 0; i < services->nr; i++) {
		const struct service *service = &services->services[i];

		if (service->behind_others.late &&
		    (!worst || service->behind_others.late_ns > worst->behind_others.late_ns))
			worst = service;
	}
	return worst;
}

/* Leaves out of a sentence what is late through no fault of this host. */
static const char *exception(const struct verdict *verdict)
{
	static const char *const exceptions[2][2] = {
		{ "", "that does not wait behind others " },
		{ "that TCP does not hold back ", "that neither TCP nor others hold back " },
	};

	return exceptions[is_held_back(verdict)][!!worst_behind_others(&verdict->services)];
}

static void print_summary(FILE *out, const struct verdict *verdict)
{
	size_t dropped = count_of(verdict, CLASS_drop) + count_of(verdict, CLASS_card) +
			 count_of(verdict, CLASS_syn_queue),
	       lost = count_of(verdict, CLASS_loss) + count_of(verdict, CLASS_retransmit);
	size_t links = count_of(verdict, CLASS_link);
	size_t unsent = count_of(verdict, CLASS_unsent), no_port = count_of(verdict, CLASS_no_port);
	size_t late = verdict->nr - dropped - lost - links - unsent - no_port;

	if (!has_looked_at_waits(verdict) && !verdict->nr) {
		fputs("There was nothing to look at.\n", out);
		return;
	}
	if (late) {
		print_number(out, late);
		fprintf(out, " %s late", late == 1 ? "thing is" : "things are");
		if (has_outcome(verdict, BIT_OF(EFFECT)))
			fprintf(out, ", and others because of %s", late == 1 ? "it" : "them");
	} else {
		fputs("Nothing is late", out);
		fputs(has_seen_all(verdict) ? "" : " of what was looked at", out);
	}
	if (dropped)
		fprintf(out, ", and packets were dropped for %zu %s", dropped,
			dropped == 1 ? "reason" : "reasons");
	if (lost)
		fputs(lost > count_repetitions(verdict) ? ", and segments seem to get lost"
							: ", and segments come again",
		      out);
	if (unsent)
		fputs(", and answers could not be sent", out);
	if (no_port)
		fputs(", and connections could not begin", out);
	if (links)
		fputs(links == 1 ? ", and a link is bad" : ", and links are bad", out);
	fprintf(out, "; %s %s%s",
		has_outcome(verdict, BIT_OF(CHANCE) | BIT_OF(STRAYS)) ? "nearly all" : "all",
		late ? "else " : "", exception(verdict));
	print_bound(out, verdict);
}

/* All system calls enter the kernel in the same way, so frames further out tell nothing. */
static bool is_system_call(const char *frame)
{
	return !strncmp(frame, "__x64_sys_", 10) || !strncmp(frame, "__arm64_sys_", 12);
}

static void print_frames(FILE *out, const struct named_stack *stack)
{
	const char *separator = stack->key.of == STACK_OF_HOLDER ? "released in " : "asleep in ";
	bool is_end = false;

	if (!stack->frames[0])
		fputs("not known: not long enough at a time for a stack to be taken", out);
	for (int i = 0; i < MAX_FRAMES && stack->frames[i] && !is_end; i++) {
		fprintf(out, "%s%s", separator, stack->frames[i]);
		separator = " < ";
		is_end = is_system_call(stack->frames[i]);
	}
	fputs(!is_end && stack->frames[MAX_FRAMES] ? " < ...\n" : "\n", out);
}

/* The shares are of the time that packets waited. */
static void print_stacks(FILE *out, const struct verdict *verdict, const struct finding *finding)
{
	const struct named_stack *stack = NULL;
	uint64_t ns = 0;
	size_t nr = 0;

	while ((stack = finding_stack_next(verdict, finding, stack)))
		ns += stack->wait.ns;
	while ((stack = finding_stack_next(verdict, finding, stack)) && nr++ < MAX_STACKS) {
		fprintf(out, "   %3.0f %% ", ns ? 100.0 * stack->wait.ns / ns : 0);
		print_frames(out, stack);
	}
	if (stack)
		fputs("    and others, see -j\n", out);
}

static void print_finding(FILE *out, const struct verdict *verdict, size_t i)
{
	const struct finding *finding = &verdict->findings[i];

	fprintf(out, "\n%2zu  %s\n    %s%s\n", i + 1, finding->where, finding->cause,
		finding_is_inferred(finding) ? " (Inferred, not measured.)" : "");
	print_stacks(out, verdict, finding);
	fprintf(out, "    -> %s\n", finding->next);
}

static const char *part_text(const struct service *service, enum service_part part,
			     char text[DURATION_TEXT_SIZE])
{
	return duration_text(service->part_ns[part], text);
}

static uint64_t segments_of_answer(const struct service *service)
{
	return service->answers ? (service->segments + service->answers / 2) / service->answers : 0;
}

/* Returns " or more" if some packets were lost from sight on their way out, as below MACsec. */
static const char *or_more(const struct verdict *verdict)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (hooks[hook].paths & PATH_OUT && verdict->unpaired[hook].count)
			return " or more";
	return "";
}

/* An answer's segments may wait together or in turn, so its own time is not known. */
static void print_answers(FILE *out, const struct verdict *verdict, const struct service *service)
{
	const uint64_t *part_ns = service->part_ns;
	uint64_t own_ns = part_ns[SERVICE_IN] + part_ns[SERVICE_APPLICATION] + part_ns[SERVICE_OUT];
	char text[DURATION_TEXT_SIZE];

	if (!service->answers)
		fprintf(out, "%" PRIu64 " packet%s, ", service->packets,
			service->packets == 1 ? "" : "s");
	else
		fprintf(out, "%" PRIu64 " answer%s", service->answers,
			service->answers == 1 ? "" : "s");
	if (segments_of_answer(service) > 1)
		fprintf(out, " of %" PRIu64 " segments each: ", segments_of_answer(service));
	else if (service->answers)
		fprintf(out, ", %s%s each in %s: ", duration_text(own_ns, text), or_more(verdict),
			facts_text(&service->facts, "within"));
}

/* "cart (pid 411, UDP port 5002): 312 answers, 31ms each in this host: in 100us, application
 * 30.8ms, out 100us; peers 200us away" */
static void print_service(FILE *out, const struct verdict *verdict, const struct service *service)
{
	const uint64_t *part_ns = service->part_ns;
	const char *asleep_in = facts_text(&service->facts, "asleep_in");
	char text[DURATION_TEXT_SIZE];

	fprintf(out, "    %s: ", facts_text(&service->facts, "service"));
	print_answers(out, verdict, service);
	fprintf(out, "in %s", part_text(service, SERVICE_IN, text));
	if (part_ns[SERVICE_APPLICATION])
		fprintf(out, ", application %s%s%s%s",
			part_text(service, SERVICE_APPLICATION, text),
			*asleep_in ? " (asleep in " : "", asleep_in, *asleep_in ? ")" : "");
	if (part_ns[SERVICE_OUT])
		fprintf(out, ", out %s%s%s", part_text(service, SERVICE_OUT, text),
			or_more(verdict), segments_of_answer(service) > 1 ? " a segment" : "");
	if (part_ns[SERVICE_PEERS])
		fprintf(out, "; peers %s away", part_text(service, SERVICE_PEERS, text));
	if (part_ns[SERVICE_BULK])
		fprintf(out, ", %s for bulk", part_text(service, SERVICE_BULK, text));
	if (service->unanswered)
		fprintf(out,
			"; %" PRIu64 " not answered yet, for up to %s, if they asked for anything",
			service->unanswered, duration_text(service->unanswered_ns, text));
	fputc('\n', out);
}

/* "cart (pid 411, TCP) asks 192.0.2.7 port 5432: 240 answers, 23ms each, 1.2s at most; 1ms away" */
static void print_upstream(FILE *out, const struct upstream *upstream)
{
	const uint64_t rtt_ns = upstream->count.answers.min_rtt_us * NS_PER_US;
	char text[DURATION_TEXT_SIZE];

	fprintf(out, "    %s asks %s port %u: %s%s%s%s\n", facts_text(&upstream->facts, "service"),
		upstream->address, upstream->count.key.port,
		facts_text(&upstream->facts, "figures"), rtt_ns ? "; " : "",
		rtt_ns ? duration_text(rtt_ns, text) : "", rtt_ns ? " away" : "");
}

/* Prints first who is waited for longest, all in all. */
static void print_upstreams(FILE *out, const struct upstreams *upstreams)
{
	for (size_t i = 0; i < upstreams->nr && i < MAX_UPSTREAMS; i++)
		print_upstream(out, &upstreams->upstreams[i]);
	if (upstreams->nr > MAX_UPSTREAMS)
		fprintf(out, "    and %zu more that are asked\n", upstreams->nr - MAX_UPSTREAMS);
	if (upstreams->others)
		fprintf(out, "    and others, %" PRIu64 " times: no more than %d are told apart\n",
			upstreams->others, NR_UPSTREAMS);
}

/* The busiest, whatever the verdict is. */
static void print_services(FILE *out, const struct verdict *verdict)
{
	const struct services *services = &verdict->services;

	if (services->nr || verdict->upstreams.nr)
		fputs("\nOn average:\n", out);
	for (size_t i = 0; i < services->nr && i < MAX_SERVICES; i++)
		print_service(out, verdict, &services->services[i]);
	if (services->nr > MAX_SERVICES)
		fprintf(out, "    and %zu more services\n", services->nr - MAX_SERVICES);
	print_upstreams(out, &verdict->upstreams);
}

static const char *looked_at_name(enum class class)
{
	return class == CLASS_reader_asleep ? "readers" : classes[class].name;
}

/* A bucket that begins below what is late may end above. */
static uint64_t in_time_ns(const struct verdict *verdict, enum class class)
{
	const struct thresholds *thresholds = &verdict->tallies.thresholds;
	uint64_t late_ns = class == CLASS_application ? thresholds->application_ns
						      : threshold_of(thresholds, class);
	uint64_t latest_ns = verdict->looked_at[class].latest_ns;

	return latest_ns < late_ns ? latest_ns : late_ns;
}

/* Returns the first outcome of anything there. One that is told needs no other mention. */
static enum outcome outcome_of(const struct looked_at *looked_at)
{
	enum outcome outcome = OUTCOME_TOLD;

	while (outcome < OUTCOME_STRAYS && !(looked_at->outcomes >> outcome & 1))
		outcome++;
	return outcome;
}

static void print_looked_at(FILE *out, const struct verdict *verdict, enum outcome outcome,
			    const char *title)
{
	const char *separator = ": ";
	char text[DURATION_TEXT_SIZE];

	for (enum class class = 0; class < NR_CLASSES; class ++) {
		const struct looked_at *looked_at = &verdict->looked_at[class];

		if (!looked_at->count || outcome_of(looked_at) != outcome ||
		    class == CLASS_network || class == CLASS_drop)
			continue;
		if (*separator == ':')
			fprintf(out, "\n%s", title);
		fprintf(out, "%s%s", separator, looked_at_name(class));
		if (outcome == OUTCOME_STRAYS && !class_is_lost(class) && looked_at->latest_ns)
			fprintf(out, " (%s)", duration_text(in_time_ns(verdict, class), text));
		separator = ", ";
	}
	if (*separator == ',')
		fputs(".\n", out);
}

static void print_lacking(FILE *out, const struct verdict *verdict)
{
	const char *separator = "\nNot looked at, as this kernel cannot: ";

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (!verdict->lacks[hook])
			continue;
		fprintf(out, "%s%s", separator, hooks[hook].name);
		separator = ", ";
	}
	if (*separator == ',')
		fputs(".\n", out);
}

static void print_unpaired(FILE *out, const struct verdict *verdict)
{
	const char *separator = "\nNot looked at, as it is not known where they were before: ";

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		const struct unpaired *unpaired = &verdict->unpaired[hook];

		if (!unpaired->count)
			continue;
		fprintf(out, "%s%" PRIu64 " of %" PRIu64 " packets at %s", separator,
			unpaired->count, unpaired->of, hooks[hook].name);
		separator = ", ";
	}
	if (*separator == ',')
		fputs(".\n", out);
}

/* Says what could not be looked at. No sentence names it, even if it is the cause. */
static void print_unseen(FILE *out, const struct verdict *verdict)
{
	const char *separator = "\nNot to be seen from here, so not named as a cause: ";

	for (enum unseen unseen = 0; unseen < NR_UNSEEN; unseen++) {
		if (!verdict->unseen[unseen])
			continue;
		fprintf(out, "%s%s", separator, unseen_names[unseen]);
		separator = ", ";
	}
	if (*separator == ',')
		fputs(".\nnetstacklat(8) says under DIAGNOSIS what rights that takes.\n", out);
	if (verdict->has_other_pids)
		fputs("Process ids are those of the initial PID namespace, where these commands are "
		      "to be run.\n",
		      out);
}

static void print_blind_spots(FILE *out, const struct verdict *verdict)
{
	for (enum blind_spot spot = 0; spot < NR_BLIND_SPOTS; spot++) {
		const struct interfaces *blind = &verdict->blind[spot];
		char name[PRINTABLE_SIZE(IFNAMSIZ)];

		if (!blind->nr)
			continue;
		printable_copy(name, blind->list[0].name);
		fprintf(out, "\nNot looked at: %s, at ", blind_spots[spot].unknown);
		/* The list is empty if processes read from all that were in it. */
		if (!*name)
			fprintf(out, "%u of many interfaces.\n", blind->nr);
		else if (blind->nr == 1)
			fprintf(out, "%s.\n", name);
		else
			fprintf(out, "%s and %u more.\n", name, blind->nr - 1);
	}
}

static void print_mptcp(FILE *out, uint32_t nr)
{
	if (nr)
		fprintf(out,
			"\nNot looked at: how long packets wait for who reads by MPTCP, and answers "
			"do, in %u connection%s.\n",
			nr, nr == 1 ? "" : "s");
}

static void print_sctp(FILE *out, uint64_t nr)
{
	if (nr)
		fprintf(out,
			"\nNot looked at: how long %" PRIu64
			" packets that came by SCTP waited for "
			"their readers, and how long answers took.\n",
			nr);
}

/* Such segments wait for the network, as they should. But their users want to know. */
static void print_held_back(FILE *out, const struct lateness *held_back)
{
	char text[DURATION_TEXT_SIZE];

	if (lateness_is_harm(held_back))
		fprintf(out,
			"\nNo fault: TCP itself held back %" PRIu64 " of %" PRIu64
			" segments, for congestion control or pacing, or as enough waits "
			"in a qdisc, p99 %s.\n",
			held_back->late, held_back->count, duration_text(held_back->p99_ns, text));
}

static void print_behind_others(FILE *out, const struct services *services)
{
	const struct service *worst = worst_behind_others(services);
	char text[DURATION_TEXT_SIZE];

	if (worst)
		fprintf(out,
			"\nNo fault: %" PRIu64 " of %" PRIu64
			" packets waited behind others that came at once, p99 %s, for\n%s.\n",
			worst->behind_others.late, worst->behind_others.count,
			duration_text(worst->behind_others.p99_ns, text),
			facts_text(&worst->facts, "service"));
}

/* Steal looks like a wait for a CPU. No finding knows of it, so any finding is told with it. */
static void print_steal(FILE *out, const struct verdict *verdict)
{
	char text[DURATION_TEXT_SIZE];

	if (verdict->nr && verdict->steal_ns >= verdict->tallies.thresholds.task_ns)
		fprintf(out,
			"\nThe hypervisor kept CPUs from this machine for %s meanwhile (steal): what "
			"is late may have\nwaited for that.\n",
			duration_text(verdict->steal_ns, text));
}

/* No packet tells why its service is gone, nor may any be late. */
static void print_oom_kills(FILE *out, const struct verdict *verdict)
{
	if (verdict->oom_kills)
		fprintf(out,
			"\nThe kernel killed %" PRIu64 " process%s meanwhile, as memory was short: "
			"dmesg names %s.\n",
			verdict->oom_kills, verdict->oom_kills == 1 ? "" : "es",
			verdict->oom_kills == 1 ? "it" : "them");
}

void verdict_print_text(FILE *out, const struct verdict *verdict)
{
	print_readers(out, verdict);
	print_summary(out, verdict);
	if (verdict->is_one_second)
		fputs("\nAll of that was in the same second: look first for what stops the whole "
		      "machine, such as\na pause of the VM, or its host's load.\n",
		      out);
	print_steal(out, verdict);
	print_oom_kills(out, verdict);
	if (verdict->nr_clock_changes)
		fputs("\nThe clock was set meanwhile: packets that only seem late by that are left "
		      "out.\n",
		      out);
	for (size_t i = 0; i < verdict->nr; i++)
		print_finding(out, verdict, i);
	print_services(out, verdict);
	print_looked_at(out, verdict, OUTCOME_STRAYS, "Looked at, and fine");
	print_looked_at(out, verdict, OUTCOME_EFFECT, "Effects of that");
	print_looked_at(out, verdict, OUTCOME_CHANCE, "Late by chance");
	print_looked_at(out, verdict, OUTCOME_WAITING, "Long, as others are waited for");
	print_held_back(out, &verdict->tallies.held_back);
	print_behind_others(out, &verdict->services);
	print_lacking(out, verdict);
	print_unpaired(out, verdict);
	print_unseen(out, verdict);
	print_blind_spots(out, verdict);
	print_mptcp(out, verdict->nr_mptcp);
	print_sctp(out, verdict->nr_sctp);
	if (verdict->no_room)
		fprintf(out,
			"\nNot looked at: %" PRIu64 " times, a packet found no room; --max-groups "
			"makes more.\n",
			verdict->no_room);
}
