// SPDX-License-Identifier: GPL-2.0
/* What is served of maps in which only this test counts: by a process of its own. */
#include "unit.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/serve/exporter.h"
#include "lib/http/listen.h"
#include "lib/tables/units.h"
#include "leaks.h"
#include "real_cgroups.h"
#include "real_maps.h"

#define EARLY 10
#define LATE 30
/* So long that nothing is forgotten before a test says so, however slow the machine. */
#define FORGET_MS (3600 * 1000)

static struct report_setup setup = {
	.clock = CLOCK_MONOTONIC,
	.plan.hooks[HOOK_udp_start] = true,
};

static struct listen_address address;
static pid_t server;
static FILE *server_says;

/*
 * The linker makes this the server's clock, which tests set forward instead of waiting. Otherwise,
 * it goes on by 1 ns whenever it is read, however busy this machine is.
 */
static _Atomic uint64_t *skipped_ns;

uint64_t __wrap_clock_monotonic_ns(void)
{
	return NS_PER_S + ++*skipped_ns;
}

static void skip_ms(unsigned int ms)
{
	*skipped_ns += ms * NS_PER_MS;
}

/* From here on, what was read is no longer fresh. */
static void next_reading(void)
{
	skip_ms(EXPORTER_FRESH_MS + 100);
}

static int on_signal(void *context)
{
	(void)context;
	return LOOP_END;
}

/* Somebody else who reads, as reports do, and who disturbs nobody. */
static int on_timer(void *context)
{
	static struct intervals others;
	static bool is_begun;

	if (!is_begun && meter_begin(context, &others))
		return -ENOMEM;
	is_begun = true;
	return meter_advance(context, &others, 0);
}

#define OTHERS_NS (100 * NS_PER_MS)

static void serve(int listener)
{
	struct meter *meter = meter_new(&setup, &maps);
	struct loop *loop = loop_new();
	const struct http_listener listeners[] = { { .fd = listener } };
	const struct exporter_config config = { .access = { .listeners = listeners,
							    .nr_listeners = 1 },
						.forget_ns = FORGET_MS * NS_PER_MS };
	struct exporter *exporter = exporter_start(&config, meter, loop);
	sigset_t signals;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!exporter)
		_exit(2);
	dup2(fileno(server_says), STDERR_FILENO);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (loop_add_signals(loop, &signals, on_signal, NULL) ||
	    loop_add_timer(loop, OTHERS_NS, on_timer, meter) || loop_run(loop))
		_exit(2);
	loop_free(loop);
	exporter_end(exporter);
	meter_free(meter);
	_exit(has_leaks());
}

/* The connection is closed behind the answer. */
#define GET(page, headers) \
	"GET " page " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" headers "\r\n"
#define METRICS(headers) GET("/metrics", headers)

static const char *scrape(const char *request, size_t *size);

/* Counts from here on: it reads before it answers for the first time. */
static void start_server(void)
{
	int listener;

	listen_parse("0", &address);
	listener = listen_open(&address);
	server_says = tmpfile();
	server = fork();
	if (!server)
		serve(listener);
	close(listener);
	scrape(GET("/healthz", ""), NULL);
}

static void stop_server(void)
{
	int status;

	fclose(server_says);
	kill(server, SIGTERM);
	assert_int_equal(waitpid(server, &status, 0), server);
	assert_int_equal(status, 0);
}

static int new_client(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* Of what it is sent, no more is on its way than was read, nearly. */
static int new_slow_client(void)
{
	int fd = new_client();

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){ 4096 }, sizeof(int));
	return fd;
}

static int ask(int fd, const char *request)
{
	assert_int_equal(connect(fd, &address.any, address.size), 0);
	assert_int_equal(send(fd, request, strlen(request), 0), strlen(request));
	return fd;
}

/* All that is sent; valid until the next one. */
static const char *hear(int fd, size_t *size)
{
	static char answer[8 << 20];
	ssize_t more;

	*size = 0;
	while ((more = recv(fd, answer + *size, sizeof(answer) - 1 - *size, 0)) > 0)
		*size += more;
	close(fd);
	answer[*size] = '\0';
	return answer;
}

