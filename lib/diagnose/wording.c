// SPDX-License-Identifier: GPL-2.0
/* Makes sentences of findings, with the names and figures that these have. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/duration.h"
#include "lib/base/printable.h"
#include "lib/diagnose/cause.h"
#include "lib/diagnose/verdict.h"
#include "lib/diagnose/wording_task.h"
#include "lib/host/netns.h"
#include "lib/tables/retransmit.h"
#include "lib/tables/tcp_limit.h"

/* Namespaces and interfaces without a name are called by a number: inode/1, index/1. */
static bool is_own_netns(const struct verdict *verdict, const char *netns)
{
	char own[sizeof(NETNS_NUMBER) + sizeof("18446744073709551615")];

	snprintf(own, sizeof(own), NETNS_NUMBER "%" PRIu64, verdict->own_netns);
	return !*netns || !strcmp(netns, own);
}

static bool has_name(const char *text)
{
	return !strchr(text, '/');
}

/*
 * A namespace is entered by its name, by a process that is known to be in it, or as it was found.
 * If nobody knows how, the shell must not run the command in another one.
 */
static void word_netns(const struct verdict *verdict, const struct host_facts *host,
		       struct facts *facts)
{
	const char *netns = facts_text(facts, "netns"), *pid = facts_text(facts, "pid");
	const char *how_many = facts_text(facts, "how_many_in_netns");
	bool is_own = is_own_netns(verdict, netns);

	facts_set(facts, "at", "");
	if (!is_own)
		facts_set_format(facts, "at", "%s %sin namespace %s", *how_many ? "," : "",
				 how_many, netns);
	facts_set_format(facts, "namespace", "%s%s", is_own ? "this host" : "namespace ",
			 is_own ? "" : netns);
	facts_set(facts, "in", "");
	if (!is_own && has_name(netns) && printable_is_same(netns)) {
		facts_set_word(facts, "netns_word", netns);
		facts_set_format(facts, "in", "ip netns exec %s ", facts_text(facts, "netns_word"));
	} else if (!is_own && *pid) {
		facts_set_format(facts, "in", "nsenter -n -t %s ", pid);
	} else if (!is_own && *host->netns_path && printable_is_plain(host->netns_path)) {
		facts_set_word(facts, "netns_word", host->netns_path);
		facts_set_format(facts, "in", "nsenter --net=%s ", facts_text(facts, "netns_word"));
	} else if (!is_own) {
		/* A shell may not take that for a comment, as zsh does not by default. */
		facts_set_word(facts, "netns_word", netns);
		facts_set_format(facts, "in",
				 "# in namespace %s: ", facts_text(facts, "netns_word"));
	}
}

/*
 * A command gets the interface by its name or, if a shell cannot take that, by its number, as ip
 * and tc know it, too. If it is not known, the reader must put it in.
 */
static void word_interface(struct finding *finding)
{
	const char *interface = facts_text(&finding->facts, "interface");

	facts_set(&finding->facts, "and_offloads", "");
	facts_set(&finding->facts, "on_device", "");
	facts_set(&finding->facts, "interface_word", "INTERFACE");
	if (!*interface)
		return;
	if (has_name(interface) && printable_is_same(interface))
		facts_set_word(&finding->facts, "interface_word", interface);
	else
		facts_set_format(&finding->facts, "interface_word", "if%u", finding->place.ifindex);
	facts_set_format(&finding->facts, "on_device", " dev %s",
			 facts_text(&finding->facts, "interface_word"));
	facts_set_format(&finding->facts, "and_offloads", "; %sethtool -k %s",
			 facts_text(&finding->facts, "in"),
			 facts_text(&finding->facts, "interface_word"));
}

static void print_part(FILE *out, bool *is_first, const char *before, const char *value)
{
	if (!*value)
		return;
	fprintf(out, "%s%s%s", *is_first ? " (" : ", ", before, value);
	*is_first = false;
}

/* A task reads from a port, from a tun, or from raw sockets. */
static void word_source(const struct facts *facts, char *text, size_t size)
{
	const char *protocol = facts_text(facts, "protocol"), *port = facts_text(facts, "port");
	const char *interface = facts_text(facts, "interface");

	if (*protocol)
		snprintf(text, size, "%s%s%s", protocol, *port ? " port " : "", port);
	else if (*interface)
		snprintf(text, size, "interface %s", interface);
	else
		snprintf(text, size, "raw sockets");
}

