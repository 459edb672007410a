/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device on a bench: a ring of 16 descriptors that the test fills by hand, and a record of the
 * events and interrupts that come of it. A cycle is a nanosecond unless the test says otherwise.
 */
#ifndef TESTS_SIM_NIC_RIG_H
#define TESTS_SIM_NIC_RIG_H

#include "cycles.h"
#include "harness.h"
#include "nic.h"
#include <string.h>

#define RIG_RING        16
#define RIG_EVENTS_MOST 4096

/* What the driver puts into a packet's only descriptor; SEND_DELAYED lets TIDV and TADV hold it. */
#define SEND         (TXD_CMD_EOP | TXD_CMD_IFCS | TXD_CMD_RS | TXD_CMD_DEXT | TXD_DTYP_DATA)
#define SEND_DELAYED (SEND | TXD_CMD_IDE)

struct rig {
	struct event_sink sink;
	struct nic_config config;
	struct nic *nic;
	union tx_desc ring[RIG_RING];
	uint32_t tail;
	struct event events[RIG_EVENTS_MOST];
	unsigned event_count, last_cpu;
};

static inline void rig_emit(struct event_sink *sink, unsigned cpu, uint64_t time, uint64_t what,
	uint64_t packet, uint64_t arg)
{
	struct rig *rig = (struct rig *)sink;

	rig->last_cpu = cpu;
	if (rig->event_count < RIG_EVENTS_MOST)
		rig->events[rig->event_count++] = event_of(time, what, packet, arg);
}

/* 1 GHz, 1 Gbit/s, and nothing else takes time. */
static inline struct nic_config rig_config(void)
{
	return (struct nic_config){ .hz = CYCLES_NS_PER_S, .line_rate_mbps = 1000, .device = 3 };
}

/* The device as after the driver's set-up at time 0, but with all interrupts masked. */
static inline void rig_start(struct rig *rig, const struct nic_config *config)
{
	uintptr_t base = (uintptr_t)rig->ring;

	memset(rig, 0, sizeof(*rig));
	rig->sink.emit = rig_emit;
	rig->config = *config;
	rig->config.sink = &rig->sink;
	rig->config.sink_cpu = 7;
	rig->nic = nic_create(&rig->config);
	CU_ASSERT_PTR_NOT_NULL_FATAL(rig->nic);
	nic_write(rig->nic, REG_TDBAL, (uint32_t)base, 0);
	nic_write(rig->nic, REG_TDBAH, (uint32_t)((uint64_t)base >> 32), 0);
	nic_write(rig->nic, REG_TDLEN, sizeof(rig->ring), 0);
	nic_write(rig->nic, REG_TCTL, TCTL_EN | TCTL_PSP, 0);
}

static inline void rig_end(struct rig *rig)
{
	nic_destroy(rig->nic);
	rig->nic = NULL;
}

/* Fills the descriptor at the tail, without telling the device. */
static inline void rig_post(struct rig *rig, uint64_t buffer, uint32_t cmd_length)
{
	rig->ring[rig->tail].data.buffer_addr = buffer;
	rig->ring[rig->tail].data.cmd_length = cmd_length;
	rig->ring[rig->tail].data.status = 0;
	rig->tail = (rig->tail + 1) % RIG_RING;
}

static inline void rig_write_tail(struct rig *rig, uint64_t now)
{
	nic_write(rig->nic, REG_TDT, rig->tail, now);
}

/* A packet in one descriptor, handed over at once. */
static inline void rig_send(struct rig *rig, uint32_t command, uint32_t bytes, uint64_t now)
{
	rig_post(rig, 0x1000, command | bytes);
	rig_write_tail(rig, now);
}

static inline bool rig_done(const struct rig *rig, uint32_t index)
{
	return rig->ring[index].data.status & TXD_STAT_DD;
}

/* Advances; returns when an interrupt was raised, 0 if none was. */
static inline uint64_t rig_advance(struct rig *rig, uint64_t now)
{
	uint64_t raised = 0;

	nic_advance(rig->nic, now);
	return nic_take_interrupt(rig->nic, &raised) ? raised : 0;
}

/* Goes from deadline to deadline up to `until`; returns when an interrupt was raised, 0: never. */
static inline uint64_t rig_run(struct rig *rig, uint64_t until)
{
	while (nic_deadline(rig->nic) <= until) {
		uint64_t raised = rig_advance(rig, nic_deadline(rig->nic));

		if (raised)
			return raised;
	}
	nic_advance(rig->nic, until);
	return 0;
}

#endif
