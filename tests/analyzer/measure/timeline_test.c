/* SPDX-License-Identifier: BSD-3-Clause */
/* What is received and how it ends, by softirqs and polls; what is sent. Times in ns. */
#include "timeline_scene.h"

static void an_interrupt_leads_to_a_softirq_and_packets_to_their_end(void)
{
	const struct timeline_item *head;

	PLAY_TIMELINE(false, IRQ_IN(0, 100, 19), RAISED(0, 110), IRQ_OUT(0, 120, 19),
		SOFTIRQ_IN(0, 130), RECEIVED(0, 140, ETH0, 0xa0), RECEIVED(0, 150, ETH0, 0xb0),
		RECEIVED(0, 155, ETH0, 0xc0), POLLED(0, 160, ETH0, 3), FREE(0, 165, 0xb0),
		SOFTIRQ_OUT(0, 170), COPIED(500, 0xa0, 7), DROP(0, 600, 0xc0, 9));
	head = expect_softirq(130, 5, 1);
	CU_ASSERT_EQUAL(head->end, 170);
	CU_ASSERT_EQUAL(head->flags, 0);
	expect_item(&head[1], TIMELINE_IRQ, 100, 19);
	expect_item(&head[2], TIMELINE_RECEIVE, 140, 0xa0);
	expect_end(&head[2], TIMELINE_COPIED, 500, 7);
	expect_end(&head[3], TIMELINE_FREED, 165, 0);
	expect_end(&head[4], TIMELINE_DROPPED, 600, 9);
	expect_item(&head[5], TIMELINE_POLL, 160, UINT64_C(64) << 32 | 3);
	end();
}

/* The check of the specification: the copy goes to the younger record of the address. */
static void of_two_records_of_an_address_the_older_is_unresolved(void)
{
	const struct timeline_item *head;

	PLAY_TIMELINE(false, SOFTIRQ_IN(0, 100), RECEIVED(0, 110, ETH0, 0xa0),
		POLLED(0, 120, ETH0, 1), SOFTIRQ_OUT(0, 130), SOFTIRQ_IN(0, 200),
		RECEIVED(0, 210, ETH0, 0xa0), POLLED(0, 220, ETH0, 1), SOFTIRQ_OUT(0, 230),
		COPIED(300, 0xa0, 4), COPIED(310, 0xa0, 5));
	head = expect_softirq(100, 2, 0);
	expect_end(&head[1], TIMELINE_UNRESOLVED, NEVER, 0);
	head = expect_softirq(200, 2, 0);
	expect_end(&head[1], TIMELINE_COPIED, 300, 4);
	end();
}

/* Both in one softirq, and the second still open at the end. */
static void an_address_can_come_twice_in_a_softirq(void)
{
	const struct timeline_item *head;

	PLAY_TIMELINE(false, SOFTIRQ_IN(0, 100), RECEIVED(0, 110, ETH0, 0xa0),
		RECEIVED(0, 120, ETH0, 0xa0), SOFTIRQ_OUT(0, 130));
	head = expect_softirq(100, 2, 0);
	expect_end(&head[1], TIMELINE_UNRESOLVED, NEVER, 0);
	expect_end(&head[2], TIMELINE_OPEN, NEVER, 0);
	end();
}

/* A received packet's address that is sent is another packet's, whose free is not the first's. */
static void an_address_that_is_sent_is_another_packet(void)
{
	const struct timeline_item *head;

	PLAY_TIMELINE(false, SOFTIRQ_IN(0, 100), RECEIVED(0, 110, ETH0, 0xa0), SOFTIRQ_OUT(0, 130),
		QUEUED(200, ETH0, 0xa0), START(0, 210, ETH0, 0xa0), XMIT(0, 220, ETH0, 0xa0, 0),
		FREE(0, 300, 0xa0));
	head = expect_softirq(100, 1, 0);
	expect_end(&head[1], TIMELINE_UNRESOLVED, NEVER, 0);
	expect_packet(200, 210, 220, 300, TIMELINE_FREED);
	end();
}

