/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures at the other end of the wire, through ethdev. */
#include "ports.h"

#include <pcap/pcap.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#define IN          "in.pcap"
#define OUT         "out.pcap"
#define FRAMES_MOST 300

static char folder[] = "/tmp/ringside-wire-XXXXXX";

static int setup_in_folder(void)
{
	return !mkdtemp(folder) || chdir(folder) || setup();
}

static int teardown_folder(void)
{
	int error = teardown();

	unlink(IN);
	unlink(OUT);
	unlink("other");
	return chdir("/") || rmdir(folder) ? 1 : error;
}

/* A frame of a capture, `ns` after its beginning, filled with `fill`. */
struct frame {
	uint64_t ns;
	uint32_t bytes, captured; /* captured 0: all of it */
	uint8_t fill;
};

static void write_capture(const char *path, int type, const struct frame *frames, unsigned count)
{
	static u_char data[10000];
	pcap_t *format =
		pcap_open_dead_with_tstamp_precision(type, 65535, PCAP_TSTAMP_PRECISION_NANO);
	pcap_dumper_t *dumper = pcap_dump_open(format, path);

	CU_ASSERT_PTR_NOT_NULL_FATAL(dumper);
	for (unsigned i = 0; i < count; i++) {
		struct pcap_pkthdr header = { .len = frames[i].bytes };

		header.caplen = frames[i].captured ? frames[i].captured : header.len;
		header.ts.tv_sec = (time_t)(1700000000 + frames[i].ns / 1000000000);
		header.ts.tv_usec = (suseconds_t)(frames[i].ns % 1000000000);
		memset(data, frames[i].fill, header.caplen);
		pcap_dump((u_char *)dumper, &header, data);
	}
	pcap_dump_close(dumper);
	pcap_close(format);
}

/* Each frame's time since 1970, length and first byte, all bytes of which must be alike. */
static unsigned read_capture(const char *path, struct frame *frames)
{
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *file =
		pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
	struct pcap_pkthdr *header;
	const u_char *data;
	unsigned count = 0;
	int rc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(pcap_datalink(file), DLT_EN10MB);
	while ((rc = pcap_next_ex(file, &header, &data)) == 1 && count < FRAMES_MOST) {
		CU_ASSERT_EQUAL(header->caplen, header->len);
		CU_ASSERT(!memcmp(data, data + 1, header->caplen - 1));
		frames[count++] = (struct frame){ .ns = (uint64_t)header->ts.tv_sec * 1000000000 +
							(uint64_t)header->ts.tv_usec,
			.bytes = header->len,
			.fill = data[0] };
	}
	CU_ASSERT_EQUAL(rc, PCAP_ERROR_BREAK);
	pcap_close(file);
	return count;
}

/* Every frame of IN comes, in order, and none before its time after the start, in ns. */
static void replay(const char *arguments, const struct frame *frames, unsigned count,
	uint64_t first_ns, uint64_t gap_ns)
{
	uint16_t port = probe(NAME, arguments);
	uint64_t began = rte_get_tsc_cycles();
	struct rte_mbuf *m;

	start(port, 1, 256, pool);
	for (unsigned i = 0; i < count; i++) {
		uint64_t ns;

		CU_ASSERT_EQUAL_FATAL(receive(port, 0, &m, 1), 1);
		ns = (uint64_t)((double)(rte_get_tsc_cycles() - began) * 1e9 /
				(double)rte_get_tsc_hz());
		CU_ASSERT(ns >= first_ns + i * gap_ns);
		CU_ASSERT_EQUAL(m->pkt_len, frames[i].bytes);
		CU_ASSERT_EQUAL(rte_pktmbuf_mtod(m, uint8_t *)[0], frames[i].fill);
		CU_ASSERT_EQUAL(
			rte_pktmbuf_mtod(m, uint8_t *)[frames[i].bytes - 1], frames[i].fill);
		rte_pktmbuf_free(m);
	}
	CU_ASSERT_EQUAL(rte_eth_rx_burst(port, 0, &m, 1), 0);
	CU_ASSERT_EQUAL(counter(port, "rx0_wire_given"), count);
	CU_ASSERT_EQUAL(counter(port, "rx0_wire_skipped"), 0);
	CU_ASSERT_EQUAL(counter(port, "rx0_wire_ended"), 1);
	CU_ASSERT_EQUAL(counter(port, "rx0_missed"), 0);
	end(NAME, port);
}

