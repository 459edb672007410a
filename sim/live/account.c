/* SPDX-License-Identifier: BSD-3-Clause */
/* What came of it: the report, and each direction's frames from one kernel to the other. */
#include "live.h"

#include "setting.h"
#include <inttypes.h>
#include <string.h>

/* Frames of the kernel's, as far as its drops are known. */
static uint64_t offered(const struct live_direction *d)
{
	return d->account.read + d->left + d->drops.queue;
}

static json_t *known(const struct live_direction *d, uint64_t drops)
{
	return d->drops_known ? json_integer((json_int_t)drops) : json_null();
}

static json_t *gap_json(uint64_t ns)
{
	return ns == UINT64_MAX ? json_null() : json_integer((json_int_t)ns);
}

static json_t *direction_json(const struct live_direction *d)
{
	const struct live_account *a = &d->account;

	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
			 "s:I, s:I, s:I, s:b, s:I, s:o}",
		"from", d->from, "to", d->to, "offered", known(d, offered(d)), "queue_drops",
		known(d, d->drops.queue), "qdisc_drops", known(d, d->drops.qdisc), "left_in_queue",
		(json_int_t)d->left, "read", (json_int_t)a->read, "read_errors",
		(json_int_t)a->read_errors, "too_long", (json_int_t)a->too_long, "sent",
		(json_int_t)a->sent, "unsent", (json_int_t)a->unsent, "rx_missed",
		(json_int_t)a->missed, "delivered", (json_int_t)a->received, "unfetched",
		(json_int_t)a->unfetched, "written", (json_int_t)a->written, "write_full",
		(json_int_t)a->write_full, "write_errors", (json_int_t)a->write_errors,
		"reconciles", live_account_reconciles(a), "interrupts", (json_int_t)d->interrupts,
		"least_interrupt_gap_ns", gap_json(d->least_gap_ns));
}

json_t *live_json(const struct live_outcome *outcome)
{
	struct report report = { &outcome->source, &outcome->counts, outcome->report,
		outcome->names };
	json_t *object = report_json(&report), *live;

	if (!object)
		return NULL;
	live = json_pack("{s:f, s:I, s:I, s:b, s:[o, o]}", "seconds", outcome->seconds, "late_ns",
		(json_int_t)outcome->late_ns, "trace_lost", (json_int_t)outcome->trace_lost,
		"interface_gone", outcome->gone, "directions",
		direction_json(&outcome->direction[0]), direction_json(&outcome->direction[1]));
	if (json_object_set_new(
		    object, "scenario", setting_json(outcome->scenario, SCENARIO_LIVE)) ||
		json_object_set_new(object, "live", live)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

/* Parts of a sum that are nearly always 0 are named only where they aren't. */
static void part(FILE *out, uint64_t frames, const char *what)
{
	if (frames)
		fprintf(out, " + %" PRIu64 " %s", frames, what);
}

static void say_kernel(const struct live_direction *d, FILE *out)
{
	if (d->drops_known)
		fprintf(out,
			"    sent to %s: %" PRIu64 " = %" PRIu64 " read + %" PRIu64
			" dropped in its queue",
			d->from, offered(d), d->account.read, d->drops.queue);
	else
		fprintf(out, "    read from %s: %" PRIu64 "; its drops are not known", d->from,
			d->account.read);
	part(out, d->left, "still in it");
	fputc('\n', out);
	if (d->drops.qdisc)
		fprintf(out, "    the queueing discipline above it dropped %" PRIu64 " more\n",
			d->drops.qdisc);
}

static void say_direction(const struct live_direction *d, FILE *out)
{
	const struct live_account *a = &d->account;

	fprintf(out, "%s to %s\n", d->from, d->to);
	say_kernel(d, out);
	fprintf(out, "    of those read: %" PRIu64 " on the wire", a->sent);
	part(out, a->too_long, "too long");
	part(out, a->unsent, "still in the transmit ring");
	fprintf(out,
		"\n    of those on the wire: %" PRIu64 " delivered + %" PRIu64
		" missed for lack of a receive buffer",
		a->received, a->missed);
	part(out, a->unfetched, "still in the receive ring");
	fprintf(out, "\n    of those delivered: %" PRIu64 " written to %s", a->written, d->to);
	part(out, a->write_full, "that it had no room for");
	part(out, a->write_errors, "that it refused");
	if (a->write_errors)
		fprintf(out, " (%s)", strerror((int)a->write_errno));
	if (a->read_errors)
		fprintf(out, "\n    %" PRIu64 " times nothing could be read", a->read_errors);
	if (!live_account_reconciles(a))
		fputs("\n    These do not add up: a fault of the model", out);
	fprintf(out, "\n    the NIC of %s: %" PRIu64 " interrupts", d->from, d->interrupts);
	if (d->least_gap_ns != UINT64_MAX)
		fprintf(out, ", at least %.6f ms apart", (double)d->least_gap_ns / 1e6);
	fputc('\n', out);
}

void live_text(const struct live_outcome *outcome, FILE *out)
{
	struct report report = { &outcome->source, &outcome->counts, outcome->report,
		outcome->names };

	if (*outcome->scenario->title)
		fprintf(out, "%s\n\n", outcome->scenario->title);
	report_text(&report, out);
	fprintf(out, "\nFrames in %.3f s%s:\n", outcome->seconds,
		outcome->gone ? ", which ended because an interface was deleted" : "");
	for (unsigned i = 0; i < LIVE_SIDES; i++)
		say_direction(&outcome->direction[i], out);
	fprintf(out,
		"What the NICs had to do was done up to %.3f ms late: that is this program's share "
		"of "
		"lap times.\n",
		(double)outcome->late_ns / 1e6);
	if (outcome->trace_lost)
		fprintf(out,
			"%" PRIu64 " events are not in the trace: they came faster than it could "
			"be written.\n",
			outcome->trace_lost);
	scenario_settings_text(outcome->scenario, SCENARIO_LIVE, out);
}
