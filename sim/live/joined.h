/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two interfaces joined through two modelled NICs, back to back. What the kernel sends on one
 * side's descriptor goes to that side's driver, through its NIC's transmit ring, over the wire into
 * the other NIC's receive ring, and when that one's interrupt is served, to the other descriptor:
 *
 *     kernel - descriptor - driver - NIC ==== NIC - driver - descriptor - kernel
 *
 * As everywhere in the model, the caller says what time it is. A descriptor that can't be read
 * without waiting, or written, says EAGAIN; a frame is a read or a write. Any descriptor that keeps
 * frames apart will do, as a socket does in tests.
 */
#ifndef SIM_LIVE_JOINED_H
#define SIM_LIVE_JOINED_H

#include "e1000e.h"
#include "nic.h"
#include "scenario.h"

#define LIVE_SIDES  2
#define LIVE_WEIGHT 64 /* frames that a poll may receive: the kernel's NAPI_POLL_WEIGHT */

/* All that happens to the frames of one direction, in the order in which it does. */
struct live_account {
	uint64_t read;        /* frames that the kernel sent and the driver was offered */
	uint64_t too_long;    /* read, but longer than TAP_FRAME_MOST: dropped */
	uint64_t read_errors; /* times that reading failed */
	uint64_t sent;        /* on the wire */
	uint64_t unsent;      /* in the transmit ring when the device was closed */
	uint64_t missed;      /* had no receive buffer on the other side, or no use for it */
	uint64_t received;    /* by the driver on the other side: the model's deliveries */
	uint64_t unfetched;   /* in its receive ring when it was closed */
	uint64_t written;     /* to the descriptor on the other side */
	uint64_t write_full;  /* the kernel had no room for them */
	uint64_t write_errors;
	uint64_t write_errno; /* of the last one */
};

/* Is every frame of it accounted for? */
bool live_account_reconciles(const struct live_account *account);

/* One interface with its driver and device. */
struct side {
	int fd;
	bool readable;  /* as far as is known, there is a frame to read */
	bool gone;      /* the interface was deleted */
	bool scheduled; /* its poll has to run; its interrupts are masked */
	struct nic *nic;
	struct e1000e_port *driver;
	struct side *other;
	struct joined *joined;
	struct rte_mbuf *held;       /* the driver had no room for it after all */
	struct live_account account; /* of frames from here to the other side */
	uint64_t in_device_max;      /* reset by who reads it */
	uint64_t interrupts;         /* served */
	uint64_t raised_at;          /* the last of them */
	uint64_t least_gap;          /* between two, cycles; CYCLES_NEVER: there were no two */
};

struct joined {
	struct side side[LIVE_SIDES];
	struct rte_mempool *tx_pool, *rx_pool;
	struct event_sink *sink;
};

/* Memory that the packets take, in MiB: what DPDK's environment must have to give. */
uint64_t joined_mib(const struct scenario *scenario);

/*
 * Makes both sides as the scenario has them; faults begin from `now` on. Their devices have the
 * numbers 0 and 1 in events, all of which go to the stream of CPU 0 in the order of their time.
 * The descriptors stay the caller's. Returns 0, -EINVAL or -ENOMEM; closed or not, joined_close
 * must follow.
 */
int joined_open(struct joined *joined, const struct scenario *scenario, const int fd[LIVE_SIDES],
	uint64_t hz, struct event_sink *sink, uint64_t now);

/* Closes drivers and devices; what was still in them is in the accounts afterwards. */
void joined_close(struct joined *joined, uint64_t now);

/* Executes all that both devices do by `now`, and takes the interrupts that they raise. */
void joined_advance(struct joined *joined, uint64_t now);

/* When a device has something to do next; CYCLES_NEVER: when it is given something. */
uint64_t joined_deadline(const struct joined *joined);

/* Nothing is in the rings, and nothing is to be done. */
bool joined_is_idle(const struct joined *joined);

/* Would the driver take a frame? Only then the descriptor is read: the rest waits in the kernel. */
static inline bool side_has_room(const struct side *side)
{
	return !side->driver->tx.stopped;
}

/* Packets that driver and device own. */
static inline uint64_t side_in_device(const struct side *side)
{
	return side->driver->stats.queued - side->driver->stats.packets;
}

/*
 * Hands one frame from the descriptor to the driver. Returns false if there is no room, or nothing
 * to read. The devices must have been advanced to `now`, here and below.
 */
bool side_transmit(struct side *side, uint64_t now);

/*
 * If its poll has to run: takes back what was sent, and writes up to LIVE_WEIGHT received frames to
 * the descriptor. With fewer than that the interrupts are enabled again.
 */
void side_poll(struct side *side, uint64_t now);

/* Reads what the kernel still has, `most` frames at most, for nobody. Returns how many. */
uint64_t side_discard(struct side *side, uint64_t most);

#endif
