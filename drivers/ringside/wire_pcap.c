/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wire=pcap:IN,OUT: frames of the capture IN arrive at queue 0, frames that leave the wire go to
 * the capture OUT. Either may be left out (pcap:IN and pcap:,OUT).
 *
 * IN is anything libpcap reads, of Ethernet. It is replayed anew at each start, from the first poll
 * of queue 0 on (a program may take long from its start to its polls): either with the distances of
 * its time stamps, beginning at once, or as fast as the line carries it; without a line rate a
 * frame comes as soon as a receive buffer is free. A stamp that lies before its predecessor's is
 * taken as the same time. What is empty, cut short in the capture or longer than
 * RINGSIDE_FRAME_MOST is skipped and counted. A frame never comes early; it comes late if nobody
 * polls, with the time it should have had as far as the device hasn't gone beyond.
 *
 * OUT is made at the probe and gets the frames of all starts, stamped with the wall-clock
 * nanosecond at which the last bit left. A queue's frames are in order; those of several queues are
 * in the order in which their lcores polled. It is written in large pieces, and up to date after
 * each stop. After a write that failed it gets no more, lest what follows be unreadable.
 */
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <rte_cycles.h>
#include <rte_malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FRAMES_A_POLL  1024   /* a replay that this machine is too slow for must not hold a poll */
#define SNAPLEN        262144 /* the largest that libpcap reads */
#define PIECE_BYTES    (SNAPLEN + 65536)
#define RECORD_BYTES   16                /* before each frame in the file */
#define OFFSET_NS_MOST (UINT64_MAX / 64) /* nine years: no overflow in cycles either */

struct replay {
	pcap_t *file; /* NULL: there is none, or it has ended */
	struct pcap_pkthdr *header;
	const u_char *data; /* of the next frame */
	bool first;         /* it is the first */
	uint64_t first_ns;  /* stamp of the first */
	uint64_t start;     /* of the replay; 0: it has not begun */
	uint64_t due;       /* when the next one arrives */
};

struct capture {
	rte_spinlock_t lock;
	pcap_t *format;
	pcap_dumper_t *dumper;
	int fd;
	bool failed;
	unsigned pending; /* frames that are not written yet */
	size_t pending_bytes;
	char piece[PIECE_BYTES]; /* stdio's buffer */
	u_char flat[SNAPLEN];    /* a frame of several segments in one piece */
};

struct pcap_wire {
	uint64_t start, start_ns; /* the same moment: TSC, nanoseconds since 1970 */
	struct replay replay;
	struct capture capture;
};

static int refuse(const struct ringside_port *port, const char *what, const char *reason)
{
	RINGSIDE_LOG(ERR, "wire=pcap:%s,%s: %s: %s\n", port->args.wire_argument, port->args.capture,
		what, reason);
	return -EINVAL;
}

static int refuse_input(const struct ringside_port *port, const char *reason)
{
	return refuse(port, port->args.wire_argument, reason);
}

static int open_input(const struct ringside_port *port, pcap_t **input)
{
	char error[PCAP_ERRBUF_SIZE];
	FILE *file = fopen(port->args.wire_argument, "re");

	*input = NULL;
	if (!file)
		return refuse_input(port, strerror(errno));
	*input = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, error);
	if (!*input) {
		fclose(file);
		return refuse_input(port, error);
	}
	if (pcap_datalink(*input) != DLT_EN10MB) {
		pcap_close(*input);
		*input = NULL;
		return refuse_input(port, "not a capture of Ethernet frames");
	}
	return 0;
}

