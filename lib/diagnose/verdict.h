/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verdict on a watch: what is late or lost, whose fault it is, and what was looked at and is
 * fine. Arithmetic on a report and on facts of this host: no BPF, no clock, no file.
 */
#ifndef NETSTACKLAT_VERDICT_H
#define NETSTACKLAT_VERDICT_H

#include <stdio.h>

#include "lib/diagnose/dropped_ports.h"
#include "lib/diagnose/facts.h"
#include "lib/diagnose/late_seconds.h"
#include "lib/diagnose/receive_path.h"
#include "lib/diagnose/services.h"
#include "lib/diagnose/stacks.h"
#include "lib/diagnose/tally.h"
#include "lib/diagnose/upstreams.h"
#include "lib/host/card.h"
#include "lib/host/cpu_counters.h"
#include "lib/host/memory_limit.h"
#include "lib/print/metric_family.h"

/*
 * Facts of this host for a finding, besides the report: of the process that its facts name as pid,
 * and of its network namespace and interface. They are filled in between verdict_new() and
 * verdict_explain(); zero is not known. Names may be any bytes: sentences and commands escape them.
 */
struct host_facts {
	char state;		    /* of the process, as in /proc/PID/stat: 'T' is stopped */
	uint64_t files_at_limit;    /* it has as many files open as it may, which are so many */
	bool is_frozen;		    /* by its cgroup's freezer, when the watch ends */
	bool dumps_core;	    /* as it has crashed, likewise */
	uint64_t running_ns;	    /* in the watch, all its threads together ... */
	uint64_t ready_ns;	    /* ... and waiting for a CPU */
	char asleep_in[64];	    /* what call, or page fault, it slept in for longest ... */
	bool slept_for_sockets;	    /* ... which waits until others send ... */
	bool was_stopped;	    /* ... or was stopped in, by a signal or a debugger ... */
	bool was_frozen;	    /* ... or by its cgroup's freezer ... */
	bool was_suspended;	    /* ... or by that of version 1, or with the system ... */
	bool waited_for_memory;	    /* ... or waited for the kernel to have memory in ... */
	bool waited_for_io;	    /* ... or waited for a disk or the like in ... */
	bool waited_for_page;	    /* ... as a page had to be read from there ... */
	bool slept_often;	    /* ... in short sleeps, of which this is the longest ... */
	bool waited_for_sockets;    /* ... or for somebody to send something */
	uint32_t waker_tid;	    /* who woke it from its longest sleep; 0: no task ... */
	uint32_t waker_pid;	    /* ... of this process, or 0 for the kernel's ... */
	char waker_comm[17];	    /* ... its name ... */
	unsigned int waker_mostly;  /* ... what it did meanwhile; NR_PARTS: unknown ... */
	char waker_asleep_in[64];   /* ... and what call, or page fault, it slept in */
	uint32_t nr_unasked;	    /* late answers that were none, as nobody had asked */
	bool nobody_ran;	    /* while it waited for a CPU for longest ... */
	uint32_t other_pid;	    /* ... or this did; 0: softirqs ... */
	char other_comm[17];	    /* ... its name ... */
	uint64_t other_ran_ns;	    /* ... and how long it ran without a break */
	unsigned int policy;	    /* of scheduling, as SCHED_FIFO */
	unsigned int mostly;	    /* what it did while others waited for it; NR_PARTS: unknown */
	char thread[17];	    /* the kernel's, which was to receive, and got no CPU; or "" */
	struct cpu_counts cpu;	    /* its CPU's, in the watch */
	uint64_t throttled_ns;	    /* of its cgroup or one above it ... */
	const char *throttled;	    /* ... which is this one's path (the caller's), with ... */
	uint64_t throttled_id;	    /* ... this id and ... */
	char cpu_max[64];	    /* ... this limit ... */
	bool limit_is_v1;	    /* ... in a file of version 1 ... */
	const char *cgroup_root;    /* ... below this folder (the caller's) */
	char qdisc_kind[16];	    /* of the interface ... */
	bool has_no_carrier;	    /* ... which is down, or not plugged in */
	unsigned int nr_rules;	    /* of netfilter in the namespace ... */
	const char *rules_by;	    /* ... held by this: "nft", "iptables-nft" ... */
	bool has_legacy_rules;	    /* ... and by iptables-legacy, some more */
	bool has_ipvs;		    /* there are services of it in the namespace */
	bool has_conntrack;	    /* its table of connections ... */
	uint64_t conntrack_dropped; /* ... was full for so many packets in the watch ... */
	uint32_t conntrack_max;	    /* ... with so many connections ... */
	uint64_t conntrack_clashed; /* ... or had one with the same addresses and ports */
	uint32_t queued_packets;    /* NFQUEUE handed so many to a process, in the watch ... */
	uint32_t nfqueue;	    /* ... most by this queue ... */
	uint32_t decider_pid;	    /* ... and this one decides on these; 0: not known ... */
	char decider_comm[17];	    /* ... its name */
	char netns_path[128];	    /* to enter the namespace by, or "" */

