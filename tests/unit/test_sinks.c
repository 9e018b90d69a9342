// SPDX-License-Identifier: GPL-2.0
/*
 * What a measurement is for: what is prepared in which order, what it gets of the command line, and
 * what happens at an interval, at a key and at the end. Each sink is made up.
 */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/cli/exit_status.h"
#include "lib/kernel/loader.h"
#include "lib/live/live.h"
#include "lib/run/sinks.h"
#include "lib/serve/diagnosis.h"
#include "lib/serve/exporter.h"
#include "lib/serve/helpers.h"
#include "lib/serve/pcap_file.h"
#include "lib/serve/slow_packets.h"
#include "lib/serve/stack_names.h"
#include "lib/tables/units.h"
#include "said.h"

#define PERIOD_NS (50 * NS_PER_MS)
#define BEGAN_NS 1234

/* The names of what was called, and of that which fails, with -EIO unless it returns something
 * else. */
static char calls[512];
static const char *failing;

static bool note(const char *call)
{
	size_t length = strlen(calls);

	snprintf(calls + length, sizeof(calls) - length, "%s%s", length ? " " : "", call);
	assert_true(strlen(calls) + 1 < sizeof(calls));
	errno = EIO;
	return !failing || strcmp(failing, call) != 0;
}

/* Expects these calls since the last time, and forgets them. */
static void assert_called(const char *expected)
{
	assert_string_equal(calls, expected);
	*calls = '\0';
}

static struct slow_packets_config packets_config;
static struct diagnosis_config diagnosis_config;
static struct exporter_config exporter_config;
static struct http_access verdicts_access;
static struct recording *recorded;
static uint64_t packets_period_ns;
static int packets_result;
static bool is_terminal, is_open, is_asked_to_go_on, wants_page, has_findings;
static unsigned int nr_owned;
static struct {
	loop_handler packets, key, second, resize;
} on;
static struct sinks sinks;
static struct measurement measurement;
static struct options asked;

/* An address that says by its port what it is. */
enum { LOOPBACK = 1, ELSEWHERE, TAKEN };

static struct listen_address address_of(int port)
{
	return (struct listen_address){ .ipv4 = { .sin_family = AF_INET, .sin_port = port } };
}

#define A(type) ((struct type *)1)
#define OR_NULL(call, type) (note(call) ? A(type) : NULL)
#define OR_ERROR(call) (note(call) ? 0 : -EIO)

struct live *live_new(const struct report_setup *setup, const struct recording *recording,
		      bool has_verdicts)
{
	assert_ptr_equal(setup, &measurement.setup);
	assert_non_null(recording);
	assert_int_equal(has_verdicts, asked.diagnose);
	return OR_NULL("live", live);
}

bool live_open(struct live *live, enum colour colour)
{
	assert_non_null(live);
	assert_int_equal(colour, asked.reports.colour);
	return is_open = is_terminal;
}

bool live_is_open(const struct live *live)
{
	return live && is_open;
}

void live_close(struct live *live)
{
	is_open = is_open && !live;
}

bool live_keys(struct live *live)
{
	assert_non_null(live);
	return is_asked_to_go_on;
}

bool live_wants_page(struct live *live)
{
	assert_non_null(live);
	return wants_page;
}

void live_resized(struct live *live)
{
	assert_non_null(live);
	note("resized");
}

void live_free(struct live *live)
{
	if (live)
		note("~live");
}

struct slow_packets *slow_packets_new(const struct slow_packets_config *config, int map)
{
	assert_int_equal(map, 17);
	packets_config = *config;
	return OR_NULL("packets", slow_packets);
}

void slow_packets_begin(struct slow_packets *packets, uint64_t began_ns)
{
	assert_non_null(packets);
	assert_int_equal(began_ns, BEGAN_NS);
	note("packets-begin");
}

int slow_packets_fd(const struct slow_packets *packets)
{
	assert_non_null(packets);
	return 18;
}

