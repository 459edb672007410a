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

static void losses_are_read_from_all_tools(void)
{
	static const struct {
		const char *text;
		enum text_note_kind kind;
		bool any_cpu;
		unsigned cpu;
		uint64_t count;
		bool unknown;
	} losses[] = {
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

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		struct text_note note;

		CU_ASSERT_EQUAL(parse(losses[i].text, &note), losses[i].kind);
		CU_ASSERT_EQUAL(note.any_cpu, losses[i].any_cpu);
		CU_ASSERT_EQUAL(note.cpu, losses[i].cpu);
		CU_ASSERT_EQUAL(note.count, losses[i].count);
		CU_ASSERT_EQUAL(note.unknown, losses[i].unknown);
	}
}

static void lines_of_no_importance_are_known(void)
{
	static const char *const texts[] = { "", "   ", "\t", "# tracer: nop", "#",
		"# entries-in-buffer/entries-written: 6/6   #P:4", "cpus=2", "version = 7",
		"CPU 0 is empty", "\tffffffff8193b1c4 dev_hard_start_xmit+0x94 ([kernel.kallsyms])",
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
		"CPU:70000 [LOST EVENTS]", "CPU:2 [LOST 9999999999999999999999 EVENTS]",
		"sender 812 [001] 2.000009:" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct text_note note;

		CU_ASSERT_EQUAL(parse(texts[i], &note), TEXT_NOTE_NONE);
	}
}

static const struct test_case cases[] = {
	{ "losses are read from all tools", losses_are_read_from_all_tools },
	{ "lines of no importance are known", lines_of_no_importance_are_known },
	{ "other lines are not", other_lines_are_not },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "notes", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
