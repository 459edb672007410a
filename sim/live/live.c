/* SPDX-License-Identifier: BSD-3-Clause */
/* Real time: two interfaces, a clock, and a loop that sleeps when there is nothing to do. */
#include "live.h"

#include "cycles.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <rte_cycles.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define DRAIN_NS CYCLES_NS_PER_S
/* Between two looks at the drops and at polls, so that neither side waits long for the other. */
#define FRAMES_A_TURN 32
/* What is due so soon is waited for awake: falling asleep and waking up takes about as long. */
#define AWAKE_NS        20000
#define WAITING_PACKETS 64 /* of 128 KiB, of the trace: 262 thousand events */
#define LEFT_MOST       UINT64_C(1000000)
#define DEVICE_PREFIX   "nic-" /* the analyzer knows what a name that begins with "tap" means */

enum { WAIT_SIGNALS = LIVE_SIDES, WAIT_COUNT };

struct live {
	const struct live_options *options;
	struct live_outcome *outcome;
	int fd[LIVE_SIDES];
	struct watcher watcher;
	bool watching; /* it is open */
	int signals;
	bool signalled;
	uint64_t hz, start, end; /* cycles; an end of CYCLES_NEVER: by a signal */
	uint64_t now, watchdog_at;
	uint64_t latest;           /* cycles */
	uint64_t left[LIVE_SIDES]; /* in the kernel, at the end */
	struct joined joined;
	struct live_status status;
	struct trace_writer writer;
	pthread_t writer_thread;
	struct scenario_sink sink;
};

static const char *remedy(int error)
{
	switch (-error) {
	case EPERM:
	case EACCES:
		return "run it as root, or with CAP_NET_ADMIN";
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return "load the kernel's module tun, or give the container /dev/net/tun";
	case EBUSY:
		return "another program has it: end that one, or take another name";
	default:
		return "take a name that no other interface has";
	}
}

static int open_taps(struct live *live, struct diag *diag)
{
	const char *const *taps = live->options->taps;
	const char *what;
	int bad;

	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		live->fd[i] = tap_open(taps[i], &what);
		if (live->fd[i] < 0)
			return diag_set(diag, live->fd[i], "%s: %s: %s; %s", taps[i], what,
				strerror(-live->fd[i]), remedy(live->fd[i]));
	}
	bad = watcher_open(&live->watcher, live->fd);
	live->watching = true;
	return bad < 0 ? 0
		       : diag_set(diag, live->watcher.error[bad],
				 "%s: its counters can't be read: %s", taps[bad],
				 strerror(-live->watcher.error[bad]));
}

/* The one lcore that DPDK pins us to may be the one that the traffic needs. */
static int start_environment(const struct scenario *scenario, struct diag *diag)
{
	cpu_set_t allowed;
	bool pinned = !sched_getaffinity(0, sizeof(allowed), &allowed);
	/* DPDK's heap needs room for itself, and one piece for each pool */
	int error = scenario_environment(32 + 2 * joined_mib(scenario), diag);

	if (!error && pinned)
		sched_setaffinity(0, sizeof(allowed), &allowed);
	return error;
}

static int open_signals(struct live *live)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	live->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return live->signals < 0 ? -errno : 0;
}

static int open_measure(struct live *live)
{
	struct live_outcome *outcome = live->outcome;
	struct transmit_options options = {
		.hz = live->hz,
		.stall_cycles = cycles_of_ns(TRANSMIT_STALL_NS, live->hz),
		.capacity = scenario_capacity(outcome->scenario, 1),
	};

	outcome->names = names_create();
	if (!outcome->names)
		return -ENOMEM;
	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		char *name = outcome->device_names[i];

		snprintf(name, sizeof(outcome->device_names[i]), DEVICE_PREFIX "%s",
			live->options->taps[i]);
		if (names_set(outcome->names, NAME_DEVICE, i, name, strlen(name)))
			return -ENOMEM;
	}
	outcome->source = (struct trace_source){
		.file = outcome->scenario->file, .format = "sim", .clock = "tsc", .hz = live->hz
	};
	live->sink.sink.emit = scenario_emit;
	return transmit_create(&outcome->transmit, &options, outcome->names);
}

static void *serve(void *writer)
{
	trace_writer_serve(writer);
	return NULL;
}