/* "cart (pid 411, UDP port 5002, cgroup /svc-cart)", as far as that is known. */
static void word_service(const struct verdict *verdict, struct facts *facts)
{
	const char *comm = facts_text(facts, "comm"), *netns = facts_text(facts, "netns");
	const char *cgroup = facts_text(facts, "cgroup");
	bool is_first = true, is_own = is_own_netns(verdict, netns);
	char *text = NULL, source[128];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	word_source(facts, source, sizeof(source));
	fputs(*comm ? comm : source, out);
	print_part(out, &is_first, "pid ", facts_text(facts, "pid"));
	print_part(out, &is_first, "", *comm ? source : "");
	print_part(out, &is_first, "cgroup ", strcmp(cgroup, "/") ? cgroup : "");
	print_part(out, &is_first, "namespace ", is_own ? "" : netns);
	if (!is_first)
		fputc(')', out);
	if (!fclose(out))
		facts_set(facts, "service", text);
	/* A packet that is forwarded there, as to a container, is stamped anew. */
	facts_set(facts, "within", is_own ? "this host" : "its namespace");
	free(text);
}

/* A further command in the finding's namespace; NULL: there is none. */
static void set_further_command(struct facts *facts, const char *name, const char *command)
{
	if (command)
		facts_set_format(facts, name, "; %s%s", facts_text(facts, "in"), command);
	else
		facts_set(facts, name, "");
}

/* The rules may not be what takes the time. */
static void word_rules(const struct host_facts *host, struct facts *facts)
{
	const char *legacy = host->has_legacy_rules ? ", and more, of iptables-legacy" : "";

	facts_set(facts, "rules_text", "");
	set_further_command(facts, "legacy_word", *legacy ? "iptables-legacy-save" : NULL);
	if (!host->rules_by)
		return;
	facts_set_number(facts, "rules", host->nr_rules);
	facts_set(facts, "rules_by", host->rules_by);
	if (host->nr_rules)
		facts_set_format(facts, "rules_text", "; the namespace has %u rules, of %s%s",
				 host->nr_rules, host->rules_by, legacy);
	else
		facts_set(
			facts, "rules_text",
			*legacy ? "; the namespace has no rules of nft, but some of iptables-legacy"
				: "; as the namespace has no rules of nft, it is something else "
				  "there, or what interrupts it");
}

/* Hooks of netfilter drop packets, too, without any rule. */
static void word_dropper(const struct host_facts *host, struct facts *facts)
{
	bool has_no_rules = host->rules_by && !host->nr_rules && !host->has_legacy_rules;
	const char *dropper = "A netfilter rule", *command = NULL;

	if (host->has_ipvs) {
		dropper = has_no_rules ? "IPVS" : "A netfilter rule or IPVS";
		command = "ipvsadm -Ln --stats";
	} else if (has_no_rules) {
		dropper = "Something in netfilter's hooks, but no rule of nft,";
		command = "nft list hooks";
	}
	facts_set(facts, "dropper", dropper);
	set_further_command(facts, "and_hooks", command);
}

/* The process that netfilter asks. */
static void word_decider(struct finding *finding)
{
	const struct host_facts *host = &finding->host;
	struct facts *facts = &finding->facts;

	if (finding->class != CLASS_userspace_filter)
		return;
	facts_set_number(facts, "nfqueue", host->nfqueue);
	facts_set_number(facts, "queued", host->queued_packets);
	facts_set(facts, "decider", "a process");
	facts_set(facts, "and_strace", "");
	if (!host->decider_pid)
		return;
	facts_set_number(facts, "decider_pid", host->decider_pid);
	facts_set_printable(facts, "decider_comm", host->decider_comm);
	facts_set_format(facts, "decider", "%s (pid %u)", facts_text(facts, "decider_comm"),
			 host->decider_pid);
	facts_set_format(facts, "and_strace", "; strace -f -T -p %u", host->decider_pid);
}

