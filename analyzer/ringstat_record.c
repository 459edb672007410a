/* SPDX-License-Identifier: BSD-3-Clause */
/* ringstat record: a command runs, the kernel's events come in, and a report or a trace goes out.
 */
#include "convert.h"
#include "cycles.h"
#include "recorder.h"
#include "ringstat_command.h"
#include "ringstat_follow.h"
#include "ringstat_measures.h"
#include "transmit.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>

/* What is made of the groups of events, in the order of the reports. */
static const struct {
	unsigned group;
	const struct ringstat_measure *measure;
} reports[] = {
	{ RECORD_TX, &ringstat_transmit },
	{ RECORD_RX, &ringstat_packets },
	{ RECORD_NAPI, &ringstat_polls },
	{ RECORD_SOCK, &ringstat_calls },
	{ RECORD_RXCOST, &ringstat_costs },
};

#define REPORTS (sizeof(reports) / sizeof(*reports))

struct session {
	struct recorder_watch watch; /* first */
	const struct ringstat_options *options;
	struct ringstat_child child;
	struct ringstat_input input;
	void *states[REPORTS]; /* of the measures; NULL: it isn't wanted */
	struct ringstat_follow follow;
	uint64_t begun_ns;
};

static volatile sig_atomic_t caught;        /* the last signal that ends the recording; 0: none */
static volatile sig_atomic_t caught_by_all; /* it came from the terminal: the command has it, too */

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number == SIGCHLD)
		return;
	caught = number;
	caught_by_all = info->si_code == SI_KERNEL;
}

/*
 * The instance must be removed, so nothing may kill us before. SIGCHLD has a handler in order to
 * end a pause.
 */
static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * CYCLES_NS_PER_S + (uint64_t)now.tv_nsec;
}

static bool go_on(struct recorder_watch *watch)
{
	struct session *session = (struct session *)watch;
	uint64_t duration = session->options->duration_ns, now = now_ns();

	if (session->options->follow)
		ringstat_follow(&session->follow, now);
	if (ringstat_child_ended(&session->child))
		return false;
	if (!caught && (!duration || now - session->begun_ns < duration))
		return true;
	ringstat_child_signal(&session->child, caught ? caught : SIGTERM, caught_by_all);
	return false;
}

static int refused(int error)
{
	return error ? STATUS_REFUSED : 0;
}

/* All measures that are wanted, as one. Its state is the session. */
static int event_for_all(void *state, unsigned cpu, const struct event *event)
{
	struct session *session = state;
	int error = 0;

	for (size_t i = 0; i < REPORTS && !error; i++) {
		if (session->states[i])
			error = reports[i].measure->event(session->states[i], cpu, event);
	}
	return error;
}

static int finish_all(void *state, const struct ringstat_input *input, FILE *out, struct diag *diag)
{
	struct session *session = state;
	bool any = false;
	int status = 0;

	for (size_t i = 0; i < REPORTS && !status; i++) {
		if (!session->states[i])
			continue;
		if (any && !input->options->json)
			fputc('\n', out);
		any = true;
		status = reports[i].measure->finish(session->states[i], input, out, diag);
	}
	return status;
}

static const struct ringstat_measure all = { .event = event_for_all, .finish = finish_all };

/* With a trace only what is shown meanwhile is measured. */
static int create_measures(struct session *session, struct diag *diag)
{
	const struct ringstat_options *options = session->options;
	unsigned wanted = !options->output ? options->groups : options->follow ? RECORD_TX : 0;

	for (size_t i = 0; i < REPORTS; i++) {
		if (wanted & reports[i].group &&
			reports[i].measure->create(&session->states[i], &session->input))
			return ringstat_measure_no_memory(diag);
		if (reports[i].group == RECORD_TX)
			session->follow.transmit = session->states[i];
	}
	return 0;
}

