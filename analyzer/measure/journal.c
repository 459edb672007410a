/* SPDX-License-Identifier: BSD-3-Clause */
#include "journal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

int journal_create(struct journal *journal, size_t record_bytes, size_t records)
{
	*journal = (struct journal){ .record_bytes = record_bytes, .room = records };
	journal->recent = malloc(record_bytes * records);
	return journal->recent ? 0 : -ENOMEM;
}

/* All bytes at their place in the file, to it or from it. 0 or a negative errno. */
static int transfer(struct journal *journal, void *bytes, size_t count, uint64_t at, bool write)
{
	int fd = fileno(journal->file);
	char *p = bytes;

	while (count) {
		ssize_t done =
			write ? pwrite(fd, p, count, (off_t)at) : pread(fd, p, count, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		p += done;
		at += (uint64_t)done;
		count -= (size_t)done;
	}
	return 0;
}

static unsigned char *place(const struct journal *journal, uint64_t number)
{
	return journal->recent + (number & (journal->room - 1)) * journal->record_bytes;
}

/* How many of the records from this one on, of so many, stand together in memory. */
static size_t together(const struct journal *journal, uint64_t number, size_t count)
{
	size_t to_end = journal->room - (size_t)(number & (journal->room - 1));

	return count < to_end ? count : to_end;
}

/* Writes the oldest records in memory, so many. */
static int spill(struct journal *journal, size_t records)
{
	if (!journal->file) {
		journal->file = tmpfile();
		if (!journal->file)
			return -errno;
	}
	while (records) {
		size_t some = together(journal, journal->written, records);
		int error = transfer(journal, place(journal, journal->written),
			some * journal->record_bytes, journal->written * journal->record_bytes,
			true);

		if (error)
			return error;
		journal->written += some;
		records -= some;
	}
	return 0;
}

int journal_append_slowly(struct journal *journal, const void *records, size_t count)
{
	const unsigned char *from = records;

	while (count) {
		size_t used = (size_t)(journal->count - journal->written);
		size_t some = together(journal, journal->count,
			journal->room - used < count ? journal->room - used : count);

		memcpy(place(journal, journal->count), from, some * journal->record_bytes);
		journal->count += some;
		from += some * journal->record_bytes;
		count -= some;
		if (used + some == journal->room) {
			/* half of them stay: most changes are to records that are young */
			int error = spill(journal, journal->room / 2);

			if (error)
				return error;
		}
	}
	return 0;
}

int journal_change(
	struct journal *journal, uint64_t number, size_t at, const void *bytes, size_t count)
{
	if (number >= journal->written) {
		memcpy(place(journal, number) + at, bytes, count);
		return 0;
	}
	return transfer(journal, (void *)(uintptr_t)bytes, count,
		number * journal->record_bytes + at, true);
}

/* Fills the memory with the records from the next one on. From now on all are in the file. */
static int load(struct journal *journal)
{
	uint64_t left = journal->count - journal->next;
	size_t records = left < journal->room ? (size_t)left : journal->room;
	int error = 0;

	if (journal->written < journal->count)
		error = spill(journal, (size_t)(journal->count - journal->written));
	journal->window = journal->next;
	journal->loaded = records;
	if (error)
		return error;
	return transfer(journal, journal->recent, records * journal->record_bytes,
		journal->next * journal->record_bytes, false);
}

int journal_look_for(struct journal *journal, size_t count, const void **records)
{
	*records = NULL;
	if (count > journal->count - journal->next)
		return 0;
	if (!journal->file)
		journal->loaded = (size_t)journal->count;
	if (journal->next - journal->window + count > journal->loaded) {
		int error = load(journal);

		if (error)
			return error;
	}
	*records = journal->recent + (journal->next - journal->window) * journal->record_bytes;
	return 0;
}

void journal_destroy(struct journal *journal)
{
	free(journal->recent);
	if (journal->file)
		fclose(journal->file);
	*journal = (struct journal){ 0 };
}
