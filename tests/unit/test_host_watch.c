// SPDX-License-Identifier: GPL-2.0
/* The host tells facts of findings: each where it belongs, and nothing else. */
#include "unit.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/diagnose/verdict.h"
#include "lib/host/netns_facts.h"
#include "lib/serve/host_watch.h"
#include "lib/tables/units.h"

#define ELSEWHERE 4711
#define PORT 80

/* In place of the maps that programs write, of the process that enters namespaces, and of limits.
 */
static struct reader_wait read_wait, memory_wait;
static struct task_wait answer_wait, accept_wait;
static struct softirq_wait softirq_wait;
static pid_t reader;
static int nr_cleared, nr_begun, nr_failures;
static struct netns_facts of_netns;
static struct losses lost;
static struct cpu_limit limit;
static char *asked_for_limit;
static char asked_for_memory[PATH_MAX];
static unsigned int nr_memory_limits, nr_killed;

bool wait_maps_find_read(const struct wait_maps *maps, const struct wait_key *key,
			 struct reader_wait *wait)
{
	(void)maps;
	*wait = key->port == ANY_PORT ? memory_wait : read_wait;
	return (pid_t)key->pid == reader && (key->port == ANY_PORT || key->port == PORT);
}

bool wait_maps_find_answer(const struct wait_maps *maps, const struct wait_key *key,
			   struct task_wait *wait)
{
	(void)maps;
	*wait = answer_wait;
	return (pid_t)key->pid == reader && key->port == PORT;
}

bool wait_maps_find_accept(const struct wait_maps *maps, const struct wait_key *key,
			   struct task_wait *wait)
{
	(void)maps;
	*wait = accept_wait;
	return (pid_t)key->pid == reader && key->port == PORT;
}

bool wait_maps_find_softirq(const struct wait_maps *maps, uint32_t cpu, struct softirq_wait *wait)
{
	(void)maps;
	*wait = softirq_wait;
	return cpu == 0;
}

/* There is one at the reader's port, and one at each of the next ones. */
bool wait_maps_next_failure(const struct wait_maps *maps, const struct failure_key *before,
			    struct failure_key *key, struct failure *failure)
{
	(void)maps;
	*key = (struct failure_key){ .port = before ? before->port + 1 : PORT };
	*failure = (struct failure){ .count = 9 };
	return key->port < PORT + nr_failures;
}

/* As many are asked, by one process each. */
bool wait_maps_next_upstream(const struct wait_maps *maps, const struct upstream_key *before,
			     struct upstream_key *key, struct upstream_answers *answers)
{
	(void)maps;
	*key = (struct upstream_key){ .port = before ? before->port + 1 : PORT };
	*answers = (struct upstream_answers){ .count = 9 };
	return key->port < PORT + nr_failures;
}

void wait_maps_clear(const struct wait_maps *maps)
{
	(void)maps;
	nr_cleared++;
}

void netns_facts_begin(void)
{
	nr_begun++;
}

void netns_facts_find(uint64_t netns, uint32_t ifindex, struct netns_facts *facts)
{
	(void)ifindex;
	*facts = netns ? of_netns : (struct netns_facts){ 0 };
}

void netns_facts_find_losses(struct losses *losses)
{
	*losses = lost;
}

struct cpu_limits *cpu_limits_new(void)
{
	return (struct cpu_limits *)&limit;
}

void cpu_limits_free(struct cpu_limits *limits)
{
	(void)limits;
}

const char *memory_limit_root(char root[PATH_MAX])
{
	strcpy(root, "/sys");
	return "";
}

uint64_t memory_oom_kills(void)
{
	return nr_killed;
}

struct memory_limit *memory_limit_find(const char *root, const char *path)
{
	struct memory_limit *found = calloc(1, sizeof(*found));

	assert_string_equal(root, "/sys");
	snprintf(asked_for_memory, sizeof(asked_for_memory), "%s", path);
	if (found)
		found->id = ++nr_memory_limits;
	return found;
}

const char *cpu_limits_controller(const struct cpu_limits *limits)
{
	assert_ptr_equal(limits, &limit);
	return "";
}

const struct cpu_limit *cpu_limits_since(struct cpu_limits *limits, const char *path)
{
	assert_ptr_equal(limits, &limit);
	free(asked_for_limit);
	asked_for_limit = strdup(path);
	return limit.throttled_ns ? &limit : NULL;
}

static const struct wait_maps no_maps = { -1, -1, -1, -1, -1, -1, -1 };
static struct host_watch watch;
static struct finding finding;

