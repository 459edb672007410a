/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_event.h"

#include <errno.h>
#include <string.h>

/* include/linux/skbuff.h: SKB_GSO_UDP, SKB_GSO_UDP_L4. Other packets with a gso_size are TCP. */
#define GSO_TYPE_UDP (1 << 16 | 1 << 17)

#define TCP_HEADER_BYTES           20
#define TCP_OPTION_BYTES_MAX       40
#define UDP_HEADER_BYTES           8
#define HEADER_BYTES_WHEN_NOT_TOLD 54 /* Ethernet, IPv4, TCP */

#define TASK_BYTES_MAX 320 /* digits, a blank, and a name with room for those over 15 bytes */

const struct kernel_range kernel_ranges[FIELD_COUNT] = {
#define X(field, low, high) [FIELD_##field] = { low, high },
	KERNEL_FIELDS(X)
#undef X
};

#define B(field) FIELD_BIT(field)

/* Fields of events with a packet, and of one that is handed to a device. */
#define PACKET  B(ADDRESS) | B(LEN)
#define HEADERS B(TRANSPORT) | B(TRANSPORT_VALID) | B(GSO_SIZE) | B(GSO_SEGS) | B(GSO_TYPE)
#define START   B(QUEUE) | HEADERS
#define SOCK    B(ADDRESS) | B(FAMILY) | B(PROTOCOL) | B(ERROR) | B(FLAGS)