/* A thread writes: the devices must not wait for a disk. */
static int open_trace(struct live *live, struct diag *diag)
{
	struct trace_info info = { .hz = live->hz,
		.capacity = scenario_capacity(live->outcome->scenario, 1) };
	uint64_t uptime_s = live->start / live->hz, now_s = (uint64_t)time(NULL);
	int error;

	scenario_fill_uuid(info.uuid, live->outcome->scenario);
	info.offset_s = now_s > uptime_s ? now_s - uptime_s : 0;
	error = trace_writer_open(&live->writer, live->options->trace, &info, 1, diag);
	if (error)
		return error;
	error = trace_writer_buffer(&live->writer, WAITING_PACKETS);
	if (!error)
		error = -pthread_create(&live->writer_thread, NULL, serve, &live->writer);
	if (error) {
		trace_writer_close(&live->writer, NULL);
		return diag_set(diag, error, "%s: %s", live->options->trace, strerror(-error));
	}
	for (unsigned i = 0; i < LIVE_SIDES; i++)
		trace_writer_name(&live->writer, 0, live->start, NAME_DEVICE, i,
			live->outcome->device_names[i]);
	live->sink.writer = &live->writer;
	return 0;
}

static int close_trace(struct live *live, struct diag *diag)
{
	int error;

	trace_writer_dismiss(&live->writer);
	pthread_join(live->writer_thread, NULL);
	error = trace_writer_close(&live->writer, diag);
	live->outcome->trace_lost = live->writer.lost;
	return error;
}

/* CPUs' counters may differ by a little; the model's time never goes back. */
static uint64_t present(struct live *live)
{
	uint64_t now = rte_get_tsc_cycles();

	if (now > live->now)
		live->now = now;
	return live->now;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Is there something that can be done now? */
static bool has_work(const struct live *live, bool transmitting)
{
	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		const struct side *side = &live->joined.side[i];

		if (side->scheduled || (transmitting && side->readable && side_has_room(side)))
			return true;
	}
	return false;
}

/* Sleeps until there is something to read, the next deadline is near, or a signal comes. */
static void wait_for_work(struct live *live, bool transmitting, uint64_t until)
{
	struct pollfd wait[WAIT_COUNT];
	struct timespec timeout = { 0 };
	uint64_t now = present(live), ns;

	if (!has_work(live, transmitting) && until > now) {
		ns = cycles_to_ns(until - now, live->hz);
		ns = ns > AWAKE_NS ? ns - AWAKE_NS : 0;
		timeout.tv_sec = (time_t)(ns / CYCLES_NS_PER_S);
		timeout.tv_nsec = (long)(ns % CYCLES_NS_PER_S);
	}
	for (unsigned i = 0; i < LIVE_SIDES; i++)
		wait[i] = (struct pollfd){ .fd = transmitting ? live->fd[i] : -1,
			.events = side_has_room(&live->joined.side[i]) ? POLLIN : 0 };
	wait[WAIT_SIGNALS] = (struct pollfd){ .fd = live->signals, .events = POLLIN };
	if (ppoll(wait, WAIT_COUNT, &timeout, NULL) <= 0)
		return;
	for (unsigned i = 0; i < LIVE_SIDES; i++)
		live->joined.side[i].readable |= wait[i].revents != 0;
	live->signalled |= wait[WAIT_SIGNALS].revents != 0;
}

/* What the devices did meanwhile; how long ago they would have liked to be looked at. */
static void advance(struct live *live, uint64_t now)
{
	uint64_t deadline = joined_deadline(&live->joined);

	if (deadline < now && now - deadline > live->latest)
		live->latest = now - deadline;
	joined_advance(&live->joined, now);
}

/* One turn: the devices, polls, then frames from the kernel, each at the time when it is read. */
static void turn(struct live *live, bool transmitting)
{
	struct joined *joined = &live->joined;
	uint64_t now = present(live);

	advance(live, now);
	if (now >= live->watchdog_at) {
		live->watchdog_at += E1000E_WATCHDOG_S * live->hz;
		for (unsigned i = 0; i < LIVE_SIDES; i++)
			e1000e_watchdog(joined->side[i].driver, now);
	}
	for (unsigned i = 0; i < LIVE_SIDES; i++)
		side_poll(&joined->side[i], now);
	for (unsigned i = 0; i < LIVE_SIDES && transmitting; i++) {
		struct side *side = &joined->side[i];

		for (unsigned n = 0; n < FRAMES_A_TURN && side->readable; n++) {
			now = present(live);
			advance(live, now);
			if (!side_transmit(side, now))
				break;
		}
	}
}

static bool is_over(const struct live *live, uint64_t now)
{
	return live->signalled || now >= live->end || live->joined.side[0].gone ||
	       live->joined.side[1].gone;
}

static void run(struct live *live)
{
	uint64_t now;

	while (!is_over(live, now = present(live))) {
		if (now >= live->status.at)
			live_status_line(&live->status, &live->joined, &live->watcher, now);
		turn(live, true);
		wait_for_work(live, true,
			earlier(earlier(joined_deadline(&live->joined), live->watchdog_at),
				earlier(live->status.at, live->end)));
	}
}