static int begin(void **state)
{
	(void)state;
	reader = getpid();
	nr_cleared = nr_begun = 0;
	read_wait = memory_wait = (struct reader_wait){ 0 };
	answer_wait = accept_wait = (struct task_wait){ 0 };
	softirq_wait = (struct softirq_wait){ 0 };
	of_netns = (struct netns_facts){ 0 };
	lost = (struct losses){ 0 };
	limit = (struct cpu_limit){ 0 };
	finding = (struct finding){
		.class = CLASS_reader_asleep,
		.pid = getpid(),
		.place.port = PORT,
	};
	host_watch_init(&watch, &no_maps);
	return host_watch_begin(&watch);
}

static int end(void **state)
{
	(void)state;
	facts_free(&finding.facts);
	host_watch_free(&watch);
	free(asked_for_limit);
	asked_for_limit = NULL;
	return 0;
}

static const struct host_facts *ask(void)
{
	finding.host = (struct host_facts){ 0 };
	host_watch_ask(&watch, &finding);
	return &finding.host;
}

static void test_a_watch_begins_with_nothing(void **state)
{
	(void)state;
	assert_int_equal(nr_cleared, 1);
	assert_int_equal(nr_begun, 1);
	assert_int_equal(host_watch_begin(&watch), 0);
	assert_int_equal(nr_cleared, 2);
	assert_int_equal(nr_begun, 2);
}

static void test_the_call_that_a_reader_slept_in(void **state)
{
	(void)state;
	read_wait = (struct reader_wait){
		.asleep_ns = NS_PER_S,
		.asleep_in = ASLEEP_IN(ASLEEP_FOR_IO, SYS_fsync),
	};
	assert_string_equal(ask()->asleep_in, "fsync");
	assert_true(finding.host.waited_for_io);
	assert_false(finding.host.was_stopped || finding.host.was_frozen ||
		     finding.host.waited_for_memory);
	assert_int_equal(finding.host.other_pid, 0);
	read_wait.asleep_in = ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_fsync);
	assert_false(ask()->waited_for_io);
	/* The call is that of its sleep. */
	read_wait.asleep_ns = 0;
	assert_string_equal(ask()->asleep_in, "");
	read_wait.asleep_ns = NS_PER_S;
	finding.pid = 0;
	assert_string_equal(ask()->asleep_in, "");
	finding.pid = getpid();
	/* Before it reads at another port, it sleeps in another one. */
	finding.place.port++;
	assert_string_equal(ask()->asleep_in, "");
	finding.place.port--;
	finding.class = CLASS_accept;
	assert_string_equal(ask()->asleep_in, "");
}

/* An answer took so long, of which its thread slept 50 ns at a time. */
static void find_late_answer(uint64_t answer_ns)
{
	finding.class = CLASS_application;
	finding.place.port = PORT;
	answer_wait = (struct task_wait){
		.ns = answer_ns,
		.asleep_ns = 50,
		.all_asleep_ns = 50,
		.asleep_in = ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_epoll_pwait),
	};
}

static void test_who_woke_a_reader(void **state)
{
	(void)state;
	read_wait = (struct reader_wait){
		.asleep_ns = NS_PER_S,
		.asleep_in = ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_futex),
		.waker = { .pid = 7, .tid = 8, .comm = "fifteen letters" },
	};
	assert_int_equal(ask()->waker_pid, 7);
	assert_false(finding.host.slept_for_sockets);
	assert_int_equal(finding.host.waker_tid, 8);
	assert_string_equal(finding.host.waker_comm, "fifteen letters");
	assert_int_equal(finding.host.waker_mostly, NR_PARTS);
	read_wait.waker.running_ns = NS_PER_S / 2;
	assert_int_equal(ask()->waker_mostly, RUNNING);
	read_wait.waker.ready_ns = NS_PER_S / 2;
	assert_int_equal(ask()->waker_mostly, READY);
	read_wait.waker.ready_ns = read_wait.waker.running_ns = NS_PER_S / 4;
	read_wait.waker.asleep_ns = NS_PER_S / 2;
	read_wait.waker.asleep_in = ASLEEP_IN(ASLEEP_UNINTERRUPTIBLE, SYS_fsync);
	assert_int_equal(ask()->waker_mostly, ASLEEP);
	assert_string_equal(finding.host.waker_asleep_in, "fsync");
	/* The task that lets it go on is not why it was stopped. */
	read_wait.asleep_in = ASLEEP_IN(ASLEEP_STOPPED, SYS_futex);
	assert_int_equal(ask()->waker_tid, 0);
	read_wait.asleep_in = ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_futex);
	read_wait.waker.tid = 0;
	assert_string_equal(ask()->waker_comm, "");
	read_wait.asleep_in = ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_recvfrom);
	assert_true(ask()->slept_for_sockets);
}

