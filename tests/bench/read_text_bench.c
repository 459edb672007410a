/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast are texts read? Reads a made text of 2 M events as perf script prints them (a quarter
 * each of queue, start_xmit, xmit and consume_skb), in order and with CPU 1's half behind CPU 0's.
 * Where perf is installed, also has perf script print a perf.data and reads what it printed.
 *
 * read_text_bench [PERF.DATA]. Ends with 1 if reading takes a CPU second or more for 2 M events, or
 * longer than perf script took to print.
 */
#include "reader.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EVENTS             2000000
#define EVENTS_PER_S_LEAST 2e6
#define RUNS               3

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void print_event(FILE *out, unsigned number)
{
	unsigned packet = number / 4, cpu = packet % 2;
	uint64_t address = UINT64_C(0xffff888104a00000) + 256 * (packet % 4096);
	char time[32];

	snprintf(time, sizeof(time), "%5u.%06u", 100 + number / 1000000, number % 1000000);
	fprintf(out, "%16s %5d [%03u] %s: ", "netperf", 2200, cpu, time);
	switch (number % 4) {
	case 0:
		fprintf(out, "     net:net_dev_queue: dev=eth0 skbaddr=0x%" PRIx64 " len=43\n",
			address);
		break;
	case 1:
		fprintf(out,
			"net:net_dev_start_xmit: dev=eth0 queue_mapping=0 skbaddr=0x%" PRIx64
			" vlan_tagged=0 vlan_proto=0x0000 vlan_tci=0x0000 protocol=0x0800 "
			"ip_summed=3 len=43 data_len=0 network_offset=14 transport_offset_valid=1 "
			"transport_offset=34 tx_flags=0 gso_size=0 gso_segs=0 gso_type=0\n",
			address);
		break;
	case 2:
		fprintf(out, "      net:net_dev_xmit: dev=eth0 skbaddr=0x%" PRIx64 " len=43 rc=0\n",
			address);
		break;
	default:
		fprintf(out,
			"       skb:consume_skb: skbaddr=0x%" PRIx64
			" location=napi_consume_skb+0x4f\n",
			address);
	}
}

/* A new file for a text, open for writing; its name is in path. */
static FILE *make_file(char path[64])
{
	int fd;

	strcpy(path, "/tmp/ringside-bench-XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

/* Returns 0 or an errno. */
static int make_text(char path[64], bool in_order)
{
	FILE *out = make_file(path);
	int error;

	if (!out)
		return errno;
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		for (unsigned number = 0; number < EVENTS; number++) {
			if (in_order ? cpu == 0 : number / 4 % 2 == cpu)
				print_event(out, number);
		}
	}
	error = ferror(out) ? EIO : 0;
	return fclose(out) ? errno : error;
}

/* The least of some runs. Returns CPU seconds, or -1 if the text can't be read. */
static double read_text(const char *path, uint64_t *events)
{
	double least = -1;

	for (int run = 0; run < RUNS; run++) {
		double begin = cpu_s(), took;
		struct diag diag = { "" };
		struct reader *reader;
		struct event event;
		unsigned cpu;
		int status = reader_open(path, NULL, &reader, &diag);

		if (!status) {
			while ((status = reader_next(reader, &event, &cpu, &diag)) == 1)
				;
			*events = reader_counts(reader)->read;
			reader_close(reader);
		}
		if (status) {
			fprintf(stderr, "%s\n", diag.text);
			return -1;
		}
		took = cpu_s() - begin;
		least = least < 0 || took < least ? took : least;
	}
	return least;
}

/* Runs perf script into the file. Returns its CPU seconds, or -1 if there is no perf. */
static double print_text(const char *data, const char *path)
{
	struct rusage usage;
	int status;
	pid_t child = fork();

	if (child == 0) {
		int out = open(path, O_WRONLY | O_TRUNC), null = open("/dev/null", O_WRONLY);

		dup2(out, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execlp("perf", "perf", "script", "-i", data, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0)
		return -1;
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static bool bench_made(bool in_order)
{
	char path[64];
	uint64_t events = 0;
	int error = make_text(path, in_order);
	double took = error ? -1 : read_text(path, &events);

	unlink(path);
	if (error)
		fprintf(stderr, "%s: %s\n", path, strerror(error));
	if (took < 0 || events != EVENTS)
		return false;
	printf("perf script's text, %s: %" PRIu64 " events in %.3f s of CPU, %.2f M/s\n",
		in_order ? "in order" : "CPU after CPU", events, took, (double)events / took / 1e6);
	return (double)events / took >= EVENTS_PER_S_LEAST;
}

static bool bench_against_perf(const char *data)
{
	char path[64];
	FILE *out = make_file(path);
	uint64_t events = 0;
	double printed, took;

	if (!out)
		return false;
	fclose(out);
	printed = print_text(data, path);
	took = printed < 0 ? 0 : read_text(path, &events);
	unlink(path);
	if (printed < 0) {
		printf("perf script against reading it: skipped, perf can't print %s\n", data);
		return true;
	}
	if (took <= 0)
		return false;
	printf("%s: perf script printed %" PRIu64 " events in %.3f s of CPU, "
	       "they were read in %.3f s: %.1f times as fast\n",
		data, events, printed, took, printed / took);
	return took < printed;
}

int main(int argc, char **argv)
{
	const char *data =
		argc > 1 ? argv[1] : TEST_FIXTURES "/kernel/tcp-receive-itr8000-zstd.perf.data";
	bool good = bench_made(true);

	good = bench_made(false) && good;
	return bench_against_perf(data) && good ? 0 : 1;
}