int slow_packets_read(void *context)
{
	assert_non_null(context);
	return packets_result;
}

uint64_t slow_packets_period_ns(const struct slow_packets *packets)
{
	assert_non_null(packets);
	return packets_period_ns;
}

int slow_packets_flush(struct slow_packets *packets)
{
	assert_non_null(packets);
	return OR_ERROR("flush");
}

int slow_packets_end(struct slow_packets *packets)
{
	assert_non_null(packets);
	return OR_ERROR("packets-end");
}

void slow_packets_free(struct slow_packets *packets)
{
	if (packets)
		note("~packets");
}

struct reporter *reporter_new(const struct reporter_config *config, struct meter *meter)
{
	assert_ptr_equal(config, &asked.reports);
	assert_ptr_equal(meter, measurement.meter);
	return OR_NULL("reporter", reporter);
}

void reporter_write_at(struct reporter *reporter, int writer)
{
	assert_non_null(reporter);
	assert_int_equal(writer, 100 + HELPER_WRITER);
}

void reporter_record_at(struct reporter *reporter, struct recording *recording, struct live *live)
{
	assert_non_null(reporter);
	assert_int_equal(live != NULL, asked.live);
	recorded = recording;
}

int reporter_slow_share(const struct reporter *reporter)
{
	assert_non_null(reporter);
	note("slow-share");
	return 0;
}

void reporter_write_page(struct reporter *reporter)
{
	assert_non_null(reporter);
	note("page");
}

int reporter_interval(struct reporter *reporter)
{
	assert_non_null(reporter);
	return OR_ERROR("report");
}

int reporter_end(struct reporter *reporter)
{
	assert_non_null(reporter);
	return OR_ERROR("reporter-end");
}

void reporter_free(struct reporter *reporter)
{
	if (reporter)
		note("~reporter");
}

struct diagnosis *diagnosis_new(const struct diagnosis_config *config, struct meter *meter)
{
	assert_ptr_equal(meter, measurement.meter);
	diagnosis_config = *config;
	return OR_NULL("diagnosis", diagnosis);
}

void diagnosis_serve_at(struct diagnosis *diagnosis, struct verdict_page *page)
{
	assert_non_null(diagnosis);
	assert_non_null(page);
	note("serve-verdicts");
}

int diagnosis_look(struct diagnosis *diagnosis)
{
	assert_non_null(diagnosis);
	return OR_ERROR("look");
}

int diagnosis_end_watch(struct diagnosis *diagnosis)
{
	assert_non_null(diagnosis);
	return OR_ERROR("verdict");
}

bool diagnosis_found(const struct diagnosis *diagnosis)
{
	assert_non_null(diagnosis);
	return has_findings;
}

void diagnosis_free(struct diagnosis *diagnosis)
{
	/* The terminal shows what is said at the end. */
	assert_false(is_open);
	if (diagnosis)
		note("~diagnosis");
}

struct exporter *exporter_start(const struct exporter_config *config, struct meter *meter,
				struct loop *loop)
{
	assert_ptr_equal(meter, measurement.meter);
	assert_ptr_equal(loop, A(loop));
	exporter_config = *config;
	return OR_NULL("exporter", exporter);
}

void exporter_end(struct exporter *exporter)
{
	if (exporter)
		note("~exporter");
}

struct verdict_page *verdict_page_start(const struct http_access *access, struct loop *loop)
{
	assert_ptr_equal(loop, A(loop));
	verdicts_access = *access;
	return OR_NULL("verdict-page", verdict_page);
}

void verdict_page_end(struct verdict_page *page)
{
	if (page)
		note("~verdict-page");
}

struct pcap_file *pcap_file_open(const char *path, bool is_optional)
{
	assert_string_equal(path, "packets.pcapng");
	return OR_NULL(is_optional ? "optional-pcap" : "pcap", pcap_file);
}