	uint64_t swapped_bytes; /* if it waited for a page: how much of its memory is out */
	/*
	 * The limit that is reached, if it waited for memory, or some is swapped out (the
	 * caller's).
	 */
	const struct memory_limit *memory_limit;
};

/*
 * Returns whether it slept because memory was short: until the kernel had some or, as is inferred,
 * until a page came back that a limit had driven out.
 */
static inline bool host_lacks_memory(const struct host_facts *host)
{
	return host->waited_for_memory || host->memory_limit;
}

/* Returns whether the process is stopped when the watch ends. */
static inline bool host_is_stopped(const struct host_facts *host)
{
	return host->state == 'T' || host->state == 't' || host->is_frozen;
}

/* The outcome of something that is late or lost. If there are several, the first counts most. */
enum outcome {
	OUTCOME_TOLD,	 /* it is a finding */
	OUTCOME_EFFECT,	 /* it is told with another one, whose cause it has */
	OUTCOME_CHANCE,	 /* it was late for a moment, or at another place each time */
	OUTCOME_WAITING, /* an application takes long, as it waits for others */
	OUTCOME_STRAYS,	 /* so few packets are late that all of it is fine */
	NR_OUTCOMES,
};

/* The work that took most of a CPU's time, of what is measured. */
struct work {
	enum class class;
	struct place place;
	uint64_t ns;	/* in all of the watch ... */
	bool takes_cpu; /* ... which is long enough to be what they wait for */
};

struct finding {
	enum class class;
	enum class measured_as; /* that class, before its cause was known */
	struct place place;
	uint16_t cpu; /* where most of it was late */
	struct work work;
	struct lateness lateness;
	uint64_t part_ns[NR_PARTS];
	uint64_t others_meanwhile; /* that an overloaded reader read (overload.h); 0: it is none */
	struct path_part path_parts[MAX_PATH_PARTS]; /* of CLASS_receive_path ... */
	size_t nr_path_parts;			     /* ... so many */
	uint32_t pid;	     /* of the task that it is about; 0: none is known */
	uint16_t nr_sharing; /* other processes that have the socket, and may be that task instead
			      */
	uint64_t cgroup;     /* of the socket; 0: not known */
	uint8_t limit;	     /* enum tcp_limit, of what waits to be sent */
	uint8_t retransmit;  /* enum retransmit, of what is sent again */
	uint64_t came_again; /* of what is lost: see struct tally */
	const struct class_drop *drop; /* why it was dropped; NULL: it was not */
	enum hook dropped_at;	       /* where it was last; NR_HOOKS: not known */
	struct facts facts;	       /* of the report, and then of the host, for sentences */
	struct host_facts host;
	struct late_seconds_entry seconds;  /* to be filled in as host is; zero: not known */
	char *where, *cause, *next;	    /* sentences, after verdict_explain() */
	struct dropped_ports dropped_ports; /* where it was dropped */
	uint64_t dropped;		    /* also, for this cause */
	uint64_t dropped_here; /* for any reason, that may be what this lost; see cause.c */
	bool is_both_ways;     /* of what is sent again: what is received is lost, too */
	bool is_likely; /* most of the wait was not measured: what the reader did is inferred */
	enum outcome outcome;
};

/* Returns whether a loss lost nothing: all segments that were not in order came again. */
static inline bool finding_is_repetition(const struct finding *finding)
{
	return finding->class == CLASS_loss && finding->came_again >= finding->lateness.late;
}

/* The packets that were looked at for a class. */
struct looked_at {
	uint64_t count;	       /* of packets, connections or replies */
	uint64_t latest_ns;    /* that is no finding; see struct lateness */
	unsigned int outcomes; /* a bit each, of all that is late or lost there; after
				  verdict_explain() */
};

/* Parts of the host that this process may not see: causes there are not named. */
enum unseen { UNSEEN_PROCESSES, UNSEEN_NETNS, UNSEEN_NETLINK, NR_UNSEEN };
extern const char *const unseen_names[NR_UNSEEN];

struct blind_spot_words {
	const char *member; /* of JSON: how many interfaces */
	const char *unknown;
};
extern const struct blind_spot_words blind_spots[NR_BLIND_SPOTS];

