/* SPDX-License-Identifier: BSD-3-Clause */
#include "fast_out.h"

#include "harness.h"
#include <inttypes.h>
#include <stdlib.h>

static struct fast_out *out;
static char *text;
static size_t bytes;

static void begin(void)
{
	out = calloc(1, sizeof(*out));
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	out->out = open_memstream(&text, &bytes);
	CU_ASSERT_PTR_NOT_NULL_FATAL(out->out);
}

static void end(void)
{
	fast_flush(out);
	fclose(out->out);
	free(out);
}

/* All that was written since begin. */
static void expect(const char *expected)
{
	end();
	CU_ASSERT_STRING_EQUAL(text, expected);
	free(text);
	begin();
}

/* As printf has them, which took the time that this saves. */
static void numbers_are_those_of_printf(void)
{
	static const uint64_t numbers[] = { 0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 12345, 99999,
		9999999, 10000000, 12345678, 99999999, 100000000, 123456789, 0xabcdef01, UINT32_MAX,
		UINT64_C(0x123456789), UINT64_C(0xffff8885a75fc000), UINT64_C(10000000000000000000),
		UINT64_MAX };

	char *to;

	begin();
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		for (unsigned width = 0; width < 80; width += 7) {
			char line[160];

			snprintf(line, sizeof(line), "%*" PRIu64 "|%" PRIx64, (int)width,
				numbers[i], numbers[i]);
			to = fast_begin(out);
			to = fast_number(to, numbers[i], width);
			to = fast_text(to, "|");
			fast_end(out, fast_hex(to, numbers[i]));
			expect(line);
		}
	}
	end();
	free(text);
}

static void fractions_have_their_point_and_sign(void)
{
	begin();
	fast_end(out, fast_fixed(fast_begin(out), 1234567, false, 6, 0));
	expect("1.234567");
	fast_end(out, fast_fixed(fast_begin(out), 7, false, 6, 12));
	expect("    0.000007");
	fast_end(out, fast_fixed(fast_begin(out), 0, true, 3, 8));
	expect("  -0.000");
	fast_end(out, fast_fixed(fast_begin(out), 1500, true, 3, 0));
	expect("-1.500");
	fast_end(out, fast_fixed(fast_begin(out), 1000000, false, 6, 3)); /* as wide as it is */
	expect("1.000000");
	fast_end(out, fast_fixed(fast_begin(out), UINT64_MAX, true, 9, 24));
	expect("  -18446744073.709551615");
	fast_end(out, fast_fixed(fast_begin(out), 42, false, 0, 4));
	expect("  42");
	end();
	free(text);
}

/* Around each power of ten, where the short ways end and the long one begins. */
static void fractions_are_the_digits_with_a_point(void)
{
	begin();
	for (unsigned digits = 1; digits <= 9; digits++) {
		for (uint64_t power = 1; power < UINT64_C(100000000000000000); power *= 10) {
			for (uint64_t number = power - 1; number <= power + 7; number += 4) {
				uint64_t one = 1;
				char line[64];

				for (unsigned i = 0; i < digits; i++)
					one *= 10;
				snprintf(line, sizeof(line), "%*" PRIu64 ".%0*" PRIu64, 5,
					number / one, (int)digits, number % one);
				fast_end(out, fast_fixed(fast_begin(out), number, false, digits,
						      6 + digits));
				expect(line);
				snprintf(line, sizeof(line), "%*" PRIu64 ".%0*" PRIu64,
					39 - (int)digits, number / one, (int)digits, number % one);
				fast_end(out,
					fast_fixed(fast_begin(out), number, false, digits, 40));
				expect(line);
				snprintf(line, sizeof(line), "%" PRIu64 ".%0*" PRIu64, number / one,
					(int)digits, number % one);
				fast_end(
					out, fast_fixed(fast_begin(out), number, false, digits, 0));
				expect(line);
				snprintf(line, sizeof(line), "-%" PRIu64 ".%0*" PRIu64,
					number / one, (int)digits, number % one);
				fast_end(out, fast_fixed(fast_begin(out), number, true, digits, 0));
				expect(line);
			}
		}
	}
	end();
	free(text);
}

/* Also where a second ends, goes back, or has more digits than the one before. */
static void seconds_are_those_of_fixed(void)
{
	static const uint64_t seconds[] = { 0, 0, 9, 10, 9, 32223, 32224, 32224,
		UINT64_C(1700000000), UINT64_C(18446744072), UINT64_C(18446744073), 0, 1 };
	static const uint64_t behind[] = { 0, 1, 99999999, 100000000, 123456789, 999999999 };
	struct fast_second second = { 0 };

	begin();
	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
		for (size_t j = 0; j < sizeof(behind) / sizeof(*behind); j++) {
			for (unsigned width = 0; width < 64; width += 20) {
				uint64_t ns = seconds[i] * 1000000000 + behind[j];
				char line[64], number[32];

				if (ns / 1000000000 != seconds[i])
					continue;
				snprintf(number, sizeof(number), "%" PRIu64 ".%09" PRIu64,
					seconds[i], behind[j]);
				snprintf(line, sizeof(line), "%*s", (int)width, number);
				fast_end(out, fast_seconds(&second, fast_begin(out), ns, width));
				expect(line);
			}
		}
	}
	end();
	free(text);
}