/* Also where the longest wait is not known. */
static void test_what_answers_nothing_is_counted(void **state)
{
	(void)state;
	find_late_answer(100);
	finding.lateness.max_ns = 201;
	answer_wait.nr_unasked = 3;
	assert_int_equal(ask()->nr_unasked, 3);
	assert_int_equal(finding.host.mostly, NR_PARTS);
}

/* A call that waits at a Unix socket is the same as at any. */
static void test_who_is_woken_by_a_task_waited_for_it(void **state)
{
	(void)state;
	find_late_answer(100);
	answer_wait.waker = (struct waker){ .pid = 7, .tid = 8, .comm = "backend" };
	answer_wait.all_asleep_ns = 51;
	assert_false(ask()->waited_for_sockets);
	assert_string_equal(finding.host.waker_comm, "backend");
	/* It went on to sleep, so it waited for somebody else. */
	answer_wait.all_asleep_ns = 52;
	assert_true(ask()->waited_for_sockets);
	answer_wait.all_asleep_ns = 51;
	/* So did who woke it, unless a task woke that. */
	answer_wait.waker.asleep_ns = 25;
	answer_wait.waker.asleep_in = ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_recvfrom);
	assert_true(ask()->waited_for_sockets);
	answer_wait.waker.waker_tid = 9;
	assert_false(ask()->waited_for_sockets);
	answer_wait.waker.waker_tid = 0;
	answer_wait.waker.asleep_ns = 24;
	assert_false(ask()->waited_for_sockets);
	answer_wait.waker.tid = 0;
	assert_true(ask()->waited_for_sockets);
}

/* The task that ended the longest of many sleeps did not end the others. */
static void test_short_sleeps_make_up_a_long_wait(void **state)
{
	(void)state;
	find_late_answer(100);
	answer_wait.waker = (struct waker){ .pid = 7, .tid = 8, .comm = "backend" };
	assert_false(ask()->slept_often);
	answer_wait.asleep_ns = 25;
	assert_false(ask()->slept_often);
	answer_wait.asleep_ns = 24;
	assert_true(ask()->slept_often);
	assert_int_equal(finding.host.mostly, ASLEEP);
	assert_int_equal(finding.host.waker_tid, 0);
	assert_string_equal(finding.host.asleep_in, "epoll_pwait");
	assert_true(finding.host.waited_for_sockets);
	answer_wait.asleep_in = ASLEEP_IN(ASLEEP_FOR_IO, SYS_pread64);
	assert_false(ask()->waited_for_sockets);
}

static void test_the_ways_to_be_held_up(void **state)
{
	(void)state;
	read_wait.asleep_in = ASLEEP_IN(ASLEEP_STOPPED, ASLEEP_IN_NO_SYSCALL);
	assert_true(ask()->was_stopped);
	assert_false(finding.host.was_frozen || finding.host.waited_for_memory);
	read_wait.asleep_in = ASLEEP_IN(ASLEEP_FROZEN, ASLEEP_IN_NO_SYSCALL);
	assert_true(ask()->was_frozen);
	assert_true(finding.host.was_stopped);
	assert_false(finding.host.waited_for_memory || finding.host.was_suspended);
	read_wait.asleep_in = ASLEEP_IN(ASLEEP_SUSPENDED, ASLEEP_IN_NO_SYSCALL);
	assert_true(ask()->was_suspended);
	assert_true(finding.host.was_stopped);
	assert_false(finding.host.was_frozen);
	read_wait.asleep_in = ASLEEP_IN(ASLEEP_FOR_MEMORY, ASLEEP_IN_NO_SYSCALL);
	assert_true(ask()->waited_for_memory);
	assert_false(finding.host.was_stopped || finding.host.was_frozen);
	/* It runs again. */
	read_wait.asleep_in = 0;
	memory_wait.nr_for_memory = 3;
	assert_false(ask()->waited_for_memory);
}