void pcap_file_close(struct pcap_file *file)
{
	if (file)
		note("~pcap");
}

int web_config_read(struct web_config *config, const char *path)
{
	(void)config;
	assert_string_equal(path, "web.yml");
	return OR_ERROR("web-config");
}

void web_config_free(struct web_config *config)
{
	(void)config;
}

bool listen_is_loopback(const struct listen_address *address)
{
	return address->ipv4.sin_port == LOOPBACK;
}

int listen_open(struct listen_address *address)
{
	return address->ipv4.sin_port == TAKEN ? -EADDRINUSE : dup(STDERR_FILENO);
}

const char *listen_text(const struct listen_address *address, char text[LISTEN_TEXT_SIZE])
{
	(void)address;
	return strcpy(text, "there");
}

int helpers_socket(enum helper_task task)
{
	return 100 + (int)task;
}

void helpers_own_sockets(const struct listen_addresses *addresses)
{
	nr_owned = addresses->nr;
}

const struct printer *packet_printer(const struct options *options)
{
	return options->reports.printer;
}

FILE *stack_names_open(const char *path)
{
	assert_string_equal(path, "/proc/kallsyms");
	return note("symbols") ? stderr : NULL;
}

struct map_fds loader_maps(const struct loader *loader)
{
	assert_ptr_equal(loader, A(loader));
	return (struct map_fds){ .slow_packets = 17, .waits.reads = 19, .stacks.waits = 20 };
}

uint64_t loader_end_startup(struct loader *loader)
{
	assert_ptr_equal(loader, A(loader));
	note("begin");
	return BEGAN_NS;
}

int loop_add(struct loop *loop, int fd, uint32_t events, loop_handler handler, void *context)
{
	assert_ptr_equal(loop, A(loop));
	assert_int_equal(events, EPOLLIN);
	assert_ptr_equal(context, &sinks);
	*(fd == STDIN_FILENO ? &on.key : &on.packets) = handler;
	return OR_ERROR(fd == STDIN_FILENO ? "await-keys" : "await-packets");
}

int loop_add_timer(struct loop *loop, uint64_t period_ns, loop_handler handler, void *context)
{
	assert_ptr_equal(loop, A(loop));
	assert_ptr_equal(context, &sinks);
	if (period_ns == PERIOD_NS) {
		assert_ptr_equal(handler, on.packets);
		return OR_ERROR("await-stalls");
	}
	assert_int_equal(period_ns, NS_PER_S);
	on.second = handler;
	return OR_ERROR("await-seconds");
}

int loop_add_signals(struct loop *loop, const sigset_t *signals, loop_handler handler,
		     void *context)
{
	assert_ptr_equal(loop, A(loop));
	assert_true(sigismember(signals, SIGWINCH));
	assert_ptr_equal(context, &sinks);
	on.resize = handler;
	return OR_ERROR("await-resize");
}

static int begin(void **state)
{
	(void)state;
	memset(&on, 0, sizeof(on));
	*calls = '\0';
	failing = NULL;
	packets_period_ns = 0;
	packets_result = 0;
	is_terminal = is_open = wants_page = has_findings = false;
	is_asked_to_go_on = true;
	asked = (struct options){ .reports = { .printer = &printer_text } };
	measurement =
		(struct measurement){ .options = &asked, .loader = A(loader), .meter = A(meter) };
	return 0;
}

static int end(void **state)
{
	(void)state;
	sinks_free(&sinks);
	sinks_close_sockets(&sinks);
	sinks = (struct sinks){ .measurement = &measurement };
	return 0;
}

static int start(void)
{
	int err;

	measurement.setup.plan = asked.plan;
	sinks = sinks_for(&measurement);
	err = sinks_read(&sinks);
	if (!err)
		err = sinks_open(&sinks);
	return err ? err : sinks_start(&sinks, A(loop));
}