static void fill_frames(struct frame *frames, unsigned count, uint64_t gap_ns, uint32_t growth)
{
	for (unsigned i = 0; i < count; i++)
		frames[i] = (struct frame){
			.ns = i * gap_ns, .bytes = 60 + growth * i, .fill = (uint8_t)(i + 1)
		};
}

static void a_capture_is_replayed_by_its_stamps(void)
{
	struct frame frames[50];

	fill_frames(frames, 50, 200000, 7);
	write_capture(IN, DLT_EN10MB, frames, 50);
	replay("wire=pcap:" IN ",itr=0", frames, 50, 0, 200000);
	replay("itr=0,pace=stamps,wire=pcap:" IN "," OUT, frames, 50, 0, 200000);
	CU_ASSERT_EQUAL(read_capture(OUT, frames), 0); /* nothing was sent */
}

/* 60 bytes with FCS, preamble and gap are 84: 67.2 us at 10 Mbit/s, whatever the stamps say. */
static void a_capture_is_replayed_at_line_rate(void)
{
	struct frame frames[100];

	fill_frames(frames, 100, 1000000000, 0);
	write_capture(IN, DLT_EN10MB, frames, 100);
	replay("wire=pcap:" IN ",pace=line,speed=10,itr=0", frames, 100, 67200, 67200);
	/* without a line rate as fast as there is room: more frames than buffers, none missed */
	replay("wire=pcap:" IN ",pace=line,speed=0,itr=0", frames, 100, 0, 0);
}

static void each_start_replays_from_the_beginning(void)
{
	struct frame frames[3];
	struct rte_mbuf *m[3];
	uint16_t port;

	fill_frames(frames, 3, 0, 0);
	write_capture(IN, DLT_EN10MB, frames, 3);
	port = probe(NAME, "wire=pcap:" IN);
	start(port, 2, 64, pool);
	CU_ASSERT_EQUAL(rte_eth_rx_burst(port, 1, m, 3), 0); /* all of it is queue 0's */
	CU_ASSERT_EQUAL_FATAL(receive(port, 0, m, 3), 3);
	rte_pktmbuf_free_bulk(m, 3);
	CU_ASSERT_EQUAL(rte_eth_dev_stop(port), 0);
	CU_ASSERT_EQUAL_FATAL(rte_eth_dev_start(port), 0);
	CU_ASSERT_EQUAL_FATAL(receive(port, 0, m, 3), 3);
	CU_ASSERT_EQUAL(rte_pktmbuf_mtod(m[0], uint8_t *)[0], 1);
	rte_pktmbuf_free_bulk(m, 3);
	CU_ASSERT_EQUAL(counter(port, "rx0_wire_ended"), 2);
	end(NAME, port);
}

static void frames_that_are_cut_or_too_long_are_skipped(void)
{
	static const struct frame frames[] = { { 0, 100, 60, 1 }, { 0, 9231, 0, 2 },
		{ 0, 9230, 0, 3 }, { 5, 0, 0, 4 }, { 10, 60, 0, 5 } };
	struct rte_mbuf *m[2];
	uint16_t port;

	write_capture(IN, DLT_EN10MB, frames, 5);
	port = probe(NAME, "wire=pcap:" IN);
	start(port, 1, 64, pool);
	CU_ASSERT_EQUAL_FATAL(receive(port, 0, m, 2), 2);
	CU_ASSERT_EQUAL(m[0]->pkt_len, 9230);
	CU_ASSERT_EQUAL(m[1]->pkt_len, 60);
	rte_pktmbuf_free_bulk(m, 2);
	CU_ASSERT_EQUAL(counter(port, "rx0_wire_skipped"), 3);
	end(NAME, port);
}

