/* SPDX-License-Identifier: BSD-3-Clause */
/* Threaded NAPI and busy polling as settings, and what a run says of them. */
#include "outcome.h"
#include "scenario.h"

#include "harness.h"
#include <string.h>
#include <unistd.h>

#define BUSY_POLL "/../../configs/busy-poll.yaml"

static struct scenario scenario;
static struct outcome outcome;
static struct diag diag;
static json_t *json;
static char path[] = "/tmp/ringside-polling-XXXXXX";

static int setup(void)
{
	static const char *const set[] = { "duration_s=0.001" };
	struct run_options options = { 0 };
	int fd = mkstemp(path);

	/* DPDK keeps what it allocates on the way up; it isn't a run's */
	if (fd < 0 || close(fd) || scenario_load(&scenario, NULL, set, 1, &diag) ||
		scenario_start(&scenario, 1, &diag) ||
		scenario_run(&scenario, &options, &outcome, &diag))
		return 1;
	outcome_release(&outcome);
	return 0;
}

static int teardown(void)
{
	scenario_shut_down();
	return unlink(path);
}

static int load(const char *yaml)
{
	FILE *file = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs(yaml, file);
	fclose(file);
	diag.text[0] = '\0';
	return scenario_load(&scenario, path, NULL, 0, &diag);
}

static void refused(const char *yaml, const char *message)
{
	CU_ASSERT(load(yaml) < 0);
	if (!strstr(diag.text, message)) {
		printf("got: %s\n", diag.text);
		CU_FAIL("another message was expected");
	}
}