/* A part of event.arg that is a field's number as it is. */
#define PART(id, field, number)                                     \
	{                                                           \
		FIELD_##number, shift_of_##id##_##field,            \
			UINT64_MAX >> (64 - bits_of_##id##_##field) \
	}
#define X(id, field, shift, bits, style) \
	enum { shift_of_##id##_##field = (shift), bits_of_##id##_##field = (bits) };
EVENT_FIELDS(X)
#undef X

#define NO_PARTS          \
	0,                \
	{                 \
		{ 0 },    \
		{         \
			0 \
		}         \
	}
#define NETIF_RX          \
	1,                \
	{                 \
		{ 0 },    \
		{         \
			0 \
		}         \
	} /* EVENT_PUT(RECEIVE, netif_rx, 1) */
#define XMIT_PARTS                  \
	0,                          \
	{                           \
		PART(XMIT, rc, RC), \
		{                   \
			0           \
		}                   \
	}
#define FREE_PARTS                          \
	0,                                  \
	{                                   \
		PART(FREE, reason, REASON), \
		{                           \
			0                   \
		}                           \
	}
#define POLL_PARTS                                                           \
	0,                                                                   \
	{                                                                    \
		PART(NAPI_POLL, work, WORK), PART(NAPI_POLL, budget, BUDGET) \
	}
#define VEC_PARTS                              \
	0,                                     \
	{                                      \
		PART(SOFTIRQ_ENTRY, vec, VEC), \
		{                              \
			0                      \
		}                              \
	}
#define IRQ_PARTS                                                         \
	0,                                                                \
	{                                                                 \
		PART(IRQ_ENTRY, irq, IRQ), PART(IRQ_ENTRY, name, HANDLER) \
	}

#define TASK_KIND(system, name, id, special, needs, uses, task, ...)                            \
	{                                                                                       \
		name, sizeof(name) - 1, system, sizeof(system) - 1, EVENT_##id, special, needs, \
			(needs) | (uses), task, __VA_ARGS__                                     \
	}
#define KIND(system, name, id, special, needs, uses, ...) \
	TASK_KIND(system, name, id, special, needs, uses, NO_TASK, __VA_ARGS__)

/* Where the task that ran stands. */
#define NO_TASK                   \
	{                         \
		.word = WORD_NONE \
	}
#define TASK(id)                                                                         \
	{                                                                                \
		WORD_ARG, shift_of_##id##_task, UINT64_MAX >> (64 - bits_of_##id##_task) \
	}
#define TASK_IN_LEN                       \
	{                                 \
		WORD_WHAT, 32, UINT32_MAX \
	}

/*
 * Commonest first. netif_rx_entry and the list variants are left out: the former's cost is that of
 * queueing, and of the latter many entries have one exit. Receive ends only say what was returned.
 */
static const struct kernel_kind kinds[] = {
	KIND("skb", "consume_skb", FREE, false, B(ADDRESS), PACKET, NO_PARTS),
	KIND("net", "net_dev_start_xmit", START_XMIT, true, B(ADDRESS) | B(DEVICE), PACKET | START,
		NO_PARTS),
	KIND("net", "net_dev_xmit", XMIT, false, B(ADDRESS) | B(DEVICE) | B(RC), PACKET,
		XMIT_PARTS),
	KIND("net", "net_dev_queue", QUEUE, false, B(ADDRESS) | B(DEVICE), PACKET, NO_PARTS),
	KIND("net", "netif_receive_skb", RECEIVE, false, B(ADDRESS) | B(DEVICE), PACKET, NO_PARTS),
	KIND("net", "netif_rx", RECEIVE, false, B(ADDRESS) | B(DEVICE), PACKET, NETIF_RX),
	KIND("skb", "kfree_skb", FREE, false, B(ADDRESS), PACKET | B(REASON), FREE_PARTS),
	KIND("net", "napi_gro_receive_entry", RECEIVE_BEGIN, false, B(ADDRESS) | B(DEVICE), PACKET,
		NO_PARTS),
	KIND("net", "napi_gro_receive_exit", RECEIVE_END, false, 0, 0, NO_PARTS),
	KIND("net", "netif_receive_skb_entry", RECEIVE_BEGIN, false, B(ADDRESS) | B(DEVICE), PACKET,
		NO_PARTS),
	KIND("net", "netif_receive_skb_exit", RECEIVE_END, false, 0, 0, NO_PARTS),
	KIND("net", "napi_gro_frags_entry", RECEIVE_BEGIN, false, B(ADDRESS) | B(DEVICE), PACKET,
		NO_PARTS),
	KIND("net", "napi_gro_frags_exit", RECEIVE_END, false, 0, 0, NO_PARTS),
	TASK_KIND("skb", "skb_copy_datagram_iovec", COPY, false, B(ADDRESS), PACKET | B(PROCESS),
		TASK(COPY), NO_PARTS),
	TASK_KIND("napi", "napi_poll", NAPI_POLL, false, B(DEVICE),
		B(ADDRESS) | B(WORK) | B(BUDGET) | B(PROCESS), TASK_IN_LEN, POLL_PARTS),
	KIND("irq", "softirq_raise", SOFTIRQ_RAISE, false, B(VEC), 0, VEC_PARTS),
	TASK_KIND("irq", "softirq_entry", SOFTIRQ_ENTRY, false, B(VEC), B(PROCESS),
		TASK(SOFTIRQ_ENTRY), VEC_PARTS),
	KIND("irq", "softirq_exit", SOFTIRQ_EXIT, false, B(VEC), 0, VEC_PARTS),
	KIND("irq", "irq_handler_entry", IRQ_ENTRY, false, B(IRQ), B(HANDLER), IRQ_PARTS),
	KIND("irq", "irq_handler_exit", IRQ_EXIT, false, B(IRQ), 0, IRQ_PARTS),
	KIND("sock", "sock_send_length", SOCK_SEND, true, B(RESULT) | B(PROCESS), SOCK, NO_PARTS),
	KIND("sock", "sock_recv_length", SOCK_RECV, true, B(RESULT) | B(PROCESS), SOCK, NO_PARTS),
	KIND("", "dev_kfree_skb_irq", FREE, false, B(ADDRESS), PACKET, NO_PARTS),
};

int kernel_field_find(const struct kernel_kind *kind, const char *name)
{
	static const struct {
		const char *name;
		enum kernel_field field;
	} bindings[] = {
		{ "skbaddr", FIELD_ADDRESS },
		{ "napi", FIELD_ADDRESS },
		{ "sk", FIELD_ADDRESS },
		{ "name", FIELD_DEVICE },
		{ "dev_name", FIELD_DEVICE },
		{ "name", FIELD_HANDLER },
		{ "len", FIELD_LEN },
		{ "rc", FIELD_RC },
		{ "queue_mapping", FIELD_QUEUE },
		{ "transport_offset", FIELD_TRANSPORT },
		{ "transport_offset_valid", FIELD_TRANSPORT_VALID },
		{ "gso_size", FIELD_GSO_SIZE },
		{ "gso_segs", FIELD_GSO_SEGS },
		{ "gso_type", FIELD_GSO_TYPE },
		{ "reason", FIELD_REASON },
		{ "irq", FIELD_IRQ },
		{ "vec", FIELD_VEC },
		{ "work", FIELD_WORK },
		{ "budget", FIELD_BUDGET },
		{ "family", FIELD_FAMILY },
		{ "protocol", FIELD_PROTOCOL },
		{ "ret", FIELD_RESULT },
		{ "flags", FIELD_FLAGS },
		{ "common_pid", FIELD_PROCESS },
	};

	for (size_t i = 0; i < sizeof(bindings) / sizeof(bindings[0]); i++) {
		if (kind->uses & 1u << bindings[i].field && !strcmp(bindings[i].name, name))
			return (int)bindings[i].field;
	}
	return -1;
}

struct kernel_place kernel_field_place(const struct kernel_kind *kind, enum kernel_field field)
{
	if (field == FIELD_DEVICE)
		return (struct kernel_place){ WORD_WHAT, 16, UINT8_MAX };
	if (field == FIELD_LEN)
		return (struct kernel_place){ WORD_WHAT, 32, UINT32_MAX };
	if (field == FIELD_ADDRESS)
		return (struct kernel_place){ WORD_PACKET, 0, UINT64_MAX };
	for (int i = 0; i < 2; i++) {
		const struct kernel_part *part = &kind->parts[i];

		if (part->mask && part->field == field)
			return (struct kernel_place){ WORD_ARG, part->shift, part->mask };
	}
	return (struct kernel_place){ .word = WORD_NONE };
}

const struct kernel_kind *kernel_kind_find(
	const char *system, size_t system_bytes, const char *name, size_t name_bytes)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct kernel_kind *kind = &kinds[i];

		if (kind->name_bytes != name_bytes || memcmp(kind->name, name, name_bytes) != 0)
			continue;
		if (!system_bytes || !kind->system_bytes)
			return kind;
		if (kind->system_bytes == system_bytes &&
			!memcmp(kind->system, system, system_bytes))
			return kind;
	}
	return NULL;
}