/* All the same, but that this fails. */
static void assert_fails_at(const char *call)
{
	failing = call;
	said_begin();
	assert_int_equal(start(), -EIO);
	said_end();
	end(NULL);
	*calls = '\0';
	failing = NULL;
}

static void test_reports_are_made_unless_more_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(start(), 0);
	assert_called("reporter");
	assert_null(recorded);
	assert_int_equal(sinks_begin(&sinks), 0);
	assert_int_equal(sinks_take_terminal(&sinks), 0);
	assert_int_equal(sinks_interval(&sinks), 0);
	assert_false(sinks_draw_at_end(&sinks));
	assert_int_equal(sinks_end(&sinks), LOOP_END);
	assert_int_equal(sinks_conclude(&sinks), 0);
	assert_called("begin report reporter-end");
	failing = "reporter-end";
	assert_int_equal(sinks_end(&sinks), -EIO);
	*calls = '\0';
	end(NULL);
	assert_called("~reporter");
	assert_fails_at("reporter");
}

static void test_slow_packets_come_before_the_report_that_counts_them(void **state)
{
	(void)state;
	asked.plan.slow = true;
	asked.plan.slow_ns = 5;
	asked.packet_count = 3;
	asked.pcap = "packets.pcapng";
	packets_period_ns = PERIOD_NS;
	assert_int_equal(start(), 0);
	assert_called("pcap packets await-packets await-stalls reporter");
	assert_int_equal(packets_config.fold_ns, 5);
	assert_int_equal(packets_config.count, 3);
	assert_ptr_equal(packets_config.pcap, sinks.pcap);
	assert_ptr_equal(packets_config.plan, &measurement.setup.plan);
	assert_int_equal(sinks_begin(&sinks), 0);
	assert_int_equal(sinks_interval(&sinks), 0);
	assert_int_equal(on.packets(&sinks), 0);
	assert_called("begin packets-begin flush report");
	packets_result = LOOP_END;
	assert_int_equal(on.packets(&sinks), LOOP_END);
	assert_called("packets-end reporter-end");
	assert_int_equal(sinks_conclude(&sinks), 0);
	assert_called("slow-share");
	failing = "flush";
	assert_int_equal(sinks_interval(&sinks), -EIO);
	failing = "packets-end";
	assert_int_equal(sinks_end(&sinks), -EIO);
	assert_called("flush packets-end");
	end(NULL);
	assert_called("~reporter ~packets ~pcap");
	assert_fails_at("pcap");
	assert_fails_at("packets");
	assert_fails_at("await-packets");
	assert_fails_at("await-stalls");
	/* Programs get each, at once. */
	asked.reports.printer = &printer_json;
	packets_period_ns = 0;
	assert_int_equal(start(), 0);
	assert_called("pcap packets await-packets reporter");
	assert_int_equal(packets_config.fold_ns, 0);
	assert_int_equal(sinks_conclude(&sinks), 0);
	assert_called("");
}

static void test_a_verdict_is_in_the_place_of_reports(void **state)
{
	(void)state;
	asked.diagnose = true;
	asked.late.task_ns = 7;
	asked.plan.btf_path = "types";
	assert_int_equal(start(), 0);
	assert_called("diagnosis");
	assert_int_equal(diagnosis_config.late.task_ns, 7);
	assert_string_equal(diagnosis_config.btf_path, "types");
	assert_int_equal(diagnosis_config.waits.reads, 19);
	assert_int_equal(diagnosis_config.stacks.waits, 20);
	assert_null(diagnosis_config.symbols);
	assert_int_equal(sinks_begin(&sinks), 0);
	assert_int_equal(on.second(&sinks), 0);
	assert_int_equal(sinks_interval(&sinks), 0);
	assert_int_equal(sinks_end(&sinks), LOOP_END);
	assert_called("begin await-seconds look verdict verdict");
	assert_int_equal(sinks_conclude(&sinks), 0);
	has_findings = true;
	assert_int_equal(sinks_conclude(&sinks), STATUS_FINDINGS);
	end(NULL);
	assert_called("~diagnosis");
	assert_fails_at("diagnosis");
	asked.plan.stacks = true;
	assert_int_equal(start(), 0);
	assert_called("symbols diagnosis");
	assert_ptr_equal(diagnosis_config.symbols, stderr);
	end(NULL);
	assert_fails_at("symbols");
}

