/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver's receive log, as tg3 had one in 2005: what handing up each packet cost, in ticks of
 * 32 bits, in a ring that holds the newest. The highest bit marks packets that sent something from
 * inside the receive path, so ticks have 31.
 */
#ifndef SIM_RECEIVER_RECEIVE_LOG_H
#define SIM_RECEIVER_RECEIVE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define RECEIVE_LOG_ENTRIES 16384
#define RECEIVE_LOG_SENT    (UINT32_C(1) << 31)
#define RECEIVE_LOG_MOST    (RECEIVE_LOG_SENT - 1) /* ticks; what takes longer is this */

/* All zero is empty. */
struct receive_log {
	uint64_t written; /* entries, the overwritten ones too */
	uint32_t entry[RECEIVE_LOG_ENTRIES];
};

static inline void receive_log_add(struct receive_log *log, uint64_t ticks, bool sent)
{
	uint32_t entry = ticks < RECEIVE_LOG_MOST ? (uint32_t)ticks : RECEIVE_LOG_MOST;

	log->entry[log->written++ % RECEIVE_LOG_ENTRIES] = entry | (sent ? RECEIVE_LOG_SENT : 0);
}

/* How many entries there are to read. */
static inline unsigned receive_log_count(const struct receive_log *log)
{
	return log->written < RECEIVE_LOG_ENTRIES ? (unsigned)log->written : RECEIVE_LOG_ENTRIES;
}

/* The entry that was written `age` entries before the newest; age is below receive_log_count. */
static inline uint32_t receive_log_entry(const struct receive_log *log, unsigned age)
{
	return log->entry[(log->written - 1 - age) % RECEIVE_LOG_ENTRIES];
}

#endif
