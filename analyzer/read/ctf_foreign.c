/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CTF traces of other layouts than ours, through libbabeltrace2. It crashes on some damaged traces,
 * loops or allocates without an end on others, and it leaves memory allocated; so it works in a
 * process of its own, which has bounds and sends the events here.
 *
 * Times are the clock's own cycles, as in our own traces. What a clock's offset is for is to tell
 * how several clocks lie to one another.
 */
#include "ctf_foreign_bounds.h"
#include "ctf_foreign_load.h"
#include "order.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct foreign_reader {
	struct reader reader;
	struct order *order; /* all events */
	char clock[64];
};

static int next(struct reader *reader, struct event *event, unsigned *cpu, struct diag *diag)
{
	struct foreign_reader *foreign = (struct foreign_reader *)reader;
	int status = order_next(foreign->order, cpu, event);

	if (status < 0)
		diag_set(diag, status, "%s: can't be sorted in $TMPDIR or /tmp: %s",
			reader->source.file, strerror(-status));
	return status;
}

static void close_foreign(struct reader *reader)
{
	struct foreign_reader *foreign = (struct foreign_reader *)reader;

	order_destroy(foreign->order);
	reader_release(reader);
	free(foreign);
}

static const struct reader_format foreign_format = { .next = next, .close = close_foreign };

/* The other process, as this one sees it. */
struct worker {
	pid_t process;
	FILE *in; /* what it sends */
	int log;  /* the file that is its standard error */
	struct foreign_bounds bounds;
	struct foreign_mended *mended; /* its temporary folders, which it may leave behind */
};

#define MENDED_BYTES (FOREIGN_MENDED_MOST * sizeof(struct foreign_mended))

/* The other process: all it has to say goes into the pipe. Nothing of this one is left to it. */
__attribute__((noreturn)) static void load(const struct worker *worker, const char *folder,
	const struct reader_options *options, int pipe)
{
	struct foreign_result result = { 0 };
	struct foreign_loader loader = {
		.options = options, .diag = &result.diag, .mended = worker->mended
	};
	struct foreign_record end = { .type = FOREIGN_END };

	loader.out = fdopen(pipe, "w");
	if (!loader.out || dup2(worker->log, STDERR_FILENO) < 0 ||
		reader_prepare(&loader.reader, &foreign_format, folder) ||
		foreign_bounds_set(&worker->bounds))
		_exit(1);
	loader.names.names = loader.reader.names;
	loader.events.names = &loader.names;
	result.error = foreign_load(&loader, folder);
	result.counts = loader.reader.counts;
	result.hz = loader.reader.source.hz;
	memcpy(result.clock, loader.clock, sizeof(result.clock));
	fwrite(&end, sizeof(end), 1, loader.out);
	fwrite(&result, sizeof(result), 1, loader.out);
	fflush(loader.out);
	_exit(0);
}

/* 0 or a negative errno; -EPIPE if the record isn't whole. */
static int take_name(struct foreign_reader *foreign, const struct foreign_record *record, FILE *in)
{
	char *text;
	int error;

	/* the other process may have gone astray before it crashed */
	if (record->number >= NAME_KINDS || record->event.arg > FOREIGN_NAME_BYTES)
		return -EPIPE;
	text = malloc(record->event.arg + 1);
	error = text ? -EPIPE : -ENOMEM;

	if (text && fread(text, 1, record->event.arg, in) == record->event.arg)
		error = names_set(foreign->reader.names, (enum name_kind)record->number,
			record->event.len, text, record->event.arg);
	free(text);
	return error;
}

/* Up to the end, or to where the other process ended: -EPIPE. 0, or a negative errno. */
static int receive(struct foreign_reader *foreign, FILE *in, struct foreign_result *result)
{
	struct foreign_record record;
	int error = 0;

	while (!error && fread(&record, sizeof(record), 1, in) == 1) {
		if (record.type == FOREIGN_END)
			return fread(result, sizeof(*result), 1, in) == 1 ? 0 : -EPIPE;
		if (record.type == FOREIGN_NAME)
			error = take_name(foreign, &record, in);
		else if (record.type == FOREIGN_EVENT && record.event.id < EVENT_ID_COUNT)
			error = order_add(foreign->order, record.number, &record.event);
		else
			error = -EPIPE;
	}
	return error ? error : -EPIPE;
}

