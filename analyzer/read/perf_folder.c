/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf_folder.h"

#include "heap.h"
#include "perf_header.h"
#include "regular.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATH_BYTES 4096

/* Types of records: linux/perf_event.h; from 64 on they are perf's own, and have no time. */
enum { FIRST_OF_PERF = 64, RECORD_FINISHED_ROUND = 68 };

/* Marks can be as far apart: what is older by so many records has come. */
#define ROUND_RECORDS 4096

struct part {
	unsigned number; /* of data.N */
	bool numbered;   /* else it is `data` itself */
	struct seekable file;
	struct perf_stream *stream;
	struct perf_record record; /* its next one */
	uint64_t time;             /* of the last record that has one */
};

struct perf_folder {
	const struct perf_attrs *attrs;
	struct part *parts;
	size_t part_count;
	bool several;     /* parts: rounds are made here. Else `data` is as any other perf.data */
	struct heap heap; /* of parts that have a record */
	bool handed_out;  /* the top's record: another one is to be read */
	unsigned since_round;
	char trouble[160];
};

static int open_in(const char *folder, const char *name)
{
	char path[PATH_BYTES];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return regular_open(path);
}

bool perf_folder_is(const char *path)
{
	char magic[8] = "";
	int fd = open_in(path, PERF_FOLDER_DATA);

	if (fd < 0)
		return false;
	if (pread(fd, magic, sizeof(magic), 0) != sizeof(magic))
		magic[0] = '\0';
	close(fd);
	return !memcmp(magic, PERF_MAGIC, 8) || !memcmp(magic, PERF_MAGIC_BIG_ENDIAN, 8);
}

/* The number of a part's name, or -1. */
static int number_of(const char *name)
{
	size_t digits = 0;

	if (strncmp(name, "data.", 5) != 0)
		return -1;
	name += 5;
	digits = strspn(name, "0123456789");
	if (!digits || digits > 6 || name[digits] || (digits > 1 && *name == '0'))
		return -1;
	return atoi(name);
}

static int compare_parts(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	if (a->numbered != b->numbered)
		return a->numbered ? 1 : -1;
	return (a->number > b->number) - (a->number < b->number);
}

static int add_part(struct perf_folder *folder, const struct part *part, struct diag *diag)
{
	struct part *parts;

	if (folder->part_count == PERF_FOLDER_PARTS_MOST)
		return diag_set(diag, -EINVAL, "it has more than %d files", PERF_FOLDER_PARTS_MOST);
	if (!(folder->part_count & (folder->part_count - 1))) { /* it doubles */
		size_t room = folder->part_count ? 2 * folder->part_count : 1;

		parts = realloc(folder->parts, room * sizeof(*parts));
		if (!parts)
			return -ENOMEM;
		folder->parts = parts;
	}
	folder->parts[folder->part_count++] = *part;
	return 0;
}

/* Finds the parts, in the order of their numbers. */
static int find_parts(struct perf_folder *folder, const char *path, struct diag *diag)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int error = dir ? 0 : diag_set(diag, -EINVAL, "can't be read: %s", strerror(errno));

	while (!error && (entry = readdir(dir))) {
		int number = number_of(entry->d_name);
		struct part part = { .number = (unsigned)number, .numbered = true, .file.fd = -1 };

		if (number >= 0)
			error = add_part(folder, &part, diag);
	}
	if (dir)
		closedir(dir);
	qsort(folder->parts, folder->part_count, sizeof(*folder->parts), compare_parts);
	folder->several = folder->part_count > 1;
	for (unsigned i = 1; i < folder->part_count && !folder->trouble[0]; i++) {
		if (folder->parts[i].number != i - 1)
			snprintf(folder->trouble, sizeof(folder->trouble),
				"its file data.%u isn't there", i - 1);
	}
	return error;
}

static int open_part(struct perf_folder *folder, const char *path, struct part *part)
{
	struct input *input;
	char name[16];
	int error;

	snprintf(name, sizeof(name), "data.%u", part->number);
	error = open_in(path, name);
	if (error >= 0)
		error = input_open_descriptor(error, &input);
	if (!error)
		error = seekable_open(&part->file, input);
	if (error)
		part->file.fd = -1;
	return error ? error
		     : perf_stream_open_file(&part->stream, &part->file, 0, part->file.bytes,
			       folder->attrs->big_endian);
}

static int open_parts(struct perf_folder *folder, const char *path, struct diag *diag)
{
	int error = find_parts(folder, path, diag);

	for (size_t i = 1; i < folder->part_count && !error; i++) {
		struct part *part = &folder->parts[i];

		error = open_part(folder, path, part);
		if (error == -EINVAL)
			diag_set(diag, error, "its file data.%u is no regular file", part->number);
		else if (error && error != -ENOMEM)
			error = diag_set(diag, -EINVAL, "its file data.%u can't be read: %s",
				part->number, strerror(-error));
	}
	return error;
}