static const struct {
	const char *kind, *does, *next;
} qdiscs[] = {
#define QDISC(kind, does, next) { kind, does, next },
#include "lib/diagnose/classes.def"
};
#define NR_QDISCS (sizeof(qdiscs) / sizeof(*qdiscs))

static void word_qdisc(const struct host_facts *host, struct facts *facts)
{
	facts_set(facts, "kind_text", "");
	facts_set(facts, "qdisc_next", "");
	if (!*host->qdisc_kind)
		return;
	facts_set_printable(facts, "kind", host->qdisc_kind);
	facts_set_format(facts, "kind_text", ", whose qdisc is %s", facts_text(facts, "kind"));
	for (size_t i = 0; i < NR_QDISCS; i++)
		if (!strcmp(host->qdisc_kind, qdiscs[i].kind)) {
			facts_set_format(facts, "kind_text", ", whose qdisc is %s, which %s",
					 qdiscs[i].kind, qdiscs[i].does);
			facts_set_expanded(facts, "qdisc_next", qdiscs[i].next);
		}
}

static void word_host(struct finding *finding)
{
	const struct host_facts *host = &finding->host;
	struct facts *facts = &finding->facts;

	word_rules(host, facts);
	word_dropper(host, facts);
	word_qdisc(host, facts);
}

/* Returns a peer that did not answer a SYN; NULL if none is known. */
static const struct upstream *silent_upstream(const struct verdict *verdict,
					      const struct finding *finding)
{
	for (size_t i = 0; i < verdict->upstreams.nr; i++) {
		const struct upstream *upstream = &verdict->upstreams.upstreams[i];

		if (upstream->count.key.protocol == IPPROTO_TCP &&
		    upstream_unanswered(&upstream->count) &&
		    upstream->count.key.netns == finding->place.netns)
			return upstream;
	}
	return NULL;
}

static void word_syn(const struct verdict *verdict, struct finding *finding)
{
	const struct upstream *upstream = silent_upstream(verdict, finding);

	if (finding->retransmit == RETRANSMIT_SYN && upstream)
		facts_set_format(&finding->facts, "sent_again_text",
				 "as nobody answers its SYN to %s port %u", upstream->address,
				 upstream->count.key.port);
}

static void word_retransmit(const struct verdict *verdict, struct finding *finding)
{
	static const char *const texts[END_OF_RETRANSMITS] = {
		[0] = "it is not known why",
		[RETRANSMIT_TIMEOUT] = "as no ACK came until its timer ran out",
		[RETRANSMIT_FAST] = "as its peers acknowledge only what came later",
		[RETRANSMIT_PROBE] = "as no ACK of the last of it came in time",
		[RETRANSMIT_SYN] = "as nobody answers its SYN",
	};

	if (finding->class != CLASS_retransmit)
		return;
	facts_set(&finding->facts, "sent_again_text", texts[finding->retransmit]);
	facts_set(&finding->facts, "and_back_text", finding->is_both_ways ? " and back" : "");
	facts_set_expanded(&finding->facts, "lost_text",
			   finding->retransmit == RETRANSMIT_SYN
				   ? "Its peer is down or filters SYNs, or they get lost on the "
				     "way there{and_back_text}"
				   : "Segments get lost on the way to the peer{and_back_text}, or "
				     "are acknowledged too late");
	word_syn(verdict, finding);
}

/* A segment that comes again was not lost: a loss shows in segments that come behind it. */
static void word_loss(struct finding *finding)
{
	const char *disorder = "behind a gap, or again";
	const char *text = "get lost, overtake each other or are doubled on their way, or are "
			   "acknowledged too late";

	if (finding->class != CLASS_loss)
		return;
	if (!finding->came_again) {
		disorder = "behind a gap";
		text = "get lost, or overtake each other, on their way";
	} else if (finding_is_repetition(finding)) {
		disorder = "again";
		text = "are doubled on their way, or sent again as ACKs get lost or are late";
	}
	facts_set(&finding->facts, "disorder", disorder);
	facts_set(&finding->facts, "disorder_text", text);
}