static void run(void)
{
	struct run_options options = { .measures = true };

	if (scenario_run(&scenario, &options, &outcome, &diag))
		printf("%s\n", diag.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(outcome.report);
	json = outcome_json(&outcome);
	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
}

static void run_busy_poll(const char *busy_poll_us)
{
	CU_ASSERT_EQUAL_FATAL(
		scenario_load(&scenario, TEST_FIXTURES BUSY_POLL, &busy_poll_us, 1, &diag), 0);
	run();
}

static void done(void)
{
	json_decref(json);
	outcome_release(&outcome);
}

/* workload.LIST[index], or of an object in it. */
static json_t *item(json_t *of, const char *list, size_t index)
{
	return json_array_get(json_object_get(of, list), index);
}

static json_t *napi_of(size_t device)
{
	json_t *napi = json_object_get(json_object_get(json, "workload"), "napi");

	return item(napi, "devices", device);
}

static uint64_t number(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	CU_ASSERT(json_is_integer(value));
	return (uint64_t)json_integer_value(value);
}

static void threads_take_a_kernel_and_a_cpu(void)
{
	refused("driver: {threaded: 1, profile: linux-2.6.35}\n",
		"driver.threaded: 1: linux-2.6.35 has no NAPI threads: they came with 5.12");
	refused("driver: {threaded: 1, thread_cpu: 1}\n",
		"driver.thread_cpu: 1: CPUs go from 0 on, and host.cpus is 1");
	refused("driver: {thread_cpu: 0}\n",
		"driver.thread_cpu: 0: there is no thread without driver.threaded");
	refused("driver: {threaded: 2}\n", "threaded");
	refused("clock: tsc\ndriver: {threaded: 1}\nworkload: [{type: lwip_receive}]\n",
		"driver.threaded: ringside run with the clock tsc has no use for it");
	CU_ASSERT_EQUAL(load("host: {cpus: 3, irq_cpu: 2}\ndriver: {threaded: 1}\n"), 0);
	CU_ASSERT_EQUAL(scenario.devices[0].driver.thread_cpu, 2); /* where the interrupt is */
}

static void busy_polling_takes_a_process_and_a_kernel(void)
{
	refused("workload: [{type: udp_receive, interval_us: 9, busy_poll_us: 50}]\n",
		"busy_poll_us: 50: without reads there is nobody who polls");
	refused("workload: [{type: udp_receive, interval_us: 9, reads: true, busy_poll_us: 50}]\n"
		"driver: {profile: linux-2.6.35}\n",
		"busy_poll_us: 50: linux-2.6.35 has no busy polling: it came with 3.11");
	refused("workload: [{type: udp_receive, interval_us: 9, cpu: 1}]\nhost: {cpus: 2}\n",
		"cpu: 1: without reads there is no process");
	refused("workload: [{type: udp_flood, busy_poll_us: 50}]\n", "busy_poll_us: of ");
}

static void a_timer_takes_two_settings_and_a_kernel(void)
{
	refused("driver: {napi_defer_hard_irqs: 2}\n",
		"driver.gro_flush_timeout: 0: the timer takes napi_defer_hard_irqs and");
	refused("driver: {gro_flush_timeout: 20000}\n", "driver.napi_defer_hard_irqs: 0: ");
	refused("driver: {napi_defer_hard_irqs: 2, gro_flush_timeout: 20000, "
		"profile: linux-2.6.35}\n",
		"driver.napi_defer_hard_irqs: 2: linux-2.6.35 has none: it came with 5.7");
	refused("driver: {napi_defer_hard_irqs: 2, gro_flush_timeout: 20000}\n"
		"workload: [{type: udp_receive, interval_us: 9, gro: true}]\n",
		"workload: gro: true: with gro_flush_timeout GRO holds packets for longer");
	refused("workload: [{type: udp_receive, interval_us: 9, reads: true, "
		"prefer_busy_poll: true}]\n",
		"prefer_busy_poll: true: without busy_poll_us nobody polls");
	refused("clock: tsc\ndriver: {napi_defer_hard_irqs: 2, gro_flush_timeout: 20000}\n"
		"workload: [{type: lwip_receive}]\n",
		"ringside run with the clock tsc has no use for it");
}

/* Of two devices that get the same only the one that has a thread says so. */
static void each_nic_may_have_its_own_thread(void)
{
	CU_ASSERT_EQUAL_FATAL(
		load("duration_s: 0.01\n"
		     "nics: [{name: with, driver: {threaded: 1}}, {name: without}]\n"
		     "workload: [{type: udp_receive, interval_us: 100, device: with},\n"
		     "           {type: udp_receive, interval_us: 100, device: without}]\n"),
		0);
	run();
	CU_ASSERT_EQUAL(number(napi_of(0), "work"), 100);
	CU_ASSERT_EQUAL(number(napi_of(0), "thread_polls"), number(napi_of(0), "polls"));
	CU_ASSERT_EQUAL(number(napi_of(1), "work"), 100);
	CU_ASSERT_PTR_NULL(json_object_get(napi_of(1), "thread_polls"));
	CU_ASSERT_PTR_NULL(json_object_get(napi_of(0), "busy_polls"));
	/* the same from its events */
	CU_ASSERT_STRING_EQUAL(outcome.napi_report->devices[0].name, "with");
	CU_ASSERT_EQUAL(outcome.napi_report->devices[0].by_thread, number(napi_of(0), "polls"));
	CU_ASSERT_EQUAL(outcome.napi_report->devices[1].by_thread, 0);
	CU_ASSERT_STRING_EQUAL(
		names_get(outcome.names, NAME_TASK, HOST_RECEIVERS_MOST), "1016 napi/with-8193");
	CU_ASSERT_PTR_NULL(names_get(outcome.names, NAME_TASK, HOST_RECEIVERS_MOST + 1));
	done();
}

/*
 * 500 packets, one each 200 us; an interrupt each 999,936 ns. Without busy polling the last of five
 * comes just before it, the first waits for four intervals or nearly five. With it the longest wait
 * is the first's, which comes by interrupt: 1000 for that and 500 for the softirq.
 */
static void a_run_tells_of_busy_polling(void)
{
	json_t *receiver, *reader, *wait;
	uint64_t polls, waited;

	run_busy_poll("busy_poll_us=0");
	receiver = item(json_object_get(json, "workload"), "receivers", 0);
	reader = json_object_get(receiver, "reader");
	CU_ASSERT_EQUAL(number(reader, "reads"), 500);
	CU_ASSERT_EQUAL(number(reader, "overflowed"), 0);
	waited = number(json_object_get(receiver, "wait_ns"), "max");
	CU_ASSERT(waited > 790000 && waited < 805000);
	wait = json_object_get(reader, "wait_ns");
	CU_ASSERT(number(wait, "max") > waited);
	CU_ASSERT_PTR_NULL(json_object_get(napi_of(0), "busy_polls"));
	CU_ASSERT_EQUAL(outcome.napi_report->devices[0].by_process, 0);
	done();
	run_busy_poll("busy_poll_us=300");
	receiver = item(json_object_get(json, "workload"), "receivers", 0);
	reader = json_object_get(receiver, "reader");
	CU_ASSERT_EQUAL(number(reader, "reads"), 500);
	CU_ASSERT_EQUAL(number(json_object_get(receiver, "wait_ns"), "max"), 1500);
	polls = number(napi_of(0), "busy_polls");
	CU_ASSERT(polls > 0);
	CU_ASSERT_EQUAL(number(napi_of(0), "polls"), polls + 1); /* the first */
	CU_ASSERT_EQUAL(outcome.napi_report->devices[0].by_process, polls);
	CU_ASSERT_STRING_EQUAL(names_get(outcome.names, NAME_TASK, 0), "1000 reader");
	done();
}

/* After the first packet's interrupt there is none, as long as somebody polls. */
static void a_preferred_reader_has_no_interrupts(void)
{
	static const char *const set[] = { "busy_poll_us=300", "prefer_busy_poll=true",
		"napi_defer_hard_irqs=2", "gro_flush_timeout=1000000" };

	CU_ASSERT_EQUAL_FATAL(scenario_load(&scenario, TEST_FIXTURES BUSY_POLL, set, 4, &diag), 0);
	run();
	CU_ASSERT_EQUAL(number(napi_of(0), "work"), 500);
	CU_ASSERT_EQUAL(number(napi_of(0), "interrupts"), 1);
	done();
}

static const struct test_case cases[] = {
	{ "threads take a kernel and a CPU", threads_take_a_kernel_and_a_cpu },
	{ "busy polling takes a process and a kernel", busy_polling_takes_a_process_and_a_kernel },
	{ "a timer takes two settings and a kernel", a_timer_takes_two_settings_and_a_kernel },
	{ "each NIC may have its own thread", each_nic_may_have_its_own_thread },
	{ "a run tells of busy polling", a_run_tells_of_busy_polling },
	{ "a preferred reader has no interrupts", a_preferred_reader_has_no_interrupts },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "polling", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