/* The answer, headers included, or the body alone of *size. */
static const char *scrape(const char *request, size_t *size)
{
	size_t length;
	const char *answer = hear(ask(new_client(), request), &length);

	assert_int_equal(strncmp(answer, "HTTP/1.1 200", 12), 0);
	if (size) {
		const char *body = strstr(answer, "\r\n\r\n") + 4;

		*size = length - (body - answer);
		return body;
	}
	return answer;
}

/* The value of a series, or -1 if it is not there. */
static int64_t value_in(const char *metrics, const char *series)
{
	const char *line = metrics;
	int64_t value;

	while ((line = strstr(line, series))) {
		if (line[-1] == '\n' && sscanf(line + strlen(series), " %" SCNd64, &value) == 1)
			return value;
		line++;
	}
	return -1;
}

#define COUNT "netstacklat_latency_seconds_count{hook=\"udp-start\"}"

static void test_all_since_the_start(void **state)
{
	const char *metrics;

	(void)state;
	set_count(EARLY, 100);
	start_server();
	set_count(EARLY, 103);
	usleep(300000);
	metrics = scrape(METRICS(""), NULL);
	assert_int_equal(value_in(metrics, COUNT), 3);
	assert_non_null(strstr(metrics, "Content-Type: text/plain; version=0.0.4; charset=utf-8"));
	assert_null(strstr(metrics, "# EOF"));
	assert_int_equal(value_in(metrics, "netstacklat_clock_changes_total"), 0);
	assert_int_equal(value_in(metrics, "netstacklat_missed_intervals_total"), 0);
	next_reading();
	set_count(LATE, 7);
	assert_int_equal(value_in(scrape(METRICS(""), NULL), COUNT), 10);
	stop_server();
}

/* The maps were read once for all of these. */
static void test_scrapes_share_what_was_read_a_moment_ago(void **state)
{
	const char *metrics;

	(void)state;
	start_server();
	set_count(EARLY, 3);
	assert_int_equal(value_in(scrape(METRICS(""), NULL), COUNT), 3);
	set_count(EARLY, 4);
	assert_int_equal(value_in(scrape(METRICS(""), NULL), COUNT), 3);
	metrics = scrape(METRICS("Accept: application/openmetrics-text\r\n"), NULL);
	assert_int_equal(value_in(metrics, COUNT), 3);
	assert_non_null(strstr(metrics, "Content-Type: application/openmetrics-text; "
					"version=1.0.0; charset=utf-8"));
	assert_non_null(strstr(metrics, "# EOF\n"));
	next_reading();
	assert_int_equal(value_in(scrape(METRICS(""), NULL), COUNT), 4);
	stop_server();
}

static void test_compression(void **state)
{
	static char plain[1 << 20], unpacked[1 << 20];
	z_stream stream = { 0 };
	const char *packed;
	size_t size, plain_size;

	(void)state;
	start_server();
	set_count(EARLY, 3);
	memcpy(plain, scrape(METRICS(""), &plain_size), sizeof(plain) / 2);
	packed = scrape(METRICS("Accept-Encoding: gzip\r\n"), &size);
	assert_true(size < plain_size / 2);
	stream.next_in = (Bytef *)packed;
	stream.avail_in = size;
	stream.next_out = (Bytef *)unpacked;
	stream.avail_out = sizeof(unpacked);
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.total_out, plain_size);
	assert_memory_equal(unpacked, plain, plain_size);
	inflateEnd(&stream);
	assert_non_null(strstr(scrape(METRICS("Accept-Encoding: gzip\r\n"), NULL),
			       "Content-Encoding: gzip"));
	stop_server();
}

static int make_file(size_t size)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, size), 0);
	return fd;
}

/* How programs find them, for rows to be given back. */
static __u32 epoch;

