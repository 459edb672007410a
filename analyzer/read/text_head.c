/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_head.h"

#include "cycles.h"
#include <string.h>

#define TASK_BYTES 15 /* linux/sched.h: TASK_COMM_LEN, less its zero byte */

#define FLAG_WORDS_MAX 4 /* columns between CPU and time: irq flags, perf's misc */

/* All scanning stops at the '\n' that ends every line, so none of these needs a limit. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Kernels add letters now and then ("b" in 5.17, "L" in 6.13), so any letter will do. */
static bool is_flag(char c)
{
	return c == '.' || c == '#' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

static const char *skip_digits(const char *p)
{
	while (is_digit(*p))
		p++;
	return p;
}

static const char *skip_word(const char *p)
{
	while (!is_blank(*p) && *p != '\n')
		p++;
	return p;
}

/* The begin of what ends at `end`, going back to `begin`. */
static const char *back_over_blanks(const char *begin, const char *end)
{
	while (end > begin && is_blank(end[-1]))
		end--;
	return end;
}

static const char *back_over_digits(const char *begin, const char *end)
{
	while (end > begin && is_digit(end[-1]))
		end--;
	return end;
}

static bool parse_number(const char **text, uint64_t *number)
{
	const char *p = *text, *begin = p;
	uint64_t value = 0;

	for (; is_digit(*p); p++) {
		unsigned digit = (unsigned)(*p - '0');

		/* 18 digits can't overflow, which spares most numbers the exact test */
		if (p - begin >= 18 && (__builtin_mul_overflow(value, 10, &value) ||
					       __builtin_add_overflow(value, digit, &value)))
			return false;
		if (p - begin < 18)
			value = 10 * value + digit;
	}
	*number = value;
	*text = p;
	return p > begin;
}

/* ftrace's latency-format: "1385us :", with a mark for long gaps where the blank is. */
static const char *parse_microseconds(const char *p, uint64_t *time)
{
	if (p[0] != 'u' || p[1] != 's' || __builtin_mul_overflow(*time, 1000, time))
		return NULL;
	p += 2;
	if (*p != ':' && *p != '\n')
		p++;
	return *p == ':' ? p + 1 : NULL;
}

const char *text_time_parse(const char *text, uint64_t *time, bool *cycles)
{
	const char *p = text, *fraction;
	uint64_t ns = 0, scale = CYCLES_NS_PER_S;

	if (!parse_number(&p, time))
		return NULL;
	*cycles = *p == ':';
	if (*cycles)
		return p + 1;
	if (*p != '.')
		return parse_microseconds(p, time);
	for (fraction = ++p; is_digit(*p) && scale > 1; p++) {
		ns = 10 * ns + (unsigned)(*p - '0');
		scale /= 10;
	}
	if (*p != ':' || p == fraction || __builtin_mul_overflow(*time, CYCLES_NS_PER_S, time) ||
		__builtin_add_overflow(*time, ns * scale, time))
		return NULL;
	return p + 1;
}

/*
 * What has a name but no ':' behind it: ftrace's "<stack trace>", records of perf's own, and lines
 * of the function tracer ("vfs_read <-ksys_read").
 */
static bool parse_odd_name(const char *p, struct text_head *head)
{
	const char *end = skip_word(p);

	if (!strncmp(p, "<stack trace>", 13) || !strncmp(p, "<user stack trace>", 18))
		end = p + (p[1] == 's' ? 13 : 18);
	else if (strncmp(p, "PERF_RECORD_", 12) != 0 && strncmp(skip_blanks(end), "<-", 2) != 0)
		return false;
	head->name = p;
	head->name_bytes = (size_t)(end - p);
	head->fields = skip_blanks(end);
	return true;
}

/*
 * The event's name and what follows it. Between time and name perf may print a period (-F +period),
 * trace-cmd a difference "(+12)" (--ts-diff).
 */
static bool parse_name(const char *p, struct text_head *head)
{
	const char *end, *colon = NULL, *name;

	p = skip_blanks(p);
	if (p[0] == '(' && p[1] == '+')
		p = skip_blanks(skip_word(p));
	if (is_digit(*p)) {
		p = skip_digits(p);
		if (!is_blank(*p))
			return false;
		p = skip_blanks(p);
		if (is_digit(*p))
			return false;
	}
	head->system_bytes = 0;
	for (name = end = p; !is_blank(*end) && *end != '\n'; end++) {
		if (*end != ':')
			continue;
		if (colon)
			name = colon + 1;
		colon = end;
	}
	if (end == p || colon != end - 1)
		return parse_odd_name(p, head);
	if (name > p) {
		head->system = p;
		head->system_bytes = (size_t)(name - 1 - p);
	}
	head->name = name;
	head->name_bytes = (size_t)(colon - name);
	head->fields = skip_blanks(end);
	return head->name_bytes > 0;
}

/* irq flags ("d.h1."), perf's misc ("K"): never an id, another CPU or a time. */
static const char *skip_flags(const char *p)
{
	const char *begin = p;

	while (is_digit(*p) || is_flag(*p))
		p++;
	return is_blank(*p) && skip_digits(begin) < p ? p : NULL;
}

/* What stands behind "[cpu]": flags, time, name. Returns the end of the time, or NULL. */
static const char *parse_rest(const char *p, struct text_head *head)
{
	for (int words = 0; words <= FLAG_WORDS_MAX; words++) {
		p = skip_blanks(p);
		if (is_digit(*p)) {
			const char *time_end = text_time_parse(p, &head->time, &head->cycles);

			if (time_end)
				return parse_name(time_end, head) ? time_end : NULL;
		}
		p = skip_flags(p);
		if (!p)
			break;
	}
	return NULL;
}

/*
 * perf prints "%*s %5d": behind a short id's padding the name ends, so that a name with blanks at
 * its end keeps them.
 */
static const char *end_of_padded_name(const char *begin, const char *id, size_t width)
{
	size_t pad = 1 + (width < 5 ? 5 - width : 0);

	if ((size_t)(id - begin) < pad)
		return back_over_blanks(begin, id);
	for (size_t i = 1; i <= pad; i++) {
		if (id[-(ptrdiff_t)i] != ' ')
			return back_over_blanks(begin, id);
	}
	return id - pad;
}

static void set_task(struct text_head *head, const char *task, const char *end)
{
	head->task = task;
	head->task_bytes = (size_t)(end - task);
}

/*
 * Who: the name and the id that end at `end`. "name-id" is ftrace's, "name id" and "name pid/tid"
 * are perf's, and perf can leave out either.
 */
static void parse_task(const char *begin, const char *end, struct text_head *head)
{
	const char *id = back_over_digits(begin, end), *pid;

	head->perf = true;
	head->pid = id;
	head->pid_bytes = (size_t)(end - id);
	if (id == end) {
		set_task(head, begin, end);
	} else if (id > begin && id[-1] == '-') {
		head->perf = false;
		set_task(head, begin, id - 1);
	} else if (id > begin && id[-1] == '/' &&
		   (pid = back_over_digits(begin, id - 1)) < id - 1) {
		head->pid = pid;
		head->pid_bytes = (size_t)(id - 1 - pid);
		set_task(head, begin, end_of_padded_name(begin, pid, head->pid_bytes));
	} else if (id == begin || is_blank(id[-1])) {
		set_task(head, begin, end_of_padded_name(begin, id, head->pid_bytes));
	} else { /* digits at the end of a name */
		head->pid_bytes = 0;
		set_task(head, begin, end);
	}
}

/* ftrace's thread group, "(   1234)" or "(-------)", is the process; the id before it a thread. */
static void parse_task_and_group(const char *begin, const char *end, struct text_head *head)
{
	const char *open, *group;

	if (end > begin && end[-1] == ')' && (open = memrchr(begin, '(', (size_t)(end - begin)))) {
		group = back_over_digits(open, end - 1);
		parse_task(begin, back_over_blanks(begin, open), head);
		if (!head->perf) {
			if (group < end - 1) {
				head->pid = group;
				head->pid_bytes = (size_t)(end - 1 - group);
			}
			return;
		}
	}
	parse_task(begin, end, head);
}

/* "[001]", "[-01]" or "[...]": the last two are of an unknown CPU. Returns what follows, or NULL.
 */
static const char *parse_cpu(const char *p, struct text_head *head)
{
	uint64_t cpu = 0;

	p++;
	if (*p == '.')
		p += strspn(p, ".");
	else if (*p == '-')
		p = skip_digits(p + 1);
	else if (!parse_number(&p, &cpu) || cpu > UINT16_MAX)
		return NULL;
	head->cpu = (unsigned)cpu;
	return p[0] == ']' && is_blank(p[1]) ? p + 1 : NULL;
}

/*
 * Heads with a "[cpu]". Sets *found if one leaves the task 15 bytes or fewer; else keeps the first
 * with a longer name and an id in *long_named, for tools that print longer names. Returns whether
 * there was any.
 */
static bool parse_with_cpu(const char *task, const char *line_end, struct text_head *head,
	bool *found, struct text_head *long_named)
{
	bool kept = false;

	*found = false;
	for (const char *p = task; p < line_end && p - task < HEAD_REACH; p++) {
		struct text_head here;
		const char *time_end;

		p = memchr(p, '[', (size_t)(line_end - p));
		if (!p)
			break;
		if ((p > task && !is_blank(p[-1])) || !(time_end = parse_cpu(p, &here)))
			continue;
		time_end = parse_rest(time_end, &here);
		if (!time_end)
			continue;
		parse_task_and_group(task, back_over_blanks(task, p), &here);
		if (here.task_bytes <= TASK_BYTES) {
			*head = here;
			*found = true;
		} else if (!kept && here.pid_bytes) {
			*long_named = here;
			kept = true;
		}
		if (time_end - task > TASK_BYTES && (*found || kept))
			break; /* none behind it can leave the task 15 bytes */
	}
	return *found || kept;
}

/* "0d.h..": the CPU, and the flags of trace-cmd report -l and of ftrace's latency-format. */
static bool parse_cpu_and_flags(const char *begin, const char *end, struct text_head *head)
{
	uint64_t cpu;

	if (!parse_number(&begin, &cpu) || cpu > UINT16_MAX || end - begin < 3)
		return false;
	while (begin < end && (is_flag(*begin) || is_digit(*begin)))
		begin++;
	head->cpu = (unsigned)cpu;
	return begin == end;
}

/* What stands before a time where there is no "[cpu]": `end` is the begin of the time. */
static bool parse_without_brackets(const char *task, const char *end, struct text_head *head)
{
	const char *word_end = back_over_blanks(task, end), *word = word_end;
	size_t blanks;

	if (word_end == end && end > task)
		return false;
	while (word > task && !is_blank(word[-1]))
		word--;
	head->cpu = 0;
	if (parse_cpu_and_flags(word, word_end, head)) {
		parse_task_and_group(task, back_over_blanks(task, word), head);
		return head->pid_bytes > 0;
	}
	/* perf script -L prints "%5d %3d" for thread and CPU; else a thread's id is 5 wide */
	blanks = (size_t)(word - back_over_blanks(task, word));
	if (back_over_digits(word, word_end) == word && blanks &&
		blanks - 1 + (size_t)(word_end - word) == 3) {
		uint64_t cpu;
		const char *p = word;

		parse_task(task, word - blanks, head);
		if (head->perf && head->pid_bytes && parse_number(&p, &cpu)) {
			head->cpu = (unsigned)cpu;
			return true;
		}
	}
	parse_task_and_group(task, word_end, head);
	return head->pid_bytes || head->system_bytes;
}

/* Heads without a "[cpu]": every "time: name:" is a candidate. */
static bool parse_without_cpu(const char *task, const char *line_end, struct text_head *head)
{
	bool found = false;

	for (const char *p = task; p < line_end && p - task < HEAD_REACH; p++) {
		struct text_head here;
		const char *time, *time_end;

		p = memchr(p, ':', (size_t)(line_end - p));
		if (!p)
			break;
		for (time = p; time > task && time[-1] != ' ' && time[-1] != '\t'; time--)
			;
		if (time == p && p - task >= 4) { /* "1385us :" */
			time = back_over_blanks(task, p);
			while (time > task && !is_blank(time[-1]))
				time--;
		}
		time_end = is_digit(*time) ? text_time_parse(time, &here.time, &here.cycles) : NULL;
		if (time_end != p + 1 || !is_blank(*time_end) || !parse_name(time_end, &here))
			continue;
		if (!parse_without_brackets(task, time, &here) || here.task_bytes > TASK_BYTES)
			continue;
		*head = here;
		found = true;
		if (time_end - task > TASK_BYTES)
			break;
	}
	return found;
}

bool text_head_parse(const char *text, size_t bytes, struct text_head *head)
{
	const char *task = skip_blanks(text), *line_end = text + bytes;
	struct text_head long_named, other;
	bool found;
	bool any = parse_with_cpu(task, line_end, head, &found, &long_named);

	/* a head that is short enough to be inside a task's name may be followed by another one */
	if ((!found || head->name - task <= TASK_BYTES) &&
		parse_without_cpu(task, line_end, &other) && (!found || other.name > head->name)) {
		*head = other;
		found = true;
	}
	if (!found && any && !text_is_frame(text)) {
		*head = long_named;
		found = true;
	}
	if (!found)
		return false;
	head->end = line_end;
	if (head->system_bytes)
		head->perf = true; /* only perf prints the system */
	return true;
}

bool text_is_frame(const char *text)
{
	const char *p = skip_blanks(text), *digits = p;

	if (*text == '\t')
		return true; /* perf script begins every frame so, with an address or without */
	if (p == text)
		return false;
	if (p[0] == '=' && p[1] == '>')
		return is_blank(p[2]);
	while (is_digit(*p) || (*p >= 'a' && *p <= 'f'))
		p++;
	return p - digits >= 4 && (is_blank(*p) || *p == '\n');
}