static void test_who_had_the_cpu_instead(void **state)
{
	(void)state;
	read_wait = (struct reader_wait){
		.ready_ns = NS_PER_MS,
		.other = { .ran_ns = 5, .pid = 12, .tid = 13, .comm = "fifteen letters" },
	};
	assert_int_equal(ask()->other_pid, 12);
	assert_int_equal(finding.host.other_ran_ns, 5);
	assert_string_equal(finding.host.other_comm, "fifteen letters");
	assert_false(finding.host.nobody_ran);
	/* The idle task is nobody. */
	read_wait.other.tid = 0;
	assert_true(ask()->nobody_ran);
	assert_int_equal(finding.host.policy, SCHED_OTHER);
	assert_int_equal(finding.host.other_pid, 0);
	read_wait.ready_ns = 0;
	assert_false(ask()->nobody_ran);
}

static void test_who_had_the_cpu_that_receives(void **state)
{
	(void)state;
	finding = (struct finding){ .class = CLASS_softirq };
	softirq_wait =
		(struct softirq_wait){ .other = { .pid = 12, .tid = 12 }, .thread = "ksoftirqd/0" };
	assert_string_equal(ask()->thread, "ksoftirqd/0");
	assert_int_equal(finding.host.other_pid, 12);
	finding.place.cpu = 1;
	assert_int_equal(ask()->other_pid, 0);
	finding.place.cpu = 0;
	finding.class = CLASS_backlog;
	assert_int_equal(ask()->other_pid, 0);
	assert_string_equal(finding.host.thread, "");
}

/* These counts come from the kernel: only that they are the right CPU's can be told. */
static void test_what_a_cpu_counted_is_told_where_it_is_late(void **state)
{
	struct cpu_counts before[2] = { { 0 } }, now[2] = { { .squeezed = 7 }, { .squeezed = 9 } };

	(void)state;
	cpu_counters_free(&watch.cpus);
	watch.cpus = (struct cpu_counters){ .cpus = before, .nr = 2 };
	watch.cpus_at_end = (struct cpu_counters){ .cpus = now, .nr = 2 };
	finding = (struct finding){ .class = CLASS_backlog, .place.cpu = 1 };
	assert_int_equal(ask()->cpu.squeezed, 9);
	finding.class = CLASS_netfilter_in;
	assert_int_equal(ask()->cpu.squeezed, 0);
	watch.cpus = watch.cpus_at_end = (struct cpu_counters){ 0 };
}

static void test_the_call_that_an_answer_waited_in(void **state)
{
	struct service service = { .pid = getpid(), .place.port = PORT };

	(void)state;
	find_late_answer(100);
	assert_string_equal(ask()->asleep_in, "epoll_pwait");
	assert_true(finding.host.waited_for_sockets);
	host_watch_ask_service(&watch, &service);
	assert_string_equal(facts_text(&service.facts, "asleep_in"), "epoll_pwait");
	answer_wait.asleep_in = ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_clock_nanosleep);
	assert_false(ask()->waited_for_sockets);
	finding.class = CLASS_accept;
	assert_string_equal(ask()->asleep_in, "");
	facts_free(&service.facts);
}

static void test_what_a_task_did_most_of_the_time_before_it_answered(void **state)
{
	(void)state;
	find_late_answer(100);
	answer_wait.asleep_ns = answer_wait.all_asleep_ns = 49;
	answer_wait.ready_ns = 50;
	answer_wait.other = (struct slow_other){ .ran_ns = 40, .pid = 7, .tid = 8, .comm = "hog" };
	assert_int_equal(ask()->mostly, READY);
	assert_int_equal(finding.host.other_pid, 7);
	assert_string_equal(finding.host.other_comm, "hog");
	assert_string_equal(finding.host.asleep_in, "");
	answer_wait.other.pid = 0;
	answer_wait.other.tid = IS_SOFTIRQS;
	assert_string_equal(ask()->other_comm, "softirqs");
	assert_int_equal(finding.host.other_pid, 0);
	answer_wait.other.tid = 0;
	assert_true(ask()->nobody_ran);
	answer_wait.ready_ns = 0;
	answer_wait.running_ns = 50;
	assert_int_equal(ask()->mostly, RUNNING);
	assert_int_equal(finding.host.other_pid, 0);
	answer_wait.running_ns = 0;
	assert_int_equal(ask()->mostly, NR_PARTS);
	assert_string_equal(finding.host.asleep_in, "");
}

static void test_a_short_wait_tells_nothing_of_a_long_one(void **state)
{
	(void)state;
	find_late_answer(100);
	finding.lateness.max_ns = 200;
	assert_string_equal(ask()->asleep_in, "epoll_pwait");
	finding.lateness.max_ns = 201;
	assert_string_equal(ask()->asleep_in, "");
	assert_int_equal(finding.host.mostly, NR_PARTS);
}