/* eth1's interrupt comes while eth0's softirq runs: it leads to the next one. */
static void an_interrupt_in_a_softirq_belongs_to_the_next(void)
{
	const struct timeline_item *head;

	PLAY_TIMELINE(false, IRQ_IN(0, 100, 19), RAISED(0, 101), IRQ_OUT(0, 102, 19),
		SOFTIRQ_IN(0, 110), IRQ_IN(0, 120, 20), RAISED(0, 121), IRQ_OUT(0, 122, 20),
		POLLED(0, 130, ETH0, 0), SOFTIRQ_OUT(0, 140), SOFTIRQ_IN(0, 150),
		RECEIVED(0, 155, ETH1, 0xa0), POLLED(0, 160, ETH1, 1), SOFTIRQ_OUT(0, 170));
	head = expect_softirq(110, 2, 1);
	expect_item(&head[1], TIMELINE_IRQ, 100, 19);
	expect_item(&head[2], TIMELINE_POLL, 130, UINT64_C(64) << 32);
	head = expect_softirq(150, 3, 1);
	expect_item(&head[1], TIMELINE_IRQ, 120, 20);
	end();
}

/*
 * Just behind its entry an interrupt may be in time for a softirq. eth1 is polled in it, so its
 * interrupt was; eth0's wasn't, and leads to the next one, before a later one of the same softirq.
 */
static void an_interrupt_just_behind_the_entry_belongs_where_its_device_is_polled(void)
{
	const struct timeline_item *head;
	struct timeline_options options = { .receive = true };
	const struct scene_event events[] = { SOFTIRQ_IN(0, 100), IRQ_IN(0, 101, 20 | 1ull << 32),
		RAISED(0, 102), IRQ_OUT(0, 103, 20), IRQ_IN(0, 104, 19 | 2ull << 32),
		RAISED(0, 105), IRQ_OUT(0, 106, 19), RECEIVED(0, 110, ETH1, 0xa0),
		POLLED(0, 120, ETH1, 1), IRQ_IN(0, 130, 21 | 1ull << 32), RAISED(0, 131),
		IRQ_OUT(0, 132, 21), SOFTIRQ_OUT(0, 140), SOFTIRQ_IN(0, 150),
		RECEIVED(0, 160, ETH0, 0xb0), POLLED(0, 165, ETH0, 1), SOFTIRQ_OUT(0, 170),
		COPIED(900, 0xa0, 3), FREE(0, 950, 0xb0) };

	scene_names = names_create();
	CU_ASSERT_PTR_NOT_NULL_FATAL(scene_names);
	names_set(scene_names, NAME_DEVICE, ETH0, "eth0", 4);
	names_set(scene_names, NAME_DEVICE, ETH1, "eth1", 4);
	names_set(scene_names, NAME_IRQ, 1, "eth1-rx-0", 9);
	names_set(scene_names, NAME_IRQ, 2, "eth0", 4);
	CU_ASSERT_EQUAL_FATAL(timeline_create(&timeline, &options, scene_names), 0);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		CU_ASSERT_EQUAL_FATAL(timeline_event(timeline, 0, &events[i].event), 0);
	CU_ASSERT_EQUAL_FATAL(timeline_finish(timeline), 0);
	head = expect_softirq(100, 3, 1);
	expect_item(&head[1], TIMELINE_IRQ, 101, 20);
	expect_end(&head[2], TIMELINE_COPIED, 900, 3);
	head = expect_softirq(150, 4, 2);
	expect_item(&head[1], TIMELINE_IRQ, 104, 19);
	expect_item(&head[2], TIMELINE_IRQ, 130, 21);
	expect_end(&head[3], TIMELINE_FREED, 950, 0);
	end();
}

/* Interrupts that raise nothing, and those of other CPUs, lead to nothing. */
static void only_interrupts_that_raise_it_lead_to_a_softirq(void)
{
	const struct timeline_item *head;

	PLAY_TIMELINE(false, IRQ_IN(0, 100, 1), IRQ_OUT(0, 101, 1), IRQ_IN(1, 102, 2),
		RAISED(1, 103), IRQ_OUT(1, 104, 2), IRQ_IN(0, 105, 3),
		CPU_EVENT(0, 106, SOFTIRQ_RAISE, 1), IRQ_IN(0, 107, 4), RAISED(0, 108),
		RAISED(0, 109), IRQ_OUT(0, 110, 4), IRQ_OUT(0, 111, 3), SOFTIRQ_IN(0, 120),
		POLLED(0, 130, ETH0, 0), SOFTIRQ_OUT(0, 140));
	head = expect_softirq(120, 2, 1);
	expect_item(&head[1], TIMELINE_IRQ, 107, 4);
	CU_ASSERT_EQUAL(timeline_counts(timeline)->causes_dropped, 1); /* CPU 1's */
	end();
}

