/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the record heads of a perf.data can be gone through at all, from a mapping: the ceiling
 * for a reader. walk_perf FILE; prints the number of samples and the CPU seconds.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#define TYPE_SAMPLE 9

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t walk(const uint8_t *record, const uint8_t *end)
{
	uint64_t samples = 0;

	while (end - record >= 8) {
		uint32_t type;
		uint16_t size;

		memcpy(&type, record, sizeof(type));
		memcpy(&size, record + 6, sizeof(size));
		if (size < 8)
			break;
		samples += type == TYPE_SAMPLE;
		record += size;
	}
	return samples;
}

int main(int argc, char **argv)
{
	double begin = cpu_s();
	uint64_t offset, bytes, samples;
	struct stat status;
	uint8_t *map;
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0 || fstat(fd, &status) || status.st_size < 104) {
		fprintf(stderr, "usage: walk_perf FILE\n");
		return 1;
	}
	map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return 1;
	memcpy(&offset, map + 40, sizeof(offset));
	memcpy(&bytes, map + 48, sizeof(bytes));
	if (offset > (uint64_t)status.st_size || bytes > (uint64_t)status.st_size - offset)
		return 1;
	samples = walk(map + offset, map + offset + bytes);
	printf("%" PRIu64 " %.6f\n", samples, cpu_s() - begin);
	return 0;
}