static void test_who_waited_for_memory_before_it_answered(void **state)
{
	(void)state;
	find_late_answer(100);
	assert_false(ask()->waited_for_memory);
	answer_wait.asleep_in = ASLEEP_IN(ASLEEP_FOR_MEMORY, SYS_sendto);
	assert_true(ask()->waited_for_memory);
}

static void test_what_a_task_did_before_it_accepted(void **state)
{
	(void)state;
	find_late_answer(100);
	finding.class = CLASS_accept;
	assert_string_equal(ask()->asleep_in, "");
	accept_wait = answer_wait;
	assert_string_equal(ask()->asleep_in, "epoll_pwait");
	accept_wait.ready_ns = 50;
	assert_int_equal(ask()->mostly, READY);
	finding.class = CLASS_drop;
	assert_int_equal(ask()->mostly, ASLEEP);
}

static void test_an_answer_of_who_was_stopped_waited_in_no_call(void **state)
{
	struct service service = { .pid = getpid(), .place.port = PORT };

	(void)state;
	find_late_answer(100);
	answer_wait.asleep_in = ASLEEP_IN(ASLEEP_STOPPED, SYS_epoll_pwait);
	assert_true(ask()->was_stopped);
	assert_string_equal(finding.host.asleep_in, "");
	assert_false(finding.host.waited_for_sockets);
	host_watch_ask_service(&watch, &service);
	assert_null(facts_find(&service.facts, "asleep_in"));
	answer_wait.asleep_in = ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_epoll_pwait);
	assert_false(ask()->was_stopped);
}

static void test_an_answer_of_another_waited_elsewhere(void **state)
{
	(void)state;
	find_late_answer(100);
	assert_string_equal(ask()->asleep_in, "epoll_pwait");
	finding.place.port = PORT + 1;
	assert_string_equal(ask()->asleep_in, "");
	finding.place.port = PORT;
	finding.pid = 0;
	assert_string_equal(ask()->asleep_in, "");
}

static void test_an_answer_that_did_something_most_of_its_time_waited_in_nothing(void **state)
{
	struct service service = { .pid = getpid(), .place.port = PORT };

	(void)state;
	find_late_answer(101);
	assert_string_equal(ask()->asleep_in, "");
	host_watch_ask_service(&watch, &service);
	assert_null(facts_find(&service.facts, "asleep_in"));
	/* Nor is there a call that nobody knows. */
	answer_wait.asleep_ns = answer_wait.all_asleep_ns = 100;
	answer_wait.asleep_in = ASLEEP_IN(ASLEEP_UNINTERRUPTIBLE, ASLEEP_IN_UNKNOWN);
	host_watch_ask_service(&watch, &service);
	assert_null(facts_find(&service.facts, "asleep_in"));
	answer_wait.asleep_in = ASLEEP_IN(ASLEEP_UNINTERRUPTIBLE, ASLEEP_IN_NO_SYSCALL);
	assert_string_equal(ask()->asleep_in, "a page fault");
	host_watch_ask_service(&watch, &service);
	assert_string_equal(facts_text(&service.facts, "asleep_in"), "a page fault");
	facts_free(&service.facts);
}

static void test_who_may_open_no_more_files_accepts_nothing(void **state)
{
	const struct rlimit three = { 3, 3 };

	(void)state;
	finding.pid = fork();
	if (!finding.pid) {
		pause();
		_exit(0);
	}
	assert_int_equal(prlimit((pid_t)finding.pid, RLIMIT_NOFILE, &three, NULL), 0);
	assert_int_equal(ask()->files_at_limit, 0);
	finding.class = CLASS_accept;
	assert_int_equal(ask()->files_at_limit, 3);
	kill((pid_t)finding.pid, SIGKILL);
	assert_int_equal(waitpid((pid_t)finding.pid, NULL, 0), finding.pid);
}

/* Its counters of time are of microseconds and more, by the clock of the scheduler. */
static void use_the_cpu(void)
{
	const struct task_times before = task_times_find(getpid());

	while (task_times_find(getpid()).running_ns == before.running_ns)
		;
}

static void test_what_a_process_did_with_its_time(void **state)
{
	(void)state;
	use_the_cpu();
	assert_true(ask()->running_ns > 0);
	assert_int_equal(finding.host.state, 'R');
	finding.pid = 0;
	assert_int_equal(ask()->running_ns, 0);
	assert_int_equal(finding.host.state, 0);
}

