/* SPDX-License-Identifier: BSD-3-Clause */
/* Polls, softirqs and interrupts, as the kernel's net_rx_action emits them. Times in ns. */
#include "napi.h"

#include "scene.h"
#include <stdlib.h>

#define NET_TX 2
#define NET_RX 3

#define NO EVENT_NO_DEVICE
#define IRQ_IN(cpu, time, line) \
	AT(cpu, time, IRQ_ENTRY, NO, NO_QUEUE, 0, 0, EVENT_PUT(IRQ_ENTRY, name, line))
#define IRQ_OUT(cpu, time)     AT(cpu, time, IRQ_EXIT, NO, NO_QUEUE, 0, 0, 0)
#define RAISE(cpu, time, vec)  AT(cpu, time, SOFTIRQ_RAISE, NO, NO_QUEUE, 0, 0, vec)
#define BEGIN(cpu, time, vec)  AT(cpu, time, SOFTIRQ_ENTRY, NO, NO_QUEUE, 0, 0, vec)
#define FINISH(cpu, time, vec) AT(cpu, time, SOFTIRQ_EXIT, NO, NO_QUEUE, 0, 0, vec)
#define POLL(cpu, time, dev, work) \
	AT(cpu, time, NAPI_POLL, dev, NO_QUEUE, 0, 0, (uint64_t)64 << 32 | (uint32_t)(work))
#define UNKNOWN EVENT_WORK_UNKNOWN

enum { IRQ_ETH0 = 1, IRQ_ETH0_RX1, IRQ_ETH01, IRQ_TIMER, IRQ_I40E, IRQ_NAMES };

/* What an event says of a task: one more than its index. */
enum { THREAD = 1, CLIENT, IDLE, LIKE_A_THREAD, IDLE_OF_FTRACE, IDLE_OF_PERF, TASKS };

static struct napi *napi;

static const struct napi_report *play(
	const struct napi_options *options, const struct scene_event *events, size_t count)
{
	static const char *const irqs[IRQ_NAMES] = { NULL, "eth0", "eth0-rx-1", "eth01", "timer",
		"i40e-eth1-TxRx-0" };
	static const char *const tasks[TASKS] = { NULL, "41 napi/eth0-8193", "300 client",
		"0 swapper/0", "301 snapi/ 1", "0 <idle>", "0 swapper" };
	static const struct napi_options defaults = {
		.hz = SECONDS, .budget = NAPI_BUDGET, .budget_usecs = NAPI_BUDGET_USECS
	};
	const struct napi_report *report = NULL;

	scene_names = names_create();
	CU_ASSERT_PTR_NOT_NULL_FATAL(scene_names);
	for (uint32_t i = 0; i < SCENE_DEVICES; i++)
		names_set(scene_names, NAME_DEVICE, i, scene_device_names[i],
			strlen(scene_device_names[i]));
	for (uint32_t i = 1; i < IRQ_NAMES; i++)
		names_set(scene_names, NAME_IRQ, i, irqs[i], strlen(irqs[i]));
	for (uint32_t i = 1; i < TASKS; i++)
		names_set(scene_names, NAME_TASK, i - 1, tasks[i], strlen(tasks[i]));
	CU_ASSERT_EQUAL_FATAL(napi_create(&napi, options ? options : &defaults, scene_names), 0);
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL_FATAL(napi_event(napi, events[i].cpu, &events[i].event), 0);
	CU_ASSERT_EQUAL_FATAL(napi_finish(napi, &report), 0);
	return report;
}

#define NAPI(options, ...)                                         \
	play(options, (const struct scene_event[]){ __VA_ARGS__ }, \
		sizeof((const struct scene_event[]){ __VA_ARGS__ }) / sizeof(struct scene_event))

static void done(void)
{
	napi_destroy(napi);
	names_destroy(scene_names);
}

