/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_head.h"

#include "harness.h"
#include "input.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line as the input hands it out: a '\n' behind it, and some bytes that may be read. */
static char line[2000 + INPUT_SLACK_BYTES];

static bool parse(const char *text, struct text_head *head)
{
	size_t bytes = strlen(text);

	memset(line, 0, sizeof(line));
	memcpy(line, text, bytes);
	line[bytes] = '\n';
	return text_head_parse(line, bytes, head);
}

static bool is(const char *text, size_t bytes, const char *expected)
{
	return bytes == strlen(expected) && !memcmp(text, expected, bytes);
}

/* Lines as the tools print them; recorded where a real task's name is in them. */
static const struct {
	const char *text;
	uint64_t time;
	bool cycles, perf;
	unsigned cpu;
	const char *task, *pid, *system, *name, *fields;
} heads[] = {
	{ "         python3  9201 [001]  1082.393310:    net:net_dev_xmit: dev=lo len=142 rc=0",
		1082393310000, false, true, 1, "python3", "9201", "net", "net_dev_xmit",
		"dev=lo len=142 rc=0" },
	{ "python3  9288 [001]  1109.726687922:           net:netif_rx: dev=lo", 1109726687922,
		false, true, 1, "python3", "9288", "net", "netif_rx", "dev=lo" },
	{ "         python3  9288/9288  [001]  1109.619212:  irq:irq_handler_entry: irq=36",
		1109619212000, false, true, 1, "python3", "9288", "irq", "irq_handler_entry",
		"irq=36" },
	{ "         python3  9288 [001] K      1109.619212:          1            net:netif_rx: a",
		1109619212000, false, true, 1, "python3", "9288", "net", "netif_rx", "a" },
	{ "         python3 [001]  1109.619212:  net:netif_rx: a", 1109619212000, false, true, 1,
		"python3", "", "net", "netif_rx", "a" },
	{ " 9288 [001]  1109.619212:  net:netif_rx: a", 1109619212000, false, true, 1, "", "9288",
		"net", "netif_rx", "a" },
	{ "         python3  9288  1109.619212:  net:netif_rx: a", 1109619212000, false, true, 0,
		"python3", "9288", "net", "netif_rx", "a" },
	{ " python3  9288   1  1109.619212:  net:netif_rx: a", 1109619212000, false, true, 1,
		"python3", "9288", "net", "netif_rx", "a" },
	{ "         python3  9201 [001]  1082.393328: PERF_RECORD_LOST lost 20", 1082393328000,
		false, true, 1, "python3", "9201", "", "PERF_RECORD_LOST", "lost 20" },
	{ "            spin-227     [000] d.h..    64.840001: softirq_raise: vec=1 [action=TIMER]",
		64840001000, false, false, 0, "spin", "227", "", "softirq_raise",
		"vec=1 [action=TIMER]" },
	{ "     ksoftirqd/0-14      (     15) [003] ..s..    42.316022: softirq_exit: vec=9",
		42316022000, false, false, 3, "ksoftirqd/0", "15", "", "softirq_exit", "vec=9" },
	{ "          <idle>-0       (-------) [000] d.h1.     9.144740: irq_handler_entry: irq=23",
		9144740000, false, false, 0, "<idle>", "0", "", "irq_handler_entry", "irq=23" },
	{ "         tcpsend-130   [000]     9.144729325: net_dev_queue:        dev=eth1",
		9144729325, false, false, 0, "tcpsend", "130", "", "net_dev_queue", "dev=eth1" },
	{ "         tcpsend-130   [000]     9.144730: (+1)     net_dev_xmit:   dev=eth1",
		9144730000, false, false, 0, "tcpsend", "130", "", "net_dev_xmit", "dev=eth1" },
	{ " tcpsend-130    12d.s1.     9.144730: net_dev_xmit:   dev=eth1", 9144730000, false,
		false, 12, "tcpsend", "130", "", "net_dev_xmit", "dev=eth1" },
	{ "            spin-127   [000] 31820785552: softirq_raise:        vec=9", 31820785552,
		true, false, 0, "spin", "127", "", "softirq_raise", "vec=9" },
	{ " python3-13131     1b.... 138792us : net_dev_queue: dev=lo", 138792000, false, false, 1,
		"python3", "13131", "", "net_dev_queue", "dev=lo" },
	{ " python3-13131     1b....   1387us+: net_dev_queue: dev=lo", 1387000, false, false, 1,
		"python3", "13131", "", "net_dev_queue", "dev=lo" },
	{ "              sh-128     [000] ..s..     9.132003: <stack trace>", 9132003000, false,
		false, 0, "sh", "128", "", "<stack trace>", "" },
	{ "              sh-128     [000] .....     9.132003: vfs_read <-ksys_read", 9132003000,
		false, false, 0, "sh", "128", "", "vfs_read", "<-ksys_read" },
	{ "a 1 [-01] 5.000000: cycles:u: 7f3a", 5000000000, false, true, 0, "a", "1", "cycles", "u",
		"7f3a" },
	/* longer names than Linux has */
	{ "a-process-with-a-long-name 12 [002] 5.000000: net:netif_rx: x", 5000000000, false, true,
		2, "a-process-with-a-long-name", "12", "net", "netif_rx", "x" },
};