/* A row for each port, at one probe, instead of what there is without groups. */
static void group_by_port(unsigned int nr_rows)
{
	close(maps.latency[HOOK_udp_start]);
	maps.latency[HOOK_udp_start] = -1;
	maps.groups = (struct group_maps){
		.rows = make_file(nr_rows * sizeof(struct group_row)),
		.latency = make_file(nr_rows * NR_BUCKETS(0) * sizeof(struct bucket)),
		.row_of = bpf_map_create(BPF_MAP_TYPE_HASH, "test", sizeof(struct group_key),
					 sizeof(__u32), nr_rows, NULL),
		.recycled =
			bpf_map_create(BPF_MAP_TYPE_QUEUE, "test", 0, sizeof(__u32), nr_rows, NULL),
		.epoch = &epoch,
		.nr_rows = nr_rows,
		.keys = 1U << KEY_PORT,
	};
	setup.plan.hooks[HOOK_udp_queue_rcv] = true;
	setup.plan.group_by = 1U << KEY_PORT;
}

static void ungroup(void)
{
	setup.plan.group_by = 0;
	close(maps.groups.rows);
	close(maps.groups.latency);
	close(maps.groups.row_of);
	close(maps.groups.recycled);
}

static void set_row_of(struct group_key key, unsigned int row, uint64_t count)
{
	const struct group_row group = { .key = key, .in_use = count > 0 };
	const struct bucket bucket = { count, 1000 * count };

	bpf_map_update_elem(maps.groups.row_of, &key, &row, BPF_ANY);
	pwrite(maps.groups.latency, &bucket, sizeof(bucket),
	       (NR_BUCKETS(0) * row + EARLY) * sizeof(bucket));
	pwrite(maps.groups.rows, &group, sizeof(group), row * sizeof(group));
}

static void set_row(unsigned int row, uint64_t count)
{
	const struct group_key key = { .port = 1 + row, .probe = PROBE_udp_queue_rcv_one_skb };

	set_row_of(key, row, count);
}

#define NR_ROWS 3
static void set_rows(const uint64_t counts[NR_ROWS])
{
	for (unsigned int row = 0; row < NR_ROWS; row++)
		set_row(row, counts[row]);
}

static void assert_ports(const char *metrics, int64_t first, int64_t second, int64_t third,
			 int64_t other)
{
	static const char *const names[] = { "1", "2", "3", "other" };
	const int64_t expected[] = { first, second, third, other };
	char series[128];

	for (int i = 0; i < 4; i++) {
		snprintf(series, sizeof(series),
			 "netstacklat_latency_seconds_count{hook=\"udp-queue-rcv\",port=\"%s\"}",
			 names[i]);
		assert_int_equal(value_in(metrics, series), expected[i]);
	}
}

/* Their rows are given back two readings later. */
static void assert_rows(const char *metrics, int64_t nr)
{
	assert_int_equal(value_in(metrics, "netstacklat_group_rows"), nr);
}

static void test_groups_that_are_forgotten(void **state)
{
	(void)state;
	group_by_port(NR_ROWS);
	start_server();
	set_rows((const uint64_t[]){ 5, 7, 0 });
	assert_ports(scrape(METRICS(""), NULL), 5, 7, -1, -1);
	skip_ms(FORGET_MS / 2);
	set_rows((const uint64_t[]){ 5, 8, 2 });
	assert_ports(scrape(METRICS(""), NULL), 5, 8, 2, -1);
	skip_ms(FORGET_MS * 2 / 3);
	assert_ports(scrape(METRICS(""), NULL), -1, 8, 2, 5);
	assert_rows(scrape(METRICS(""), NULL), 3);
	set_rows((const uint64_t[]){ 6, 8, 2 });
	skip_ms(FORGET_MS * 2 / 3);
	assert_ports(scrape(METRICS(""), NULL), 1, -1, -1, 15);
	assert_rows(scrape(METRICS(""), NULL), 2);
	stop_server();
	ungroup();
}

/* Sanitizers keep for a while what is free, and much else. */
static void skip_with_sanitizers(void)
{
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
}

static long resident_pages(void)
{
	char path[64];
	long pages;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", server);
	file = fopen(path, "re");
	assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
	fclose(file);
	return pages;
}

