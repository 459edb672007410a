/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lwIP's two ends with the test as the cable: each frame is handed over at once or, as an interface
 * must not call back, when the test says so.
 */
#include "stack.h"

#include "harness.h"
#include <dlfcn.h>
#include <string.h>

#define MSS          1460
#define ETHER_BYTES  14
#define HEADER_BYTES 54 /* Ethernet, IPv4, TCP without options */

enum { FRAMES_MOST = 256, FRAME_MOST = 1514 };

struct cable {
	struct stack_end *to;
	unsigned count, first;
	unsigned data_frames, pure_acks;
	struct {
		unsigned bytes;
		uint8_t data[FRAME_MOST];
	} frame[FRAMES_MOST];
};

static struct stack stack;
static struct cable forth, back;
static unsigned damage;      /* of this data frame, from 1 on, a byte is changed */
static uint8_t damage_flags; /* and these flags say what the NIC thinks of frames */

static bool is_tcp(const uint8_t *frame)
{
	return frame[12] == 8 && frame[13] == 0 && frame[23] == 6;
}

static bool put(void *context, const struct pbuf *frame)
{
	struct cable *cable = context;
	unsigned last = (cable->first + cable->count) % FRAMES_MOST;

	CU_ASSERT_FATAL(cable->count < FRAMES_MOST && frame->tot_len <= FRAME_MOST);
	cable->frame[last].bytes = frame->tot_len;
	pbuf_copy_partial(frame, cable->frame[last].data, frame->tot_len, 0);
	cable->count++;
	return true;
}

/* Hands over what is under way now. */
static void hand_over(struct cable *cable)
{
	unsigned count = cable->count;

	while (count--) {
		uint8_t *data = cable->frame[cable->first].data;
		unsigned bytes = cable->frame[cable->first].bytes;
		struct pbuf *pbuf = pbuf_alloc(PBUF_RAW, (u16_t)bytes, PBUF_RAM);
		/* 0x10 alone of TCP's flags: neither SYN nor FIN nor RST */
		bool plain = is_tcp(data) && (data[47] & 0x17) == 0x10;

		cable->pure_acks += plain && bytes == HEADER_BYTES;
		cable->data_frames += is_tcp(data) && bytes > HEADER_BYTES + 40;
		if (bytes > HEADER_BYTES + 40 && cable->data_frames == damage)
			data[HEADER_BYTES + 7] ^= 0x55;
		CU_ASSERT_PTR_NOT_NULL_FATAL(pbuf);
		pbuf_take(pbuf, data, (u16_t)bytes);
		pbuf->flags = (uint8_t)(pbuf->flags | damage_flags);
		cable->first = (cable->first + 1) % FRAMES_MOST;
		cable->count--;
		stack_input(cable->to, pbuf);
	}
}

static void begin(void)
{
	test_leaks_allow(); /* lwIP keeps its timers */
	memset(&stack, 0, sizeof(stack));
	memset(&forth, 0, sizeof(forth));
	memset(&back, 0, sizeof(back));
	damage = 0;
	damage_flags = 0;
	forth.to = &stack.receiver;
	back.to = &stack.sender;
	stack.sender.transmit = stack.receiver.transmit = put;
	stack.sender.context = &forth;
	stack.receiver.context = &back;
	CU_ASSERT_EQUAL_FATAL(stack_open(&stack, 1), 0);
}

static void turn(uint64_t length)
{
	hand_over(&forth);
	stack_read(&stack);
	hand_over(&back);
	stack_write(&stack, length);
}

static void transfer(uint64_t length)
{
	for (unsigned i = 0; i < 4000 && stack.read < length; i++)
		turn(length);
}

