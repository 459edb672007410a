/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline_report.h"

#include "napi.h"
#include "timeline_style.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PID_DIGITS 19 /* JSON's numbers have 64 bits */

const struct fast_word timeline_none = FAST_WORD("-");

const struct fast_word timeline_ends[TIMELINE_ENDS] = {
	[TIMELINE_OPEN] = FAST_WORD("open"),
	[TIMELINE_COPIED] = FAST_WORD("copied"),
	[TIMELINE_FREED] = FAST_WORD("freed"),
	[TIMELINE_DROPPED] = FAST_WORD("dropped"),
	[TIMELINE_DELIVERED] = FAST_WORD("delivered"),
	[TIMELINE_REFUSED] = FAST_WORD("refused"),
	[TIMELINE_ABORTED] = FAST_WORD("aborted"),
	[TIMELINE_UNRESOLVED] = FAST_WORD("unresolved"),
};

uint64_t timeline_base(const struct timeline_item *head)
{
	return head->causes && head[1].time < head->time ? head[1].time : head->time;
}

void timeline_new_task(struct timeline_printer *printer, uint32_t number)
{
	const struct fast_word *name =
		number ? timeline_name(printer, NAME_TASK, number - 1) : NULL;
	struct timeline_task *task = &printer->task;
	size_t digits = 0;

	printer->task_number = number;
	task->comm = NULL;
	if (!name)
		return;
	while (digits < PID_DIGITS && name->text[digits] >= '0' && name->text[digits] <= '9')
		digits++;
	task->pid = digits ? name->text : "0";
	task->pid_bytes = digits ? digits : 1;
	task->comm = name->text + digits + (name->text[digits] == ' ');
	task->comm_bytes = name->bytes - (size_t)(task->comm - name->text);
	task->is_napi_thread = napi_is_thread(printer->names, number);
}

static bool is_wanted(struct timeline_printer *printer, uint8_t device)
{
	signed char *known = &printer->wanted[device];

	if (!*known) {
		const char *name = names_get(printer->names, NAME_DEVICE, device);

		*known = name && !strcmp(name, printer->report->device) ? 1 : -1;
	}
	return *known > 0;
}

/* --dev shows the softirqs that have anything of the device in them, as a whole. */
static bool is_softirq_wanted(struct timeline_printer *printer, const struct timeline_item *head)
{
	if (!printer->report->device)
		return true;
	for (uint32_t i = 1; i <= head->len; i++) {
		const char *irq = head[i].kind == TIMELINE_IRQ
					  ? names_get(printer->names, NAME_IRQ, head[i].name)
					  : NULL;

		if (is_wanted(printer, head[i].device) ||
			(irq && !strcmp(irq, printer->report->device)))
			return true;
	}
	return false;
}

static int write_softirqs(struct timeline_printer *printer, const struct timeline_layout *layout)
{
	char *to = fast_begin(&printer->out);
	const struct timeline_item *head;
	int error;

	while ((head = timeline_next_softirq(printer->report->timeline, &error))) {
		if (!is_softirq_wanted(printer, head))
			continue;
		printer->softirqs++;
		for (uint32_t i = 1; i <= head->len; i++) {
			if (head[i].kind != TIMELINE_RECEIVE)
				continue;
			printer->received++;
			printer->received_ends[head[i].how]++;
		}
		to = layout->softirq(printer, fast_next(&printer->out, to), head);
	}
	fast_end(&printer->out, to);
	return error;
}

static int write_packets(struct timeline_printer *printer, const struct timeline_layout *layout)
{
	char *to = fast_begin(&printer->out);
	const struct timeline_packet *packet;
	int error;

	if (layout->packets_heading)
		to = fast_string(&printer->out, to, layout->packets_heading);
	while ((packet = timeline_next_packet(printer->report->timeline, &error))) {
		if (printer->report->device && !is_wanted(printer, packet->device))
			continue;
		printer->sent++;
		printer->sent_ends[packet->how]++;
		to = layout->packet(printer, fast_next(&printer->out, to), packet);
	}
	fast_end(&printer->out, to);
	return error;
}

int timeline_write(const struct timeline_report *report, enum timeline_style style, FILE *out)
{
	static const struct timeline_layout *const layouts[TIMELINE_STYLES] = {
		[TIMELINE_TEXT] = &timeline_text,
		[TIMELINE_JSON] = &timeline_json,
		[TIMELINE_CLASSIC] = &timeline_classic,
	};
	const struct timeline_layout *layout = layouts[style];
	struct timeline_printer *printer = calloc(1, sizeof(*printer));
	int error = 0;

	if (!printer)
		return -ENOMEM;
	printer->report = report;
	printer->names = report->names;
	printer->hz = report->source->hz;
	printer->out.out = out;
	printer->clean = layout->clean;
	if (layout->begin)
		fast_end(&printer->out, layout->begin(printer, fast_begin(&printer->out)));
	if (report->receive)
		error = write_softirqs(printer, layout);
	if (!error && report->transmit)
		error = write_packets(printer, layout);
	if (!error && layout->end)
		fast_end(&printer->out, layout->end(printer, fast_begin(&printer->out)));
	fast_flush(&printer->out);
	clean_names_clear(&printer->cleaned);
	free(printer);
	return error;
}