/* "its link was lost once, and 363 of 500 packets came damaged" */
static void word_link(struct finding *finding)
{
	const char *links = facts_text(&finding->facts, "links_lost");
	const char *damaged = facts_text(&finding->facts, "damaged");
	bool is_lost = strcmp(links, "0") != 0, is_damaged = strcmp(damaged, "0") != 0;
	bool is_once = !strcmp(links, "1");
	char lost_text[64] = "", damaged_text[64] = "";

	if (finding->class != CLASS_link)
		return;
	if (is_lost)
		snprintf(lost_text, sizeof(lost_text), "its link was lost %s%s",
			 is_once ? "once" : links, is_once ? "" : " times");
	if (is_damaged)
		snprintf(damaged_text, sizeof(damaged_text),
			 "%s of %" PRIu64 " packets came damaged", damaged,
			 finding->lateness.count);
	facts_set_format(&finding->facts, "link", "%s%s%s", lost_text,
			 is_lost && is_damaged ? ", and " : "", damaged_text);
	facts_set(&finding->facts, "or_set_down_text",
		  is_lost ? ", or somebody set one of the ends down" : "");
}

static void word_tcp_limit(struct finding *finding)
{
	static const struct {
		const char *text, *next;
	} limits[END_OF_TCP_LIMITS] = {
		[TCP_LIMIT_RWND] = { "The peer's receive window is full: it reads too slowly, or "
				     "its receive buffer is too short.",
				     "" },
		[TCP_LIMIT_SNDBUF] = { "Its send buffer is full of what the peer has not "
				       "acknowledged yet: it is too short for this way.",
				       "" },
		[TCP_LIMIT_PAGE] = { "The call waits for a page of what it writes, as of a mapped "
				     "file or from swap.",
				     "ps -eo maj_flt,stat,wchan,pid,comm --sort=-maj_flt | head" },
		[TCP_LIMIT_WRITE] = { "The call gets no CPU: other tasks, interrupts or the "
				      "hypervisor have it meanwhile.",
				      "perf sched record sleep 1; perf sched timehist" },
	};

	facts_set(&finding->facts, "limit_text", limits[finding->limit].text ?: "");
	facts_set(&finding->facts, "limit_next", limits[finding->limit].next ?: "");
}

static void word_refused(struct facts *facts)
{
	const char *refused = facts_text(facts, "refused");

	facts_set(facts, "refused_text", "");
	if (*refused)
		facts_set_format(facts, "refused_text",
				 "; that was full, and refused connections %s times", refused);
}

/* Where a process has no file descriptor left, accept(2) fails: connections stay in the queue. */
static void word_files(struct finding *finding)
{
	uint64_t files = finding->host.files_at_limit;

	facts_set(&finding->facts, "files_text", "");
	facts_set(&finding->facts, "and_files", "");
	if (!files)
		return;
	facts_set_number(&finding->facts, "files_at_limit", files);
	facts_set_format(&finding->facts, "files_text",
			 " It has as many files open as it may: %" PRIu64 ".", files);
	facts_set_format(&finding->facts, "and_files", "; grep files /proc/%s/limits",
			 facts_text(&finding->facts, "pid"));
}

/* Says for how long a hypervisor kept a CPU. */
static void word_steal(struct finding *finding)
{
	uint64_t steal_ns = finding->host.cpu.steal_ns;
	char text[DURATION_TEXT_SIZE];

	facts_set(&finding->facts, "steal_text", "");
	if (steal_ns)
		facts_set_format(&finding->facts, "steal_text",
				 ". The hypervisor kept this CPU for %s meanwhile",
				 duration_text(steal_ns, text));
}

/* Says that a CPU stopped to receive, whether or not packets were left. */
static void word_budget(struct finding *finding)
{
	struct facts *facts = &finding->facts;
	uint32_t squeezed = finding->host.cpu.squeezed;

	facts_set(facts, "budget_text", "");
	facts_set(facts, "and_budget", "");
	if (!squeezed)
		return;
	facts_set_format(facts, "budget_text",
			 ". Its budget to receive was used up %" PRIu32 " time%s", squeezed,
			 squeezed == 1 ? "" : "s");
	facts_set(facts, "and_budget",
		  "; sysctl net.core.netdev_budget net.core.netdev_budget_usecs");
}