/* Everything that can go wrong without the kernel's having recorded anything. */
static int open_session(struct session *session, struct diag *diag)
{
	const struct ringstat_options *options = session->options;
	struct recorder_options recorder = {
		.tracefs = options->tracefs,
		.groups = options->groups,
		.buffer_kib = options->buffer_kib,
	};
	int status =
		refused(recorder_open(&session->input.reader, &recorder, &session->watch, diag));

	if (status)
		return status;
	if (recorder_missing(session->input.reader)[0])
		fprintf(stderr, "ringstat: this kernel lacks %s: left out\n",
			recorder_missing(session->input.reader));
	session->follow.reader = session->input.reader;
	return create_measures(session, diag);
}

static int start(struct session *session, struct diag *diag)
{
	session->begun_ns = now_ns();
	if (recorder_start(session->input.reader, diag))
		return STATUS_REFUSED;
	return refused(ringstat_child_go(&session->child, diag));
}

/* All events go into the trace, until the recording ends. */
static int write_events(struct session *session, const struct convert_format *format,
	struct converter *converter, struct diag *diag)
{
	struct event event;
	unsigned cpu;
	int found, error;

	while ((found = ringstat_input_next(&session->input, &event, &cpu, diag)) > 0) {
		if (format->event(converter, cpu, &event, diag))
			return STATUS_REFUSED;
		error = event_for_all(session, cpu, &event);
		if (error)
			return ringstat_measure_failed(&session->input, error, diag);
	}
	return refused(found || format->finish(converter, diag));
}

static int64_t seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec;
}

static int write_trace(struct session *session, struct diag *diag)
{
	const struct convert_format *format = convert_format_find("ctf");
	const struct reader *reader = session->input.reader;
	uint8_t uuid[16];
	struct convert_job job = {
		.source = reader_source(reader),
		.counts = reader_counts(reader),
		.names = reader_names(reader),
		.folder = session->options->output,
		.offset_s = (uint64_t)(seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_MONOTONIC)),
		.uuid = uuid,
	};
	struct converter *converter;
	int status;

	if (getrandom(uuid, sizeof(uuid), 0) != sizeof(uuid))
		return diag_set(diag, STATUS_REFUSED, "no random number for the trace's UUID");
	if (format->open(&converter, &job, diag))
		return STATUS_REFUSED;
	status = start(session, diag);
	if (!status)
		status = write_events(session, format, converter, diag);
	format->close(converter);
	if (status)
		return status;
	fprintf(stderr, "ringstat: %s: %" PRIu64 " events\n", job.folder, job.counts->read);
	return ringstat_input_status(&session->input);
}

static int record(struct session *session, FILE *out, struct diag *diag)
{
	int status;

	if (session->options->output)
		return write_trace(session, diag);
	status = start(session, diag);
	if (!status)
		status = ringstat_measure_feed(&all, session, &session->input, diag);
	if (!status)
		status = ringstat_measure_finish(&all, session, &session->input, out, diag);
	return status;
}

int ringstat_record(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	struct session session = {
		.watch.go_on = go_on,
		.options = options,
		.input = { .options = options, .file = "the recording", .most = UINT64_MAX },
	};
	int status;

	catch_signals();
	if (ringstat_child_prepare(&session.child, options->files, options->file_count, diag))
		return STATUS_REFUSED;
	setpriority(PRIO_PROCESS, 0, -20); /* a busy machine must not keep us from reading */
	status = open_session(&session, diag);
	if (!status)
		status = record(&session, out, diag);
	if (status == STATUS_REFUSED)
		ringstat_child_signal(&session.child, SIGTERM, false);
	if (session.input.reader && recorder_late(session.input.reader))
		fprintf(stderr,
			"ringstat: %" PRIu64 " events came late and were given a later time\n",
			recorder_late(session.input.reader));
	for (size_t i = 0; i < REPORTS; i++)
		reports[i].measure->destroy(session.states[i]);
	ringstat_input_close(&session.input);
	ringstat_child_end(&session.child);
	return status;
}