static void test_a_verdict_that_was_served_is_no_failure(void **state)
{
	(void)state;
	asked.diagnose = has_findings = true;
	asked.web_config = "web.yml";
	asked.listen = (struct listen_addresses){ { address_of(LOOPBACK) }, 1 };
	assert_int_equal(start(), 0);
	assert_called("web-config diagnosis verdict-page serve-verdicts");
	assert_int_equal(sinks_conclude(&sinks), 0);
	assert_int_equal(verdicts_access.nr_listeners, 1);
	assert_ptr_equal(verdicts_access.config, &sinks.web_config);
	assert_int_equal(verdicts_access.renewal, 100 + HELPER_WEB_CONFIG);
	assert_int_equal(verdicts_access.passwords, 100 + HELPER_PASSWORDS);
	end(NULL);
	assert_called("~verdict-page ~diagnosis");
	assert_fails_at("web-config");
	assert_fails_at("verdict-page");
}

/* Other hosts may call this one by any name. */
static void test_who_is_near_uses_names_that_are_known(void **state)
{
	(void)state;
	asked.listen =
		(struct listen_addresses){ { address_of(LOOPBACK), address_of(ELSEWHERE) }, 2 };
	asked.forget_ns = 9;
	assert_int_equal(start(), 0);
	assert_called("reporter exporter");
	assert_int_equal(exporter_config.forget_ns, 9);
	assert_int_equal(exporter_config.access.nr_listeners, 2);
	assert_null(exporter_config.access.config);
	assert_string_equal(sinks.listeners[0].hosts, "");
	assert_null(sinks.listeners[1].hosts);
	assert_int_equal(nr_owned, 2);
	end(NULL);
	assert_called("~exporter ~reporter");
	assert_fails_at("exporter");
	asked.hosts = "proxy";
	asked.pcap = "packets.pcapng";
	assert_int_equal(start(), 0);
	assert_called("optional-pcap reporter exporter");
	assert_string_equal(sinks.listeners[0].hosts, "proxy");
	assert_string_equal(sinks.listeners[1].hosts, "proxy");
}

/* The files of those before it are to go. */
static void test_an_address_that_is_taken_ends_it(void **state)
{
	(void)state;
	asked.listen = (struct listen_addresses){
		{ address_of(ELSEWHERE), address_of(TAKEN), address_of(ELSEWHERE) }, 3
	};
	assert_int_equal(start(), -EADDRINUSE);
	assert_int_equal(nr_owned, 1);
	assert_int_equal(sinks.nr_listeners, 1);
	assert_called("");
}

static void test_a_terminal_is_drawn_on(void **state)
{
	(void)state;
	asked.live = is_terminal = true;
	asked.reports.colour = COLOUR_ALWAYS;
	asked.reports.interval_ns = NS_PER_S;
	assert_int_equal(start(), 0);
	assert_called("live reporter");
	assert_ptr_equal(recorded, sinks.recording);
	assert_non_null(recorded);
	assert_int_equal(sinks_take_terminal(&sinks), 0);
	assert_called("await-resize await-keys");
	assert_true(sinks_draw_at_end(&sinks));
	assert_int_equal(on.resize(&sinks), 0);
	assert_int_equal(on.key(&sinks), 0);
	assert_called("resized");
	wants_page = true;
	assert_int_equal(on.key(&sinks), 0);
	assert_called("page");
	is_asked_to_go_on = false;
	assert_int_equal(on.key(&sinks), LOOP_END);
	assert_called("reporter-end");
	assert_false(is_open);
	failing = "await-resize";
	assert_int_equal(sinks_take_terminal(&sinks), -EIO);
	*calls = '\0';
	end(NULL);
	assert_called("~reporter ~live");
	assert_fails_at("live");
}