static const struct fast_word lo = FAST_WORD("lo"), long_name = FAST_WORD("a-long-name"),
			      empty = FAST_WORD("");

static void columns_are_filled_on_either_side(void)
{
	char *to;

	begin();
	to = fast_column(out, fast_begin(out), &lo, 7);
	to = fast_column(out, to, &lo, -4);
	fast_end(out, fast_column(out, to, &long_name, 4));
	expect("     lolo  a-long-name");
	fast_end(out, fast_column(out, fast_begin(out), &empty, 70));
	expect("                                                                      ");
	end();
	free(text);
}

/* More than the buffer holds, in pieces of all kinds, and one that is larger than it. */
static void nothing_is_lost_where_the_buffer_ends(void)
{
	char *large = malloc(FAST_OUT_BYTES + 2), *expected = NULL;
	size_t expected_bytes;
	FILE *plain = open_memstream(&expected, &expected_bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(large);
	CU_ASSERT_PTR_NOT_NULL_FATAL(plain);
	memset(large, 'x', FAST_OUT_BYTES + 1);
	large[FAST_OUT_BYTES + 1] = '\0';
	begin();
	for (uint64_t i = 0; i < 20000; i++) {
		char *to = fast_number(fast_begin(out), i * i, (unsigned)(i % 40));

		fast_end(out, fast_fixed(fast_text(to, " of "), i, i & 1, 3, 9));
		fprintf(plain, "%*" PRIu64 " of ", (int)(i % 40), i * i);
		fprintf(plain, "%9.3f", i & 1 ? -(double)i / 1000 : (double)i / 1000);
	}
	for (int i = 0; i < 1000; i++) {
		fast_end(out, fast_bytes(out, fast_begin(out), large, FAST_PIECE_BYTES + 1));
		fwrite(large, 1, FAST_PIECE_BYTES + 1, plain);
	}
	fast_end(out, fast_string(out, fast_begin(out), large));
	fputs(large, plain);
	fclose(plain);
	end();
	CU_ASSERT_EQUAL(bytes, expected_bytes);
	CU_ASSERT(bytes == expected_bytes && !memcmp(text, expected, bytes));
	free(text);
	free(expected);
	free(large);
}

static void names_are_cleaned_once_and_found_by_number(void)
{
	struct clean_names cleaned = { 0 };
	struct names *names = names_create();
	const struct fast_word *first;

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	CU_ASSERT_EQUAL(names_set(names, NAME_TASK, 700, "1 a\"\033", 5), 0);
	CU_ASSERT_EQUAL(names_set(names, NAME_DEVICE, 0, "eth0", 4), 0);
	first = clean_name(&cleaned, names, NAME_TASK, 700, CLEAN_JSON);
	CU_ASSERT_STRING_EQUAL(first->text, "1 a\\\"\\u001b");
	CU_ASSERT_PTR_EQUAL(clean_name(&cleaned, names, NAME_TASK, 700, CLEAN_JSON), first);
	CU_ASSERT_STRING_EQUAL(
		clean_name(&cleaned, names, NAME_DEVICE, 0, CLEAN_JSON)->text, "eth0");
	CU_ASSERT_PTR_NULL(clean_name(&cleaned, names, NAME_DEVICE, 1, CLEAN_JSON));
	CU_ASSERT_PTR_NULL(clean_name(&cleaned, names, NAME_REASON, 5, CLEAN_JSON));
	clean_names_clear(&cleaned);
	CU_ASSERT_STRING_EQUAL(
		clean_name(&cleaned, names, NAME_TASK, 700, CLEAN_TERMINAL)->text, "1 a\"?");
	clean_names_clear(&cleaned);
	names_destroy(names);
}

static const struct test_case cases[] = {
	{ "numbers are those of printf", numbers_are_those_of_printf },
	{ "fractions have their point and sign", fractions_have_their_point_and_sign },
	{ "fractions are the digits with a point", fractions_are_the_digits_with_a_point },
	{ "seconds are those of fixed", seconds_are_those_of_fixed },
	{ "columns are filled on either side", columns_are_filled_on_either_side },
	{ "nothing is lost where the buffer ends", nothing_is_lost_where_the_buffer_ends },
	{ "names are cleaned once, and found by number",
		names_are_cleaned_once_and_found_by_number },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "fast_out", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