static void test_requests_leave_no_memory_in_use(void **state)
{
	static const char *const requests[] = {
		METRICS(""),
		METRICS("Accept-Encoding: gzip\r\n"),
		METRICS("Accept: application/openmetrics-text\r\n"),
		GET("/", ""),
	};
	/* 100000 show the same, in a minute. */
	const char *larger = getenv("NR_REQUESTS");
	int nr = larger ? atoi(larger) : 6000;
	long before = 0;

	(void)state;
	skip_with_sanitizers();
	start_server();
	/* A fast machine is through before somebody else has read, which takes memory, too. */
	usleep(2 * OTHERS_NS / NS_PER_US);
	for (int i = 0; i < nr; i++) {
		scrape(requests[i % 4], NULL);
		if (i == 2000)
			before = resident_pages();
	}
	assert_true(resident_pages() <= before + 128);
	stop_server();
}

static void count_in_all_rows(unsigned int nr_rows, uint64_t count)
{
	for (unsigned int row = 0; row < nr_rows; row++)
		set_row(row, count);
}

/* Megabytes of metrics. */
#define LARGE_NR_ROWS 1000
static void start_large_server(void)
{
	group_by_port(LARGE_NR_ROWS);
	start_server();
	count_in_all_rows(LARGE_NR_ROWS, 1);
}

static void test_readings_leave_no_memory_in_use(void **state)
{
	long before = 0;
	size_t size;

	(void)state;
	skip_with_sanitizers();
	start_large_server();
	for (int i = 0; i < 12; i++) {
		count_in_all_rows(LARGE_NR_ROWS, 1 + i);
		scrape(METRICS("Accept-Encoding: gzip\r\n"), NULL);
		scrape(METRICS("Accept: application/openmetrics-text\r\n"), NULL);
		scrape(METRICS(""), &size);
		assert_true(size > 2 << 20);
		if (i == 5)
			before = resident_pages();
		/* Until the server sees that a client has gone, it keeps what it sends. */
		usleep(100000);
		next_reading();
	}
	assert_true(resident_pages() <= before + 128);
	stop_server();
	ungroup();
}

#define COUNT_OF_PORT_1 "netstacklat_latency_seconds_count{hook=\"udp-queue-rcv\",port=\"1\"}"

/* What they read stays in memory meanwhile. */
static void test_slow_scrapers_share_what_was_read(void **state)
{
	int slow[6];
	size_t size;

	(void)state;
	start_large_server();
	for (int i = 0; i < 6; i++) {
		set_row(0, 1 + i);
		slow[i] = ask(new_slow_client(), METRICS(""));
		assert_int_equal(recv(slow[i], &(char){ 0 }, 1, MSG_PEEK), 1);
		next_reading();
	}
	/* None is fresh while an old one is read ... */
	assert_int_equal(value_in(scrape(METRICS(""), NULL), COUNT_OF_PORT_1), 2);
	assert_int_equal(value_in(hear(slow[0], &size), COUNT_OF_PORT_1), 1);
	for (int i = 2; i < 6; i++)
		assert_int_equal(value_in(hear(slow[i], &size), COUNT_OF_PORT_1), 2);
	/* ... and the next one is, though that before it is read. */
	assert_int_equal(value_in(scrape(METRICS(""), NULL), COUNT_OF_PORT_1), 6);
	assert_int_equal(value_in(hear(slow[1], &size), COUNT_OF_PORT_1), 2);
	stop_server();
	ungroup();
}

/* Megabytes each time, which are still sent when the next ones are read. */
static void test_what_slow_scrapers_have_read_is_given_back(void **state)
{
	long before = 0;
	size_t size;
	int slow;

	(void)state;
	skip_with_sanitizers();
	start_large_server();
	for (int i = 0; i < 12; i++) {
		count_in_all_rows(LARGE_NR_ROWS, 1 + i);
		slow = ask(new_slow_client(), METRICS(""));
		assert_int_equal(recv(slow, &(char){ 0 }, 1, MSG_PEEK), 1);
		next_reading();
		scrape(METRICS(""), NULL);
		hear(slow, &size);
		if (i == 5)
			before = resident_pages();
		usleep(100000);
		next_reading();
	}
	assert_true(resident_pages() <= before + 128);
	stop_server();
	ungroup();
}

static void assert_said(const char *const lines[])
{
	char said[256];

	rewind(server_says);
	for (; *lines; lines++) {
		assert_non_null(fgets(said, sizeof(said), server_says));
		assert_string_equal(said, *lines);
	}
	assert_null(fgets(said, sizeof(said), server_says));
}