/* A parent waits so for the child that it made by vfork(2). Both end with their group. */
static pid_t start_uninterruptible(void)
{
	pid_t parent = fork();

	if (parent)
		return parent;
	setpgid(0, 0);
	if (!vfork())
		for (;;)
			pause();
	_exit(1);
}

/* It sleeps still, and so has not read, and told nothing. */
static void test_a_reader_that_waits_for_memory_still(void **state)
{
	(void)state;
	finding.pid = reader = start_uninterruptible();
	while (task_state(reader) != 'D')
		usleep(1000);
	assert_false(ask()->waited_for_memory);
	memory_wait.nr_for_memory = 1;
	assert_true(ask()->waited_for_memory);
	kill(-reader, SIGKILL);
	assert_int_equal(waitpid(reader, NULL, 0), reader);
}

/* Each finding may have another one. */
static void test_the_limit_of_its_cgroup_on_memory(void **state)
{
	const struct memory_limit *first;
	char path[PATH_MAX];

	(void)state;
	if (!task_cgroup(getpid(), "", path))
		skip();
	assert_null(ask()->memory_limit);
	read_wait.asleep_in = ASLEEP_IN(ASLEEP_FOR_MEMORY, SYS_recvfrom);
	nr_memory_limits = 0;
	first = ask()->memory_limit;
	assert_string_equal(asked_for_memory, path);
	assert_int_equal(first->id, 1);
	assert_int_equal(ask()->memory_limit->id, 2);
	assert_int_equal(first->id, 1);
	read_wait.asleep_ns = 1;
	/* Nothing of ours is swapped out. */
	read_wait.asleep_in = ASLEEP_IN(ASLEEP_FOR_IO, ASLEEP_IN_NO_SYSCALL);
	assert_null(ask()->memory_limit);
	assert_true(finding.host.waited_for_page);
	read_wait.asleep_in = ASLEEP_IN(ASLEEP_FOR_IO, SYS_pread64);
	assert_false(ask()->waited_for_page);
}

static void test_the_limit_that_throttled_its_cgroup(void **state)
{
	char path[PATH_MAX];

	(void)state;
	if (!task_cgroup(getpid(), "", path))
		skip();
	limit = (struct cpu_limit){
		.root = "/sys", .path = "/limited", .id = 12, .max = "1000 100000", .is_v1 = true
	};
	assert_null(ask()->throttled);
	assert_string_equal(asked_for_limit, path);
	limit.throttled_ns = 33;
	assert_string_equal(ask()->throttled, "/limited");
	assert_string_equal(finding.host.cpu_max, "1000 100000");
	assert_int_equal(finding.host.throttled_ns, 33);
	assert_int_equal(finding.host.throttled_id, 12);
	assert_string_equal(finding.host.cgroup_root, "/sys");
	assert_true(finding.host.limit_is_v1);
	finding.pid = 0;
	assert_null(ask()->throttled);
}

static void test_what_is_late_in_a_namespace_has_its_facts(void **state)
{
	(void)state;
	of_netns = (struct netns_facts){
		.path = "/run/netns/one",
		.has_qdisc = true,
		.qdisc = "netem",
		.has_no_carrier = true,
		.has_rules = true,
		.rules = { .nr = 5, .by_iptables = true },
		.has_legacy_rules = true,
		.has_ipvs = true,
		.has_conntrack = true,
		.conntrack_dropped = 6,
		.conntrack_max = 7,
		.conntrack_clashed = 11,
		.queued_packets = 8,
		.nfqueues = { .portid = 9, .number = 10 },
	};
	finding = (struct finding){ .class = CLASS_netfilter_in, .place.netns = ELSEWHERE };
	assert_string_equal(ask()->netns_path, "/run/netns/one");
	assert_string_equal(finding.host.qdisc_kind, "netem");
	assert_int_equal(finding.host.nr_rules, 5);
	assert_string_equal(finding.host.rules_by, "iptables-nft");
	assert_true(finding.host.has_legacy_rules && finding.host.has_conntrack);
	assert_true(finding.host.has_ipvs && finding.host.has_no_carrier);
	assert_int_equal(finding.host.conntrack_dropped, 6);
	assert_int_equal(finding.host.conntrack_max, 7);
	assert_int_equal(finding.host.conntrack_clashed, 11);
	assert_int_equal(finding.host.queued_packets, 8);
	assert_int_equal(finding.host.nfqueue, 10);
	assert_int_equal(finding.host.decider_pid, 0);
	of_netns.rules.by_iptables = false;
	assert_string_equal(ask()->rules_by, "nft");
	/* Facts that are not known are not told, whatever stands there. */
	of_netns.has_rules = of_netns.has_qdisc = false;
	assert_int_equal(ask()->nr_rules, 0);
	assert_null(finding.host.rules_by);
	assert_string_equal(finding.host.qdisc_kind, "");
	/* A reader is late in no namespace. */
	finding.class = CLASS_reader_asleep;
	assert_string_equal(ask()->netns_path, "");
	finding.class = CLASS_drop;
	assert_string_equal(ask()->netns_path, "/run/netns/one");
	finding.class = CLASS_ingress;
	assert_string_equal(ask()->netns_path, "/run/netns/one");
}