static void every_dialect_is_understood(void)
{
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct text_head head;

		if (!parse(heads[i].text, &head)) {
			printf("%s\n", heads[i].text);
			CU_FAIL("not parsed");
			continue;
		}
		CU_ASSERT_EQUAL(head.time, heads[i].time);
		CU_ASSERT_EQUAL(head.cycles, heads[i].cycles);
		CU_ASSERT_EQUAL(head.perf, heads[i].perf);
		CU_ASSERT_EQUAL(head.cpu, heads[i].cpu);
		CU_ASSERT(is(head.task, head.task_bytes, heads[i].task));
		CU_ASSERT(is(head.pid, head.pid_bytes, heads[i].pid));
		CU_ASSERT(is(head.system, head.system_bytes, heads[i].system));
		CU_ASSERT(is(head.name, head.name_bytes, heads[i].name));
		CU_ASSERT(is(head.fields, (size_t)(head.end - head.fields), heads[i].fields));
	}
}

/* Names that look like columns, like other lines, or like nothing. */
static const char *const names[] = { "sh 12 [001]", "1 [0] 5.000000:", "x [000] 1.0: y:",
	"a 1 [000] 1: x:", "[001] 1.0: a:b:", "a-1 [000] 1: x:", "a  b", "x  ", "-", "--", "a-",
	"5", "5 5", "(sd-pam)", "#foo", "#", "net:x:", "a: b:", "1 5.000000: x:", "CPU:2 [LOST 4 E",
	"cpus=2", "kworker/0:2-eve", "[", "]", "[1] 1", "0d.h.. 5.0: x:", "\303\251 \303\274",
	"1/2", "x 1/2", "(  12)", "x-5 (   12)", "x-5 (   12) [0]", "dead", "deadbeef", "=> x",
	"x [000] abc", "x [000]", "x 1 [000] abc", "[000] ......",
	"[-01] 1.0: a:", "[...] 1.0: a:b:", "<...>", "<idle>", "version = 7", "CPU 0 is empty", "1",
	"1 1 1 1 1 1 1 1", "0 [0] 1.000000:", "1:", "a 1:", "1.000000: a:", "9 3.0: net:a:" };

/* The formats of the tools' own printf calls, for name, id, CPU. */
static void print_lines(char text[9][300], const char *name, unsigned pid, unsigned cpu)
{
	static const char *const rest = "netif_rx: dev=eth0 skbaddr=0xffff888104a20300 len=84";

	/* perf script; with call chains and --ns; -F +pid; -F +misc,+period */
	snprintf(
		text[0], 300, "%16s %5u [%03u] %5u.%06u:       net:%s", name, pid, cpu, 7, 9, rest);
	snprintf(text[1], 300, "%s %5u [%03u] %5u.%09u:       net:%s", name, pid, cpu, 7, 9000,
		rest);
	snprintf(text[2], 300, "%16s %5u/%-5u [%03u] %5u.%06u:       net:%s", name, pid, pid, cpu,
		7, 9, rest);
	snprintf(text[3], 300, "%16s %5u [%03u] K      %5u.%06u: %10u       net:%s", name, pid, cpu,
		7, 9, 1, rest);
	/* trace file; with TGID; trace-cmd report; with --ts-diff; with -l */
	snprintf(text[4], 300, "%16s-%-7u [%03u] d..1. %5u.%06u: %s", name, pid, cpu, 7, 9, rest);
	snprintf(text[5], 300, "%16s-%-7u (%7u) [%03u] d..1. %5u.%06u: %s", name, pid, 1U, cpu, 7,
		9, rest);
	snprintf(text[6], 300, "%16s-%-5u [%03u] %5u.%06u: %s", name, pid, cpu, 7, 9, rest);
	snprintf(
		text[7], 300, "%16s-%-5u [%03u] %5u.%06u: (+3)     %s", name, pid, cpu, 7, 9, rest);
	snprintf(
		text[8], 300, "%8s-%-5u   %3u%s %5u.%06u: %s", name, pid, cpu, "d..1.", 7, 9, rest);
}