#define TOO_LARGE "netstacklat: the metrics would be larger than 16 MiB: "
#define USES_NUMBERS                                                                               \
	TOO_LARGE "from now on, they have the numbers of cgroups and namespaces instead of their " \
		  "names\n"
#define HAS_FOLDED                                                                            \
	TOO_LARGE "all groups so far are now one, called other; group by fewer keys, or see " \
		  "--max-groups and --forget\n"

static void test_too_many_groups_are_folded_into_one(void **state)
{
	const unsigned int nr_rows = 8000;
	const char *metrics;

	(void)state;
	group_by_port(nr_rows);
	start_server();
	for (int i = 1; i <= 3; i++) {
		count_in_all_rows(nr_rows, i);
		metrics = scrape(METRICS(""), NULL);
		assert_ports(metrics, -1, -1, -1, (int64_t)nr_rows * i);
		metrics = scrape(METRICS("Accept: application/openmetrics-text\r\n"), NULL);
		assert_ports(metrics, -1, -1, -1, (int64_t)nr_rows * i);
		next_reading();
	}
	/* Groups that come again, alone, are told apart again. */
	set_row(0, 5);
	assert_ports(scrape(METRICS(""), NULL), 2, -1, -1, (int64_t)nr_rows * 3);
	assert_said((const char *const[]){ USES_NUMBERS, HAS_FOLDED, NULL });
	stop_server();
	ungroup();
}

/* Of a cgroup that has one of 240 bytes, and of those below it. */
static const char *long_name(const char *below)
{
	static char name[256];

	snprintf(name, sizeof(name), "%0240d%s", 1, below);
	return name;
}

static int make_maps_and_cgroups(void **state)
{
	make_cgroups(state);
	return make_maps(state);
}

static int close_maps_and_cgroups(void **state)
{
	remove_cgroups(state);
	return close_maps(state);
}

/* As somebody may do who makes cgroups, to hide what is late. */
static void test_cgroups_with_long_names_have_numbers(void **state)
{
	enum { NR_CGROUPS = 1500 };
	char name[16], series[256];
	const char *metrics;
	uint64_t id = 0;

	(void)state;
	skip_without_cgroups();
	group_by_port(NR_CGROUPS);
	setup.plan.group_by = maps.groups.keys = 1U << KEY_CGROUP;
	start_server();
	make_cgroup(long_name(""));
	for (int row = 0; row < NR_CGROUPS; row++) {
		struct group_key key = { .probe = PROBE_udp_queue_rcv_one_skb };

		snprintf(name, sizeof(name), "/%d", row);
		key.cgroup = id = make_cgroup(long_name(name));
		set_row_of(key, row, 1 + row);
	}
	metrics = scrape(METRICS(""), NULL);
	snprintf(series, sizeof(series),
		 "netstacklat_latency_seconds_count{hook=\"udp-queue-rcv\",cgroup=\"%" PRIu64 "\"}",
		 id);
	assert_int_equal(value_in(metrics, series), NR_CGROUPS);
	assert_said((const char *const[]){ USES_NUMBERS, NULL });
	stop_server();
	ungroup();
	for (int row = 0; row < NR_CGROUPS; row++) {
		snprintf(name, sizeof(name), "/%d", row);
		remove_cgroup(long_name(name));
	}
	remove_cgroup(long_name(""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_maps, close_maps)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_since_the_start),
		TEST(test_scrapes_share_what_was_read_a_moment_ago),
		TEST(test_compression),
		TEST(test_groups_that_are_forgotten),
		TEST(test_requests_leave_no_memory_in_use),
		TEST(test_readings_leave_no_memory_in_use),
		TEST(test_slow_scrapers_share_what_was_read),
		TEST(test_what_slow_scrapers_have_read_is_given_back),
		TEST(test_too_many_groups_are_folded_into_one),
		cmocka_unit_test_setup_teardown(test_cgroups_with_long_names_have_numbers,
						make_maps_and_cgroups, close_maps_and_cgroups),
	};

	if (!may_make_maps()) {
		puts("1..0 # SKIP this user may not make maps");
		return 0;
	}
	skipped_ns = mmap(NULL, sizeof(*skipped_ns), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