static bool same_file(const char *path, int fd)
{
	struct stat a, b;

	return !stat(path, &a) && !fstat(fd, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Not emptied before it is known to be nobody else's: neither our IN nor another port's OUT. */
static int open_output(const struct ringside_port *port, struct capture *capture)
{
	const char *path = port->args.capture;
	FILE *file;

	capture->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (capture->fd < 0)
		return refuse(port, path, strerror(errno));
	if (*port->args.wire_argument && same_file(port->args.wire_argument, capture->fd))
		return refuse(port, path, "it is IN as well");
	if (flock(capture->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return refuse(port, path, "something else writes it");
	if (ftruncate(capture->fd, 0) && errno != EINVAL) /* EINVAL: no regular file */
		return refuse(port, path, strerror(errno));
	capture->format = pcap_open_dead_with_tstamp_precision(
		DLT_EN10MB, SNAPLEN, PCAP_TSTAMP_PRECISION_NANO);
	file = capture->format ? fdopen(capture->fd, "w") : NULL;
	if (!file)
		return refuse(port, path, strerror(errno));
	setvbuf(file, capture->piece, _IOFBF, sizeof(capture->piece));
	capture->fd = -1; /* the stream's */
	capture->dumper = pcap_dump_fopen(capture->format, file);
	if (!capture->dumper)
		return refuse(port, path, pcap_geterr(capture->format));
	return pcap_dump_flush(capture->dumper) ? refuse(port, path, strerror(errno)) : 0;
}

static int pcap_wire_open(struct ringside_port *port)
{
	struct pcap_wire *wire;
	int error = 0;

	if (!*port->args.wire_argument && !*port->args.capture)
		return refuse(port, "it takes pcap:IN,OUT, of which one may be left out",
			"neither is given");
	wire = rte_zmalloc("ringside pcap", sizeof(*wire), 0);
	if (!wire) {
		refuse(port, "it can't be opened", strerror(ENOMEM));
		return -ENOMEM;
	}
	port->wire = wire;
	wire->capture.fd = -1;
	rte_spinlock_init(&wire->capture.lock);
	if (*port->args.wire_argument) {
		error = open_input(port, &wire->replay.file);
		if (!error) { /* each start opens it for itself */
			pcap_close(wire->replay.file);
			wire->replay.file = NULL;
		}
	}
	if (!error && *port->args.capture)
		error = open_output(port, &wire->capture);
	return error;
}

static void pcap_wire_close(struct ringside_port *port)
{
	struct pcap_wire *wire = port->wire;

	if (!wire)
		return;
	if (wire->capture.dumper)
		pcap_dump_close(wire->capture.dumper);
	if (wire->capture.format)
		pcap_close(wire->capture.format);
	if (wire->capture.fd >= 0)
		close(wire->capture.fd);
	rte_free(wire);
	port->wire = NULL;
}

static bool can_replay(const struct pcap_pkthdr *header)
{
	return header->len && header->caplen == header->len && header->len <= RINGSIDE_FRAME_MOST;
}

static bool by_room(const struct ringside_port *port)
{
	return port->args.pace == RINGSIDE_PACE_LINE && !port->args.speed;
}

/* When the frame that was just read arrives; its predecessor came at replay->due. */
static uint64_t arrival(const struct ringside_port *port, struct replay *replay)
{
	const struct pcap_pkthdr *header = replay->header;
	uint64_t ns, offset, at;

	if (port->args.pace == RINGSIDE_PACE_LINE)
		return replay->due + ringside_wire_cycles(port, header->len);
	ns = (uint64_t)header->ts.tv_sec * CYCLES_NS_PER_S + (uint64_t)header->ts.tv_usec;
	if (replay->first)
		replay->first_ns = ns;
	offset = ns > replay->first_ns ? ns - replay->first_ns : 0;
	at = replay->start +
	     cycles_of_ns(offset < OFFSET_NS_MOST ? offset : OFFSET_NS_MOST, rte_get_tsc_hz());
	return at > replay->due ? at : replay->due;
}

static void read_next(struct ringside_queue *queue, struct replay *replay)
{
	int rc;

	while ((rc = pcap_next_ex(replay->file, &replay->header, &replay->data)) == 1) {
		if (can_replay(replay->header)) {
			replay->due = arrival(queue->port, replay);
			replay->first = false;
			return;
		}
		queue->stats.wire_skipped++;
	}
	if (rc == PCAP_ERROR_BREAK) {
		queue->stats.wire_ended++;
	} else {
		queue->stats.wire_rx_errors++;
		refuse_input(queue->port, pcap_geterr(replay->file));
	}
	pcap_close(replay->file);
	replay->file = NULL;
}

static int pcap_wire_start(struct ringside_port *port)
{
	struct pcap_wire *wire = port->wire;
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	wire->start = rte_get_tsc_cycles();
	wire->start_ns = (uint64_t)wall.tv_sec * CYCLES_NS_PER_S + (uint64_t)wall.tv_nsec;
	if (!*port->args.wire_argument)
		return 0;
	wire->replay = (struct replay){ .first = true };
	return open_input(port, &wire->replay.file);
}

static void receive(struct ringside_queue *queue, uint64_t now)
{
	struct pcap_wire *wire = queue->port->wire;
	struct replay *replay = &wire->replay;
	bool unpaced = by_room(queue->port);

	if (queue->index || !replay->file)
		return;
	if (!replay->start) {
		replay->start = replay->due = now;
		read_next(queue, replay);
	}
	for (unsigned i = 0; i < FRAMES_A_POLL && replay->file && replay->due <= now; i++) {
		uint64_t at = replay->due > queue->advanced_at ? replay->due : queue->advanced_at;
		uint32_t bytes = replay->header->len;

		if (unpaced && !ringside_wire_has_room(queue, bytes, now))
			break;
		ringside_wire_give(queue, replay->data, bytes, unpaced ? now : at);
		queue->stats.wire_given++;
		read_next(queue, replay);
	}
}

static uint64_t deadline(struct ringside_queue *queue, uint64_t now)
{
	const struct replay *replay = &((struct pcap_wire *)queue->port->wire)->replay;

	if (queue->index || !replay->file)
		return CYCLES_NEVER;
	if (by_room(queue->port) && !ringside_wire_has_room(queue, replay->header->len, now))
		return CYCLES_NEVER; /* the program makes it, with a poll */
	return replay->due;
}

/* Counts and tells a failure; what was in the buffer then is lost, of whichever queue it is. */
static void flush(struct ringside_queue *queue, struct capture *capture)
{
	if (capture->pending && pcap_dump_flush(capture->dumper)) {
		RINGSIDE_LOG(ERR, "%s: %s: no more frames go to it\n", queue->port->args.capture,
			strerror(errno));
		queue->stats.wire_tx_errors += capture->pending;
		capture->failed = true;
	}
	capture->pending = 0;
	capture->pending_bytes = 0;
}

static const void *in_one_piece(struct capture *capture, const struct nic_frame *frame)
{
	uint32_t at = 0;

	if (frame->count == 1)
		return frame->segment[0].data;
	for (unsigned i = 0; i < frame->count && at < SNAPLEN; i++) {
		uint32_t bytes = RTE_MIN(frame->segment[i].bytes, SNAPLEN - at);

		memcpy(capture->flat + at, frame->segment[i].data, bytes);
		at += bytes;
	}
	return capture->flat;
}

/* Stdio never writes by itself, since a flush makes room first: so we know which frames failed. */
static void record(struct ringside_queue *queue, const struct nic_frame *frame, uint64_t now)
{
	struct pcap_wire *wire = queue->port->wire;
	struct capture *capture = &wire->capture;
	uint64_t ns = wire->start_ns + cycles_to_ns(now - wire->start, rte_get_tsc_hz());
	struct pcap_pkthdr header = {
		.ts = { .tv_sec = (time_t)(ns / CYCLES_NS_PER_S),
			.tv_usec = (suseconds_t)(ns % CYCLES_NS_PER_S) },
		.caplen = RTE_MIN(frame->bytes, (uint32_t)SNAPLEN),
		.len = frame->bytes,
	};

	rte_spinlock_lock(&capture->lock);
	if (capture->pending_bytes + RECORD_BYTES + header.caplen > PIECE_BYTES)
		flush(queue, capture);
	if (capture->failed) {
		queue->stats.wire_tx_errors++;
	} else {
		pcap_dump((u_char *)capture->dumper, &header, in_one_piece(capture, frame));
		capture->pending++;
		capture->pending_bytes += RECORD_BYTES + header.caplen;
		queue->stats.wire_taken++;
	}
	rte_spinlock_unlock(&capture->lock);
}

static void transmit(void *context, const struct nic_frame *frame, uint64_t now)
{
	struct ringside_queue *queue = context;
	const struct pcap_wire *wire = queue->port->wire;

	if (wire->capture.dumper)
		record(queue, frame, now);
}

static void pcap_wire_stop(struct ringside_port *port)
{
	struct pcap_wire *wire = port->wire;

	if (wire->replay.file)
		pcap_close(wire->replay.file);
	wire->replay.file = NULL;
	if (wire->capture.dumper && !wire->capture.failed)
		flush(&port->queue[0], &wire->capture);
}

const struct ringside_wire_type ringside_wire_pcap = {
	.name = "pcap",
	.takes_argument = true,
	.open = pcap_wire_open,
	.start = pcap_wire_start,
	.stop = pcap_wire_stop,
	.transmit = transmit,
	.receive = receive,
	.deadline = deadline,
	.close = pcap_wire_close,
};
