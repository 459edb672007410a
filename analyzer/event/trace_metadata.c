/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace_metadata.h"

#include "names.h"
#include <inttypes.h>
#include <string.h>

static const char *const name_kind_text[NAME_KINDS] = {
	[NAME_DEVICE] = "device",
	[NAME_TASK] = "task",
	[NAME_REASON] = "reason",
	[NAME_IRQ] = "irq",
};

/* The bits of `arg` as CTF bit fields; bits that no field has are padding. */
static void write_fields(FILE *out, unsigned id)
{
	static const char *const type[] = {
		[EVENT_STYLE_unsigned] = "signed = false;",
		[EVENT_STYLE_signed] = "signed = true;",
		[EVENT_STYLE_hex] = "signed = false; base = 16;",
	};
	unsigned at = 0;

	for (const struct event_field *f = event_fields; f->name; f++) {
		if (f->id != id)
			continue;
		if (f->shift > at)
			fprintf(out, "\t\tinteger { size = %u; align = 1; } _pad%u;\n",
				f->shift - at, at);
		fprintf(out, "\t\tinteger { size = %u; align = 1; %s } %s;\n", f->bits,
			type[f->style], f->name);
		at = (unsigned)f->shift + f->bits;
	}
	if (at < 64)
		fprintf(out, "\t\tinteger { size = %u; align = 1; } _pad%u;\n", 64 - at, at);
}

static void write_event_class(FILE *out, unsigned id)
{
	fprintf(out,
		"event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n",
		event_name(id), id);
	if (id == EVENT_NAME) {
		/* device, queue, len, packet and arg hold kind, chunk, index and 16 bytes of text
		 */
		fprintf(out,
			"\t\tname_kind_t kind;\n\t\tuint8_t chunk;\n\t\tuint32_t index;\n"
			"\t\ttext_t text[%d];\n",
			TRACE_NAME_BYTES);
	} else {
		fprintf(out, "\t\tuint8_t device;\n\t\tuint8_t queue;\n\t\tuint32_t len;\n"
			     "\t\taddress_t packet;\n");
		write_fields(out, id);
	}
	fprintf(out, "\t};\n};\n\n");
}

/* What streams have in common: everything but the events. */
static void write_types(FILE *out)
{
	fputs("/* CTF 1.8 */\n\n"
	      "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	      "typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := "
	      "text_t;\n"
	      "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	      "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	      "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	      "typealias integer { size = 64; align = 8; signed = false; base = 16; } := "
	      "address_t;\n"
	      "typealias enum : uint8_t {",
		out);
	for (int kind = 0; kind < NAME_KINDS; kind++)
		fprintf(out, "%s %s = %d", kind ? "," : "", name_kind_text[kind], kind);
	fputs(" } := name_kind_t;\n\n", out);
}

/* Absent where it is 0. */
static void write_number(FILE *out, const char *name, uint64_t number)
{
	if (number)
		fprintf(out, "\t%s = %" PRIu64 ";\n", name, number);
}

/* Of what could end the text or its block early stands a '_'. Absent where it is "". */
static void write_text(FILE *out, const char *name, const char *text)
{
	if (!text[0])
		return;
	fprintf(out, "\t%s = \"", name);
	for (; *text; text++)
		fputc(*text < ' ' || *text > '~' || strchr("\"\\;{}", *text) ? '_' : *text, out);
	fputs("\";\n", out);
}

static void write_trace(
	FILE *out, const struct trace_info *info, unsigned streams, const char *uuid)
{
	fprintf(out,
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = le;\n"
		"\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t uuid[16];\n"
		"\t\tuint32_t stream_id;\n\t};\n};\n\n"
		"env {\n\ttracer_name = \"ringside\";\n\tlayout = %d;\n\tstreams = %u;\n",
		uuid, TRACE_LAYOUT, streams);
	write_text(out, "kernel_release", info->kernel);
	write_number(out, "capacity", info->capacity);
	write_number(out, "unused", info->unused);
	write_number(out, "unparsed", info->unparsed);
	write_number(out, "last", info->last);
	write_number(out, "cut", info->cut);
	fputs("};\n\n", out);
}

static void write_stream(FILE *out, const struct trace_info *info, const char *uuid)
{
	fputs("clock {\n\tname = cycles;\n", out);
	write_text(out, "description", info->clock);
	fprintf(out,
		"\tuuid = \"%s\";\n\tfreq = %" PRIu64 ";\n\toffset_s = %" PRIu64 ";\n};\n\n"
		"typealias integer { size = 64; align = 8; signed = false; "
		"map = clock.cycles.value; } := stamp_t;\n\n"
		"stream {\n\tid = 0;\n\tpacket.context := struct {\n"
		"\t\tstamp_t timestamp_begin;\n\t\tstamp_t timestamp_end;\n"
		"\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
		"\t\tuint64_t events_discarded;\n\t\tuint32_t cpu_id;\n\t\tuint32_t last;\n"
		"\t};\n\tevent.header := struct {\n\t\tstamp_t timestamp;\n\t\tuint16_t id;\n\t};\n"
		"};\n\n",
		uuid, info->hz, info->offset_s);
}

void trace_metadata_write(FILE *out, const struct trace_info *info, unsigned streams)
{
	char uuid[37];
	const uint8_t *u = info->uuid;

	snprintf(uuid, sizeof(uuid),
		"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
		u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
		u[15]);
	write_types(out);
	write_trace(out, info, streams, uuid);
	write_stream(out, info, uuid);
	for (unsigned id = EVENT_NONE + 1; id < EVENT_ID_COUNT; id++)
		write_event_class(out, id);
	fputs(TRACE_METADATA_END, out);
}