/* Nothing more is read; what is under way arrives, unless a fault keeps it. */
static void drain(struct live *live)
{
	uint64_t until = present(live) + cycles_of_ns(DRAIN_NS, live->hz);

	while (!joined_is_idle(&live->joined) && present(live) < until) {
		turn(live, false);
		wait_for_work(live, false, earlier(joined_deadline(&live->joined), until));
	}
}

static void collect(struct live *live, struct live_direction *direction, unsigned i)
{
	const struct side *side = &live->joined.side[i];

	*direction = (struct live_direction){
		.from = live->options->taps[i],
		.to = live->options->taps[1 - i],
		.account = side->account,
		.left = live->left[i],
		.drops_known = !live->watcher.error[i],
		.drops = live->watcher.watch[i].drops,
		.interrupts = side->interrupts,
		.least_gap_ns = side->least_gap == CYCLES_NEVER
					? UINT64_MAX
					: cycles_to_ns(side->least_gap, live->hz),
	};
}

/* From the first frame to the accounts; everything is open. */
static int run_joined(struct live *live, struct diag *diag)
{
	struct live_outcome *outcome = live->outcome;
	int error = joined_open(&live->joined, outcome->scenario, live->fd, live->hz,
		&live->sink.sink, live->start);

	if (!error)
		error = watcher_start(&live->watcher);
	if (!error) {
		live_status_start(&live->status, live->options, live->hz, live->start);
		run(live);
		outcome->late_ns = cycles_to_ns(live->latest, live->hz);
		outcome->seconds = (double)(present(live) - live->start) / (double)live->hz;
		drain(live);
		live_status_end(&live->status);
		for (unsigned i = 0; i < LIVE_SIDES; i++) {
			live->left[i] = side_discard(&live->joined.side[i], LEFT_MOST);
			outcome->gone = outcome->gone || live->joined.side[i].gone;
		}
		watcher_stop(&live->watcher);
	}
	joined_close(&live->joined, present(live));
	for (unsigned i = 0; i < LIVE_SIDES; i++)
		collect(live, &outcome->direction[i], i);
	if (!error)
		error = live->sink.error;
	return error ? diag_set(diag, error, "%s: the NICs can't be modelled: %s",
			       outcome->scenario->file, strerror(-error))
		     : 0;
}

static int run_measured(struct live *live, struct diag *diag)
{
	struct live_outcome *outcome = live->outcome;
	int error = open_measure(live);

	if (error)
		return diag_set(diag, error, "no memory");
	live->sink.transmit = outcome->transmit;
	error = live->options->trace ? open_trace(live, diag) : 0;
	if (!error)
		error = run_joined(live, diag);
	if (live->sink.writer) {
		int close_error = close_trace(live, error ? NULL : diag);

		error = error ? error : close_error;
	}
	if (!error && transmit_finish(outcome->transmit, &outcome->report))
		error = diag_set(diag, -ENOMEM, "no memory");
	outcome->counts.read = live->sink.events;
	return error;
}

int live_run(const struct scenario *scenario, const struct live_options *options,
	struct live_outcome *outcome, struct diag *diag)
{
	struct live live = { .options = options, .outcome = outcome, .fd = { -1, -1 } };
	int error = open_signals(&live);

	*outcome = (struct live_outcome){ .scenario = scenario };
	if (error)
		return diag_set(diag, error, "signals can't be waited for: %s", strerror(-error));
	/* it takes a moment: who sees the interfaces can count on them */
	error = start_environment(scenario, diag);
	if (!error)
		error = open_taps(&live, diag);
	if (!error) {
		prctl(PR_SET_TIMERSLACK, 1UL); /* else sleeps end 50 us late */
		live.hz = rte_get_tsc_hz();
		live.start = live.now = rte_get_tsc_cycles();
		live.watchdog_at = live.start + E1000E_WATCHDOG_S * live.hz;
		live.end = options->duration_s > 0
				   ? live.start + (uint64_t)(options->duration_s * (double)live.hz)
				   : CYCLES_NEVER;
		error = run_measured(&live, diag);
	}
	if (live.watching)
		watcher_close(&live.watcher);
	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		if (live.fd[i] >= 0)
			close(live.fd[i]);
	}
	close(live.signals);
	if (error)
		live_release(outcome);
	return error;
}

void live_release(struct live_outcome *outcome)
{
	transmit_destroy(outcome->transmit);
	names_destroy(outcome->names);
	outcome->transmit = NULL;
	outcome->names = NULL;
	outcome->report = NULL;
}
