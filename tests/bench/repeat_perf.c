/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a long perf.data of a short one: repeat_perf FILE TIMES OUT. Its samples and its marks of
 * finished rounds come TIMES times, each time later by as much as the file lasts; all other records
 * come once. (A file that perf record wrote on this machine, not compressed, of tracepoints only.)
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* perf's Documentation/perf.data-file-format.txt */
#define HEADER_BYTES 104
#define ATTRS_AT     24 /* offset and size of the section, which begins with an attr */
#define DATA_AT      40
#define FEATURES_AT  72 /* 256 bits: as many sections' offsets and sizes stand behind the data */
/* linux/perf_event.h */
#define TYPE_SAMPLE        9
#define FINISHED_ROUND     68
#define SAMPLE_IP          (1 << 0)
#define SAMPLE_TID         (1 << 1)
#define SAMPLE_TIME        (1 << 2)
#define SAMPLE_IDENTIFIER  (1 << 16)
#define ATTR_SAMPLE_TYPE   24
#define RECORD_HEAD_BYTES  8
#define BETWEEN_REPEATS_NS 1000

struct file {
	uint8_t *map;
	uint64_t bytes, data, data_end;
	uint64_t time_at; /* in a sample's record */
};

static uint64_t word(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void add_to_word(uint8_t *at, uint64_t more)
{
	more += word(at);
	memcpy(at, &more, sizeof(more));
}

/* Mapped for this process to write in, which doesn't change the file. */
static int map_file(struct file *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	uint64_t attr, type;

	if (fd < 0 || fstat(fd, &status) || status.st_size < HEADER_BYTES)
		return -1;
	file->bytes = (uint64_t)status.st_size;
	file->map = mmap(NULL, file->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (file->map == MAP_FAILED || memcmp(file->map, "PERFILE2", 8) != 0)
		return -1;
	file->data = word(file->map + DATA_AT);
	file->data_end = file->data + word(file->map + DATA_AT + 8);
	attr = word(file->map + ATTRS_AT);
	if (file->data_end > file->bytes || attr + ATTR_SAMPLE_TYPE + 8 > file->bytes)
		return -1;
	type = word(file->map + attr + ATTR_SAMPLE_TYPE);
	file->time_at = RECORD_HEAD_BYTES;
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t before[] = { SAMPLE_IDENTIFIER, SAMPLE_IP, SAMPLE_TID };

		file->time_at += type & before[i] ? 8 : 0;
	}
	return type & SAMPLE_TIME ? 0 : -1;
}

static uint32_t type_of(const uint8_t *record)
{
	uint32_t type;

	memcpy(&type, record, sizeof(type));
	return type;
}

static uint16_t size_of(const uint8_t *record)
{
	uint16_t size;

	memcpy(&size, record + 6, sizeof(size));
	return size < RECORD_HEAD_BYTES ? RECORD_HEAD_BYTES : size;
}

/* How long the file lasts, and how many bytes of it are repeated. */
static void survey(const struct file *file, uint64_t *lasts, uint64_t *repeated)
{
	uint64_t first = UINT64_MAX, last = 0;

	*repeated = 0;
	for (uint64_t at = file->data; at < file->data_end; at += size_of(file->map + at)) {
		const uint8_t *record = file->map + at;
		uint64_t time = word(record + file->time_at);

		if (type_of(record) == TYPE_SAMPLE || type_of(record) == FINISHED_ROUND)
			*repeated += size_of(record);
		if (type_of(record) != TYPE_SAMPLE)
			continue;
		first = time < first ? time : first;
		last = time > last ? time : last;
	}
	*lasts = last - first + BETWEEN_REPEATS_NS;
}

static void write_data(struct file *file, unsigned times, uint64_t lasts, FILE *out)
{
	for (unsigned i = 0; i < times; i++) {
		for (uint64_t at = file->data; at < file->data_end; at += size_of(file->map + at)) {
			uint8_t *record = file->map + at;
			uint32_t type = type_of(record);

			if (type == TYPE_SAMPLE && i)
				add_to_word(record + file->time_at, lasts);
			if (type == TYPE_SAMPLE || type == FINISHED_ROUND || !i)
				fwrite(record, 1, size_of(record), out);
		}
	}
}

/* What is behind the data moves, and so do the sections that its table names. */
static void move_features(struct file *file, uint64_t more)
{
	unsigned sections = 0;

	for (unsigned i = 0; i < 4; i++)
		sections += (unsigned)__builtin_popcountll(word(file->map + FEATURES_AT + 8 * i));
	for (unsigned i = 0; i < sections; i++)
		add_to_word(file->map + file->data_end + 16 * i, more);
	add_to_word(file->map + DATA_AT + 8, more);
}

int main(int argc, char **argv)
{
	struct file file;
	uint64_t lasts, repeated;
	unsigned times;
	FILE *out;

	if (argc != 4 || map_file(&file, argv[1])) {
		fprintf(stderr, "usage: repeat_perf FILE TIMES OUT\n");
		return 2;
	}
	times = (unsigned)strtoul(argv[2], NULL, 10);
	survey(&file, &lasts, &repeated);
	move_features(&file, (times - 1) * repeated);
	out = fopen(argv[3], "we");
	if (!out)
		return 1;
	fwrite(file.map, 1, file.data, out);
	write_data(&file, times, lasts, out);
	fwrite(file.map + file.data_end, 1, file.bytes - file.data_end, out);
	return ferror(out) | fclose(out) ? 1 : 0;
}