static void a_task_can_call_itself_anything(void)
{
	static const unsigned pids[] = { 3, 812, 123456 };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) * 3; i++) {
		const char *name = names[i / 3];
		unsigned pid = pids[i % 3], cpu = pid % 13;
		char text[9][300], digits[16];

		CU_ASSERT(strlen(name) <= 15);
		print_lines(text, name, pid, cpu);
		snprintf(digits, sizeof(digits), "%u", pid);
		for (size_t k = 0; k < 9; k++) {
			struct text_head head;

			if (!parse(text[k], &head) || head.time != 7000009000 || head.cpu != cpu) {
				printf("%s\n", text[k]);
				CU_FAIL("misread");
				continue;
			}
			CU_ASSERT(is(head.task, head.task_bytes, name));
			CU_ASSERT(is(head.pid, head.pid_bytes, k == 5 ? "1" : digits));
			CU_ASSERT(is(head.name, head.name_bytes, "netif_rx"));
			CU_ASSERT_EQUAL(head.perf, k < 4);
		}
	}
}

/* Markers hold what people print, which may be a trace. */
static void what_an_event_says_is_no_head(void)
{
	static const char *const texts[] = {
		"          sh-128     [003] .....     9.1: tracing_mark_write: a 12 [001] 5.0: b: "
		"c",
		"          sh-128     [003] .....     9.1: tracing_mark_write: a-12 [001] d... "
		"5.0: b: c",
		"          sh   128 [003]     9.1: ftrace:tracing_mark_write: a 12 [001] 5.0: b: c",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct text_head head;

		CU_ASSERT_FATAL(parse(texts[i], &head));
		CU_ASSERT_EQUAL(head.cpu, 3);
		CU_ASSERT_EQUAL(head.time, 9100000000);
		CU_ASSERT(is(head.name, head.name_bytes, "tracing_mark_write"));
	}
}

static void other_lines_have_no_head(void)
{
	static const char *const texts[] = { "", " ", "#", "# tracer: nop",
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION", "cpus=2",
		"CPU:2 [LOST 40 EVENTS]",
		"\tffffffff8193b1c4 dev_hard_start_xmit+0x94 ([kernel.kallsyms])",
		"\tffffffff8193b1c4 odd 1 [001] 1.000000: net:netif_rx: name ([kernel.kallsyms])",
		"sender 812 [001] 2.000009", "sender 812 [001] 2.000009:",
		"sender 812 [001] 2.000009: ", "sender 812 [001] 2.000009: net:netif",
		"sender 812 [001] 2.0000090001: net:netif_rx: x",
		"sender 812 [001] 2.: net:netif_rx: x",
		"sender 812 [001] 18446744073.709551616: net:netif_rx: x",
		"sender 812 [001] 99999999999999999999: netif_rx: x",
		"Jul  1 12:00:00 host kernel: eth0: link up" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct text_head head;

		if (parse(texts[i], &head)) {
			printf("%s\n", texts[i]);
			CU_FAIL("taken for an event");
		}
	}
}

static void a_time_is_exact(void)
{
	static const struct {
		const char *text;
		uint64_t time;
		bool cycles;
	} times[] = {
		{ "0.000000:", 0, false },
		{ "1.000000123:", 1000000123, false },
		{ "1.5:", 1500000000, false },
		{ "9223372036.854775807:", INT64_MAX, false },
		{ "18446744073.709551615:", UINT64_MAX, false },
		{ "18446744073709551615:", UINT64_MAX, true },
		{ "4611686018427387904:", UINT64_C(1) << 62, true },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		uint64_t time;
		bool cycles;
		const char *end = text_time_parse(times[i].text, &time, &cycles);

		CU_ASSERT_PTR_EQUAL(end, times[i].text + strlen(times[i].text));
		CU_ASSERT_EQUAL(time, times[i].time);
		CU_ASSERT_EQUAL(cycles, times[i].cycles);
	}
}

static void frames_are_told_from_other_lines(void)
{
	CU_ASSERT(
		text_is_frame("\tffffffff8193b1c4 dev_hard_start_xmit+0x94 ([kernel.kallsyms])\n"));
	CU_ASSERT(text_is_frame("\t    7f3ab1 [unknown] ([unknown])\n"));
	CU_ASSERT(text_is_frame("\t               0 [unknown] ([unknown])\n"));
	CU_ASSERT(text_is_frame("            7f3ab1 main (/usr/bin/iperf3)\n"));
	CU_ASSERT(text_is_frame(" => net_rx_action\n"));
	CU_ASSERT_FALSE(text_is_frame(" this is a sentence\n"));
	CU_ASSERT_FALSE(text_is_frame("ffffffff8193b1c4 x\n"));
	CU_ASSERT_FALSE(text_is_frame("\n"));
}

static const struct test_case cases[] = {
	{ "every dialect is understood", every_dialect_is_understood },
	{ "a task can call itself anything", a_task_can_call_itself_anything },
	{ "what an event says is no head", what_an_event_says_is_no_head },
	{ "other lines have no head", other_lines_have_no_head },
	{ "a time is exact", a_time_is_exact },
	{ "frames are told from other lines", frames_are_told_from_other_lines },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "heads", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