static void a_damaged_capture_ends_with_an_error(void)
{
	struct frame frames[3];
	struct rte_mbuf *m[3];
	uint16_t port;

	fill_frames(frames, 3, 0, 0);
	write_capture(IN, DLT_EN10MB, frames, 3);
	CU_ASSERT_EQUAL(truncate(IN, 24 + 3 * (16 + 60) - 1), 0);
	port = probe(NAME, "wire=pcap:" IN);
	start(port, 1, 64, pool);
	CU_ASSERT_EQUAL_FATAL(receive(port, 0, m, 2), 2);
	rte_pktmbuf_free_bulk(m, 2);
	CU_ASSERT_EQUAL(counter(port, "rx0_wire_errors"), 1);
	CU_ASSERT_EQUAL(counter(port, "rx0_wire_ended"), 0);
	end(NAME, port);
}

/* The line's pace to the nanosecond: 84 and 1538 bytes (1514 and 24) at 1 Gbit/s. */
static void a_capture_has_what_left_the_wire(void)
{
	uint16_t port = probe(NAME, "wire=pcap:," OUT ",itr=0");
	struct rte_mbuf *m[32];
	struct frame frames[FRAMES_MOST];
	struct timespec before, after;

	start(port, 1, 256, pool);
	clock_gettime(CLOCK_REALTIME, &before);
	for (uint8_t i = 0; i < 32; i++)
		m[i] = packet(i < 20 ? 60 : 1514, i);
	CU_ASSERT_EQUAL_FATAL(rte_eth_tx_burst(port, 0, m, 32), 32);
	rte_pktmbuf_chain(m[0] = packet(700, 7), packet(1300, 7));
	CU_ASSERT_TRUE(send_one(port, 0, m[0]));
	CU_ASSERT_TRUE(reaches(port, "tx0_wire_taken", 33));
	clock_gettime(CLOCK_REALTIME, &after);
	end(NAME, port);
	CU_ASSERT_EQUAL_FATAL(read_capture(OUT, frames), 33);
	for (unsigned i = 0; i < 32; i++) {
		uint64_t gap = frames[i].ns - frames[i ? i - 1 : 0].ns;

		CU_ASSERT_EQUAL(frames[i].fill, i);
		CU_ASSERT_EQUAL(frames[i].bytes, i < 20 ? 60 : 1514);
		CU_ASSERT(!i || llabs((long long)gap - (i < 20 ? 672 : 12304)) <= 1);
	}
	CU_ASSERT_EQUAL(frames[32].bytes, 2000);
	/* the TSC's frequency is known to some parts in a million: a millisecond is plenty */
	CU_ASSERT(frames[0].ns + 1000000 >
		  (uint64_t)before.tv_sec * 1000000000 + (uint64_t)before.tv_nsec);
	CU_ASSERT(frames[32].ns <
		  (uint64_t)after.tv_sec * 1000000000 + (uint64_t)after.tv_nsec + 1000000);
}

/* In at the line's pace, straight out again: the same frames, no closer than the line allows. */
static void what_is_replayed_and_sent_on_is_captured(void)
{
	struct frame frames[FRAMES_MOST];
	struct rte_mbuf *m;
	uint16_t port;

	fill_frames(frames, 200, 0, 0);
	write_capture(IN, DLT_EN10MB, frames, 200);
	port = probe(NAME, "wire=pcap:" IN "," OUT ",pace=line,itr=0");
	start(port, 1, 512, pool);
	for (unsigned i = 0; i < 200; i++) {
		CU_ASSERT_EQUAL_FATAL(receive(port, 0, &m, 1), 1);
		CU_ASSERT_TRUE(send_one(port, 0, m));
	}
	CU_ASSERT_TRUE(reaches(port, "tx0_wire_taken", 200));
	end(NAME, port);
	CU_ASSERT_EQUAL_FATAL(read_capture(OUT, frames), 200);
	for (unsigned i = 0; i < 200; i++) {
		CU_ASSERT_EQUAL(frames[i].fill, (uint8_t)(i + 1));
		CU_ASSERT(!i || frames[i].ns >= frames[i - 1].ns + 671);
	}
}

