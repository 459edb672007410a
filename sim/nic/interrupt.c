/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a write-back to the interrupt line: first the delay timers TIDV and TADV hold the cause
 * back, then the throttle keeps a gap between interrupts (82574 datasheet, 7.4.4 and 10.2.4.2).
 */
#include "device.h"

/* An enabled cause raises the line at once after a quiet time, else when the gap is over. */
static void schedule(struct nic *nic, uint64_t now)
{
	struct nic_interrupt *irq = &nic->irq;

	if (irq->raise_at == CYCLES_NEVER && irq->cause & irq->mask)
		irq->raise_at = now > irq->open_at ? now : irq->open_at;
}

void interrupt_cause(struct nic *nic, uint32_t cause, uint64_t now)
{
	nic->irq.cause |= cause;
	schedule(nic, now);
}

/*
 * A packet with IDE was sent, or one was received: the packet delay starts again, the
 * absolute one only if it isn't running. A packet delay of 0 turns both off.
 */
void interrupt_delayed(struct nic *nic, struct nic_delay *delay, uint64_t now)
{
	if (!delay->packet) {
		interrupt_cause(nic, delay->cause, now);
		return;
	}
	delay->packet_at = now + delay->packet;
	if (delay->absolute && delay->absolute_at == CYCLES_NEVER)
		delay->absolute_at = now + delay->absolute;
}

/* One of the two has run out: both stop, what is pending is written back, the cause is set. */
void interrupt_delay_over(struct nic *nic, struct nic_delay *delay, uint64_t now)
{
	delay->packet_at = delay->absolute_at = CYCLES_NEVER;
	if (delay == &nic->irq.tx)
		nic->write_back(nic, now);
	interrupt_cause(nic, delay->cause, now);
}

static void emit_entry(struct nic *nic, uint64_t now)
{
	const struct nic_config *config = &nic->config;
	struct event event = { .time = now,
		.id = EVENT_IRQ_ENTRY,
		.device = config->device,
		.queue = EVENT_NO_QUEUE,
		.arg = config->irq_entry };

	if (config->irq_entry)
		event_emit(config->sink, config->sink_cpu, event);
}

static inline __attribute__((always_inline)) void raise_line(
	struct nic *nic, uint64_t now, const bool traced)
{
	struct nic_interrupt *irq = &nic->irq;

	irq->raise_at = CYCLES_NEVER;
	if (!(irq->cause & irq->mask)) /* read or masked in the meantime */
		return;
	irq->open_at = now + irq->gap;
	nic->stats.interrupts++;
	if (fault_loses(nic, NIC_FAULT_IRQ_LOSS, now)) {
		nic->stats.interrupts_lost++;
		return;
	}
	if (traced && !irq->raised) /* else nobody has come since the line went up */
		emit_entry(nic, now);
	irq->raised = true;
	irq->raised_at = now;
}

void interrupt_raise_traced(struct nic *nic, uint64_t now)
{
	raise_line(nic, now, true);
}

void interrupt_raise_untraced(struct nic *nic, uint64_t now)
{
	raise_line(nic, now, false);
}