static void test_who_decides_for_netfilter(void **state)
{
	const struct netlink_owner owner = {
		.netns = ELSEWHERE, .portid = 9, .pid = 12, .comm = "decider"
	};

	(void)state;
	assert_int_equal(netlink_owners_add(&watch.netlink_owners, &owner), 0);
	of_netns.nfqueues.portid = 9;
	finding = (struct finding){ .class = CLASS_userspace_filter, .place.netns = ELSEWHERE };
	assert_int_equal(ask()->decider_pid, 12);
	assert_string_equal(finding.host.decider_comm, "decider");
	/* Each namespace has numbers of its own. */
	finding.place.netns = ELSEWHERE + 1;
	assert_int_equal(ask()->decider_pid, 0);
}

static struct service_ports ports;
static struct report_setup setup;
static struct report report;
static struct verdict *verdict;
static struct filters filters;

/* On a watch in which nothing was counted. */
static int begin_verdict(void **state)
{
	static const struct hook_counts none[NR_HOOKS];
	const struct thresholds late = { NS_PER_MS, NS_PER_MS, NS_PER_MS };

	filters = (struct filters){ 0 };
	service_ports_init(&ports);
	setup = (struct report_setup){ .reasons = reason_names_new(NULL) };
	report = (struct report){ .setup = &setup, .hooks = none, .duration_ns = NS_PER_S };
	report.names = label_names_new();
	verdict = verdict_new(&report, &late, &ports);
	return verdict ? begin(state) : 1;
}

static int end_verdict(void **state)
{
	verdict_free(verdict);
	service_ports_free(&ports);
	label_names_free(report.names);
	reason_names_free(setup.reasons);
	return end(state);
}

#define LOST_BY(card_name)                                                                 \
	{                                                                                  \
		.netns = "one", .card = {.name = card_name, .received = 90, .missed = 10 } \
	}

static void test_what_was_lost_is_found(void **state)
{
	(void)state;
	lost = (struct losses){
		.nr_looked_at = 3,
		.nr = 2,
		.list = { { .netns = ELSEWHERE, .name = "one", .syns = 5, .overflows = 7 },
			  { .netns = 1, .name = "two", .unrouted_syns = 4, .wrong_checksums = 6 } },
		.nr_cards = 3,
		.cards = { LOST_BY("eth0"), LOST_BY("eth1"), LOST_BY("eth2") },
		.came_to_cards = 100,
	};
	assert_int_equal(host_watch_ask_all(&watch, &filters, verdict), 0);
	assert_int_equal(verdict->nr, 7);
	assert_int_equal(verdict->looked_at[CLASS_card].count, 100);
	assert_int_equal(verdict->looked_at[CLASS_syn_queue].count, 3);
	assert_int_equal(verdict->own_netns, watch.own_netns.inode);
	assert_true(watch.cpus_at_end.nr > 0);
}

static void test_of_a_namespace_that_is_not_measured_nothing_is_told(void **state)
{
	static uint64_t only = 1;

	(void)state;
	lost = (struct losses){
		.nr = 2,
		.list = { { .netns = ELSEWHERE, .name = "one", .syns = 5 },
			  { .netns = 1, .name = "two", .syns = 6 } },
	};
	filters.active = 1U << FILTER_NETNS;
	filters.keys[FILTER_NETNS] = (struct filter_keys){ .keys = &only, .nr = 1 };
	assert_int_equal(host_watch_ask_all(&watch, &filters, verdict), 0);
	assert_int_equal(verdict->nr, 1);
	/* Nor is it where something else is filtered, too. */
	filters.active |= 1U << FILTER_PORT;
	assert_int_equal(host_watch_ask_all(&watch, &filters, verdict), 0);
	assert_int_equal(verdict->nr, 1);
	filters.active = 1U << FILTER_PORT;
	assert_int_equal(host_watch_ask_all(&watch, &filters, verdict), 0);
	assert_int_equal(verdict->nr, 1);
}