static void queues_and_starts_share_a_capture(void)
{
	uint16_t port = probe(NAME, "wire=pcap:," OUT ",itr=0");
	struct frame frames[FRAMES_MOST];
	unsigned of_queue[2] = { 0 };

	start(port, 2, 64, pool);
	for (int run = 0; run < 2; run++) {
		for (unsigned i = 0; i < 20; i++)
			CU_ASSERT_TRUE(send_one(port, i % 2, packet(60, (uint8_t)(i % 2))));
		rte_delay_us_block(100);
		rte_eth_rx_queue_count(port, 0);
		rte_eth_rx_queue_count(port, 1);
		CU_ASSERT_EQUAL(counter(port, "tx0_wire_taken"), 10u * (unsigned)(run + 1));
		CU_ASSERT_EQUAL(counter(port, "tx1_wire_taken"), 10u * (unsigned)(run + 1));
		CU_ASSERT_EQUAL(rte_eth_dev_stop(port), 0);
		CU_ASSERT_EQUAL(read_capture(OUT, frames), 20u * (unsigned)(run + 1));
		CU_ASSERT_EQUAL(rte_eth_dev_start(port), 0);
	}
	for (unsigned i = 0; i < 40; i++)
		of_queue[frames[i].fill & 1]++;
	CU_ASSERT_EQUAL(of_queue[0], 20);
	CU_ASSERT_EQUAL(of_queue[1], 20);
	end(NAME, port);
}

/* The file must not grow beyond 1000 bytes: frames of the piece that failed count, and later ones.
 */
static void frames_that_cannot_be_written_are_counted(void)
{
	struct rlimit limit, small;
	uint16_t port;

	CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){ .rlim_cur = 1000, .rlim_max = limit.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	port = probe(NAME, "wire=pcap:," OUT ",itr=0");
	start(port, 1, 64, pool);
	for (unsigned i = 0; i < 40; i++)
		CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
	CU_ASSERT_TRUE(reaches(port, "tx0_wire_taken", 40));
	setrlimit(RLIMIT_FSIZE, &small);
	CU_ASSERT_EQUAL(rte_eth_dev_stop(port), 0);
	setrlimit(RLIMIT_FSIZE, &limit);
	CU_ASSERT_EQUAL(counter(port, "tx0_wire_errors"), 40);
	fflush(log_stream);
	CU_ASSERT_PTR_NOT_NULL(strstr(log_text, OUT ": File too large"));
	CU_ASSERT_EQUAL_FATAL(rte_eth_dev_start(port), 0);
	CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
	CU_ASSERT_TRUE(reaches(port, "tx0_wire_errors", 41));
	end(NAME, port);
	signal(SIGXFSZ, SIG_DFL);
}

static void what_is_no_capture_is_refused(void)
{
	static const struct frame one = { 0, 60, 0, 1 };
	FILE *file = fopen("other", "w");
	uint16_t port;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs("not a capture", file);
	fclose(file);
	write_capture(IN, DLT_EN10MB, &one, 1);
	refused("wire=pcap:none.pcap",
		"wire=pcap:none.pcap,: none.pcap: ", "No such file or directory");
	refused("wire=pcap:other," OUT, "wire=pcap:other,out.pcap: other: ", "unknown file format");
	refused("wire=pcap:,no/such/" OUT,
		"wire=pcap:,no/such/out.pcap: no/such/out.pcap: ", "No such file or directory");
	refused("wire=pcap:,/", "wire=pcap:,/: /: ", "Is a directory");
	refused("wire=pcap:,/dev/full",
		"wire=pcap:,/dev/full: /dev/full: ", "No space left on device");
	refused("wire=pcap:" IN ",./" IN,
		"wire=pcap:in.pcap,./in.pcap: ./in.pcap: ", "it is IN as well");
	refused("wire=pcap:", "wire=pcap:,: it takes pcap:IN,OUT", "neither is given");
	refused("wire=pcap", "wire=pcap: it takes ", "pcap:IN,OUT or tap:IFNAME");
	refused("wire=pcap:" IN ",itr", "itr=: it takes ", "interrupts a second");
	refused("wire=loop," OUT, "out.pcap=: no such argument", "");
	refused("wire=pcap:,a=b", "a=b: no such argument", "");
	write_capture("other", DLT_RAW, &one, 1);
	refused("wire=pcap:other", "wire=pcap:other,: other: ", "not a capture of Ethernet frames");
	port = probe(OTHER, "wire=pcap:" IN "," OUT); /* what was refused left IN as it was */
	refused("wire=pcap:," OUT, "wire=pcap:,out.pcap: out.pcap: ", "something else writes it");
	start(port, 1, 64, pool);
	CU_ASSERT_TRUE(reaches(port, "rx0_wire_given", 1));
	end(OTHER, port);
}

