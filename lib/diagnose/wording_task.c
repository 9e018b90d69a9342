// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/wording_task.h"

#include <ctype.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/duration.h"
#include "lib/base/printable.h"
#include "lib/base/shell.h"
#include "lib/diagnose/cause.h"

/* The folder of a cgroup: by its path or, if a shell cannot be given that, by its id. */
static void set_folder(struct facts *facts, const char *name, const char *root, const char *path,
		       uint64_t id)
{
	char *folder = NULL, *root_word = shell_word(root);

	if (printable_is_plain(path) && asprintf(&folder, "%s%s", root, path) < 0)
		folder = NULL;
	if (folder)
		facts_set_word(facts, name, folder);
	else if (root_word)
		facts_set_format(facts, name, "\"$(find %s -inum %" PRIu64 ")\"", root_word, id);
	free(folder);
	free(root_word);
}

/* Returns whether it got no CPU because of its cgroup's limit. */
static bool is_held_by_limit(const struct verdict *verdict, const struct finding *finding)
{
	const struct host_facts *host = &finding->host;

	if (classes[finding->class].family != FAMILY_TASK)
		return finding->class == CLASS_reader_throttled;
	return (host->mostly == READY || host->mostly == NR_PARTS) && cause_is_limit(verdict, host);
}

static void word_limit(const struct verdict *verdict, struct finding *finding)
{
	const struct host_facts *host = &finding->host;
	struct facts *facts = &finding->facts;

	if (!is_held_by_limit(verdict, finding))
		return;
	facts_set_printable(facts, "throttled", host->throttled);
	facts_set_printable(facts, "cpu_max", host->cpu_max);
	facts_set(facts, "limit_file", host->limit_is_v1 ? "cpu.cfs_quota_us" : "cpu.max");
	facts_set_duration(facts, "throttled_time", host->throttled_ns);
	set_folder(facts, "throttled_word", host->cgroup_root, host->throttled, host->throttled_id);
}

/*
 * Says whose limit has the kernel free memory before the task gets any. It never says that nobody's
 * does: limits above a container are not seen from within.
 */
static void word_memory(const struct host_facts *host, struct facts *facts)
{
	const struct memory_limit *limit = host->memory_limit;

	facts_set(facts, "memory_text", "");
	facts_set(facts, "memory_command", "free -m; cat /proc/pressure/memory");
	if (!limit)
		return;
	facts_set_printable(facts, "memory_limited", limit->path);
	facts_set_format(facts, "memory_limit", "%s %s", limit->file, limit->bytes);
	set_folder(facts, "memory_word", limit->root, limit->path, limit->id);
	facts_set_format(facts, "memory_text",
			 ", as its cgroup %s has all, or nearly all, that %s allows (%g MiB)",
			 facts_text(facts, "memory_limited"), limit->file,
			 strtod(limit->bytes, NULL) / (1 << 20));
	facts_set(facts, "memory_file", limit->file);
	facts_set_expanded(
		facts, "memory_command",
		"cat {memory_word}/{memory_file}; ps -eo rss,pid,comm,cgroup --sort=-rss | "
		"head");
}

/* Says what stopped it and, in a sentence of its own, that it still is. */
static void word_stop(const struct host_facts *host, struct facts *facts)
{
	facts_set(facts, "stopped_by",
		  host->is_frozen || host->was_frozen ? "by its cgroup's freezer"
		  : host->was_suspended ? "by its cgroup's freezer, or in a suspend of the system"
					: "by a signal or a debugger");
	facts_set(facts, "stopped_text", "");
	if (host_is_stopped(host))
		facts_set_format(facts, "stopped_text", " It is stopped, %s.",
				 facts_text(facts, "stopped_by"));
}

static void word_core_dump(const struct host_facts *host, struct facts *facts)
{
	facts_set(facts, "dump_text",
		  host->dumps_core ? " It has crashed, and its core dump is being written." : "");
}