/* The watch leaves out those before it began. */
static void test_who_was_killed_in_the_watch_is_counted(void **state)
{
	(void)state;
	nr_killed = 3;
	assert_int_equal(host_watch_begin(&watch), 0);
	nr_killed = 5;
	assert_int_equal(host_watch_ask_all(&watch, &filters, verdict), 0);
	assert_int_equal(verdict->oom_kills, 2);
	nr_killed = 0;
}

static void test_all_that_failed_is_told(void **state)
{
	(void)state;
	nr_failures = 3;
	assert_int_equal(host_watch_add_failures(&watch, &report, verdict), 0);
	assert_int_equal(host_watch_add_upstreams(&watch, &report, verdict), 0);
	assert_int_equal(verdict->upstreams.nr, 3);
	assert_int_equal(verdict->nr, 3);
	assert_int_equal(verdict->findings[2].place.port, PORT + 2);
	nr_failures = 0;
}

static void test_interfaces_where_packets_are_not_seen_are_told(void **state)
{
	(void)state;
	lost = (struct losses){ .blind[BLIND_XDP] = { 2, { { .name = "eth0" } } },
				.blind[BLIND_TUN] = { 1, { { .name = "tun0" } } },
				.nr_sctp = 1ULL << 32 };
	assert_int_equal(host_watch_ask_all(&watch, &filters, verdict), 0);
	assert_int_equal(verdict->blind[BLIND_XDP].nr, 2);
	assert_string_equal(verdict->blind[BLIND_XDP].list[0].name, "eth0");
	assert_string_equal(verdict->blind[BLIND_TUN].list[0].name, "tun0");
	assert_int_equal(verdict->nr_sctp, 1ULL << 32);
	lost = (struct losses){ 0 };
}

static void test_what_may_not_be_seen_is_told(void **state)
{
	(void)state;
	assert_int_equal(host_watch_ask_all(&watch, &filters, verdict), 0);
	assert_true(verdict->unseen[UNSEEN_NETNS]);
	assert_true(verdict->unseen[UNSEEN_NETLINK]);
	assert_false(verdict->unseen[UNSEEN_PROCESSES]);
	of_netns.can_enter = of_netns.has_netlink = true;
	assert_int_equal(host_watch_ask_all(&watch, &filters, verdict), 0);
	assert_false(verdict->unseen[UNSEEN_NETNS]);
	assert_false(verdict->unseen[UNSEEN_NETLINK]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, begin, end)
#define JUDGED(name) cmocka_unit_test_setup_teardown(test_##name, begin_verdict, end_verdict)
	const struct CMUnitTest tests[] = {
		TEST(a_watch_begins_with_nothing),
		TEST(the_call_that_a_reader_slept_in),
		TEST(who_woke_a_reader),
		TEST(who_is_woken_by_a_task_waited_for_it),
		TEST(what_answers_nothing_is_counted),
		TEST(short_sleeps_make_up_a_long_wait),
		TEST(the_ways_to_be_held_up),
		TEST(who_had_the_cpu_instead),
		TEST(who_had_the_cpu_that_receives),
		TEST(what_a_cpu_counted_is_told_where_it_is_late),
		TEST(who_may_open_no_more_files_accepts_nothing),
		TEST(the_call_that_an_answer_waited_in),
		TEST(what_a_task_did_most_of_the_time_before_it_answered),
		TEST(a_short_wait_tells_nothing_of_a_long_one),
		TEST(who_waited_for_memory_before_it_answered),
		TEST(what_a_task_did_before_it_accepted),
		TEST(an_answer_of_who_was_stopped_waited_in_no_call),
		TEST(an_answer_of_another_waited_elsewhere),
		TEST(an_answer_that_did_something_most_of_its_time_waited_in_nothing),
		TEST(what_a_process_did_with_its_time),
		TEST(a_reader_that_waits_for_memory_still),
		TEST(the_limit_of_its_cgroup_on_memory),
		TEST(the_limit_that_throttled_its_cgroup),
		TEST(what_is_late_in_a_namespace_has_its_facts),
		TEST(who_decides_for_netfilter),
		JUDGED(what_was_lost_is_found),
		JUDGED(of_a_namespace_that_is_not_measured_nothing_is_told),
		JUDGED(who_was_killed_in_the_watch_is_counted),
		JUDGED(all_that_failed_is_told),
		JUDGED(interfaces_where_packets_are_not_seen_are_told),
		JUDGED(what_may_not_be_seen_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
