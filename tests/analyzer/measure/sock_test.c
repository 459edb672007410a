/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of processes become sums. */
#include "sock.h"

#include "harness.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INET  2
#define INET6 10
#define TCP   6
#define UDP   17
#define PEEK  2

enum { WRITER, READER, EXECED, NAMELESS, IN_A, IN_B, EXECED_IN_A, NAMELESS_IN_A, TASKS };

static const char *const tasks[TASKS] = { "24812 writer", "24854 my reader", "24812 cat", "swapper",
	"24812 writer\x1f/a b", "24812 writer\x1f/b", "24812 cat\x1f/a b", "swapper\x1f/a b" };

static struct names *names;
static struct sock *sock;

static void begin(void)
{
	names = names_create();
	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	for (uint32_t i = 0; i < TASKS; i++)
		names_set(names, NAME_TASK, i, tasks[i], strlen(tasks[i]));
	CU_ASSERT_EQUAL_FATAL(sock_create(&sock, names), 0);
}

static void call(enum event_id id, unsigned task, unsigned family, unsigned protocol,
	int32_t result, unsigned flags)
{
	struct event event = {
		.id = (uint16_t)id,
		.device = EVENT_NO_DEVICE,
		.len = (uint32_t)result,
		.arg = EVENT_PUT(SOCK_SEND, process, task) | EVENT_PUT(SOCK_SEND, family, family) |
		       EVENT_PUT(SOCK_SEND, protocol, protocol) |
		       EVENT_PUT(SOCK_SEND, flags, flags),
	};

	CU_ASSERT_EQUAL_FATAL(sock_event(sock, &event), 0);
}

static const struct sock_report *finish(void)
{
	const struct sock_report *report;

	sock_finish(sock, &report);
	return report;
}

static void end(void)
{
	sock_destroy(sock);
	names_destroy(names);
}

static void calls_and_bytes_add_up_by_process_and_protocol(void)
{
	const struct sock_report *report;

	begin();
	call(EVENT_SOCK_SEND, WRITER, INET, TCP, 1000, 0);
	call(EVENT_SOCK_SEND, WRITER, INET6, TCP, 2000, 0);
	call(EVENT_SOCK_SEND, WRITER, INET6, UDP, 300, 0);
	call(EVENT_SOCK_RECV, READER, INET, TCP, 1500, 0);
	call(EVENT_SOCK_RECV, READER, INET, TCP, 0, 0);
	report = finish();
	CU_ASSERT_EQUAL_FATAL(report->process_count, 2);
	CU_ASSERT_EQUAL(report->processes[0].pid, 24812); /* 3300 bytes are more than 1500 */
	CU_ASSERT_STRING_EQUAL(report->processes[0].comm, "writer");
	CU_ASSERT_EQUAL(report->processes[0].traffic[SOCK_TCP].sends, 2);
	CU_ASSERT_EQUAL(report->processes[0].traffic[SOCK_TCP].sent_bytes, 3000);
	CU_ASSERT_EQUAL(report->processes[0].traffic[SOCK_TCP].receives, 0);
	CU_ASSERT_EQUAL(report->processes[0].traffic[SOCK_UDP].sent_bytes, 300);
	CU_ASSERT_STRING_EQUAL(report->processes[1].comm, "my reader");
	CU_ASSERT_EQUAL(report->processes[1].traffic[SOCK_TCP].receives, 2);
	CU_ASSERT_EQUAL(report->processes[1].traffic[SOCK_TCP].received_bytes, 1500);
	CU_ASSERT_EQUAL(report->total[SOCK_TCP].sent_bytes, 3000);
	CU_ASSERT_EQUAL(report->total[SOCK_TCP].received_bytes, 1500);
	CU_ASSERT_EQUAL(report->used, 5);
	end();
}