/*
 * Headers before the payload that is cut into segments. The kernel tells where the transport's
 * header begins, not how long it is. With TCP it depends on the options, mostly 0 or 12 bytes, and
 * as most large packets are cut into whole segments, what is left over is the options if it can be:
 * a multiple of 4, at most 40 bytes (RFC 9293, 3.1). Where that guess is wrong, it is by one
 * segment of a few bytes.
 */
static uint64_t header_bytes(const struct kernel_fields *f)
{
	uint64_t bytes = HEADER_BYTES_WHEN_NOT_TOLD;
	int64_t gso_size = f->number[FIELD_GSO_SIZE], offset = f->number[FIELD_TRANSPORT];
	bool told = f->present & B(TRANSPORT) && offset >= 0 &&
		    (f->number[FIELD_TRANSPORT_VALID] || !(f->present & B(TRANSPORT_VALID)));
	bool udp = f->number[FIELD_GSO_TYPE] & GSO_TYPE_UDP;
	int64_t payload, rest;

	if (told)
		bytes = (uint64_t)offset + (udp ? UDP_HEADER_BYTES : TCP_HEADER_BYTES);
	payload = f->number[FIELD_LEN] - (int64_t)bytes;
	if (gso_size && !udp && payload > gso_size) {
		rest = payload % gso_size;
		if (rest <= TCP_OPTION_BYTES_MAX && rest % 4 == 0)
			bytes += (uint64_t)rest;
	}
	return bytes <= UINT16_MAX ? bytes : HEADER_BYTES_WHEN_NOT_TOLD;
}