/* Packets at a hook that were at no known hook before: mostly copies. */
struct unpaired {
	uint64_t count, of;
};

/* Any host has fewer of them: ARP, and packets that programs send past IP. */
#define MIN_UNPAIRED_PERCENT 10

struct verdict {
	uint64_t duration_ns, time_ns;
	bool has_other_pids; /* than /proc has: it is of another PID namespace than the initial one
			      */
	bool preempts_softirqs; /* the kernel, which is one for real time */
	uint64_t own_netns;	/* the inode number of our own; to be filled in as host facts are */
	uint64_t packets;
	unsigned int nr_services, nr_clients; /* that read: sockets' ports, and processes */
	struct services services;
	struct upstreams upstreams; /* to be filled in as host facts are */
	struct tallies tallies;
	struct finding *findings; /* the most harmful first */
	size_t nr;
	struct looked_at looked_at[NR_CLASSES];
	bool is_one_second;	   /* all findings are late in the same second, and in no other */
	struct rows_used rows;	   /* for groups, since the start */
	uint64_t no_room;	   /* packets that found no room among the groups */
	uint64_t nr_clock_changes; /* in the watch */
	bool lacks[NR_HOOKS];	   /* hooks that were to be watched, and that this kernel lacks */
	struct unpaired unpaired[NR_HOOKS]; /* if they are that many; else zero */
	bool unseen[NR_UNSEEN];		    /* to be filled in as host facts are */
	uint64_t steal_ns;  /* likewise: for so long, a hypervisor kept CPUs, all together */
	uint64_t oom_kills; /* likewise: the kernel killed so many processes for their memory */
	struct interfaces blind[NR_BLIND_SPOTS]; /* likewise: where packets are not seen */
	struct interfaces tunnels;		 /* likewise */
	uint32_t nr_mptcp;	    /* likewise: ends of connections whose readers are not seen */
	uint64_t nr_sctp;	    /* likewise: packets whose readers are not seen */
	bool has_stacks;	    /* likewise: whether they were asked for ... */
	struct named_stacks stacks; /* ... its own, in order */
};

/*
 * Finds what is late; lost.h adds what was lost. The ports must live until the verdict is freed.
 * NULL with errno set.
 */
struct verdict *verdict_new(const struct report *report, const struct thresholds *late,
			    const struct service_ports *ports);
void verdict_free(struct verdict *verdict);

/* Adds an empty finding, which the next one may move. NULL without memory. */
struct finding *verdict_add_finding(struct verdict *verdict, enum class class,
				    const struct place *place);

/* Adds one of what is late; likewise. */
struct finding *verdict_add_late(struct verdict *verdict, const struct tally *tally,
				 const struct report *report);

/* Takes over what is known of a group, in place of what was known before. */
void finding_learn(struct finding *finding, const struct report *report,
		   const struct report_group *group);

/* Its protocol and its port, where it has some. */
void place_describe(const struct place *place, struct facts *facts);

/* A process of which no group tells. */
struct process {
	uint64_t netns;	  /* as in struct group_key */
	uint32_t pid;	  /* 0: not known */
	const char *comm; /* COMM_SIZE bytes */
};

/* Its id and name, and that of its network namespace. */
void process_describe(const struct process *process, const struct report *report,
		      struct facts *facts);

/*
 * Adds causes, culprits and sentences, with what the host tells of each finding. Findings of one
 * cause become one.
 */
void verdict_explain(struct verdict *verdict);

/* Frees all that it has, for who takes it out of its verdict. */
void finding_free(struct finding *finding);

/* Returns whether its cause was not measured, but follows from where and when it is late. */
bool finding_is_inferred(const struct finding *finding);

/* A stack of its culprit, or the one behind another; NULL if there is no more. */
const struct named_stack *finding_stack_next(const struct verdict *verdict,
					     const struct finding *finding,
					     const struct named_stack *previous);

/* Returns whether enough packets are late, or by enough, that it is not by chance. */
bool lateness_is_harm(const struct lateness *lateness);

/* Print it for people, or for programs (an object on a line). */
void verdict_print_text(FILE *out, const struct verdict *verdict);
void verdict_print_json(FILE *out, const struct verdict *verdict);

/*
 * Prints the same as gauges, for Prometheus, of the most harmful findings and no more than this.
 * Their labels say who, but never by the id of a process, and stay the same from watch to watch.
 */
#define MAX_METRIC_FINDINGS 100
void verdict_print_metrics(FILE *out, const struct verdict *verdict, enum metrics_format format);

#endif