static void a_peek_counts_no_bytes(void)
{
	const struct sock_traffic *tcp;

	begin();
	call(EVENT_SOCK_RECV, READER, INET, TCP, 500, PEEK);
	call(EVENT_SOCK_RECV, READER, INET, TCP, 0, PEEK | 0x40);
	call(EVENT_SOCK_RECV, READER, INET, TCP, -EAGAIN, PEEK); /* a failed call all the same */
	call(EVENT_SOCK_SEND, READER, INET, TCP, 7, PEEK); /* the flag says nothing of a send */
	tcp = &finish()->processes[0].traffic[SOCK_TCP];
	CU_ASSERT_EQUAL(tcp->peeks, 2);
	CU_ASSERT_EQUAL(tcp->receives, 0);
	CU_ASSERT_EQUAL(tcp->received_bytes, 0);
	CU_ASSERT_EQUAL(tcp->errors, 1);
	CU_ASSERT_EQUAL(tcp->sent_bytes, 7);
	end();
}

static void errors_are_counted_by_number_and_have_no_bytes(void)
{
	const struct sock_traffic *tcp;

	begin();
	call(EVENT_SOCK_RECV, READER, INET, TCP, -ECONNRESET, 0);
	call(EVENT_SOCK_RECV, READER, INET, TCP, -EAGAIN, 0);
	call(EVENT_SOCK_SEND, READER, INET, TCP, -EAGAIN, 0);
	call(EVENT_SOCK_SEND, READER, INET, TCP, INT32_MIN, 0);
	tcp = &finish()->processes[0].traffic[SOCK_TCP];
	CU_ASSERT_EQUAL(tcp->errors, 4);
	CU_ASSERT_EQUAL(tcp->sends + tcp->receives + tcp->sent_bytes + tcp->received_bytes, 0);
	CU_ASSERT_EQUAL_FATAL(tcp->kind_count, 3);
	CU_ASSERT_EQUAL(tcp->kinds[0].number, EAGAIN);
	CU_ASSERT_EQUAL(tcp->kinds[0].calls, 2);
	CU_ASSERT_EQUAL(tcp->kinds[1].number, ECONNRESET);
	CU_ASSERT_EQUAL(tcp->kinds[2].number, UINT32_C(1) << 31);
	end();
}

static void kinds_of_errors_are_bounded(void)
{
	const struct sock_traffic *tcp;

	begin();
	for (int i = 1; i <= SOCK_ERRNOS + 3; i++)
		call(EVENT_SOCK_RECV, READER, INET, TCP, -i, 0);
	call(EVENT_SOCK_RECV, READER, INET, TCP, -SOCK_ERRNOS, 0);
	tcp = &finish()->processes[0].traffic[SOCK_TCP];
	CU_ASSERT_EQUAL(tcp->errors, SOCK_ERRNOS + 4);
	CU_ASSERT_EQUAL(tcp->kind_count, SOCK_ERRNOS);
	CU_ASSERT_EQUAL(tcp->kinds[0].number, SOCK_ERRNOS);
	CU_ASSERT_EQUAL(tcp->other_errors, 3);
	end();
}

static void other_protocols_and_families_are_ignored(void)
{
	const struct sock_report *report;

	begin();
	call(EVENT_SOCK_SEND, WRITER, 1, 0, 100, 0);      /* a Unix socket */
	call(EVENT_SOCK_SEND, WRITER, INET, 132, 100, 0); /* SCTP */
	call(EVENT_SOCK_SEND, WRITER, 16, UDP, 100, 0);   /* not a datagram: netlink */
	report = finish();
	CU_ASSERT_EQUAL(report->process_count, 0);
	CU_ASSERT_EQUAL(report->ignored, 3);
	CU_ASSERT_EQUAL(report->used, 0);
	end();
}

static void a_process_is_its_id_whatever_it_is_called(void)
{
	const struct sock_report *report;

	begin();
	call(EVENT_SOCK_SEND, WRITER, INET, TCP, 1, 0);
	call(EVENT_SOCK_SEND, NAMELESS, INET, TCP, 8, 0);
	call(EVENT_SOCK_SEND, EXECED, INET, TCP, 2, 0);
	report = finish();
	CU_ASSERT_EQUAL_FATAL(report->process_count, 2);
	CU_ASSERT_EQUAL(report->processes[0].pid, -1);
	CU_ASSERT_STRING_EQUAL(report->processes[1].comm, "cat");
	CU_ASSERT_EQUAL(report->processes[1].traffic[SOCK_TCP].sent_bytes, 3);
	end();
}