static void work_is_of_polls_whose_work_is_known(void)
{
	const struct napi_report *report = NAPI(NULL, POLL(0, 10, ETH0, UNKNOWN),
		POLL(0, 20, ETH0, 3), POLL(0, 30, ETH1, 0), POLL(0, 40, ETH0, 64));

	CU_ASSERT_EQUAL_FATAL(report->device_count, 2);
	CU_ASSERT_STRING_EQUAL(report->devices[0].name, "eth0");
	CU_ASSERT_EQUAL(report->devices[0].polls, 3);
	CU_ASSERT_EQUAL(report->devices[0].known, 2);
	CU_ASSERT_EQUAL(report->devices[0].working, 2);
	CU_ASSERT_EQUAL(report->devices[0].work, 67);
	CU_ASSERT_EQUAL(report->devices[0].budget, 128);
	CU_ASSERT_EQUAL(report->devices[0].full, 1);
	CU_ASSERT_EQUAL(report->devices[1].polls, 1);
	CU_ASSERT_EQUAL(report->devices[1].working, 0);
	done();
}

/* 1000 to 1300: the first poll; to 1700: the second; the third is in no softirq. */
static void a_poll_begins_with_its_softirq_or_after_the_poll_before(void)
{
	const struct napi_report *report = NAPI(NULL, BEGIN(0, 1000, NET_RX),
		BEGIN(1, 1100, NET_RX), POLL(0, 1300, ETH0, 5), POLL(1, 1350, ETH1, 1),
		POLL(0, 1700, ETH0, 3), FINISH(0, 1750, NET_RX), POLL(0, 2000, ETH0, 2));
	const struct napi_device *eth0 = &report->devices[0];

	CU_ASSERT_EQUAL(eth0->polls, 3);
	CU_ASSERT_EQUAL(eth0->time.count, 2);
	CU_ASSERT_EQUAL(eth0->time.min, 300);
	CU_ASSERT_EQUAL(eth0->time.max, 400);
	CU_ASSERT_EQUAL(eth0->time_sum, 700);
	CU_ASSERT_EQUAL(eth0->time_work, 8);
	CU_ASSERT_EQUAL(report->devices[1].time.max, 250);
	CU_ASSERT_EQUAL(report->softirqs, 2);
	done();
}

static void a_softirq_that_uses_its_budget_is_squeezed_by_packets_once(void)
{
	struct napi_options options = { .hz = SECONDS, .budget = 100, .budget_usecs = 2000 };
	const struct napi_report *report = NAPI(&options, BEGIN(0, 1000, NET_RX),
		POLL(0, 2000, ETH0, 64), POLL(0, 3000, ETH1, 36), POLL(0, 3500, ETH1, 1),
		RAISE(0, 9000000, NET_RX), FINISH(0, 9000010, NET_RX), BEGIN(0, 9001000, NET_RX),
		POLL(0, 9002000, ETH0, 64), POLL(0, 9003000, ETH0, 35), FINISH(0, 9003100, NET_RX));

	CU_ASSERT_EQUAL(report->squeezed_by_packets, 1);
	CU_ASSERT_EQUAL(report->squeezed_by_time, 0);
	CU_ASSERT_EQUAL(report->repolls, 0);
	done();
}

/* It began at 1000; 2000 us later is 2001000. */
static void a_raise_after_the_time_of_the_budget_is_a_squeeze_by_time(void)
{
	const struct napi_report *report = NAPI(NULL, BEGIN(0, 1000, NET_RX),
		POLL(0, 2000900, ETH0, 64), RAISE(0, 2001000, NET_RX), FINISH(0, 2001100, NET_RX),
		BEGIN(0, 3000000, NET_RX), POLL(0, 4999000, ETH0, 64), RAISE(0, 4999999, NET_RX),
		FINISH(0, 5100000, NET_RX));

	CU_ASSERT_EQUAL(report->squeezed_by_time, 1);
	CU_ASSERT_EQUAL(report->repolls, 1);
	CU_ASSERT_EQUAL(report->squeezed_by_packets, 0);
	CU_ASSERT_EQUAL(report->doubtful, 0);
	done();
}

