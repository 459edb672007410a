/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_event.h"

#include "text_fields.h"
#include <errno.h>
#include <string.h>

#define AF_INET_NUMBER  2 /* linux/socket.h; the trace may come from another system */
#define AF_INET6_NUMBER 10

/* include/linux/skbuff.h: SKB_GSO_UDP, SKB_GSO_UDP_L4. Other packets with a gso_size are TCP. */
#define GSO_TYPE_UDP (1 << 16 | 1 << 17)

#define TCP_HEADER_BYTES           20
#define TCP_OPTION_BYTES_MAX       40
#define UDP_HEADER_BYTES           8
#define HEADER_BYTES_WHEN_NOT_TOLD 54 /* Ethernet, IPv4, TCP */

/* Interns a name, by way of the last one of its kind. Returns its index or a negative errno. */
static int intern(struct text_events *events, enum name_kind kind, const char *text, size_t bytes)
{
	struct text_name *recent = &events->recent[kind];
	int index;

	if (recent->bytes == bytes && bytes && !memcmp(recent->text, text, bytes))
		return recent->index;
	if (memchr(text, '\0', bytes))
		return -EBADMSG; /* no name has such a byte, and names can't hold it */
	index = names_intern(events->names, kind, text, bytes);
	if (index == -ENOSPC) {
		events->used_up = kind;
		return -EOVERFLOW; /* ENOSPC is the disk's */
	}
	if (index >= 0 && bytes <= sizeof(recent->text)) {
		memcpy(recent->text, text, bytes);
		recent->bytes = bytes;
		recent->index = index;
	}
	return index;
}

/* What a parser returns for an error of intern: only a name that can't be one is the line's fault.
 */
static int refused(int error)
{
	return error == -EBADMSG ? TEXT_EVENT_UNPARSED : error;
}

/* Fills event->device. A name that the kernel has blanked leaves it unknown. 0 or an errno. */
static int set_device(
	struct text_events *events, const struct text_fields *fields, struct event *event)
{
	int index;

	if (!fields->device.bytes)
		return 0;
	index = intern(events, NAME_DEVICE, fields->device.text, fields->device.bytes);
	if (index < 0)
		return index;
	event->device = (uint8_t)index;
	return 0;
}

/* Events with an address, and with those of `needs`. */
static int parse_packet(struct text_events *events, const struct text_head *head, uint32_t needs,
	struct text_fields *fields, struct event *event)
{
	int error;

	text_fields_words(head->fields, fields);
	needs |= FIELD_ADDRESS;
	if (fields->bad || (fields->present & needs) != needs)
		return TEXT_EVENT_UNPARSED;
	event->packet = fields->address;
	event->len = (uint32_t)fields->len;
	error = set_device(events, fields, event);
	return error ? refused(error) : TEXT_EVENT_USED;
}

static int parse_device_packet(
	struct text_events *events, const struct text_head *head, struct event *event)
{
	struct text_fields fields = { 0 };

	return parse_packet(events, head, FIELD_DEVICE, &fields, event);
}

static int parse_netif_rx(
	struct text_events *events, const struct text_head *head, struct event *event)
{
	event->arg = EVENT_PUT(RECEIVE, netif_rx, 1);
	return parse_device_packet(events, head, event);
}

/*
 * Headers before the payload that is cut into segments. The kernel prints where the transport's
 * header begins, not how long it is. With TCP it depends on the options, mostly 0 or 12 bytes, and
 * as most large packets are cut into whole segments, what is left over is the options if it can be:
 * a multiple of 4, at most 40 bytes (RFC 9293, 3.1). Where that guess is wrong, it is by one
 * segment of a few bytes.
 */
static uint64_t header_bytes(const struct text_fields *f)
{
	uint64_t bytes = HEADER_BYTES_WHEN_NOT_TOLD;
	bool told = f->present & FIELD_TRANSPORT && f->transport_offset >= 0 &&
		    (f->transport_valid || !(f->present & FIELD_TRANSPORT_VALID));
	bool udp = f->gso_type & GSO_TYPE_UDP;
	int64_t payload, rest;

	if (told)
		bytes = (uint64_t)f->transport_offset + (udp ? UDP_HEADER_BYTES : TCP_HEADER_BYTES);
	payload = f->len - (int64_t)bytes;
	if (f->gso_size && !udp && payload > f->gso_size) {
		rest = payload % f->gso_size;
		if (rest <= TCP_OPTION_BYTES_MAX && rest % 4 == 0)
			bytes += (uint64_t)rest;
	}
	return bytes <= UINT16_MAX ? bytes : HEADER_BYTES_WHEN_NOT_TOLD;
}

