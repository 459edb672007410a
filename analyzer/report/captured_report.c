/* SPDX-License-Identifier: BSD-3-Clause */
#include "captured_report.h"

#include "clean.h"
#include "cycles.h"
#include "report.h"
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define END_BYTES (INET6_ADDRSTRLEN + 8)

/* "192.0.2.1:80", "[2001:db8::1]:80" */
static void print_end(const struct capture_end *end, char text[END_BYTES])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool v4 = !memcmp(end->address, mapped, sizeof(mapped));
	char address[INET6_ADDRSTRLEN];

	inet_ntop(v4 ? AF_INET : AF_INET6, end->address + (v4 ? sizeof(mapped) : 0), address,
		sizeof(address));
	snprintf(text, END_BYTES, v4 ? "%s:%u" : "[%s]:%u", address, end->port);
}

/* Of nothing there is neither an average nor a maximum. */
static json_t *spread_json(const struct spread *spread)
{
	if (!spread->count)
		return json_pack("{s:n, s:n, s:n, s:n, s:n}", "min", "avg", "p50", "p99", "max");
	return json_pack("{s:o, s:f, s:o, s:o, s:o}", "min", report_number(spread->min), "avg",
		spread->avg, "p50", report_number(spread->p50), "p99", report_number(spread->p99),
		"max", report_number(spread->max));
}

static json_t *ratio_json(uint64_t part, uint64_t whole)
{
	return whole ? json_real((double)part / (double)whole) : json_null();
}

static json_t *flow_json(const struct captured_flow *flow)
{
	char from[END_BYTES], to[END_BYTES];

	print_end(&flow->from, from);
	print_end(&flow->to, to);
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "from", from, "to", to, "segments",
		report_number(flow->segments), "acks", report_number(flow->acks), "payload_bytes",
		report_number(flow->payload_bytes), "segments_per_ack",
		ratio_json(flow->segments, flow->segments ? flow->acks_back : 0));
}

static json_t *flows_json(const struct captured_report *c)
{
	json_t *array = json_array();
	int failed = 0;

	for (unsigned i = 0; i < c->flow_count; i++)
		failed |= json_array_append_new(array, flow_json(&c->flows[i]));
	if (!failed)
		return array;
	json_decref(array);
	return NULL;
}

static json_t *tcp_json(const struct captured_report *c)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "packets",
		report_number(c->tcp_packets), "segments", report_number(c->segments), "acks",
		report_number(c->acks), "payload_bytes", report_number(c->payload_bytes),
		"segments_per_ack", ratio_json(c->segments, c->acks), "ack_delay_ns",
		spread_json(&c->ack_delay_ns), "connections", report_number(c->connections),
		"evicted", report_number(c->evicted), "untimed", report_number(c->untimed),
		"directions", flows_json(c));
}

static json_t *capture_json(const struct capture_report *report)
{
	const struct captured_report *c = report->captured;

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "link", report->link,
		"packets", report_number(c->packets), "bytes", report_number(c->bytes), "skipped",
		report_number(c->skipped), "other_ip", report_number(c->other_ip), "bad_timestamps",
		report_number(c->bad_timestamps), "out_of_order", report_number(c->out_of_order),
		"duration_ns", c->timed ? report_number(c->duration_ns) : json_null(), "gap_ns",
		spread_json(&c->gap_ns), "tcp", tcp_json(c));
}

json_t *captured_report_json(const struct capture_report *report)
{
	const struct trace_source *source = report->source;
	const struct trace_counts *counts = report->counts;
	bool complete = trace_counts_complete(counts);
	char *file = clean_utf8(source->file), *trouble = clean_utf8(counts->trouble);
	json_t *json = NULL;

	if (file && trouble)
		json = json_pack("{s:s, s:{s:s, s:s, s:n, s:o}, s:b, s:s*, s:o}", "schema",
			"ringside.report/1", "source", "file", file, "format", source->format,
			"clock", "hz", report_number(source->hz), "complete", complete, "trouble",
			complete ? NULL : trouble, "capture", capture_json(report));
	free(file);
	free(trouble);
	return json;
}

static void print_spread(FILE *out, const char *what, const struct spread *spread)
{
	const struct {
		const char *name;
		uint64_t ns;
	} rows[] = { { "min", spread->min }, { "avg", (uint64_t)(spread->avg + 0.5) },
		{ "p50", spread->p50 }, { "p99", spread->p99 }, { "max", spread->max } };

	if (!spread->count)
		return;
	fprintf(out, "%s:", what);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(out, " %s=%" PRIu64 ".%06" PRIu64 "msec", rows[i].name,
			rows[i].ns / 1000000, rows[i].ns % 1000000);
	fputc('\n', out);
}

static void print_ratio(FILE *out, uint64_t segments, uint64_t acks)
{
	if (acks)
		fprintf(out, ", %.2f segments per ACK", (double)segments / (double)acks);
	fputc('\n', out);
}

static void print_tcp(const struct captured_report *c, FILE *out)
{
	fprintf(out,
		"TCP: %" PRIu64 " frames; %" PRIu64 " segments with data, %" PRIu64
		" bytes; %" PRIu64 " pure ACKs",
		c->tcp_packets, c->segments, c->payload_bytes, c->acks);
	print_ratio(out, c->segments, c->acks);
	print_spread(out, "ACK delay", &c->ack_delay_ns);
	for (unsigned i = 0; i < c->flow_count; i++) {
		const struct captured_flow *flow = &c->flows[i];
		char from[END_BYTES], to[END_BYTES];

		print_end(&flow->from, from);
		print_end(&flow->to, to);
		fprintf(out,
			"    %s > %s: %" PRIu64 " segments, %" PRIu64 " bytes, %" PRIu64
			" pure ACKs",
			from, to, flow->segments, flow->payload_bytes, flow->acks);
		print_ratio(out, flow->segments, flow->segments ? flow->acks_back : 0);
	}
	if (c->connections > c->flow_count / 2 || c->evicted)
		fprintf(out,
			"    and %" PRIu64 " connections with less data; %" PRIu64
			" of them made place for others\n",
			c->connections - c->flow_count / 2 + c->evicted, c->evicted);
	if (c->untimed)
		fprintf(out,
			"    the ACK delay of %" PRIu64
			" segments isn't known: too many waited for an ACK\n",
			c->untimed);
}

void captured_report_text(const struct capture_report *report, FILE *out)
{
	const struct captured_report *c = report->captured;

	if (!trace_counts_complete(report->counts)) {
		char *trouble = clean_terminal(report->counts->trouble);

		fprintf(out, "PARTIAL: the input is cut. (%s)\n", trouble ? trouble : "");
		free(trouble);
	}
	fprintf(out, "%" PRIu64 " frames, %" PRIu64 " bytes on the wire", c->packets, c->bytes);
	if (c->timed)
		fprintf(out, ", in %" PRIu64 ".%09" PRIu64 " s", c->duration_ns / CYCLES_NS_PER_S,
			c->duration_ns % CYCLES_NS_PER_S);
	fputc('\n', out);
	print_spread(out, "gap", &c->gap_ns);
	if (c->tcp_packets)
		print_tcp(c, out);
	fprintf(out,
		"\n%" PRIu64 " frames of TCP, %" PRIu64 " of other IP, %" PRIu64
		" skipped; %" PRIu64 " bad timestamps, %" PRIu64
		" out of order; format %s, link %s\n",
		c->tcp_packets, c->other_ip, c->skipped, c->bad_timestamps, c->out_of_order,
		report->source->format, report->link);
}