/* Says whose packets take the time of a CPU: a service's, or an interface's. */
static void word_work(struct finding *finding)
{
	const struct place *place = &finding->work.place;
	const char *protocol = place_protocol_name(place);
	struct facts *facts = &finding->facts;

	if (!finding->work.takes_cpu)
		return;
	if (protocol && place->port)
		facts_set_format(facts, "work_of", "%s port %u%s", protocol, place->port,
				 facts_text(facts, "at"));
	else
		facts_set_format(facts, "work_of", "%s%s",
				 protocol ?: facts_text(facts, "interface"),
				 facts_text(facts, "at"));
}

/* Says what packets wait for in the backlog of a CPU. */
static void word_behind(struct finding *finding)
{
	struct facts *facts = &finding->facts;
	char took[DURATION_TEXT_SIZE];

	if (finding->work.takes_cpu)
		facts_set_format(
			facts, "behind_text", ", behind packets of %s, which took %s of its time",
			facts_text(facts, "work_of"), duration_text(finding->work.ns, took));
	else
		facts_set(
			facts, "behind_text",
			"; what takes its time meanwhile is none of the stages that are measured");
}

/* Says what a CPU did while it was to receive. */
static void word_softirq(struct finding *finding)
{
	const struct host_facts *host = &finding->host;
	struct facts *facts = &finding->facts;
	char ran[DURATION_TEXT_SIZE];

	if (finding->class != CLASS_softirq)
		return;
	facts_set_printable(facts, "thread", host->thread);
	facts_set(facts, "and_thread",
		  *host->thread ? "; ps -eo psr,cls,rtprio,ni,pid,comm | grep -E 'napi/|ksoftirqd/'"
				: "");
	if (finding->work.takes_cpu)
		facts_set_format(facts, "softirq_text", "Packets of %s take most of its time",
				 facts_text(facts, "work_of"));
	else if (!*host->other_comm)
		facts_set(facts, "softirq_text",
			  "No task ran meanwhile: another softirq, interrupts or the hypervisor "
			  "had the CPU");
	else if (*host->thread)
		facts_set_format(facts, "softirq_text",
				 "%s was to do that, and got no CPU: %s ran, once for %s meanwhile",
				 facts_text(facts, "thread"), facts_text(facts, "other"),
				 duration_text(host->other_ran_ns, ran));
	else
		facts_set_format(
			facts, "softirq_text",
			"%s had the CPU meanwhile, once for %s: it keeps softirqs off in the "
			"kernel, or another one interrupted it",
			facts_text(facts, "other"), duration_text(host->other_ran_ns, ran));
}

/* "the CPU's backlog 900us, netfilter's INPUT chains 850us on average" */
static void word_path(struct finding *finding)
{
	char ns[DURATION_TEXT_SIZE], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	for (size_t i = 0; i < finding->nr_path_parts; i++) {
		const struct path_part *part = &finding->path_parts[i];

		fprintf(out, "%s%s %s", i ? ", " : "", part->stage->between,
			duration_text(path_part_mean_ns(part), ns));
	}
	fputs(finding->nr_path_parts ? " on average" : "where it is late was not measured", out);
	if (!fclose(out))
		facts_set(&finding->facts, "parts", text);
	free(text);
}

/* Says where it is dropped, and who would have read it. */
static void word_port(struct facts *facts)
{
	const char *port = facts_text(facts, "port");

	facts_set(facts, "port_text", "");
	facts_set(facts, "of_port", "");
	if (*port) {
		facts_set_format(facts, "of_port", " 'sport = :%s'", port);
		facts_set_format(facts, "port_text", ", %sat port %s",
				 facts_text(facts, "how_many_at_port"), port);
	}
	facts_set(facts, "reader", "its reader");
	if (*facts_text(facts, "comm"))
		facts_set_format(facts, "reader", "%s (pid %s)", facts_text(facts, "comm"),
				 facts_text(facts, "pid"));
}

/* Says nothing where it was late all the time, as most is. */
static void word_seconds(struct facts *facts, const struct late_seconds_entry *seconds)
{
	facts_set(facts, "seconds_text", "");
	if (is_late_once(seconds))
		facts_set(facts, "seconds_text", ", all in one second");
	else if (seconds->late && seconds->late < seconds->active)
		facts_set_format(facts, "seconds_text", ", in %u of %u s", seconds->late,
				 seconds->active);
}

