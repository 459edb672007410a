/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_decode.h"

#include <pcap/dlt.h>
#include <stddef.h>
#include <string.h>

/* What is left of a frame. captured <= wire. */
struct view {
	const uint8_t *at;
	uint32_t captured, wire;
};

static uint16_t be16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)be16(at) << 16 | be16(at + 2);
}

/* False if that much wasn't captured. */
static bool skip(struct view *view, uint32_t bytes)
{
	if (bytes > view->captured)
		return false;
	view->at += bytes;
	view->captured -= bytes;
	view->wire -= bytes;
	return true;
}

/* The wire's length by an IP header that counts `bytes`; 0 is "not told" (offload, jumbograms). */
static void limit(struct view *view, uint32_t bytes)
{
	if (!bytes || bytes > view->wire)
		return;
	view->wire = bytes;
	if (view->captured > bytes)
		view->captured = bytes;
}

/* The MSS option (RFC 9293, 3.2) among `bytes` of options; 0 if there is none before the end. */
static uint16_t find_mss(const uint8_t *option, uint32_t bytes)
{
	while (bytes && option[0] != 0) {
		uint32_t taken = 1;

		if (option[0] != 1) {
			if (bytes < 2 || option[1] < 2 || option[1] > bytes)
				return 0;
			taken = option[1];
		}
		if (option[0] == 2 && taken == 4)
			return be16(option + 2);
		option += taken;
		bytes -= taken;
	}
	return 0;
}

static void decode_tcp(const struct view *view, struct capture_frame *frame)
{
	const uint32_t fixed = 20;
	uint32_t header, options;

	if (view->captured < fixed)
		return;
	header = (uint32_t)(view->at[12] >> 4) * 4;
	if (header < fixed || header > view->wire)
		return;
	options = (header < view->captured ? header : view->captured) - fixed;
	frame->kind = CAPTURE_TCP;
	frame->source.port = be16(view->at);
	frame->destination.port = be16(view->at + 2);
	frame->sequence = be32(view->at + 4);
	frame->acknowledged = be32(view->at + 8);
	frame->flags = view->at[13];
	frame->payload_bytes = view->wire - header;
	frame->mss = frame->flags & TCP_SYN ? find_mss(view->at + fixed, options) : 0;
}

/* RFC 791, 3.1 */
static void decode_ipv4(struct view *view, struct capture_frame *frame)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const uint8_t *ip = view->at;
	uint32_t header = (ip[0] & 0x0fu) * 4, total;

	if (view->captured < 20 || header < 20)
		return;
	total = be16(ip + 2);
	if (total && total < header)
		return;
	frame->kind = CAPTURE_IP;
	limit(view, total);
	if (ip[9] != 6 || be16(ip + 6) & 0x1fff || !skip(view, header))
		return;
	memcpy(frame->source.address, mapped, sizeof(mapped));
	memcpy(frame->source.address + 12, ip + 12, 4);
	memcpy(frame->destination.address, mapped, sizeof(mapped));
	memcpy(frame->destination.address + 12, ip + 16, 4);
	decode_tcp(view, frame);
}

/* How long an extension header is (RFC 8200, 4; RFC 4302, 2.2), or 0 if `next` isn't one. */
static uint32_t extension_bytes(uint8_t next, const uint8_t *at)
{
	switch (next) {
	case 0:  /* hop-by-hop options */
	case 43: /* routing */
	case 60: /* destination options */
		return 8 + at[1] * 8u;
	case 44: /* fragment */
		return 8;
	case 51: /* authentication */
		return 8 + at[1] * 4u;
	default:
		return 0;
	}
}

/* RFC 8200, 3 */
static void decode_ipv6(struct view *view, struct capture_frame *frame)
{
	const uint8_t *ip = view->at;
	uint8_t next;

	if (view->captured < 40)
		return;
	frame->kind = CAPTURE_IP;
	next = ip[6];
	skip(view, 40);
	limit(view, be16(ip + 4));
	while (next != 6) {
		const uint8_t *extension = view->at;
		uint32_t bytes = view->captured < 8 ? 0 : extension_bytes(next, extension);

		if (!bytes || (next == 44 && be16(extension + 2) & 0xfff8) || !skip(view, bytes))
			return;
		next = extension[0];
	}
	memcpy(frame->source.address, ip + 8, 16);
	memcpy(frame->destination.address, ip + 24, 16);
	decode_tcp(view, frame);
}

static void decode_ip(struct view *view, struct capture_frame *frame)
{
	uint8_t version = view->captured ? view->at[0] >> 4 : 0;

	if (version == 4)
		decode_ipv4(view, frame);
	else if (version == 6)
		decode_ipv6(view, frame);
}

/* IEEE 802 numbers, 802.1Q and 802.1ad tags among them (0x9100: those of before the standard). */
static bool is_ip_type(struct view *view, uint16_t type)
{
	while (type == 0x8100 || type == 0x88a8 || type == 0x9100) {
		const uint8_t *tag = view->at;

		if (!skip(view, 4))
			return false;
		type = be16(tag + 2);
	}
	return type == 0x0800 || type == 0x86dd;
}

/*
 * A loopback's address family, in the byte order of whoever captured: 2 is IPv4 everywhere, IPv6 is
 * 10 (Linux), 24, 28 or 30 (the BSDs and macOS).
 */
static bool is_ip_family(const uint8_t *at)
{
	uint32_t family = be32(at);

	if (family > 0xffff)
		family = __builtin_bswap32(family);
	return family == 2 || family == 10 || family == 24 || family == 28 || family == 30;
}

enum protocol { PROTOCOL_TYPE, PROTOCOL_FAMILY, PROTOCOL_IP };

static const struct link {
	int number;
	uint8_t header_bytes;
	uint8_t protocol_at; /* in the header */
	uint8_t protocol;    /* how it is told: enum protocol */
} links[] = {
	/* www.tcpdump.org/linktypes.html */
	{ DLT_EN10MB, 14, 12, PROTOCOL_TYPE },
	{ DLT_LINUX_SLL, 16, 14, PROTOCOL_TYPE },
	{ DLT_LINUX_SLL2, 20, 0, PROTOCOL_TYPE },
	{ DLT_NULL, 4, 0, PROTOCOL_FAMILY },
	{ DLT_LOOP, 4, 0, PROTOCOL_FAMILY },
	{ DLT_RAW, 0, 0, PROTOCOL_IP },
	{ DLT_IPV4, 0, 0, PROTOCOL_IP },
	{ DLT_IPV6, 0, 0, PROTOCOL_IP },
};

void capture_decode(int number, const uint8_t *data, uint32_t captured, struct capture_frame *frame)
{
	struct view view = { data, captured, frame->wire_bytes };
	const struct link *link = NULL;
	const uint8_t *protocol;

	frame->kind = CAPTURE_SKIPPED;
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (links[i].number == number)
			link = &links[i];
	}
	if (view.captured > view.wire)
		view.captured = view.wire;
	if (!link || !skip(&view, link->header_bytes))
		return;
	protocol = data + link->protocol_at;
	if ((link->protocol == PROTOCOL_TYPE && !is_ip_type(&view, be16(protocol))) ||
		(link->protocol == PROTOCOL_FAMILY && !is_ip_family(protocol)))
		return;
	decode_ip(&view, frame);
}
