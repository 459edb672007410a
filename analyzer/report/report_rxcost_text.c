/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_rxcost.h"

#include "print.h"
#include "units.h"
#include <inttypes.h>
#include <string.h>

#define IN_A_ROW 16

/* "4558 ns", "37 ticks (3.1 us)" where a tick isn't a nanosecond, "37 cycles". */
static void print_cost(FILE *out, uint64_t cycles, uint64_t hz)
{
	if (hz == CYCLES_NS_PER_S)
		fprintf(out, "%" PRIu64 "\tns", cycles);
	else if (hz)
		fprintf(out, "%" PRIu64 "\tticks\t(%.2f\tus)", cycles,
			units_ns_avg((double)cycles, hz) / 1000);
	else
		fprintf(out, "%" PRIu64 "\tcycles", cycles);
}

static double share(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

static void print_clusters(const struct rxcost_report *rxcost, const struct rxcost_table *table,
	uint64_t hz, FILE *out)
{
	static const char *const names[] = { "cheap", "dear" };

	for (unsigned i = 0; i < table->cluster_count; i++) {
		const struct rxcost_cluster *cluster = &table->clusters[i];
		struct print_line line;
		FILE *to = print_begin_line(&line, out);

		fprintf(to, "%s: median ", table->cluster_count > 1 ? names[i] : "one cluster");
		print_cost(to, cluster->median, hz);
		fprintf(to, ", %" PRIu64 " packets", cluster->count);
		if (table->cluster_count > 1)
			fprintf(to, " (%.1f\t%%), %.1f\t%% of the time",
				share(cluster->count, table->packets), 100 * cluster->time_share);
		if (cluster->senders)
			fprintf(to, "; %" PRIu64 " of them sent %" PRIu64 "\tACK%s",
				cluster->senders, cluster->acks, print_plural(cluster->acks));
		else if (rxcost->acks_seen)
			fputs("; none of them sent an ACK", to);
		print_end_line(&line, PRINT_INDENT, out);
	}
}

/* Those that the order alone has told from the others. */
static void print_strays(const struct rxcost_table *table, uint64_t hz, FILE *to)
{
	if (table->dips) {
		fprintf(to, "%" PRIu64 "\tcheap one%s, by the order, cost%s as much as dear ones",
			table->dips, print_plural(table->dips), table->dips == 1 ? "s" : "");
		if (table->dips_excess) {
			fputs(", and the next packet more than usual by about ", to);
			print_cost(to, table->dips_excess, hz);
		}
		fputs(". ", to);
	}
	if (table->peaks)
		fprintf(to,
			"%" PRIu64 "\tdear one%s, by the order, cost%s as little as cheap ones. ",
			table->peaks, print_plural(table->peaks), table->peaks == 1 ? "s" : "");
}

/* How dear and cheap ones follow each other, and which are neither. */
static void print_order(const struct rxcost_table *table, uint64_t hz, FILE *out)
{
	struct print_line line;
	FILE *to = print_begin_line(&line, out);

	if (table->by_order)
		fprintf(to,
			"A dear packet costs %.2f times the cheap ones beside it (the medians: "
			"%.2f "
			"times). ",
			table->ratio, table->ratio_of_medians);
	else if (table->ratio > 0)
		fprintf(to, "A dear packet costs %.2f times a cheap one. ", table->ratio);
	if (table->every)
		fprintf(to, "%s: from one to the next it is %" PRIu64 "\tpacket%s in %.1f\t%%. ",
			2 * table->every_share < 1 ? "They come in no fixed order"
			: table->every == 2        ? "Mostly every second one is dear"
			: table->every == 1        ? "They come in runs"
						   : "They come at a fixed distance",
			table->every, print_plural(table->every), 100 * table->every_share);
	print_strays(table, hz, to);
	fprintf(to, "%" PRIu64 "\toutlier%s", table->outliers, print_plural(table->outliers));
	if (table->outliers) {
		fputs(" over ", to);
		print_cost(to, table->outlier_above, hz);
		fputs(", the dearest ", to);
		print_cost(to, table->cost.max, hz);
	}
	fputc('.', to);
	if (table->idle) {
		fprintf(to, " %" PRIu64 " packets in %" PRIu64 "\trun%s cost much less, median ",
			table->idle, table->idle_runs, print_plural(table->idle_runs));
		print_cost(to, table->idle_median, hz);
		fputs(", as where a stream ends.", to);
	}
	print_end_line(&line, PRINT_INDENT, out);
}

static void print_segments(const struct rxcost_table *table, uint64_t hz, FILE *out)
{
	const struct rxcost_kind *with = &table->with_ack, *without = &table->without_ack;
	struct print_line line;
	FILE *to;

	if (!with->count || !without->count)
		return;
	to = print_begin_line(&line, out);
	fprintf(to, "data segments: %" PRIu64 " without an ACK inside, median ", without->count);
	print_cost(to, without->median, hz);
	fprintf(to, "; %" PRIu64 " with one or more, median ", with->count);
	print_cost(to, with->median, hz);
	fprintf(to, ": %.2f times, %.1f\t%% of the segments take %.1f\t%% of the time",
		(double)with->median / (without->median ? (double)without->median : 1),
		share(with->count, with->count + without->count), 100 * with->time_share);
	print_end_line(&line, PRINT_INDENT, out);
}

static void print_pairs(
	const struct rxcost_report *rxcost, const struct rxcost_table *table, FILE *out)
{
	struct print_line line;
	FILE *to = print_begin_line(&line, out);

	if (!rxcost->receives_seen)
		fprintf(to,
			"%" PRIu64 " pairs, each taken for a packet: without netif_receive_skb "
			"nobody knows how many it holds",
			table->pairs);
	else
		fprintf(to,
			"%" PRIu64 " pairs: %" PRIu64 " with one packet, %" PRIu64
			" with none, %" PRIu64 " with several",
			table->pairs, table->packets, table->empty, table->several);
	if (table->held_irq)
		fprintf(to, "; %" PRIu64 " held a hard interrupt", table->held_irq);
	print_end_line(&line, PRINT_INDENT, out);
	if (!table->per_packet)
		print_paragraph(out, PRINT_INDENT,
			"This is no cost per packet: packets are gathered in one pair and handed "
			"up in another. Turn GRO off, or set net.core.gro_normal_batch to 1, and "
			"record again.");
}

/* All ACKs, so that they can be compared with a capture's. */
static void print_acks(
	const struct rxcost_report *rxcost, const struct rxcost_table *table, FILE *out)
{
	uint64_t outside = table->acks_in_softirq + table->acks_elsewhere;
	struct print_line line;
	FILE *to;

	if (!rxcost->acks_seen)
		return;
	to = print_begin_line(&line, out);
	fprintf(to,
		"ACKs: %" PRIu64 " = %" PRIu64 " inside of pairs + %" PRIu64 " outside any pair",
		table->acks_inside + outside, table->acks_inside, outside);
	if (rxcost->softirqs_seen && outside)
		fprintf(to,
			": %" PRIu64 " in a softirq, %" PRIu64 " by the reading process or a timer",
			table->acks_in_softirq, table->acks_elsewhere);
	print_end_line(&line, PRINT_INDENT, out);
}

/* The classic dump: the newest costs, oldest first. */
static void print_newest(const struct rxcost_table *table, uint32_t newest, FILE *out)
{
	unsigned count = newest < table->newest_count ? newest : table->newest_count;
	unsigned first = table->newest_count - count;

	if (!count)
		return;
	fprintf(out, PRINT_INDENT "the newest %u:\n", count);
	for (unsigned i = 0; i < count; i++) {
		const struct rxcost_sample *sample = &table->newest[first + i];

		fprintf(out, "%s%" PRIu64 "%s%s", i % IN_A_ROW ? "" : "[ ", sample->cost,
			sample->sent_ack ? "*" : "",
			i % IN_A_ROW == IN_A_ROW - 1 || i + 1 == count ? " ]\n" : " ");
	}
}

static void print_table(const struct report_input *input, const struct rxcost_report *rxcost,
	const struct rxcost_table *table, uint32_t newest, FILE *out)
{
	uint64_t hz = input->source->hz;

	if (!report_rxcost_of_list(input)) {
		print_name(out, "%-7s", table->name);
		fprintf(out, " RX packets=%" PRIu64 "\n", table->packets);
		print_pairs(rxcost, table, out);
		print_acks(rxcost, table, out);
	} else {
		fprintf(out, "RX packets=%" PRIu64 "\n", table->packets);
	}
	if (table->per_packet) {
		print_clusters(rxcost, table, hz, out);
		print_order(table, hz, out);
		print_segments(table, hz, out);
		print_newest(table, newest, out);
	}
	fputc('\n', out);
}

static void print_writing(const struct report_input *input, uint64_t writing, FILE *out)
{
	struct print_line line;
	FILE *to;

	if (!writing)
		return;
	to = print_begin_line(&line, out);
	fputs("From a pair's begin to netif_receive_skb it is ", to);
	print_cost(to, writing, input->source->hz);
	fputs(" (median): writing an event takes about as long, or less. Each cost has that in it "
	      "twice, and once more for each event recorded inside, as an ACK's start_xmit.",
		to);
	print_end_line(&line, "", out);
}

void report_rxcost_text(const struct report_input *input, const struct rxcost_report *rxcost,
	uint32_t newest, FILE *out)
{
	struct print_line line;
	FILE *to;

	print_incomplete(out, input->counts);
	if (rxcost->acks_seen && !trace_counts_complete(input->counts))
		print_paragraph(out, "",
			"What is missing may have been pairs and ACKs: these counts can't agree "
			"with a "
			"capture's.");
	for (unsigned i = 0; i < rxcost->device_count; i++)
		print_table(input, rxcost, &rxcost->devices[i], newest, out);
	if (!rxcost->device_count)
		fputs("No cost in this trace: it takes net:netif_receive_skb_entry and _exit, or "
		      "net:napi_gro_receive_entry and _exit.\n",
			out);
	print_writing(input, rxcost->writing, out);
	to = print_begin_line(&line, out);
	print_events(to, input->counts, report_rxcost_used(input, rxcost));
	if (rxcost->nested)
		fprintf(to, "; %" PRIu64 " pairs inside of others", rxcost->nested);
	if (rxcost->unpaired)
		fprintf(to, "; %" PRIu64 " begins or ends without the other", rxcost->unpaired);
	print_source(to, input->source);
	print_end_line(&line, "", out);
}