/*
 * Returns whether it is a thread that polls a ring of io_uring (IORING_SETUP_SQPOLL). Such a thread
 * also runs while nobody asks it for anything. Only its name tells, which Linux 5.12 (37d1e2e3642e)
 * changed.
 */
static bool polls_ring(const char *comm)
{
	static const char name[] = "iou-sqp-";

	return !strncmp(comm, name, sizeof(name) - 1) || !strcmp(comm, "io_uring-sq");
}

/* Says what a task does that runs, and how to look at that. */
static void word_running(struct facts *facts)
{
	static const struct {
		const char *busy, *running, *look;
	} texts[] = {
		[false] = { "was running, busy with something else than to read",
			    "it was running most of that time", "perf top -p {pid}" },
		[true] = { "polled its ring of io_uring: it was not asked to read, or did "
			   "something else",
			   "it polled its ring of io_uring, and it is not known what the "
			   "application did meanwhile",
			   "perf trace -e 'io_uring:*' -p {pid}" },
	};
	bool polls = polls_ring(facts_text(facts, "comm"));

	if (polls)
		facts_set(facts, "polls", "io_uring");
	facts_set(facts, "busy_text", texts[polls].busy);
	facts_set(facts, "running_text", texts[polls].running);
	facts_set_expanded(facts, "perf", texts[polls].look);
}

/*
 * Returns how many packets a reader reads while one of them waits, if most are late: as many as
 * wait at a time (Little's law). Returns 0 if that is not known.
 */
static uint64_t read_meanwhile(const struct verdict *verdict, const struct finding *finding)
{
	const struct lateness *lateness = &finding->lateness;

	if (finding->others_meanwhile)
		return finding->others_meanwhile;
	if (finding->nr_sharing || 2 * lateness->late < lateness->count || !verdict->duration_ns)
		return 0;
	return lateness->late_ns / verdict->duration_ns;
}

static void word_queue(const struct verdict *verdict, struct finding *finding)
{
	uint64_t others = read_meanwhile(verdict, finding);
	struct facts *facts = &finding->facts;

	facts_set(facts, "queue_text", "");
	if (others < LONG_QUEUE || facts_text(facts, "polls")[0])
		return;
	facts_set_format(facts, "overload",
			 ", and read some %" PRIu64
			 " others meanwhile: more comes than it has time for",
			 others);
	facts_set_expanded(facts, "busy_text", "was running{overload}");
	/* Others sleep, and then read all that came. */
	if (finding->others_meanwhile)
		facts_set_expanded(facts, "queue_text", "{overload}");
}

/* Says what that task did meanwhile. */
static void word_waker_wait(const struct host_facts *host, struct facts *facts)
{
	facts_set(facts, "waker_text", "");
	switch (host->waker_mostly) {
	case ASLEEP:
		facts_set(facts, "waker_asleep_in", host->waker_asleep_in);
		facts_set_format(facts, "waker_text", ", which slept%s%s,",
				 *host->waker_asleep_in ? " in " : "", host->waker_asleep_in);
		break;
	case READY:
		facts_set(facts, "waker_text", ", which got no CPU,");
		break;
	case RUNNING:
		if (!polls_ring(host->waker_comm))
			facts_set(facts, "waker_text", ", which was running,");
		break;
	default:
		break;
	}
}

/* Says which task woke it, as it had done what this one waited for. */
static void word_waker(const struct finding *finding, struct facts *facts)
{
	const struct host_facts *host = &finding->host;

	facts_set(facts, "woken_text", "");
	facts_set(facts, "and_waker", "");
	if (!host->waker_tid)
		return;
	word_waker_wait(host, facts);
	facts_set_printable(facts, "waker_comm", host->waker_comm);
	facts_set_number(facts, "waker_tid", host->waker_tid);
	if (host->waker_pid)
		facts_set_number(facts, "waker_pid", host->waker_pid);
	facts_set_expanded(
		facts, "woken_text",
		!host->waker_pid ? ", until the kernel's {waker_comm} (pid {waker_tid}) woke it"
		: host->waker_pid == finding->pid
			? ", until its thread {waker_comm} (tid {waker_tid}){waker_text} woke it"
			: ", until {waker_comm} (pid {waker_pid}){waker_text} woke it");
	if (host->waker_pid && host->waker_pid != finding->pid)
		facts_set_expanded(facts, "and_waker", "; strace -f -T -p {waker_pid}");
}