/* Loopback: queued by the sender, raised by it, received in the softirq; the ACK within it. */
static void a_softirq_without_an_interrupt_is_shown_as_such(void)
{
	const struct timeline_item *head;

	PLAY_TIMELINE(false, NETIF_RX(0, 100, 0xa0), RAISED(0, 101), RAISED(0, 102),
		CPU_EVENT(0, 110, SOFTIRQ_ENTRY, 3 | 5 << 8), RECEIVED(0, 120, LO, 0xa0),
		NETIF_RX(0, 130, 0xb0), RAISED(0, 131), SOFTIRQ_OUT(0, 140), SOFTIRQ_IN(0, 150),
		RECEIVED(0, 151, LO, 0xb0), SOFTIRQ_OUT(0, 160));
	head = expect_softirq(110, 4, 2);
	CU_ASSERT_EQUAL(head->name, 5); /* the task */
	expect_item(&head[1], TIMELINE_NETIF_RX, 100, 0xa0);
	expect_item(&head[2], TIMELINE_RAISE, 101, 0);
	CU_ASSERT_EQUAL(head[2].flags, 0);
	expect_item(&head[3], TIMELINE_RECEIVE, 120, 0xa0);
	expect_item(&head[4], TIMELINE_NETIF_RX, 130, 0xb0);
	head = expect_softirq(150, 2, 1);
	expect_item(&head[1], TIMELINE_RAISE, 131, 0);
	CU_ASSERT_EQUAL(head[1].flags, 1); /* by a softirq */
	end();
}

/* A NAPI thread or busy polling: a poll ends it. A tap has no poll: 64 packets do. */
static void polls_in_no_softirq_are_shown_as_such(void)
{
	const struct timeline_item *head;

	PLAY_TIMELINE(false, RECEIVED(2, 100, ETH0, 0xa0), RECEIVED(2, 110, ETH0, 0xb0),
		AT(2, 120, NAPI_POLL, ETH0, NO_QUEUE, 0, 5, UINT64_C(64) << 32 | 2),
		RECEIVED(2, 130, ETH0, 0xc0), SOFTIRQ_IN(2, 140), RECEIVED(2, 150, ETH0, 0xd0),
		SOFTIRQ_OUT(2, 160));
	head = expect_softirq(100, 3, 0);
	CU_ASSERT_EQUAL(head->flags, TIMELINE_NO_SOFTIRQ);
	CU_ASSERT_EQUAL(head->what, 2);
	CU_ASSERT_EQUAL(head->name, 5); /* who polled */
	head = expect_softirq(130, 1, 0);
	CU_ASSERT_EQUAL(head->flags, TIMELINE_NO_SOFTIRQ);
	head = expect_softirq(140, 1, 0);
	CU_ASSERT_EQUAL(head->flags, 0);
	end();
}

/* Each with its begin. The 65th packet of a poll that has no end yet begins another one. */
static void a_whole_poll_in_no_softirq_is_one(void)
{
	struct scene_event events[2 * 65 + 1];
	const struct timeline_item *head;

	for (uint64_t i = 0; i < 65; i++) {
		events[2 * i] = (struct scene_event)AT(
			0, 100 + 10 * i, RECEIVE_BEGIN, ETH0, NO_QUEUE, i, 60, 0);
		events[2 * i + 1] = (struct scene_event)RECEIVED(0, 101 + 10 * i, ETH0, 0x1000 * i);
	}
	events[128] = (struct scene_event)POLLED(0, 900, ETH0, 64);
	play(false, events, 129);
	head = expect_softirq(100, 129, 0);
	expect_item(&head[129], TIMELINE_POLL, 900, UINT64_C(64) << 32 | 64);
	end();
	events[128] = (struct scene_event)AT(0, 740, RECEIVE_BEGIN, ETH0, NO_QUEUE, 64, 60, 0);
	events[130] = (struct scene_event)POLLED(0, 900, ETH0, 1);
	play(false, events, 131);
	expect_softirq(100, 128, 0);
	expect_softirq(740, 3, 0);
	end();
}