static int parse_start_xmit(
	struct text_events *events, const struct text_head *head, struct event *event)
{
	struct text_fields f = { 0 };
	int status = parse_packet(events, head, FIELD_DEVICE, &f, event);
	uint64_t queue = f.present & FIELD_QUEUE ? (uint64_t)f.queue : EVENT_QUEUE_UNKNOWN;

	event->queue = (uint8_t)queue;
	event->arg = EVENT_PUT(START_XMIT, gso_size, (uint64_t)f.gso_size) |
		     EVENT_PUT(START_XMIT, gso_segs, (uint64_t)f.gso_segs) |
		     EVENT_PUT(START_XMIT, header_bytes, header_bytes(&f)) |
		     EVENT_PUT(START_XMIT, queue_high, queue >> 8);
	return status;
}

static int parse_xmit(struct text_events *events, const struct text_head *head, struct event *event)
{
	struct text_fields fields = { 0 };
	int status = parse_packet(events, head, FIELD_DEVICE | FIELD_RC, &fields, event);

	event->arg = EVENT_PUT(XMIT, rc, (uint64_t)fields.rc);
	return status;
}

/* consume_skb and dev_kfree_skb_irq: reason 0, which is "consumed". */
static int parse_consume(
	struct text_events *events, const struct text_head *head, struct event *event)
{
	struct text_fields fields = { 0 };

	return parse_packet(events, head, 0, &fields, event);
}

static int parse_kfree(
	struct text_events *events, const struct text_head *head, struct event *event)
{
	struct text_fields fields = { 0 };
	int status = parse_packet(events, head, 0, &fields, event), index;
	struct text_word reason = fields.reason;

	if (status != TEXT_EVENT_USED)
		return status;
	if (!reason.bytes) /* before 5.17, or blanked */
		reason = (struct text_word){ "unknown", 7 };
	if (reason.bytes == 8 && !memcmp(reason.text, "CONSUMED", 8))
		return TEXT_EVENT_USED; /* SKB_CONSUMED: not a drop */
	index = intern(events, NAME_REASON, reason.text, reason.bytes);
	if (index < 0)
		return refused(index);
	event->arg = EVENT_PUT(FREE, reason, (uint64_t)index);
	return TEXT_EVENT_USED;
}

/* napi_gro_receive_exit and its like: they only print what was returned. */
static int parse_receive_end(
	struct text_events *events, const struct text_head *head, struct event *event)
{
	(void)events;
	(void)head;
	(void)event;
	return TEXT_EVENT_USED;
}

static int parse_irq_entry(
	struct text_events *events, const struct text_head *head, struct event *event)
{
	struct text_fields fields = { 0 };
	const char *name;
	int index = 0;

	text_fields_words(head->fields, &fields);
	if (fields.bad || !(fields.present & FIELD_IRQ))
		return TEXT_EVENT_UNPARSED;
	/* the handler's name is last and may hold blanks: up to the end of the line */
	name = memmem(head->fields, (size_t)(head->end - head->fields), " name=", 6);
	if (name && head->end > name + 6)
		index = intern(events, NAME_IRQ, name + 6, (size_t)(head->end - name) - 6);
	if (index < 0)
		return refused(index);
	event->arg = EVENT_PUT(IRQ_ENTRY, irq, (uint64_t)fields.irq) |
		     EVENT_PUT(IRQ_ENTRY, name, (uint64_t)index);
	return TEXT_EVENT_USED;
}

static int parse_irq_exit(
	struct text_events *events, const struct text_head *head, struct event *event)
{
	struct text_fields fields = { 0 };

	(void)events;
	text_fields_words(head->fields, &fields);
	event->arg = EVENT_PUT(IRQ_EXIT, irq, (uint64_t)fields.irq);
	if (fields.bad || !(fields.present & FIELD_IRQ))
		return TEXT_EVENT_UNPARSED;
	return TEXT_EVENT_USED;
}