static void raises_of_others_are_no_repolls(void)
{
	const struct napi_report *report = NAPI(NULL,
		/* before the last poll: netif_rx of a packet that loops */
		BEGIN(0, 1000, NET_RX), POLL(0, 2000, ETH0, 1), RAISE(0, 2100, NET_RX),
		POLL(0, 2200, ETH0, 1), FINISH(0, 2300, NET_RX),
		/* in a hard interrupt; of another vector; after the exit; on another CPU */
		BEGIN(0, 3000, NET_RX), POLL(0, 3100, ETH0, 1), IRQ_IN(0, 3200, IRQ_ETH0),
		RAISE(0, 3210, NET_RX), IRQ_OUT(0, 3220), RAISE(0, 3250, NET_TX),
		RAISE(1, 3260, NET_RX), FINISH(0, 3300, NET_RX), RAISE(0, 3400, NET_RX),
		/* no poll at all */
		BEGIN(0, 4000, NET_RX), RAISE(0, 4100, NET_RX), FINISH(0, 4200, NET_RX),
		/* in NET_TX */
		BEGIN(0, 5000, NET_TX), RAISE(0, 5100, NET_RX), FINISH(0, 5200, NET_TX));

	CU_ASSERT_EQUAL(report->repolls, 0);
	CU_ASSERT_EQUAL(report->squeezed_by_time, 0);
	CU_ASSERT_EQUAL(report->softirqs, 3);
	CU_ASSERT_TRUE(report->interrupts_seen);
	done();
}

static void what_is_not_known_makes_a_repoll_doubtful(void)
{
	struct napi_options cycles = { .budget = 300, .budget_usecs = 2000 };
	const struct napi_report *report = NAPI(NULL, BEGIN(0, 1000, NET_RX),
		POLL(0, 2000, ETH0, UNKNOWN), RAISE(0, 2100, NET_RX), FINISH(0, 2200, NET_RX));

	CU_ASSERT_EQUAL(report->repolls, 1);
	CU_ASSERT_EQUAL(report->doubtful, 1);
	CU_ASSERT_FALSE(report->interrupts_seen);
	done();
	report = NAPI(&cycles, BEGIN(0, 1000, NET_RX), POLL(0, 2000, ETH0, 64),
		RAISE(0, 9999999999, NET_RX), FINISH(0, 9999999999, NET_RX));
	CU_ASSERT_EQUAL(report->squeezed_by_time, 0);
	CU_ASSERT_EQUAL(report->repolls, 1);
	CU_ASSERT_EQUAL(report->doubtful, 1);
	done();
}

/* eth0's two lines: at 1000, 5000 and 9000. */
static void interrupts_are_those_of_lines_named_after_the_device(void)
{
	const struct napi_report *report = NAPI(NULL, IRQ_IN(0, 1000, IRQ_ETH0), IRQ_OUT(0, 1010),
		IRQ_IN(1, 5000, IRQ_ETH0_RX1), IRQ_OUT(1, 5010), IRQ_IN(0, 6000, IRQ_ETH01),
		IRQ_IN(0, 7000, IRQ_TIMER), IRQ_IN(0, 9000, IRQ_ETH0), POLL(0, 9500, ETH0, 6),
		POLL(0, 9600, ETH1, 0), IRQ_IN(0, 9700, IRQ_I40E));

	CU_ASSERT_EQUAL(report->devices[0].interrupts, 3);
	CU_ASSERT_EQUAL(report->devices[0].interrupt_span, 8000);
	CU_ASSERT_EQUAL(report->devices[1].interrupts, 1);
	done();
}

#define HEADERS(bytes) (EVENT_PUT(START_XMIT, header_bytes, 54) | (bytes))

static void received_packets_and_acks_are_counted(void)
{
	const struct napi_report *report = NAPI(NULL, POLL(0, 1, ETH0, 3), RECEIVE(2, ETH0, 64),
		AT(0, 3, RECEIVE, ETH0, NO_QUEUE, 128, 60, EVENT_PUT(RECEIVE, netif_rx, 1)),
		RECEIVE(4, ETH1, 192), RECEIVE(5, ETH0, 256),
		AT(0, 6, START_XMIT, ETH0, 0, 1, 53, HEADERS(0)), /* too short: UDP */
		AT(0, 7, START_XMIT, ETH0, 0, 1, 54, HEADERS(0)),
		AT(0, 8, START_XMIT, ETH0, 0, 1, 94, HEADERS(0)),
		AT(0, 9, START_XMIT, ETH0, 0, 1, 95, HEADERS(0)),
		AT(0, 9, START_XMIT, ETH0, 0, 1, 66, HEADERS(1448)));

	CU_ASSERT_EQUAL(report->device_count, 1); /* nobody polls eth1 */
	CU_ASSERT_EQUAL(report->devices[0].received, 2);
	CU_ASSERT_EQUAL(report->devices[0].acks, 2);
	done();
}