/* Says why the other process has ended before its work. */
static int tell_end(const struct worker *worker, const char *folder, int status, struct diag *diag)
{
	const char *signal = WIFSIGNALED(status) ? sigdescr_np(WTERMSIG(status)) : NULL;
	char log[4096], text[80];
	off_t size = lseek(worker->log, 0, SEEK_END), tail = (off_t)sizeof(log) - 1;
	ssize_t bytes = pread(worker->log, log, (size_t)tail, size > tail ? size - tail : 0);
	const char *met;

	log[bytes > 0 ? bytes : 0] = '\0';
	met = foreign_bounds_met(&worker->bounds, status, log, text);
	if (met)
		return diag_set(diag, -EINVAL,
			"%s: this CTF trace can't be read by babeltrace2: %s, far more than a "
			"whole "
			"trace of its size takes",
			folder, met);
	return diag_set(diag, -EINVAL, "%s: this CTF trace can't be read: babeltrace2 crashes (%s)",
		folder, signal ? signal : "it ended itself");
}

/* Starts the other process. 0, or a negative errno with a message in diag. */
static int start(struct worker *worker, const char *folder, const struct reader_options *options,
	struct diag *diag)
{
	int ends[2];

	foreign_bounds_make(&worker->bounds, folder);
	worker->log = memfd_create("babeltrace2", MFD_CLOEXEC);
	worker->mended =
		mmap(NULL, MENDED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (worker->log < 0 || worker->mended == MAP_FAILED)
		return diag_set(
			diag, -errno, "%s: no memory to share: %s", folder, strerror(errno));
	if (pipe2(ends, O_CLOEXEC))
		return diag_set(diag, -errno, "%s: no pipe: %s", folder, strerror(errno));
	worker->process = fork();
	if (!worker->process) {
		close(ends[0]);
		load(worker, folder, options, ends[1]);
	}
	close(ends[1]);
	if (worker->process < 0)
		diag_set(diag, -errno, "%s: no process: %s", folder, strerror(errno));
	else
		worker->in = fdopen(ends[0], "r");
	if (worker->in)
		return 0;
	close(ends[0]);
	return worker->process < 0 ? -EAGAIN : diag_set(diag, -ENOMEM, "%s: no memory", folder);
}

/* Waits for the other process, whose pipe is closed, and removes what it may have left. */
static int end(struct worker *worker)
{
	int status = 0;

	if (worker->in)
		fclose(worker->in);
	while (worker->process > 0 && waitpid(worker->process, &status, 0) < 0 && errno == EINTR)
		continue;
	if (worker->mended == MAP_FAILED)
		return status;
	for (unsigned i = 0; i < FOREIGN_MENDED_MOST; i++)
		foreign_mended_remove(&worker->mended[i]);
	munmap(worker->mended, MENDED_BYTES);
	return status;
}

/* All events. 0, or a negative errno with a message in diag. */
static int receive_all(struct foreign_reader *foreign, const char *folder,
	const struct reader_options *options, struct diag *diag)
{
	struct foreign_result result = { 0 };
	struct worker worker = { .process = -1, .log = -1, .mended = MAP_FAILED };
	int status, error, started = start(&worker, folder, options, diag);

	error = started ? started : receive(foreign, worker.in, &result);
	status = end(&worker);
	if (error == -EPIPE)
		error = tell_end(&worker, folder, status, diag);
	else if (error && !started)
		diag_set(diag, error, "%s: can't be read, or sorted in $TMPDIR or /tmp: %s", folder,
			strerror(-error));
	else if (!error && result.error)
		error = diag_set(diag, result.error, "%s", result.diag.text);
	if (worker.log >= 0)
		close(worker.log);
	if (error)
		return error;
	foreign->reader.counts = result.counts;
	foreign->reader.source.hz = result.hz;
	memcpy(foreign->clock, result.clock, sizeof(foreign->clock));
	return 0;
}

int ctf_foreign_open(const char *folder, const struct reader_options *options,
	struct reader **reader, struct diag *diag)
{
	struct foreign_reader *foreign = calloc(1, sizeof(*foreign));
	int error = foreign ? reader_prepare(&foreign->reader, &foreign_format, folder) : -ENOMEM;

	*reader = NULL;
	if (!error)
		error = order_create(&foreign->order, ORDER_RECORDS);
	if (error)
		diag_set(diag, error, "%s: no memory", folder);
	else
		error = receive_all(foreign, folder, options, diag);
	if (error) {
		if (foreign)
			close_foreign(&foreign->reader);
		return error;
	}
	foreign->reader.source.format = "ctf";
	foreign->reader.source.clock = foreign->clock[0] ? foreign->clock : NULL;
	*reader = &foreign->reader;
	return 0;
}