static void a_process_begins_anew_in_another_cgroup(void)
{
	static const struct {
		const char *cgroup, *comm;
		int64_t pid;
		uint64_t sent_bytes;
	} expected[] = {
		{ "/b", "writer", 24812, 300 },
		{ "/a b", "cat", 24812, 120 },
		{ NULL, "writer", 24812, 8 },
		{ "/a b", "swapper", -1, 4 },
	};
	const struct sock_report *report;

	begin();
	call(EVENT_SOCK_SEND, WRITER, INET, TCP, 8, 0);
	call(EVENT_SOCK_SEND, IN_A, INET, TCP, 100, 0);
	call(EVENT_SOCK_SEND, IN_B, INET, TCP, 300, 0);
	call(EVENT_SOCK_SEND, EXECED_IN_A, INET, TCP, 20, 0);
	call(EVENT_SOCK_SEND, NAMELESS_IN_A, INET, TCP, 4, 0);
	report = finish();
	CU_ASSERT_EQUAL_FATAL(report->process_count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct sock_process *process = &report->processes[i];

		CU_ASSERT_EQUAL(process->pid, expected[i].pid);
		CU_ASSERT_STRING_EQUAL(process->comm, expected[i].comm);
		CU_ASSERT_EQUAL(process->traffic[SOCK_TCP].sent_bytes, expected[i].sent_bytes);
		CU_ASSERT_EQUAL_FATAL(!process->cgroup, !expected[i].cgroup);
		if (process->cgroup)
			CU_ASSERT_STRING_EQUAL(process->cgroup, expected[i].cgroup);
	}
	CU_ASSERT_EQUAL(report->total[SOCK_TCP].sent_bytes, 432);
	end();
}

/* 3000 processes, each with its number of bytes. */
static void many_processes_are_found_again(void)
{
	const struct sock_report *report;

	begin();
	for (uint32_t i = 0; i < 3000; i++) {
		char task[32];

		snprintf(task, sizeof(task), "%u worker", 50000 + i);
		CU_ASSERT_EQUAL_FATAL(
			names_set(names, NAME_TASK, TASKS + i, task, strlen(task)), 0);
	}
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 3000; i++)
			call(EVENT_SOCK_SEND, TASKS + i, INET, UDP, (int32_t)i, 0);
	}
	report = finish();
	CU_ASSERT_EQUAL_FATAL(report->process_count, 3000);
	for (unsigned i = 0; i < 3000; i++) {
		CU_ASSERT_EQUAL(report->processes[i].pid, 50000 + 2999 - i);
		CU_ASSERT_EQUAL(report->processes[i].traffic[SOCK_UDP].sent_bytes, 2 * (2999 - i));
	}
	CU_ASSERT_EQUAL(report->total[SOCK_UDP].sent_bytes, UINT64_C(2) * 3000 * 2999 / 2);
	end();
}

static const struct test_case cases[] = {
	{ "calls and bytes add up by process and protocol",
		calls_and_bytes_add_up_by_process_and_protocol },
	{ "a peek counts no bytes", a_peek_counts_no_bytes },
	{ "errors are counted by number and have no bytes",
		errors_are_counted_by_number_and_have_no_bytes },
	{ "kinds of errors are bounded", kinds_of_errors_are_bounded },
	{ "other protocols and families are ignored", other_protocols_and_families_are_ignored },
	{ "a process is its id, whatever it is called", a_process_is_its_id_whatever_it_is_called },
	{ "a process begins anew in another cgroup", a_process_begins_anew_in_another_cgroup },
	{ "many processes are found again", many_processes_are_found_again },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "sock", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