static void a_softirq_whose_exit_is_missing_ends_with_the_next(void)
{
	const struct timeline_item *head;

	PLAY_TIMELINE(false, SOFTIRQ_OUT(0, 50), SOFTIRQ_IN(0, 100), RECEIVED(0, 110, ETH0, 0xa0),
		SOFTIRQ_IN(0, 200), SOFTIRQ_OUT(0, 205), SOFTIRQ_IN(0, 210),
		RECEIVED(0, 220, ETH0, 0xb0));
	head = expect_softirq(100, 1, 0);
	CU_ASSERT_EQUAL(head->flags, TIMELINE_NO_EXIT);
	CU_ASSERT_EQUAL(head->end, NEVER);
	head = expect_softirq(210, 1, 0);
	CU_ASSERT_EQUAL(head->flags, TIMELINE_NO_EXIT);
	CU_ASSERT_EQUAL(timeline_counts(timeline)->empty_softirqs, 1);
	end();
}

static void nothing_pairs_across_lost_events(void)
{
	const struct timeline_item *head;

	PLAY_TIMELINE(false, QUEUED(10, ETH0, 0xe0), START(0, 20, ETH0, 0xe0), SOFTIRQ_IN(0, 100),
		RECEIVED(0, 110, ETH0, 0xa0), SOFTIRQ_OUT(0, 120), SOFTIRQ_IN(1, 130),
		RECEIVED(1, 140, ETH0, 0xb0), LOST(0, 150), FREE(0, 160, 0xa0), FREE(0, 170, 0xb0),
		XMIT(0, 175, ETH0, 0xe0, 0), FREE(0, 180, 0xe0), SOFTIRQ_OUT(1, 190));
	head = expect_softirq(100, 1, 0);
	expect_end(&head[1], TIMELINE_UNRESOLVED, NEVER, 0);
	head = expect_softirq(130, 1, 0);
	expect_end(&head[1], TIMELINE_UNRESOLVED, NEVER, 0);
	CU_ASSERT_EQUAL(head->flags, TIMELINE_NO_EXIT);
	expect_packet(10, 20, NEVER, NEVER, TIMELINE_UNRESOLVED);
	end();
}

/* More packets than the journal keeps in memory, of which the first ends last. */
static void an_end_finds_its_packet_however_long_ago(void)
{
	const struct timeline_item *head;
	struct scene_event events[] = { SOFTIRQ_IN(0, 1), RECEIVED(0, 2, ETH0, 0xa0),
		SOFTIRQ_OUT(0, 3), COPIED(900000000, 0xa0, 3) };

	PLAY_TIMELINE(false, events[0], events[1], events[2]);
	for (uint64_t i = 0; i < 70000; i++) {
		struct scene_event later[] = { SOFTIRQ_IN(0, 10 * i + 10),
			RECEIVED(0, 10 * i + 11, ETH0, 0x10000 + 64 * i),
			SOFTIRQ_OUT(0, 10 * i + 12) };

		for (size_t j = 0; j < 3; j++)
			CU_ASSERT_EQUAL_FATAL(timeline_event(timeline, 0, &later[j].event), 0);
	}
	CU_ASSERT_EQUAL_FATAL(timeline_event(timeline, 1, &events[3].event), 0);
	CU_ASSERT_EQUAL_FATAL(timeline_finish(timeline), 0);
	head = expect_softirq(1, 1, 0);
	expect_end(&head[1], TIMELINE_COPIED, 900000000, 3);
	for (uint64_t i = 0; i < 70000; i++) {
		head = next_softirq();
		CU_ASSERT_PTR_NOT_NULL_FATAL(head);
		CU_ASSERT_EQUAL_FATAL(head->time, 10 * i + 10);
		CU_ASSERT_EQUAL_FATAL(head[1].how, TIMELINE_OPEN);
	}
	end();
}

static void a_sent_packet_has_all_its_times(void)
{
	const struct timeline_packet *packet;

	PLAY_TIMELINE(false, QUEUED(100, ETH0, 0xa0), START_ON(3, 150, ETH0, 0xa0),
		XMIT(0, 170, ETH0, 0xa0, 0), QUEUED(200, ETH0, 0xb0), DROP(0, 210, 0xb0, 5),
		FREE(0, 900, 0xa0));
	packet = expect_packet(200, NEVER, NEVER, 210, TIMELINE_DROPPED);
	CU_ASSERT_EQUAL(packet->reason, 5);
	CU_ASSERT_EQUAL(packet->queue, EVENT_QUEUE_UNKNOWN);
	packet = expect_packet(100, 150, 170, 900, TIMELINE_FREED);
	CU_ASSERT_EQUAL(packet->packet, 0xa0);
	CU_ASSERT_EQUAL(packet->len, 60);
	CU_ASSERT_EQUAL(packet->queue, 3);
	CU_ASSERT_EQUAL(packet->device, ETH0);
	end();
}