static void test_a_verdict_is_drawn_and_no_page_written(void **state)
{
	(void)state;
	asked.live = asked.diagnose = is_terminal = wants_page = true;
	assert_int_equal(start(), 0);
	assert_called("live diagnosis");
	assert_ptr_equal(diagnosis_config.live, sinks.live);
	assert_ptr_equal(diagnosis_config.recording, sinks.recording);
	assert_int_equal(sinks_take_terminal(&sinks), 0);
	said_begin();
	assert_int_equal(on.key(&sinks), 0);
	assert_non_null(strstr(said_end(), "no page is written"));
	assert_called("await-resize await-keys");
}

static void test_reports_are_printed_where_there_is_no_terminal(void **state)
{
	(void)state;
	asked.live = true;
	asked.reports.interval_ns = NS_PER_S;
	assert_int_equal(start(), 0);
	said_begin();
	assert_int_equal(sinks_take_terminal(&sinks), 0);
	assert_non_null(strstr(said_end(), "--live takes a terminal to draw on"));
	assert_called("live reporter");
	assert_null(on.key);
}

static void test_a_page_is_drawn_at_the_end(void **state)
{
	(void)state;
	asked.reports.printer = &printer_html;
	asked.reports.interval_ns = NS_PER_S;
	assert_int_equal(start(), 0);
	assert_non_null(recorded);
	assert_true(sinks_draw_at_end(&sinks));
	end(NULL);
	asked.diagnose = true;
	assert_int_equal(start(), 0);
	assert_non_null(diagnosis_config.recording);
	assert_false(sinks_draw_at_end(&sinks));
}

static void assert_announced(const char *expected)
{
	said_begin();
	sinks_announce(&sinks);
	assert_string_equal(said_end(), expected);
}

static void test_it_says_when_there_will_be_what(void **state)
{
	(void)state;
	log_init(true);
	asked.reports.interval_ns = 2 * NS_PER_S;
	assert_announced("netstacklat: measuring, with a report every 2 s; Ctrl-C ends it\n");
	asked.count = 3;
	assert_announced("netstacklat: measuring, with a report every 2 s\n");
	asked.diagnose = true;
	assert_announced("netstacklat: measuring for 6 s; Ctrl-C ends it early\n");
	asked.duration_ns = 5 * NS_PER_S;
	assert_announced("netstacklat: measuring for 5 s; Ctrl-C ends it early\n");
	asked.count = asked.duration_ns = 0;
	assert_announced("netstacklat: measuring, with a verdict every 2 s; Ctrl-C ends it\n");
	asked.diagnose = false;
	asked.reports.quiet = true;
	sinks.nr_listeners = 1;
	assert_announced("netstacklat: serving metrics at there\n"
			 "netstacklat: measuring; Ctrl-C ends it\n");
	sinks.nr_listeners = 0;
	log_init(false);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_reports_are_made_unless_more_is_asked_for),
		TEST(test_slow_packets_come_before_the_report_that_counts_them),
		TEST(test_a_verdict_is_in_the_place_of_reports),
		TEST(test_a_verdict_that_was_served_is_no_failure),
		TEST(test_who_is_near_uses_names_that_are_known),
		TEST(test_an_address_that_is_taken_ends_it),
		TEST(test_a_terminal_is_drawn_on),
		TEST(test_a_verdict_is_drawn_and_no_page_written),
		TEST(test_reports_are_printed_where_there_is_no_terminal),
		TEST(test_a_page_is_drawn_at_the_end),
		TEST(test_it_says_when_there_will_be_what),
	};

	sinks = (struct sinks){ .measurement = &measurement };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
