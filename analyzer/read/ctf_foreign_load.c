/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctf_foreign_load.h"

#include <errno.h>
#include <string.h>

int foreign_fail(struct foreign_loader *loader, int error, const char *what)
{
	loader->error = diag_set(loader->diag, error, "%s: %s", loader->reader.source.file, what);
	return error;
}

/* An error of the names. */
static int fail_for(struct foreign_loader *loader, int error)
{
	if (error == -EOVERFLOW)
		return foreign_fail(
			loader, error, "has more names of devices, tasks or reasons than fit");
	return foreign_fail(loader, error, strerror(-error));
}

/* The first clock is that of the trace. */
static int take_first_clock(struct foreign_loader *loader, const bt_clock_class *clock)
{
	const char *name = bt_clock_class_get_name(clock);

	bt_clock_class_get_offset(clock, &loader->offset_s, &loader->offset_cycles);
	loader->clock_known = true;
	snprintf(loader->clock, sizeof(loader->clock), "%s", name ? name : "");
	loader->error = reader_set_hz(&loader->reader, bt_clock_class_get_frequency(clock),
		loader->options, loader->diag);
	return loader->error;
}

static int take_clock(
	struct foreign_loader *loader, struct foreign_lane *lane, const bt_stream *stream)
{
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));
	uint64_t hz, offset_cycles;
	int64_t offset_s, seconds, part;

	if (!clock)
		return foreign_fail(
			loader, -EINVAL, "its events have no time: a stream has no clock");
	hz = bt_clock_class_get_frequency(clock);
	if (!loader->clock_known && take_first_clock(loader, clock))
		return loader->error;
	if (hz != loader->reader.source.hz)
		return foreign_fail(loader, -EINVAL, "it has clocks of different frequencies");
	bt_clock_class_get_offset(clock, &offset_s, &offset_cycles);
	part = (int64_t)(offset_cycles - loader->offset_cycles); /* both are below a second */
	if (__builtin_sub_overflow(offset_s, loader->offset_s, &seconds) ||
		__builtin_mul_overflow(seconds, hz, &lane->ahead) ||
		__builtin_add_overflow(lane->ahead, part, &lane->ahead))
		return foreign_fail(loader, -EINVAL, "its clocks lie too far from one another");
	return 0;
}

/* Cycles of the stream's clock as those of the trace's. 0 or a negative errno. */
static int shift(struct foreign_loader *loader, const struct foreign_lane *lane, uint64_t cycles,
	uint64_t *time)
{
	if (__builtin_add_overflow(cycles, lane->ahead, time))
		return foreign_fail(loader, -EINVAL, "the time of an event doesn't fit in 64 bits");
	return 0;
}

/* Sends the names that are new. */
static void send_names(struct foreign_loader *loader)
{
	for (uint32_t kind = 0; kind < NAME_KINDS; kind++) {
		uint32_t count = names_count(loader->reader.names, (enum name_kind)kind);

		for (uint32_t *i = &loader->names_sent[kind]; *i < count; ++*i) {
			const char *text =
				names_get(loader->reader.names, (enum name_kind)kind, *i);
			struct foreign_record record = { .type = FOREIGN_NAME,
				.number = kind,
				.event = { .len = *i, .arg = text ? strlen(text) : 0 } };

			if (!text)
				continue;
			fwrite(&record, sizeof(record), 1, loader->out);
			fwrite(text, 1, record.event.arg, loader->out);
		}
	}
}

/* 0, or an error if nobody listens any more. */
static int send(
	struct foreign_loader *loader, const struct foreign_lane *lane, const struct event *event)
{
	struct foreign_record record = {
		.type = FOREIGN_EVENT, .number = lane->cpu, .event = *event
	};

	send_names(loader);
	if (fwrite(&record, sizeof(record), 1, loader->out) != 1)
		return foreign_fail(loader, -EPIPE, "its events can't be sent");
	return 0;
}

static int take_event(
	struct foreign_loader *loader, struct foreign_lane *lane, const bt_message *message)
{
	struct reader *reader = &loader->reader;
	struct event event;
	uint64_t cycles = bt_clock_snapshot_get_value(
		bt_message_event_borrow_default_clock_snapshot_const(message));
	int status = foreign_event_parse(
		&loader->events, bt_message_event_borrow_event_const(message), cycles, &event);

	if (status < 0)
		return fail_for(loader, status);
	if (shift(loader, lane, cycles, &lane->last) ||
		(status == FOREIGN_USED && shift(loader, lane, event.time, &event.time)))
		return loader->error;
	reader_saw(reader, lane->last);
	reader->counts.read += status != FOREIGN_UNPARSED;
	reader->counts.unparsed += status == FOREIGN_UNPARSED;
	if (status == FOREIGN_USED) {
		reader_saw(reader, event.time);
		return send(loader, lane, &event);
	}
	return 0;
}

/* Lost events stand where the gap ends. Of lost packets nobody knows how many events they had. */
static int take_lost(
	struct foreign_loader *loader, struct foreign_lane *lane, const bt_message *message)
{
	bool packets = bt_message_get_type(message) == BT_MESSAGE_TYPE_DISCARDED_PACKETS;
	const bt_stream *stream =
		packets ? bt_message_discarded_packets_borrow_stream_const(message)
			: bt_message_discarded_events_borrow_stream_const(message);
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	const bt_clock_snapshot *end = NULL;
	uint64_t count = 1, time = lane->last;
	struct event lost;
	bool unknown = packets;

	if (packets && bt_stream_class_discarded_packets_have_default_clock_snapshots(class))
		end = bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(message);
	else if (!packets && bt_stream_class_discarded_events_have_default_clock_snapshots(class))
		end = bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message);
	if (end && shift(loader, lane, bt_clock_snapshot_get_value(end), &time))
		return loader->error;
	if (!packets)
		unknown = bt_message_discarded_events_get_count(message, &count) !=
			  BT_PROPERTY_AVAILABILITY_AVAILABLE;
	if (unknown)
		count = 1;
	reader_lost(&loader->reader, count, unknown);
	reader_saw(&loader->reader, time);
	lost = event_lost(time, count, unknown);
	return send(loader, lane, &lost);
}

/* Where a packet doesn't say its CPU, the number of its stream stands for it. */
static void take_packet(struct foreign_lane *lane, const bt_message *message)
{
	const bt_packet *packet = bt_message_packet_beginning_borrow_packet_const(message);
	const bt_field *context = bt_packet_borrow_context_field_const(packet), *cpu = NULL;

	if (context)
		cpu = bt_field_structure_borrow_member_field_by_name_const(context, "cpu_id");
	if (cpu && bt_field_class_type_is(
			   bt_field_get_class_type(cpu), BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		lane->cpu = (unsigned)bt_field_integer_unsigned_get_value(cpu);
}

int foreign_take(
	struct foreign_loader *loader, struct foreign_lane *lane, const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		return take_clock(
			loader, lane, bt_message_stream_beginning_borrow_stream_const(message));
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		take_packet(lane, message);
		return 0;
	case BT_MESSAGE_TYPE_EVENT:
		return take_event(loader, lane, message);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return take_lost(loader, lane, message);
	default:
		return 0;
	}
}