/* 3,000 whole segments and a short one: nothing is lost, so each is sent once. */
static void every_byte_arrives_as_it_was_sent(void)
{
	const uint64_t length = 3000 * MSS + 7;

	begin();
	transfer(length);
	CU_ASSERT_EQUAL(stack.written, length);
	CU_ASSERT_EQUAL(stack.read, length);
	CU_ASSERT_EQUAL(stack.wrong, 0);
	CU_ASSERT_FALSE(stack.broken);
	/* the last has 7 bytes, which this counts as none */
	CU_ASSERT_EQUAL(forth.data_frames, 3000);
	stack_close(&stack);
}

/* Ten segments wait in the receiver, which has read nothing: it has confirmed every second one. */
static void every_second_segment_is_confirmed_at_once(void)
{
	begin();
	for (unsigned i = 0; i < 20 && !stack.connected; i++)
		turn(0);
	CU_ASSERT_TRUE_FATAL(stack.connected);
	transfer(200 * MSS); /* until the sender's window is wide */
	CU_ASSERT_EQUAL_FATAL(stack.read, 200 * MSS);
	turn(0);
	turn(0);
	back.pure_acks = 0;
	stack_write(&stack, 210 * MSS);
	CU_ASSERT_EQUAL(forth.count, 10);
	hand_over(&forth);
	CU_ASSERT_EQUAL(stack.unread_count, 10);
	CU_ASSERT_EQUAL(back.count, 5);
	hand_over(&back);
	CU_ASSERT_EQUAL(back.pure_acks, 5);
	CU_ASSERT_EQUAL(stack.acked, 210 * MSS);
	stack_close(&stack);
}

/*
 * One byte of the third segment is damaged. Without the NIC's word lwIP drops it; three duplicate
 * ACKs later (RFC 5681, 3.2) it is sent again.
 */
static void a_damaged_segment_is_dropped_by_its_checksum(void)
{
	begin();
	damage = 3;
	transfer(10 * MSS);
	CU_ASSERT_EQUAL(stack.wrong, 0);
	CU_ASSERT_EQUAL(stack.read, 10 * MSS);
	CU_ASSERT_EQUAL(forth.data_frames, 11);
	stack_close(&stack);
}

/* If the NIC says that it is right, nobody looks again but the process that compares. */
static void what_the_nic_has_checked_is_not_checked_again(void)
{
	begin();
	damage = 3;
	damage_flags = STACK_CHECKED;
	transfer(10 * MSS);
	CU_ASSERT_EQUAL(stack.read, 10 * MSS);
	CU_ASSERT_EQUAL(stack.wrong, 1);
	stack_close(&stack);
}

/* Else the library would use its own. */
static void the_library_calls_our_checksum(void)
{
	void *used = dlsym(RTLD_DEFAULT, "ip_chksum_pseudo");
	Dl_info info;

	CU_ASSERT_PTR_NOT_NULL_FATAL(used);
	CU_ASSERT_NOT_EQUAL_FATAL(dladdr(used, &info), 0);
	CU_ASSERT_PTR_NULL(strstr(info.dli_fname, "liblwip"));
}

/* Connections, interfaces and addresses of one run are no matter to the next. */
static void a_stack_can_be_opened_again(void)
{
	for (unsigned i = 0; i < 3; i++) {
		begin();
		transfer(50 * MSS);
		CU_ASSERT_EQUAL(stack.read, 50 * MSS);
		CU_ASSERT_EQUAL(stack.wrong, 0);
		stack_close(&stack);
	}
}

static const struct test_case cases[] = {
	{ "every byte arrives as it was sent", every_byte_arrives_as_it_was_sent },
	{ "every second segment is confirmed at once", every_second_segment_is_confirmed_at_once },
	{ "a damaged segment is dropped by its checksum",
		a_damaged_segment_is_dropped_by_its_checksum },
	{ "what the NIC has checked is not checked again",
		what_the_nic_has_checked_is_not_checked_again },
	{ "the library calls our checksum", the_library_calls_our_checksum },
	{ "a stack can be opened again", a_stack_can_be_opened_again },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "stack", cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