/* The time of a record; of one that has none, that of the one before. */
static uint64_t time_of(const struct perf_folder *folder, const struct part *part)
{
	const struct perf_record *record = &part->record;
	bool big_endian = folder->attrs->big_endian, sample = record->type == PERF_SAMPLE;
	const struct perf_layout *layout =
		sample ? perf_attrs_sample(folder->attrs, record->data, record->bytes)
		       : perf_attrs_end(folder->attrs, record->data, record->bytes);
	size_t before = 0;

	if (layout && sample && layout->time && record->bytes >= layout->time + 8U)
		before = record->bytes - layout->time;
	else if (layout && !sample && record->type < FIRST_OF_PERF &&
		 record->bytes >= PERF_HEAD_BYTES + (size_t)layout->end_time)
		before = layout->end_time;
	if (before) {
		uint64_t time = bytes_64(record->data + record->bytes - before, big_endian);

		return time > part->time ? time : part->time;
	}
	return part->time;
}

static void note_trouble(struct perf_folder *folder, const struct part *part)
{
	const char *trouble = perf_stream_trouble(part->stream);

	if (!trouble || folder->trouble[0])
		return;
	if (part->numbered)
		snprintf(folder->trouble, sizeof(folder->trouble), "in data.%u %.120s",
			part->number, trouble);
	else
		snprintf(folder->trouble, sizeof(folder->trouble), "in data %.120s", trouble);
}

static int name_part(const struct part *part, int error, struct diag *diag)
{
	struct diag what = *diag;

	if (error != -EINVAL)
		return error;
	if (part->numbered)
		return diag_set(diag, error, "in data.%u %.200s", part->number, what.text);
	return diag_set(diag, error, "in data %.200s", what.text);
}

/* Reads a part's next record. 1; 0 at its end; or a negative errno. */
static int read_part(struct perf_folder *folder, struct part *part, struct diag *diag)
{
	int status;

	do {
		status = perf_stream_next(part->stream, &part->record, diag);
	} while (status == 1 && folder->several && part->record.type == RECORD_FINISHED_ROUND);
	if (status == 1)
		part->time = time_of(folder, part);
	else if (!status)
		note_trouble(folder, part);
	return status < 0 ? name_part(part, status, diag) : status;
}

static int start(struct perf_folder *folder, struct diag *diag)
{
	if (heap_create(&folder->heap, folder->part_count))
		return -ENOMEM;
	for (uint32_t i = 0; i < folder->part_count; i++) {
		int status = read_part(folder, &folder->parts[i], diag);

		if (status < 0)
			return status;
		if (status)
			heap_push(&folder->heap,
				(struct heap_entry){ .time = folder->parts[i].time, .item = i });
	}
	return 0;
}

int perf_folder_open(struct perf_folder **opened, const char *path, struct perf_stream *data,
	const struct perf_attrs *attrs, struct diag *diag)
{
	struct perf_folder *folder = calloc(1, sizeof(*folder));
	struct part part = { .stream = data, .file.fd = -1 };
	int error = folder ? add_part(folder, &part, diag) : -ENOMEM;

	*opened = NULL;
	if (error) {
		perf_stream_close(data);
		free(folder);
		return error;
	}
	folder->attrs = attrs;
	error = open_parts(folder, path, diag);
	if (!error)
		error = start(folder, diag);
	if (error)
		perf_folder_close(folder);
	else
		*opened = folder;
	return error;
}

/* Goes on from the record that was handed out. 0 or a negative errno. */
static int advance(struct perf_folder *folder, struct diag *diag)
{
	uint32_t number = folder->heap.entries[0].item;
	struct part *part = &folder->parts[number];
	int status = read_part(folder, part, diag);

	if (status < 0)
		return status;
	if (status)
		heap_replace_top(
			&folder->heap, (struct heap_entry){ .time = part->time, .item = number });
	else
		heap_pop(&folder->heap);
	folder->handed_out = false;
	return 0;
}

int perf_folder_next(struct perf_folder *folder, struct perf_record *record,
	struct perf_stream **stream, struct diag *diag)
{
	const struct part *part;

	if (folder->several && ++folder->since_round > ROUND_RECORDS) {
		static const uint8_t head[PERF_HEAD_BYTES] = { 0 };

		folder->since_round = 0;
		*record = (struct perf_record){ head, sizeof(head), RECORD_FINISHED_ROUND };
		return 1;
	}
	if (folder->handed_out) {
		int error = advance(folder, diag);

		if (error)
			return error;
	}
	if (!folder->heap.count)
		return 0;
	part = &folder->parts[folder->heap.entries[0].item];
	*record = part->record;
	*stream = part->stream;
	folder->handed_out = true;
	return 1;
}

const char *perf_folder_trouble(const struct perf_folder *folder)
{
	return folder->trouble[0] ? folder->trouble : NULL;
}

void perf_folder_close(struct perf_folder *folder)
{
	if (!folder)
		return;
	for (size_t i = 0; i < folder->part_count; i++) {
		struct part *part = &folder->parts[i];

		perf_stream_close(part->stream);
		if (part->file.input)
			seekable_close(&part->file);
	}
	heap_free(&folder->heap);
	free(folder->parts);
	free(folder);
}
