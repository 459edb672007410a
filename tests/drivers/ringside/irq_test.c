/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device's interrupts in real time, as a trace has them: irq_entry is when the device raised
 * the line, irq_exit when a poll has handled it.
 */
#include "ports.h"
#include "reader.h"

#include <limits.h>

#define INTERRUPTS_MOST 4096
#define WANTED          100 /* interrupts; a busy machine may give fewer in time */
#define SECONDS         5

static struct interrupts {
	uint64_t entry[INTERRUPTS_MOST], exit[INTERRUPTS_MOST]; /* cycles */
	unsigned entries, exits;
	bool alternate; /* no entry before the exit of the one before it */
	bool named;
	uint64_t hz;
} irq;

static void note(const struct event *event, const struct names *names)
{
	const char *name;

	if (event->id == EVENT_IRQ_ENTRY && irq.entries < INTERRUPTS_MOST) {
		name = names_get(names, NAME_IRQ, (uint32_t)EVENT_GET(IRQ_ENTRY, name, event->arg));
		irq.alternate = irq.alternate && irq.entries == irq.exits;
		irq.named = irq.named && name && !strcmp(name, NAME "-TxRx-0");
		irq.entry[irq.entries++] = event->time;
	} else if (event->id == EVENT_IRQ_EXIT && irq.exits < INTERRUPTS_MOST) {
		irq.alternate = irq.alternate && irq.entries == irq.exits + 1;
		irq.exit[irq.exits++] = event->time;
	}
}

static void read_trace(const char *folder)
{
	const struct reader_options options = { 0 };
	struct reader *reader;
	struct event event;
	struct diag diag;
	unsigned cpu;
	int more;

	memset(&irq, 0, sizeof(irq));
	irq.alternate = irq.named = true;
	CU_ASSERT_EQUAL_FATAL(reader_open(folder, &options, &reader, &diag), 0);
	irq.hz = reader_source(reader)->hz;
	while ((more = reader_next(reader, &event, &cpu, &diag)) == 1)
		note(&event, reader_names(reader));
	CU_ASSERT_EQUAL(more, 0);
	CU_ASSERT_TRUE(trace_counts_complete(reader_counts(reader)));
	reader_close(reader);
}

/* Sends as fast as the ring takes it, and polls all the time, until there were interrupts enough.
 */
static void flood(const char *arguments, const char *folder)
{
	uint64_t until = rte_get_timer_cycles() + SECONDS * rte_get_timer_hz();
	char all[PATH_MAX + 128], remove[PATH_MAX + 16];
	uint16_t port;

	snprintf(all, sizeof(all), "%s,trace=%s", arguments, folder);
	port = probe(NAME, all);
	start(port, 1, 256, pool);
	while (counter(port, "tx0_interrupts") < WANTED && rte_get_timer_cycles() < until) {
		for (int i = 0; i < 100; i++)
			send_one(port, 0, packet(60, 0));
	}
	end(NAME, port);
	read_trace(folder);
	snprintf(remove, sizeof(remove), "rm -r %s", folder);
	CU_ASSERT_EQUAL(system(remove), 0);
}

/*
 * ITR counts in 256 ns, rounded down: at 1000 a second 3906 x 256 = 999,936 ns, at 8000 488 x 256 =
 * 124,928 ns. A gap counts as the device's own if both its interrupts were handled soon: else it
 * was the poll that came late, and with it the cause.
 */
static void the_gap_is_kept(const char *arguments, uint64_t gap_ns)
{
	char folder[] = "/tmp/ringside-irq-XXXXXX";
	uint64_t gap, sum = 0;
	unsigned own = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	flood(arguments, folder);
	gap = (uint64_t)((double)gap_ns * 1e-9 * (double)irq.hz);
	CU_ASSERT_TRUE(irq.alternate);
	CU_ASSERT_TRUE(irq.named);
	CU_ASSERT_FATAL(irq.entries > 20);
	CU_ASSERT(irq.entries == irq.exits || irq.entries == irq.exits + 1);
	for (unsigned i = 0; i + 1 < irq.exits; i++) {
		uint64_t distance = irq.entry[i + 1] - irq.entry[i];

		CU_ASSERT(distance >= gap);
		CU_ASSERT(irq.exit[i] >= irq.entry[i]);
		if (irq.exit[i] - irq.entry[i] > gap / 50 ||
			irq.exit[i + 1] - irq.entry[i + 1] > gap / 50)
			continue;
		sum += distance;
		own++;
	}
	CU_ASSERT_FATAL(own > 0);
	CU_ASSERT_DOUBLE_EQUAL((double)sum / own, (double)gap, 0.02 * (double)gap);
}

static void no_gap_is_shorter_and_the_mean_is_the_configured(void)
{
	the_gap_is_kept("itr=1000", 999936);
	the_gap_is_kept("itr=8000", 124928);
	the_gap_is_kept("itr=1000,wire=loop,checksum=always", 999936);
}

static const struct test_case cases[] = {
	{ "no gap is shorter, and the mean is the configured",
		no_gap_is_shorter_and_the_mean_is_the_configured },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "interrupts in a trace", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