/*
 * Says "31 %", and how late the latest of a hundred is; of a few, how many they are, and the latest
 * of all.
 */
static void word_share(struct facts *facts, const struct lateness *lateness)
{
	bool is_share = lateness->late * 100 >= lateness->count * MIN_LATE_PERCENT;
	char ns[DURATION_TEXT_SIZE];

	if (is_share)
		facts_set_format(facts, "share", "%.0f %%",
				 100.0 * lateness->late / lateness->count);
	else
		facts_set_format(facts, "share", "%" PRIu64 " of %" PRIu64, lateness->very_late,
				 lateness->count);
	facts_set_format(facts, "latest", "%s %s%s", is_share ? "p99" : "max",
			 duration_text(is_share ? lateness->p99_ns : lateness->max_ns, ns),
			 facts_text(facts, "seconds_text"));
}

/* Says that the time between two hooks need not be spent on what lies there. */
static void word_preemption(const struct verdict *verdict, struct facts *facts)
{
	facts_set(
		facts, "rt_text",
		verdict->preempts_softirqs
			? " Or other tasks ran meanwhile: this kernel preempts softirqs (PREEMPT_RT)."
			: "");
}

static void word_figures(struct finding *finding)
{
	const struct lateness *lateness = &finding->lateness;
	struct facts *facts = &finding->facts;

	facts_set_number(facts, "count", lateness->count);
	facts_set_number(facts, "lost", lateness->late);
	facts_set(facts, "dropped_text", "");
	if (finding->dropped)
		facts_set_format(facts, "dropped_text",
				 "; %" PRIu64 " more were dropped, as its queue was full",
				 finding->dropped);
	word_seconds(facts, &finding->seconds);
	word_share(facts, lateness);
}

/* Notes what causes rest on, for programs. */
static void note_evidence(struct finding *finding)
{
	struct facts *facts = &finding->facts;

	facts_set_number(facts, "asleep_ns", finding->part_ns[ASLEEP]);
	facts_set_number(facts, "ready_ns", finding->part_ns[READY]);
	facts_set_number(facts, "running_ns", finding->part_ns[RUNNING]);
	facts_set_number(facts, "other_ran_ns", finding->host.other_ran_ns);
	facts_set_number(facts, "squeezed", finding->host.cpu.squeezed);
	facts_set_number(facts, "steal_ns", finding->host.cpu.steal_ns);
	facts_set_number(facts, "throttled_ns", finding->host.throttled_ns);
	facts_set_number(facts, "work_ns", finding->work.ns);
	facts_set_number(facts, "at_port", dropped_ports_most_count(&finding->dropped_ports));
}

/* Says why netfilter dropped most of them. */
static const struct class_drop *word_netfilter(struct finding *finding)
{
	const struct host_facts *host = &finding->host;
	struct facts *facts = &finding->facts;

	facts_set_number(facts, "conntrack_dropped", host->conntrack_dropped);
	facts_set_number(facts, "conntrack_clashed", host->conntrack_clashed);
	facts_set(facts, "takes_text", "");
	if (host->conntrack_max) {
		facts_set_number(facts, "conntrack_max", host->conntrack_max);
		facts_set_format(facts, "takes_text", ": it takes %u", host->conntrack_max);
	}
	if (2 * host->conntrack_dropped >= finding->lateness.count)
		return class_drop_find(DROP_BY_CONNTRACK);
	return class_drop_find(2 * host->conntrack_clashed >= finding->lateness.count
				       ? DROP_BY_CLASH
				       : DROP_BY_RULE);
}

/* Says why it was dropped, as well as that is known; NULL if it was not. */
static const struct class_drop *word_drop(struct finding *finding)
{
	const struct host_facts *host = &finding->host;

	if (!finding->drop)
		return NULL;
	if (host->has_conntrack && finding->drop == class_drop_find(DROP_BY_NETFILTER))
		return word_netfilter(finding);
	if (!host->has_no_carrier || finding->drop != class_drop_find(DROP_BY_QDISC))
		return finding->drop;
	facts_set(&finding->facts, "carrier", "none");
	return class_drop_find(DROP_NO_CARRIER);
}