static void busy_drivers_and_those_that_refuse_are_told_apart(void)
{
	const struct timeline_packet *packet;

	PLAY_TIMELINE(false, QUEUED(100, ETH0, 0xa0), START(0, 110, ETH0, 0xa0),
		XMIT(0, 120, ETH0, 0xa0, BUSY), START(0, 130, ETH0, 0xa0),
		XMIT(0, 140, ETH0, 0xa0, BUSY), START(0, 150, ETH0, 0xa0),
		XMIT(0, 160, ETH0, 0xa0, 0), FREE(0, 170, 0xa0), START(0, 200, ETH0, 0xb0),
		XMIT(0, 210, ETH0, 0xb0, 1), FREE(0, 220, 0xb0), START(0, 300, ETH0, 0xc0),
		ABORT(0, 310, 0xc0));
	packet = expect_packet(100, 150, 160, 170, TIMELINE_FREED);
	CU_ASSERT_EQUAL(packet->retries, 2);
	expect_packet(NEVER, 200, NEVER, 210, TIMELINE_REFUSED);
	expect_packet(NEVER, 300, NEVER, 310, TIMELINE_ABORTED);
	end();
}

/* The return comes after the free, on this CPU or while another is freeing already. */
static void a_return_behind_the_free_finds_its_packet(void)
{
	PLAY_TIMELINE(false, QUEUED(100, ETH0, 0xa0), START(0, 110, ETH0, 0xa0), FREE(1, 115, 0xa0),
		QUEUED(116, ETH1, 0xa0), XMIT(0, 120, ETH0, 0xa0, 0), START(1, 130, ETH1, 0xa0),
		FREE(1, 135, 0xa0), QUEUED(140, ETH1, 0xa0), XMIT(1, 150, ETH1, 0xa0, 0));
	expect_packet(100, 110, 120, 115, TIMELINE_FREED);
	expect_packet(116, 130, NEVER, 135, TIMELINE_FREED); /* another was queued before */
	expect_packet(140, NEVER, 150, NEVER, TIMELINE_OPEN);
	end();
}

/* Also one that is called eth0. */
static void a_veth_delivers_unless_only_frees_count(void)
{
	for (int form = 0; form < 4; form++) {
		bool frees_only = form & 1;
		uint8_t veth = form & 2 ? ETH0 : VETH0;

		PLAY_TIMELINE(frees_only, QUEUED(100, veth, 0xa0), START(0, 110, veth, 0xa0),
			NETIF_RX(0, 115, 0xa0), XMIT(0, 120, veth, 0xa0, 0), SOFTIRQ_IN(0, 130),
			RECEIVED(0, 140, veth, 0xa0), SOFTIRQ_OUT(0, 150), FREE(0, 200, 0xa0));
		(void)expect_softirq(130, 2, 1);
		/* of eth0 the first return must be seen, to know that returns are recorded */
		expect_packet(100, 110, 120,
			frees_only     ? 200
			: veth == ETH0 ? 120
				       : 115,
			frees_only ? TIMELINE_FREED : TIMELINE_DELIVERED);
		end();
	} /* behind its call's return the address is memory used again */
	PLAY_TIMELINE(false, START(0, 110, ETH0, 0xa0), XMIT(0, 120, ETH0, 0xa0, 0),
		NETIF_RX(0, 125, 0xa0), FREE(0, 200, 0xa0));
	expect_packet(NEVER, 110, 120, 200, TIMELINE_FREED);
	end();
	/* and where no return is recorded, it may be so as well */
	PLAY_TIMELINE(false, START(0, 110, ETH0, 0xa0), NETIF_RX(0, 125, 0xa0), FREE(0, 200, 0xa0));
	expect_packet(NEVER, 110, NEVER, 200, TIMELINE_FREED);
	end();
}

/* A bond's packet is its Ethernet device's, and one free ends both; returned, it is an older one's.
 */
