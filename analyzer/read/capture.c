/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include "capture_decode.h"
#include "cycles.h"
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES ((size_t)64 * 1024)

/* A kind of file, by its first four bytes. */
struct magic {
	unsigned char bytes[4];
	const char *format;
	uint32_t per_second; /* parts that a stamp's second has in the file */
};

static const struct magic magics[] = {
	{ { 0xd4, 0xc3, 0xb2, 0xa1 }, "pcap", 1000000 },
	{ { 0xa1, 0xb2, 0xc3, 0xd4 }, "pcap", 1000000 },
	{ { 0x4d, 0x3c, 0xb2, 0xa1 }, "pcap", CYCLES_NS_PER_S },
	{ { 0xa1, 0xb2, 0x3c, 0x4d }, "pcap", CYCLES_NS_PER_S },
	/* each interface has its own resolution, and libpcap converts */
	{ { 0x0a, 0x0d, 0x0d, 0x0a }, "pcapng", CYCLES_NS_PER_S },
};

struct capture {
	struct input *input; /* file's */
	FILE *file;          /* pcap's once that is open */
	pcap_t *pcap;
	const struct magic *magic;
	bool ended; /* libpcap would go on behind what it can't read, in the middle of anything */
	int link;
	char link_name[32];
	struct trace_source source; /* source.file is the capture's own copy */
	struct trace_counts counts;
};

static const struct magic *find_magic(const char *data, size_t bytes)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (bytes >= sizeof(magics[i].bytes) &&
			!memcmp(data, magics[i].bytes, sizeof(magics[i].bytes)))
			return &magics[i];
	}
	return NULL;
}

bool capture_is(const char *data, size_t bytes)
{
	return find_magic(data, bytes);
}

static ssize_t read_cookie(void *cookie, char *data, size_t bytes)
{
	ssize_t n = input_read(cookie, data, bytes);

	if (n < 0)
		errno = (int)-n;
	return n < 0 ? -1 : n;
}

static int close_cookie(void *cookie)
{
	input_close(cookie);
	return 0;
}

/* libpcap takes a FILE; this one reads from the input, and closes it. 0 or a negative errno. */
static int open_file(struct capture *capture, struct input *input)
{
	static const cookie_io_functions_t functions = { .read = read_cookie,
		.close = close_cookie };

	capture->file = fopencookie(input, "r", functions);
	if (!capture->file) {
		input_close(input);
		return -ENOMEM;
	}
	capture->input = input;
	return setvbuf(capture->file, NULL, _IOFBF, BUFFER_BYTES) ? -ENOMEM : 0;
}

/*
 * Stamps are asked for in the unit that the file has: libpcap would multiply damaged microseconds
 * until they look sound.
 */
static int open_pcap(struct capture *capture, struct diag *diag)
{
	u_int precision = capture->magic->per_second == CYCLES_NS_PER_S
				  ? PCAP_TSTAMP_PRECISION_NANO
				  : PCAP_TSTAMP_PRECISION_MICRO;
	char why[PCAP_ERRBUF_SIZE] = "";
	const char *link;

	capture->pcap = pcap_fopen_offline_with_tstamp_precision(capture->file, precision, why);
	if (!capture->pcap)
		return diag_set(diag, -EINVAL, "%s: this capture can't be read: %s",
			capture->source.file, why);
	capture->file = NULL;
	capture->link = pcap_datalink(capture->pcap);
	link = pcap_datalink_val_to_name(capture->link);
	if (link)
		snprintf(capture->link_name, sizeof(capture->link_name), "%s", link);
	else
		snprintf(capture->link_name, sizeof(capture->link_name), "%d", capture->link);
	return 0;
}

int capture_open_input(
	struct input *input, const char *file, struct capture **result, struct diag *diag)
{
	struct capture *capture = calloc(1, sizeof(*capture));
	const char *data;
	size_t bytes;
	int error;

	*result = NULL;
	if (!capture) {
		input_close(input);
		return diag_set(diag, -ENOMEM, "%s: no memory", file);
	}
	error = input_peek(input, &data, &bytes);
	capture->magic = error ? NULL : find_magic(data, bytes);
	if (!error && !capture->magic)
		error = -EINVAL;
	capture->source = (struct trace_source){ .file = strdup(file), .hz = CYCLES_NS_PER_S };
	if (!error && !capture->source.file)
		error = -ENOMEM;
	if (error)
		input_close(input);
	else
		error = open_file(capture, input);
	if (error) {
		diag_set(diag, error, "%s: %s", file, strerror(-error));
	} else {
		capture->source.format = capture->magic->format;
		error = open_pcap(capture, diag);
	}
	if (error)
		capture_close(capture);
	else
		*result = capture;
	return error;
}

/*
 * libpcap hands the file's fields out as they are, sign-extended from 32 bits in pcap: seconds
 * after 2038 and damaged parts of a second look negative. In pcapng both come from 64 bits.
 */
static void set_time(
	const struct capture *capture, const struct timeval *stamp, struct capture_frame *frame)
{
	bool classic = capture->magic->format[4] == '\0';
	uint64_t seconds = classic ? (uint32_t)stamp->tv_sec : (uint64_t)stamp->tv_sec;
	uint64_t part = classic ? (uint32_t)stamp->tv_usec : (uint64_t)stamp->tv_usec;
	uint32_t per_second = capture->magic->per_second;

	frame->time_bad = part >= per_second || seconds >= UINT64_MAX / CYCLES_NS_PER_S;
	frame->time_ns =
		frame->time_bad ? 0
				: seconds * CYCLES_NS_PER_S + part * (CYCLES_NS_PER_S / per_second);
}

/* At the end, or where nothing more can be read; also again. */
static void finish(struct capture *capture, bool failed)
{
	struct trace_counts *counts = &capture->counts;
	const char *trouble = input_trouble(capture->input);

	if (!trouble && failed)
		trouble = pcap_geterr(capture->pcap);
	capture->ended = true;
	if (!trouble || counts->truncated)
		return;
	counts->truncated = true;
	snprintf(counts->trouble, sizeof(counts->trouble), "%s: %s", capture->source.file, trouble);
}

int capture_next(struct capture *capture, struct capture_frame *frame)
{
	struct pcap_pkthdr *header;
	const u_char *data;
	int found = capture->ended ? PCAP_ERROR_BREAK : pcap_next_ex(capture->pcap, &header, &data);

	if (found != 1) {
		finish(capture, found != PCAP_ERROR_BREAK);
		return 0;
	}
	*frame = (struct capture_frame){ .wire_bytes = header->len };
	set_time(capture, &header->ts, frame);
	capture_decode(capture->link, data, header->caplen, frame);
	capture->counts.read++;
	return 1;
}

const struct trace_source *capture_source(const struct capture *capture)
{
	return &capture->source;
}

const struct trace_counts *capture_counts(const struct capture *capture)
{
	return &capture->counts;
}

const char *capture_link(const struct capture *capture)
{
	return capture->link_name;
}

void capture_close(struct capture *capture)
{
	if (!capture)
		return;
	if (capture->pcap)
		pcap_close(capture->pcap);
	if (capture->file)
		fclose(capture->file);
	free((char *)capture->source.file);
	free(capture);
}