static void nothing_pairs_across_a_gap(void)
{
	const struct napi_report *report =
		NAPI(NULL, BEGIN(0, 1000, NET_RX), POLL(0, 2000, ETH0, 64), LOST(1, 2500),
			POLL(0, 3000, ETH0, 64), RAISE(0, 3100, NET_RX), FINISH(0, 3200, NET_RX));

	CU_ASSERT_EQUAL(report->devices[0].time.count, 1);
	CU_ASSERT_EQUAL(report->repolls, 0);
	done();
}

static void one_device_is_shown_but_all_polls_squeeze(void)
{
	struct napi_options options = {
		.hz = SECONDS, .budget = 100, .budget_usecs = 2000, .device = "eth1"
	};
	const struct napi_report *report = NAPI(&options, BEGIN(0, 1000, NET_RX),
		POLL(0, 2000, ETH0, 64), POLL(0, 3000, ETH1, 36), FINISH(0, 3500, NET_RX));

	CU_ASSERT_EQUAL_FATAL(report->device_count, 1);
	CU_ASSERT_STRING_EQUAL(report->devices[0].name, "eth1");
	CU_ASSERT_EQUAL(report->devices[0].time.max, 1000);
	CU_ASSERT_EQUAL(report->squeezed_by_packets, 1);
	done();
}

#define POLL_BY(task, time) AT(0, time, NAPI_POLL, ETH0, NO_QUEUE, 0, task, UINT64_C(8) << 32 | 1)

/*
 * In no softirq: two by the thread; two by processes, of which one is only called like a thread;
 * one that nobody knows of; and what the idle task, by any name, cannot have done. In the softirq
 * the task is whoever was interrupted. Where no softirq is in the trace, that may be so of all but
 * the thread.
 */
static void polls_in_no_softirq_are_a_thread_s_or_a_process_s(void)
{
	const struct napi_report *report;

	report = NAPI(NULL, BEGIN(0, 100, NET_RX), POLL_BY(CLIENT, 110), POLL_BY(THREAD, 120),
		FINISH(0, 130, NET_RX), POLL_BY(THREAD, 140), POLL_BY(THREAD, 150),
		POLL_BY(CLIENT, 160), POLL_BY(LIKE_A_THREAD, 170), POLL_BY(0, 180),
		POLL_BY(IDLE, 190), POLL_BY(IDLE_OF_FTRACE, 200), POLL_BY(IDLE_OF_PERF, 210));
	CU_ASSERT_EQUAL(report->devices[0].polls, 10);
	CU_ASSERT_EQUAL(report->devices[0].time.count, 2);
	CU_ASSERT_EQUAL(report->devices[0].by_thread, 2);
	CU_ASSERT_EQUAL(report->devices[0].by_process, 2);
	done();
	report = NAPI(NULL, POLL_BY(THREAD, 140), POLL_BY(CLIENT, 160));
	CU_ASSERT_EQUAL(report->devices[0].by_thread, 1);
	CU_ASSERT_EQUAL(report->devices[0].by_process, 0);
	done();
}

static const struct test_case cases[] = {
	{ "work is of polls whose work is known", work_is_of_polls_whose_work_is_known },
	{ "a poll begins with its softirq or after the poll before",
		a_poll_begins_with_its_softirq_or_after_the_poll_before },
	{ "a softirq that uses its budget is squeezed by packets, once",
		a_softirq_that_uses_its_budget_is_squeezed_by_packets_once },
	{ "a raise after the time of the budget is a squeeze by time",
		a_raise_after_the_time_of_the_budget_is_a_squeeze_by_time },
	{ "raises of others are no repolls", raises_of_others_are_no_repolls },
	{ "what isn't known makes a repoll doubtful", what_is_not_known_makes_a_repoll_doubtful },
	{ "interrupts are those of lines named after the device",
		interrupts_are_those_of_lines_named_after_the_device },
	{ "received packets and ACKs are counted", received_packets_and_acks_are_counted },
	{ "polls in no softirq are a thread's or a process's",
		polls_in_no_softirq_are_a_thread_s_or_a_process_s },
	{ "nothing pairs across a gap", nothing_pairs_across_a_gap },
	{ "one device is shown, but all polls squeeze", one_device_is_shown_but_all_polls_squeeze },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "napi", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