static void word(const struct verdict *verdict, struct finding *finding)
{
	const struct class_info *class = &classes[finding->class];
	const struct class_drop *drop;

	word_netns(verdict, &finding->host, &finding->facts);
	word_interface(finding);
	word_service(verdict, &finding->facts);
	word_host(finding);
	word_decider(finding);
	word_work(finding);
	word_behind(finding);
	word_budget(finding);
	word_steal(finding);
	word_path(finding);
	word_port(&finding->facts);
	word_task(verdict, finding);
	word_softirq(finding);
	word_retransmit(verdict, finding);
	word_loss(finding);
	word_link(finding);
	word_tcp_limit(finding);
	word_refused(&finding->facts);
	word_files(finding);
	word_figures(finding);
	word_preemption(verdict, &finding->facts);
	note_evidence(finding);
	drop = word_drop(finding);
	finding->where = facts_expand(&finding->facts, class->where);
	finding->cause = facts_expand(&finding->facts, drop ? drop->cause : class->cause);
	finding->next = facts_expand(&finding->facts, drop ? drop->next : class->next);
}

/* Keeps the findings that are told. */
static void keep_told(struct verdict *verdict)
{
	size_t nr = 0;

	for (size_t i = 0; i < verdict->nr; i++) {
		struct finding *finding = &verdict->findings[i];

		if (finding->outcome == OUTCOME_TOLD) {
			verdict->findings[nr++] = *finding;
			continue;
		}
		verdict->looked_at[finding->measured_as].outcomes |= 1U << finding->outcome;
		finding_free(finding);
	}
	verdict->nr = nr;
}

/* Losses come before what is late. */
static int rank(const struct finding *finding)
{
	return class_is_lost(finding->class) || finding->dropped ? 0 : 1;
}

static uint64_t harm(const struct finding *finding)
{
	if (finding->dropped)
		return finding->dropped;
	return class_is_lost(finding->class) ? finding->lateness.late : finding->lateness.late_ns;
}

static int compare(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	if (harm(x) != harm(y))
		return harm(x) > harm(y) ? -1 : 1;
	if (x->class != y->class)
		return (int)x->class - (int)y->class;
	if (x->place.cpu != y->place.cpu)
		return (int)x->place.cpu - y->place.cpu;
	return (int)x->place.port - y->place.port;
}

/* One task or queue that stops does not make others stop in the same second, and in no other. */
static bool is_one_second(const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nr; i++) {
		const struct late_seconds_entry *seconds = &verdict->findings[i].seconds;

		if (!is_late_once(seconds) ||
		    seconds->last_late != verdict->findings[0].seconds.last_late)
			return false;
	}
	return verdict->nr > 1;
}

void verdict_explain(struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nr; i++) {
		cause_of_reader(verdict, &verdict->findings[i]);
		cause_of_netfilter(&verdict->findings[i]);
	}
	/*
	 * Chance explains nothing else. An application that waits for others explains nothing
	 * either: if its own sockets are late meanwhile, that is a finding.
	 */
	for (size_t i = 0; i < verdict->nr; i++) {
		cause_of_chance(&verdict->findings[i]);
		cause_of_application(&verdict->findings[i]);
	}
	keep_told(verdict);
	causes_absorb(verdict);
	keep_told(verdict);
	for (size_t i = 0; i < verdict->nr; i++)
		verdict->looked_at[verdict->findings[i].measured_as].outcomes |= 1U << OUTCOME_TOLD;
	verdict->is_one_second = is_one_second(verdict);
	if (verdict->nr)
		qsort(verdict->findings, verdict->nr, sizeof(*verdict->findings), compare);
	for (size_t i = 0; i < verdict->nr; i++)
		word(verdict, &verdict->findings[i]);
	for (size_t i = 0; i < verdict->services.nr; i++)
		word_service(verdict, &verdict->services.services[i].facts);
	for (size_t i = 0; i < verdict->upstreams.nr; i++)
		word_service(verdict, &verdict->upstreams.upstreams[i].facts);
}