static void make_start(const struct kernel_fields *f, struct event *event)
{
	uint64_t queue = (uint64_t)f->number[FIELD_QUEUE];

	event->queue = (uint8_t)queue;
	event->arg = EVENT_PUT(START_XMIT, gso_size, (uint64_t)f->number[FIELD_GSO_SIZE]) |
		     EVENT_PUT(START_XMIT, gso_segs, (uint64_t)f->number[FIELD_GSO_SEGS]) |
		     EVENT_PUT(START_XMIT, header_bytes, header_bytes(f)) |
		     EVENT_PUT(START_XMIT, queue_high, queue >> 8);
}

static void make_sock(const struct kernel_fields *f, struct event *event)
{
	int64_t error = f->number[FIELD_ERROR];

	/* result and error are two views of the return value; some tools print it as the former */
	event->len = (uint32_t)(error < 0 ? error : error > 0 ? -error : f->number[FIELD_RESULT]);
	event->arg = EVENT_PUT(SOCK_SEND, process, (uint64_t)f->number[FIELD_PROCESS]) |
		     EVENT_PUT(SOCK_SEND, family, (uint64_t)f->number[FIELD_FAMILY]) |
		     EVENT_PUT(SOCK_SEND, protocol, (uint64_t)f->number[FIELD_PROTOCOL]) |
		     EVENT_PUT(SOCK_SEND, flags, (uint64_t)f->number[FIELD_FLAGS]);
}

void kernel_event_make_special(
	const struct kernel_kind *kind, const struct kernel_fields *f, struct event *event)
{
	if (kind->id == EVENT_START_XMIT)
		make_start(f, event);
	else
		make_sock(f, event);
}

int kernel_name(struct kernel_names *names, enum name_kind kind, const char *text, size_t bytes)
{
	struct kernel_recent *recent = &names->recent[kind];
	int index;

	if (recent->bytes == bytes && bytes && !memcmp(recent->text, text, bytes))
		return recent->index;
	if (memchr(text, '\0', bytes))
		return -EBADMSG; /* no name has such a byte, and names can't hold it */
	index = names_intern(names->names, kind, text, bytes);
	if (index == -ENOSPC) {
		names->used_up = kind;
		return -EOVERFLOW; /* ENOSPC is the disk's */
	}
	if (index >= 0 && bytes <= sizeof(recent->text)) {
		memcpy(recent->text, text, bytes);
		recent->bytes = bytes;
		recent->index = index;
	}
	return index;
}

int kernel_reason(struct kernel_names *names, const char *text, size_t bytes)
{
	if (!bytes) /* before 5.17, or blanked */
		return kernel_name(names, NAME_REASON, "unknown", 7);
	if (bytes == 8 && !memcmp(text, "CONSUMED", 8))
		return 0; /* SKB_CONSUMED: not a drop */
	return kernel_name(names, NAME_REASON, text, bytes);
}

int kernel_task(struct kernel_names *names, const char *pid, size_t pid_bytes, const char *comm,
	size_t comm_bytes)
{
	char text[TASK_BYTES_MAX], *mark;
	size_t bytes = pid_bytes + 1 + comm_bytes;

	if (bytes > sizeof(text))
		return -EBADMSG;
	memcpy(text, pid, pid_bytes);
	text[pid_bytes] = ' ';
	memcpy(text + pid_bytes + 1, comm, comm_bytes);
	mark = memchr(text, NAME_CGROUP_MARK, bytes);
	for (; mark; mark = memchr(mark, NAME_CGROUP_MARK, bytes - (size_t)(mark - text)))
		*mark = '?';
	return kernel_name(names, NAME_TASK, text, bytes);
}