/* Says that another process may be the one that is late. */
static void word_sharing(const struct finding *finding, struct facts *facts)
{
	facts_set(facts, "sharing_text", "");
	if (!finding->nr_sharing)
		return;
	facts_set_number(facts, "sharing", finding->nr_sharing);
	facts_set_expanded(
		facts, "sharing_text",
		finding->nr_sharing == 1
			? " Another process has the same socket, and may be the one to blame."
			: " {sharing} other processes have the same socket, and one of them "
			  "may be to blame.");
}

static bool is_same_fact(const struct facts *facts, const struct facts *others, const char *name)
{
	return !strcmp(facts_text(facts, name), facts_text(others, name));
}

/* Returns whether answers of it are late as for a task, or missing. */
static bool is_slow(const struct verdict *verdict, const struct upstream_count *count)
{
	return count->answers.longest_ns >= verdict->tallies.thresholds.task_ns ||
	       upstream_unanswered(count);
}

/*
 * Returns whom the task asks, and may have waited for, or NULL. Of several, those are first that
 * were waited for longest.
 */
static const struct upstream *slow_upstream(const struct verdict *verdict,
					    const struct finding *finding)
{
	for (size_t i = 0; i < verdict->upstreams.nr; i++) {
		const struct upstream *upstream = &verdict->upstreams.upstreams[i];
		const uint32_t pid = upstream->count.key.pid;

		if ((!pid || pid == finding->pid) && is_slow(verdict, &upstream->count) &&
		    is_same_fact(&upstream->facts, &finding->facts, "comm") &&
		    is_same_fact(&upstream->facts, &finding->facts, "netns"))
			return upstream;
	}
	return NULL;
}

/* Says for whom it may have waited, if no task woke it. */
static void word_asked(const struct verdict *verdict, const struct finding *finding,
		       struct facts *facts)
{
	const struct host_facts *host = &finding->host;
	const struct upstream *upstream = NULL;

	facts_set(facts, "asked_text", "");
	if (host->slept_for_sockets && !host->waker_tid)
		upstream = slow_upstream(verdict, finding);
	if (upstream)
		facts_set_format(facts, "asked_text", " (it asks %s port %u: %s)",
				 upstream->address, upstream->count.key.port,
				 facts_text(&upstream->facts, "figures"));
}

/* Says in which call the task slept. */
static void word_sleep(const struct host_facts *host, struct facts *facts)
{
	/*
	 * The first index is whether it slept often, and the second whether it waited for a disk.
	 */
	static const char *const how[2][2] = {
		{ "", ", for a disk or the like," },
		{ " time and again, for longest",
		  " time and again, for a disk or the like, for longest" },
	};

	facts_set(facts, "asleep_text", host->slept_often ? " time and again" : "");
	if (!*host->asleep_in)
		return;
	facts_set(facts, "asleep_in", host->asleep_in);
	facts_set(facts, "swapped_text", "");
	if (host->swapped_bytes)
		facts_set_format(facts, "swapped_text", " (%.3g MiB of its memory are swapped out)",
				 (double)host->swapped_bytes / (1 << 20));
	facts_set_format(facts, "asleep_text", "%s in %s%s%s",
			 how[host->slept_often][host->waited_for_io], host->asleep_in,
			 facts_text(facts, "swapped_text"), facts_text(facts, "asked_text"));
}

/* Says what keeps a task from an idle CPU. */
static void word_keepers(const struct host_facts *host, struct facts *facts)
{
	static const char *const limits[] = {
		[SCHED_FIFO] = "the limit of real-time tasks (sched_rt_runtime_us), ",
		[SCHED_RR] = "the limit of real-time tasks (sched_rt_runtime_us), ",
		[SCHED_DEADLINE] = "its budget by SCHED_DEADLINE, ",
	};
	size_t policy =
		host->policy < sizeof(limits) / sizeof(*limits) ? host->policy : SCHED_OTHER;

	facts_set_format(facts, "keepers", "%ssoftirqs, a limit of %s or the hypervisor",
			 limits[policy] ?: "", host->state ? "a cgroup above" : "its cgroup");
}