static void a_pace_without_a_replay_is_refused(void)
{
	refused("wire=pcap:," OUT ",pace=line", "pace=line: ", "wire=pcap:IN,OUT");
	refused("pace=stamps,wire=loop", "pace=stamps: ", "wire=pcap:IN,OUT");
	refused("wire=pcap:" IN ",pace=fast", "pace=fast: it takes ", "stamps or line");
}

/* Nobody polls: the program is woken when the next frame of the capture is due, and for the last.
 */
static void wakes(const char *arguments, uint64_t gap_ns)
{
	uint16_t port = probe(NAME, arguments);
	struct frame frames[5];
	uint64_t began;

	fill_frames(frames, 5, 20000000, 0);
	write_capture(IN, DLT_EN10MB, frames, 5);
	start_sleeper(port, 2);
	began = rte_get_tsc_cycles();
	for (unsigned i = 0; i < 5; i++) {
		struct rte_mbuf *m;

		CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 0), 0);
		CU_ASSERT_EQUAL_FATAL(sleep_for_frames(SLEEP_MS), 0);
		CU_ASSERT((double)(rte_get_tsc_cycles() - began) * 1e9 >=
			  (double)(i * gap_ns) * (double)rte_get_tsc_hz());
		CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_disable(port, 0), 0);
		CU_ASSERT_EQUAL_FATAL(rte_eth_rx_burst(port, 0, &m, 1), 1);
		CU_ASSERT_EQUAL(*rte_pktmbuf_mtod(m, uint8_t *), i + 1);
		rte_pktmbuf_free(m);
	}
	CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 0), 0);
	CU_ASSERT_EQUAL(sleep_for_frames(50), -1); /* it has ended */
	end(NAME, port);
}

static void a_replay_wakes_a_sleeper(void)
{
	wakes("wire=pcap:" IN ",itr=0", 20000000);
}

static const struct test_case pcap_cases[] = {
	{ "a capture is replayed by its stamps", a_capture_is_replayed_by_its_stamps },
	{ "a capture is replayed at line rate", a_capture_is_replayed_at_line_rate },
	{ "each start replays from the beginning", each_start_replays_from_the_beginning },
	{ "frames that are cut or too long are skipped",
		frames_that_are_cut_or_too_long_are_skipped },
	{ "a damaged capture ends with an error", a_damaged_capture_ends_with_an_error },
	{ "a capture has what left the wire", a_capture_has_what_left_the_wire },
	{ "what is replayed and sent on is captured", what_is_replayed_and_sent_on_is_captured },
	{ "queues and starts share a capture", queues_and_starts_share_a_capture },
	{ "frames that cannot be written are counted", frames_that_cannot_be_written_are_counted },
	{ "what is no capture is refused", what_is_no_capture_is_refused },
	{ "a pace without a replay is refused", a_pace_without_a_replay_is_refused },
	{ "a replay wakes a sleeper", a_replay_wakes_a_sleeper },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "pcap", pcap_cases, setup_in_folder, teardown_folder },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
