/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A journal: records of one size, written in sequence and read back in the same sequence once all
 * are written. Meanwhile a record can be changed by its number: what happens to a packet in the end
 * is known long after the record of its arrival was written. Only the newest records are in memory;
 * older ones are in a temporary file that has no name.
 */
#ifndef ANALYZER_MEASURE_JOURNAL_H
#define ANALYZER_MEASURE_JOURNAL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define JOURNAL_RECORDS ((size_t)64 * 1024) /* in memory at most */

struct journal {
	size_t record_bytes;
	unsigned char *recent; /* a ring: the records from `written` on, by the low bits of their
				  number. Once reading begins: those from `window` on */
	size_t room;           /* records */
	uint64_t written;      /* records in the file */
	uint64_t count;        /* of all */
	FILE *file;            /* NULL: nothing has been written */
	uint64_t next;         /* to be read */
	uint64_t window;       /* the first of those that were read back into `recent` */
	size_t loaded;         /* how many were */
};

/* `records` is how many are kept in memory at most, a power of 2 from 2 on. 0 or -ENOMEM. */
int journal_create(struct journal *journal, size_t record_bytes, size_t records);

/* journal_append where the ring would be full, or they wouldn't stand in a row. */
int journal_append_slowly(struct journal *journal, const void *records, size_t count);

/*
 * Appends records, of which the first gets the number that journal->count was before. 0 or a
 * negative errno.
 */
static inline int journal_append(struct journal *journal, const void *records, size_t count)
{
	size_t at = (size_t)(journal->count & (journal->room - 1));

	if (journal->count - journal->written + count >= journal->room ||
		at + count > journal->room)
		return journal_append_slowly(journal, records, count);
	memcpy(journal->recent + at * journal->record_bytes, records,
		count * journal->record_bytes);
	journal->count += count;
	return 0;
}

/* Changes bytes of a record. 0 or a negative errno. */
int journal_change(
	struct journal *journal, uint64_t number, size_t at, const void *bytes, size_t count);

/* journal_look where they aren't in memory, or there are none. */
int journal_look_for(struct journal *journal, size_t count, const void **records);

/*
 * The next records in sequence, so many, of which there is room for in memory; where there are
 * fewer, *records is NULL. Nothing can be appended or changed any more. They are valid until the
 * next call and come again in it unless they are taken. 0 or a negative errno.
 */
static inline int journal_look(struct journal *journal, size_t count, const void **records)
{
	size_t at = (size_t)(journal->next - journal->window);

	if (at + count > journal->loaded)
		return journal_look_for(journal, count, records);
	*records = journal->recent + at * journal->record_bytes;
	return 0;
}

static inline void journal_take(struct journal *journal, size_t count)
{
	journal->next += count;
}

/* Frees memory and file. */
void journal_destroy(struct journal *journal);

#endif
