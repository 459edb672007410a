/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_notes.h"

#include "harness.h"
#include "input.h"
#include <string.h>

static enum text_note_kind parse(const char *text, struct text_note *note)
{
	static char line[200 + INPUT_SLACK_BYTES];
	size_t bytes = strlen(text);

	memcpy(line, text, bytes);
	line[bytes] = '\n';
	return text_note_parse(line, bytes, note);
}

struct loss {
	const char *text;
	enum text_note_kind kind;
	bool any_cpu;
	unsigned cpu;
	uint64_t count;
	bool unknown;
};

static void expect(const struct loss *losses, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct text_note note;

		CU_ASSERT_EQUAL(parse(losses[i].text, &note), losses[i].kind);
		CU_ASSERT_EQUAL(note.any_cpu, losses[i].any_cpu);
		CU_ASSERT_EQUAL(note.cpu, losses[i].cpu);
		CU_ASSERT_EQUAL(note.count, losses[i].count);
		CU_ASSERT_EQUAL(note.unknown, losses[i].unknown);
	}
}

static void losses_are_read_from_all_tools(void)
{
	static const struct loss losses[] = {
		{ "CPU:2 [LOST 40 EVENTS]", TEXT_NOTE_LOST, false, 2, 40, false },
		{ "CPU:130 [LOST EVENTS]", TEXT_NOTE_LOST, false, 130, 1, true },
		{ "CPU:0 [7 EVENTS DROPPED]", TEXT_NOTE_LOST, false, 0, 7, false },
		{ "CPU:0 [EVENTS DROPPED]", TEXT_NOTE_LOST, false, 0, 1, true },
		{ "LOST 12 events!", TEXT_NOTE_LOST, true, 0, 12, false },
		{ "# entries-in-buffer/entries-written: 6/10   #P:4", TEXT_NOTE_LOST_AT_BEGIN,
			false, 0, 4, false },
		{ "# latency: 0 us, #186/742, CPU#0 | (M:PREEMPT(none) VP:0, KP:0, SP:0 HP:0 #P:2)",
			TEXT_NOTE_LOST_AT_BEGIN, false, 0, 556, false },
		{ "##### CPU 3 buffer started ####", TEXT_NOTE_CPU_BEGINS, false, 3, 0, false },
	};

	expect(losses, sizeof(losses) / sizeof(losses[0]));
}

/* 2^63 - 1 = 9223372036854775807 is what a LOST event can count. */
static void losses_stay_losses_whatever_the_number(void)
{
	static const struct loss losses[] = {
		{ "CPU:0 [LOST 9223372036854775807 EVENTS]", TEXT_NOTE_LOST, false, 0,
			9223372036854775807, false },
		{ "CPU:0 [LOST 9223372036854775808 EVENTS]", TEXT_NOTE_LOST, false, 0,
			9223372036854775807, true },
		{ "CPU:0 [LOST 18446744073709551615 EVENTS]", TEXT_NOTE_LOST, false, 0,
			9223372036854775807, true },
		{ "CPU:0 [LOST 18446744073709551617 EVENTS]", TEXT_NOTE_LOST, false, 0,
			9223372036854775807, true },
		{ "CPU:2 [LOST 000000000000000000000000000000040 EVENTS]", TEXT_NOTE_LOST, false, 2,
			40, false },
		{ "CPU:0 [99999999999999999999 EVENTS DROPPED]", TEXT_NOTE_LOST, false, 0,
			9223372036854775807, true },
		{ "LOST 99999999999999999999 events!", TEXT_NOTE_LOST, true, 0, 9223372036854775807,
			true },
		{ "CPU:65535 [LOST 4 EVENTS]", TEXT_NOTE_LOST, false, 65535, 4, false },
		{ "CPU:65536 [LOST 4 EVENTS]", TEXT_NOTE_LOST, true, 0, 4, true },
		{ "CPU:99999999999999999999 [LOST EVENTS]", TEXT_NOTE_LOST, true, 0, 1, true },
		{ "# entries-in-buffer/entries-written: 3/99999999999999999999   #P:4",
			TEXT_NOTE_LOST_AT_BEGIN, false, 0, 9223372036854775807, true },
		{ "# entries-in-buffer/entries-written: 18446744073709551613/18446744073709551614",
			TEXT_NOTE_LOST_AT_BEGIN, false, 0, 1, false },
		{ "# entries-in-buffer/entries-written: 99999999999999999998/99999999999999999999",
			TEXT_NOTE_LOST_AT_BEGIN, false, 0, 1, true },
		{ "# latency: 0 us, #186/99999999999999999999, CPU#0 | (M:PREEMPT)",
			TEXT_NOTE_LOST_AT_BEGIN, false, 0, 9223372036854775807, true },
	};

	expect(losses, sizeof(losses) / sizeof(losses[0]));
}

static void lines_of_no_importance_are_known(void)
{
	static const char *const texts[] = { "", "   ", "\t", "# tracer: nop", "#",
		"# entries-in-buffer/entries-written: 6/6   #P:4", "cpus=2", "version = 7",
		"CPU 0 is empty", "CPU:2 [LOST 0 EVENTS]", "CPU:2 [0 EVENTS DROPPED]",
		"LOST 0 events!", "CPU:70000 [LOST 0 EVENTS]",
		"\tffffffff8193b1c4 dev_hard_start_xmit+0x94 ([kernel.kallsyms])",
		" => net_rx_action" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct text_note note;

		CU_ASSERT_EQUAL(parse(texts[i], &note), TEXT_NOTE_NOTHING);
	}
}

static void other_lines_are_not(void)
{
	static const char *const texts[] = { "x", "cpus=", "CPU 0", "CPU:2", "CPU:2 [LOST 40]",
		"CPU:2 [LOST 40EVENTS]", "CPU:x [LOST 4 EVENTS]", "LOST 4",
		"CPU:2 [LOST -1 EVENTS]", "CPU:2 [LOST 99999999999999999999EVENTS]",
		"sender 812 [001] 2.000009:" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct text_note note;

		CU_ASSERT_EQUAL(parse(texts[i], &note), TEXT_NOTE_NONE);
	}
}

static const struct test_case cases[] = {
	{ "losses are read from all tools", losses_are_read_from_all_tools },
	{ "losses stay losses whatever the number", losses_stay_losses_whatever_the_number },
	{ "lines of no importance are known", lines_of_no_importance_are_known },
	{ "other lines are not", other_lines_are_not },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "notes", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