/* Says which task had the CPU instead. */
static void word_other(const struct host_facts *host, struct facts *facts)
{
	char ran[DURATION_TEXT_SIZE];

	word_keepers(host, facts);
	facts_set_expanded(facts, "others",
			   host->nobody_ran ? "no task ran instead; {keepers} may have kept it"
					    : "who had it is not known");
	facts_set(facts, "ran_text", "");
	if (*host->other_comm) {
		facts_set_printable(facts, "other_comm", host->other_comm);
		if (host->other_pid)
			facts_set_number(facts, "other_pid", host->other_pid);
		facts_set_expanded(facts, "other",
				   host->other_pid ? "{other_comm} (pid {other_pid})"
						   : "{other_comm}");
		facts_set_expanded(facts, "others", "{other} ran instead");
		facts_set_format(facts, "ran_text", ", once for %s without a break",
				 duration_text(host->other_ran_ns, ran));
	}
}

/* Tells what the task did in its longest wait, and how to look at that. */
static const char *why_it_waited(const struct verdict *verdict, const struct finding *finding,
				 const char **command)
{
	const struct host_facts *host = &finding->host;

	if (host->was_stopped)
		return "it was stopped, {stopped_by}";
	if (host_lacks_memory(host)) {
		*command = "; {memory_command}";
		return "it slept until the kernel had memory for it{memory_text}";
	}
	if (is_held_by_limit(verdict, finding)) {
		*command = "; cat {throttled_word}/{limit_file} {throttled_word}/cpu.stat";
		return "its cgroup {throttled} may use no more CPU ({cpu_max}), and was throttled "
		       "for {throttled_time}";
	}
	switch (host->mostly) {
	case READY:
		*command = "; perf sched record sleep 1; perf sched timehist -p {pid}";
		return "it was ready to run, and got no CPU: {others}{ran_text}";
	case RUNNING:
		*command = "; {perf}";
		return "{running_text}";
	default:
		*command = "{and_waker}";
		return *host->asleep_in || host->waker_tid || host->slept_often
			       ? "it slept{asleep_text}{woken_text}"
			       : "";
	}
}

/* Says why the task did not answer or accept, behind a colon or as a sentence. */
static void word_wait(const struct verdict *verdict, struct finding *finding)
{
	static const char *const did[] = {
		[ASLEEP] = "asleep",
		[READY] = "ready",
		[RUNNING] = "running",
		[NR_PARTS] = "",
	};
	const char *command = "", *why = why_it_waited(verdict, finding, &command);
	struct facts *facts = &finding->facts;

	facts_set(facts, "did", did[finding->host.mostly]);
	facts_set_expanded(facts, "and_wait", command);
	facts_set_expanded(facts, "why", why);
	why = facts_text(facts, "why");
	facts_set_format(facts, "wait_text", "%s%s", *why ? ": " : "", why);
	facts_set(facts, "wait_sentence", "");
	if (*why && !host_is_stopped(&finding->host))
		facts_set_format(facts, "wait_sentence", " %c%s.", toupper(*why), why + 1);
}

void word_task(const struct verdict *verdict, struct finding *finding)
{
	word_stop(&finding->host, &finding->facts);
	word_core_dump(&finding->host, &finding->facts);
	word_running(&finding->facts);
	word_queue(verdict, finding);
	word_waker(finding, &finding->facts);
	word_sharing(finding, &finding->facts);
	word_asked(verdict, finding, &finding->facts);
	word_sleep(&finding->host, &finding->facts);
	word_other(&finding->host, &finding->facts);
	word_limit(verdict, finding);
	word_memory(&finding->host, &finding->facts);
	word_wait(verdict, finding);
}