static void a_packet_on_its_way_down_is_at_two_devices(void)
{
	PLAY_TIMELINE(false, QUEUED(100, BOND0, 0xa0), START(0, 110, BOND0, 0xa0),
		QUEUED(115, ETH0, 0xa0), START(0, 120, ETH0, 0xa0), XMIT(0, 130, ETH0, 0xa0, 0),
		XMIT(0, 140, BOND0, 0xa0, 0), FREE(0, 200, 0xa0), START(0, 310, ETH0, 0xb0),
		XMIT(0, 320, ETH0, 0xb0, 0), QUEUED(330, ETH1, 0xb0), FREE(0, 340, 0xb0));
	expect_packet(115, 120, 130, 200, TIMELINE_FREED);
	expect_packet(100, 110, 140, 200, TIMELINE_FREED);
	expect_packet(NEVER, 310, 320, NEVER, TIMELINE_UNRESOLVED);
	expect_packet(330, NEVER, NEVER, 340, TIMELINE_FREED);
	end();
}

static void an_address_that_starts_again_leaves_the_older_unresolved(void)
{
	PLAY_TIMELINE(false, START(0, 100, ETH0, 0xa0), XMIT(0, 110, ETH0, 0xa0, 0),
		START(0, 200, ETH0, 0xa0), XMIT(0, 210, ETH0, 0xa0, 0), FREE(0, 300, 0xa0),
		START(0, 400, ETH0, 0xa0));
	expect_packet(NEVER, 100, 110, NEVER, TIMELINE_UNRESOLVED);
	expect_packet(NEVER, 200, 210, 300, TIMELINE_FREED);
	expect_packet(NEVER, 400, NEVER, NEVER, TIMELINE_OPEN);
	end();
}

/* Recordings of 2010: queue, xmit and free; the free may come before the xmit. */
static void without_starts_the_other_times_are_there(void)
{
	PLAY_TIMELINE(false, QUEUED(100, ETH0, 0xa0), XMIT(0, 120, ETH0, 0xa0, 0),
		QUEUED(130, ETH0, 0xb0), FREE(1, 135, 0xb0), XMIT(0, 140, ETH0, 0xb0, 0),
		FREE(0, 200, 0xa0), XMIT(0, 300, ETH0, 0xc0, 0), FREE(0, 310, 0xc0));
	expect_packet(130, NEVER, 140, 135, TIMELINE_FREED);
	expect_packet(100, NEVER, 120, 200, TIMELINE_FREED);
	expect_packet(NEVER, NEVER, 300, 310, TIMELINE_FREED);
	end();
}

static const struct test_case receive[] = {
	{ "an interrupt leads to a softirq, and packets to their end",
		an_interrupt_leads_to_a_softirq_and_packets_to_their_end },
	{ "of two records of an address the older is unresolved",
		of_two_records_of_an_address_the_older_is_unresolved },
	{ "an address can come twice in a softirq", an_address_can_come_twice_in_a_softirq },
	{ "an address that is sent is another packet", an_address_that_is_sent_is_another_packet },
	{ "an interrupt in a softirq belongs to the next",
		an_interrupt_in_a_softirq_belongs_to_the_next },
	{ "an interrupt just behind the entry belongs where its device is polled",
		an_interrupt_just_behind_the_entry_belongs_where_its_device_is_polled },
	{ "only interrupts that raise it lead to a softirq",
		only_interrupts_that_raise_it_lead_to_a_softirq },
	{ "a softirq without an interrupt is shown as such",
		a_softirq_without_an_interrupt_is_shown_as_such },
	{ "polls in no softirq are shown as such", polls_in_no_softirq_are_shown_as_such },
	{ "a whole poll in no softirq is one", a_whole_poll_in_no_softirq_is_one },
	{ "a softirq whose exit is missing ends with the next",
		a_softirq_whose_exit_is_missing_ends_with_the_next },
	{ "nothing pairs across lost events", nothing_pairs_across_lost_events },
	{ "an end finds its packet, however long ago", an_end_finds_its_packet_however_long_ago },
	{ 0 },
};

static const struct test_case transmit[] = {
	{ "a sent packet has all its times", a_sent_packet_has_all_its_times },
	{ "busy drivers and those that refuse are told apart",
		busy_drivers_and_those_that_refuse_are_told_apart },
	{ "a return behind the free finds its packet", a_return_behind_the_free_finds_its_packet },
	{ "a veth delivers unless only frees count", a_veth_delivers_unless_only_frees_count },
	{ "a packet on its way down is at two devices",
		a_packet_on_its_way_down_is_at_two_devices },
	{ "an address that starts again leaves the older unresolved",
		an_address_that_starts_again_leaves_the_older_unresolved },
	{ "without starts the other times are there", without_starts_the_other_times_are_there },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "receive", receive, NULL, NULL },
		{ "transmit", transmit, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