static int parse_softirq(
	struct text_events *events, const struct text_head *head, struct event *event)
{
	struct text_fields fields = { 0 };

	(void)events;
	text_fields_words(head->fields, &fields);
	event->arg = EVENT_PUT(SOFTIRQ_ENTRY, vec, (uint64_t)fields.vec);
	if (fields.bad || !(fields.present & FIELD_VEC))
		return TEXT_EVENT_UNPARSED;
	return TEXT_EVENT_USED;
}

static int parse_napi_poll(
	struct text_events *events, const struct text_head *head, struct event *event)
{
	struct text_fields fields = { .work = EVENT_WORK_UNKNOWN };
	int error;

	text_fields_napi(head->fields, &fields);
	if (fields.bad || !(fields.present & FIELD_DEVICE))
		return TEXT_EVENT_UNPARSED;
	error = set_device(events, &fields, event);
	event->packet = fields.address; /* of the struct napi, which tells the queues apart */
	event->arg = EVENT_PUT(NAPI_POLL, work, (uint64_t)fields.work) |
		     EVENT_PUT(NAPI_POLL, budget, (uint64_t)fields.budget);
	return error ? refused(error) : TEXT_EVENT_USED;
}

/* A symbol of the kernel's tables, or the number that is printed where it has none; 0: neither. */
static uint64_t symbol_value(const struct text_word *word)
{
	static const struct {
		const char *name;
		uint64_t value;
	} symbols[] = {
		/* linux/socket.h, linux/in.h; as include/trace/events/sock.h names them */
		{ "AF_INET", AF_INET_NUMBER },
		{ "AF_INET6", AF_INET6_NUMBER },
		{ "IPPROTO_TCP", 6 },
		{ "IPPROTO_DCCP", 33 },
		{ "IPPROTO_SCTP", 132 },
		{ "IPPROTO_MPTCP", 262 },
	};
	uint64_t value = 0;

	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		if (strlen(symbols[i].name) == word->bytes &&
			!memcmp(symbols[i].name, word->text, word->bytes))
			return symbols[i].value;
	}
	if (word->bytes && !text_parse_number(word->text, &value))
		value = 0;
	return value;
}

static int intern_task(struct text_events *events, const struct text_head *head)
{
	char text[HEAD_REACH + 1];
	size_t bytes = head->pid_bytes + 1 + head->task_bytes;

	if (bytes > sizeof(text))
		return -EBADMSG;
	memcpy(text, head->pid, head->pid_bytes);
	text[head->pid_bytes] = ' ';
	memcpy(text + head->pid_bytes + 1, head->task, head->task_bytes);
	return intern(events, NAME_TASK, text, bytes);
}

static int parse_sock(struct text_events *events, const struct text_head *head, struct event *event)
{
	struct text_fields f = { 0 };
	int64_t result;
	int process;

	text_fields_sock(head->fields, &f);
	if (f.bad || !(f.present & FIELD_LEN))
		return TEXT_EVENT_UNPARSED;
	process = intern_task(events, head);
	if (process < 0)
		return refused(process);
	/* length and error are two views of the return value; some tools print it as the length */
	result = f.error < 0 ? f.error : f.error > 0 ? -f.error : f.len;
	event->packet = f.address;
	event->len = (uint32_t)result;
	event->arg = EVENT_PUT(SOCK_SEND, process, (uint64_t)process) |
		     EVENT_PUT(SOCK_SEND, family, symbol_value(&f.family)) |
		     EVENT_PUT(SOCK_SEND, protocol, symbol_value(&f.protocol)) |
		     EVENT_PUT(SOCK_SEND, flags, (uint64_t)f.flags);
	return TEXT_EVENT_USED;
}

/* perf script --show-lost-events: "PERF_RECORD_LOST lost 20". The arg is 0 where none was lost. */
static int parse_perf_lost(
	struct text_events *events, const struct text_head *head, struct event *event)
{
	const char *end = NULL;
	uint64_t count;

	(void)events;
	if (!strncmp(head->fields, "lost ", 5))
		end = text_parse_count(head->fields + 5, &count);
	if (!end || (*end != ' ' && *end != '\n'))
		return TEXT_EVENT_UNPARSED;
	event->arg = event_lost_arg(count, false);
	return TEXT_EVENT_LOST;
}

typedef int (*event_parser)(
	struct text_events *events, const struct text_head *head, struct event *event);

/*
 * Commonest first. netif_rx_entry and the list variants are left out: the former's cost is that of
 * queueing, and of the latter many entries have one exit.
 */
static const struct event_kind {
	const char *name;
	size_t name_bytes;
	const char *system; /* that perf prints before it; "": any */
	size_t system_bytes;
	event_parser parse;
	uint16_t id;
} event_kinds[] = {
#define KIND(system, name, id, parse)                                                 \
	{                                                                             \
		name, sizeof(name) - 1, system, sizeof(system) - 1, parse, EVENT_##id \
	}
	KIND("skb", "consume_skb", FREE, parse_consume),
	KIND("net", "net_dev_start_xmit", START_XMIT, parse_start_xmit),
	KIND("net", "net_dev_xmit", XMIT, parse_xmit),
	KIND("net", "net_dev_queue", QUEUE, parse_device_packet),
	KIND("net", "netif_receive_skb", RECEIVE, parse_device_packet),
	KIND("net", "netif_rx", RECEIVE, parse_netif_rx),
	KIND("skb", "kfree_skb", FREE, parse_kfree),
	KIND("net", "napi_gro_receive_entry", RECEIVE_BEGIN, parse_device_packet),
	KIND("net", "napi_gro_receive_exit", RECEIVE_END, parse_receive_end),
	KIND("net", "netif_receive_skb_entry", RECEIVE_BEGIN, parse_device_packet),
	KIND("net", "netif_receive_skb_exit", RECEIVE_END, parse_receive_end),
	KIND("net", "napi_gro_frags_entry", RECEIVE_BEGIN, parse_device_packet),
	KIND("net", "napi_gro_frags_exit", RECEIVE_END, parse_receive_end),
	KIND("skb", "skb_copy_datagram_iovec", COPY, parse_consume),
	KIND("napi", "napi_poll", NAPI_POLL, parse_napi_poll),
	KIND("irq", "softirq_raise", SOFTIRQ_RAISE, parse_softirq),
	KIND("irq", "softirq_entry", SOFTIRQ_ENTRY, parse_softirq),
	KIND("irq", "softirq_exit", SOFTIRQ_EXIT, parse_softirq),
	KIND("irq", "irq_handler_entry", IRQ_ENTRY, parse_irq_entry),
	KIND("irq", "irq_handler_exit", IRQ_EXIT, parse_irq_exit),
	KIND("sock", "sock_send_length", SOCK_SEND, parse_sock),
	KIND("sock", "sock_recv_length", SOCK_RECV, parse_sock),
	KIND("", "dev_kfree_skb_irq", FREE, parse_consume),
	KIND("", "PERF_RECORD_LOST", LOST, parse_perf_lost),
	KIND("", "PERF_RECORD_LOST_SAMPLES", LOST, parse_perf_lost),
#undef KIND
};

/* A probe of the same name in another system ("probe:consume_skb") is another event. */
static const struct event_kind *find_kind(const struct text_head *head)
{
	for (size_t i = 0; i < sizeof(event_kinds) / sizeof(event_kinds[0]); i++) {
		const struct event_kind *kind = &event_kinds[i];

		if (kind->name_bytes != head->name_bytes ||
			memcmp(kind->name, head->name, head->name_bytes))
			continue;
		if (!head->system_bytes || !kind->system_bytes)
			return kind;
		if (kind->system_bytes == head->system_bytes &&
			!memcmp(kind->system, head->system, head->system_bytes))
			return kind;
	}
	return NULL;
}

int text_event_parse(struct text_events *events, const struct text_head *head, struct event *event)
{
	const struct event_kind *kind = find_kind(head);

	if (!kind)
		return TEXT_EVENT_SKIP;
	*event = (struct event){
		.time = head->time,
		.id = kind->id,
		.device = EVENT_NO_DEVICE,
		.queue = EVENT_NO_QUEUE,
	};
	return kind->parse(events, head, event);
}
