/* SPDX-License-Identifier: BSD-3-Clause */
/* From settings to a world, and from its events to figures. */
#include "scenario.h"

#include "trace_names.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* After the senders have ended: time enough to see a stall, and for the watchdog to look twice. */
#define DRAIN_NS (TRANSMIT_STALL_NS + 2 * E1000E_WATCHDOG_S * CYCLES_NS_PER_S)

void scenario_emit(struct event_sink *sink, unsigned cpu, uint64_t time, uint64_t what,
	uint64_t packet, uint64_t arg)
{
	struct scenario_sink *to = (struct scenario_sink *)sink;
	struct event event = event_of(time, what, packet, arg);
	int error = transmit_event(to->transmit, cpu, &event);

	if (!error && to->napi)
		error = napi_event(to->napi, cpu, &event);
	if (!error && to->rxcost)
		error = rxcost_event(to->rxcost, cpu, &event);
	to->events++;
	if (error)
		to->error = error;
	if (to->writer)
		to->writer->sink.emit(&to->writer->sink, cpu, time, what, packet, arg);
}

static bool environment_up;

/* Without huge pages, devices or shared files: no privilege is needed, and nothing is left behind.
 */
int scenario_environment(uint64_t mib, struct diag *diag)
{
	char memory[24], lcore[24];
	cpu_set_t allowed;
	size_t cpu = 0;
	char *arguments[] = { "ringside", "--no-huge", "--no-pci", "--no-shconf", "--no-telemetry",
		"--iova-mode=va", "--log-level=error", lcore, "-m", memory };

	if (environment_up)
		return 0;
	/* the one lcore goes where this process may run, which need not be CPU 0 */
	if (!sched_getaffinity(0, sizeof(allowed), &allowed)) {
		while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &allowed))
			cpu++;
	}
	snprintf(lcore, sizeof(lcore), "--lcores=0@%zu", cpu);
	snprintf(memory, sizeof(memory), "%" PRIu64, mib);
	if (rte_eal_init(sizeof(arguments) / sizeof(*arguments), arguments) < 0)
		return diag_set(diag, rte_errno ? -rte_errno : -EIO,
			"DPDK's environment does not start: %s", rte_strerror(rte_errno));
	environment_up = true;
	return 0;
}

void scenario_shut_down(void)
{
	if (environment_up)
		rte_eal_cleanup();
	environment_up = false;
}

static uint64_t cycles_of_s(double seconds, uint64_t hz)
{
	return (uint64_t)llround(seconds * (double)hz);
}

static void fill_nic(
	struct nic_config *nic, const struct scenario_nic *from, uint64_t hz, uint64_t start)
{
	nic->hz = hz;
	nic->line_rate_mbps = (uint32_t)from->line_rate_mbps;
	nic->fetch_ns = (uint32_t)from->fetch_ns;
	nic->dma_rate_mbps = (uint32_t)from->dma_rate_mbps;
	nic->fault_count = from->fault_count;
	for (unsigned i = 0; i < nic->fault_count; i++) {
		const struct scenario_fault *fault = &from->faults[i];

		nic->faults[i] = (struct nic_fault){
			.type = nic_fault_find(fault->type, strlen(fault->type)),
			.at = start + cycles_of_s(fault->at_s, hz),
			.duration = cycles_of_s(fault->duration_s, hz),
			.count = fault->count,
		};
	}
}

static void fill_driver(struct e1000e_config *driver, const struct scenario_nic *nic,
	const struct scenario_driver *from)
{
	driver->ring_size = (uint16_t)nic->ring_size;
	driver->reserve = (uint16_t)from->reserve;
	driver->wake_threshold = (uint16_t)from->wake_threshold;
	driver->interrupt_throttle_rate = (uint32_t)from->throttle_rate;
	driver->tidv = (uint16_t)from->tidv;
	driver->tadv = (uint16_t)from->tadv;
	driver->flush_before_hang = e1000e_profile_find(from->profile)->flush_before_hang;
	driver->link_speed_mbps = (uint32_t)nic->line_rate_mbps;
}

void scenario_fill_nic(
	struct nic_config *nic, const struct scenario *scenario, uint64_t hz, uint64_t start)
{
	fill_nic(nic, &scenario->nic, hz, start);
}

void scenario_fill_driver(struct e1000e_config *driver, const struct scenario *scenario)
{
	fill_driver(driver, &scenario->nic, &scenario->driver);
}

static uint32_t truesize(const struct scenario *scenario, const struct scenario_workload *workload)
{
	if (scenario->host.truesize_bytes)
		return (uint32_t)scenario->host.truesize_bytes;
	return host_truesize(
		host_kernel_find(scenario->driver.profile), (uint32_t)workload->message_bytes);
}

static void fill_senders(struct host_config *config, const struct scenario *scenario)
{
	config->sender_count = scenario->sender_count;
	for (unsigned i = 0; i < config->sender_count; i++) {
		const struct scenario_workload *workload = &scenario->workloads[i];

		unsigned device = (unsigned)scenario_device_of(scenario, workload);

		config->senders[i] = (struct host_sender){
			.cpu = (unsigned)workload->cpu,
			.device = device,
			.message_bytes = (uint32_t)workload->message_bytes,
			.segments = (uint32_t)workload->segments,
			.checksum = scenario->devices[device].driver.checksum,
			.send_buffer_bytes = scenario->host.send_buffer_bytes,
			.truesize_bytes = truesize(scenario, workload),
			.messages = workload->messages,
			.start = cycles_of_s(workload->start_s, CLOCK_VIRTUAL_HZ),
			.stop = config->stop,
			.pause_cycles = (uint64_t)llround(workload->interval_us * 1e3),
		};
	}
}

static void add_receive_ring(
	struct host_config *config, const struct scenario *scenario, unsigned device)
{
	const struct scenario_device *from = &scenario->devices[device];
	struct e1000e_config *driver = device ? &config->more[device - 1].driver : &config->driver;

	driver->rx_ring_size = (uint16_t)from->nic.rx_ring_size;
	driver->rdtr = (uint16_t)from->driver.rdtr;
	driver->radv = (uint16_t)from->driver.radv;
}

/* A device gets a receive ring if something comes by it. */
static void fill_receivers(struct host_config *config, const struct scenario *scenario)
{
	config->receiver_count = scenario->workload_count - scenario->sender_count;
	for (unsigned i = 0; i < config->receiver_count; i++) {
		const struct scenario_workload *workload =
			&scenario->workloads[scenario->sender_count + i];
		unsigned device = (unsigned)scenario_device_of(scenario, workload);
		const struct scenario_device *from = &scenario->devices[device];
		bool stream = !strcmp(workload->type, "tcp_stream");
		unsigned sends = stream ? (unsigned)scenario_from_of(scenario, workload) : device;

		add_receive_ring(config, scenario, device);
		add_receive_ring(config, scenario, sends);
		config->receivers[i] = (struct host_receiver){
			.device = device,
			.tcp = stream || !strcmp(workload->type, "tcp_receive"),
			.segment_bytes = (uint32_t)workload->message_bytes,
			.segments = workload->messages,
			.burst = (uint32_t)workload->burst,
			.interval = (uint64_t)llround(workload->interval_us * 1e3),
			.start = cycles_of_s(workload->start_s, CLOCK_VIRTUAL_HZ),
			.stop = config->stop,
			.quick_acks = workload->quick_acks,
			.delayed_ack = (uint64_t)llround(workload->delayed_ack_ms * 1e6),
			.gro = workload->gro,
			.checksum = from->driver.checksum,
			.read = workload->reads,
			.cpu = (unsigned)workload->cpu,
			.buffer_bytes = workload->receive_buffer_bytes,
			.busy_poll_us = workload->busy_poll_us,
			.prefer_busy_poll = workload->prefer_busy_poll,
			.task = SCENARIO_READER_TASK(i) + 1,
			.stream = stream,
			.from = sends,
			.write_bytes = (uint32_t)workload->write_bytes,
			.stream_bytes = workload->stream_bytes,
			.stream_checksum = scenario->devices[sends].driver.checksum,
		};
	}
}

static enum host_weight_policy weight_policy(const char *name)
{
	return !strcmp(name, "time")   ? HOST_WEIGHT_TIME
	       : !strcmp(name, "cost") ? HOST_WEIGHT_COST
				       : HOST_WEIGHT_PACKETS;
}

static void fill_devices(struct host_config *config, const struct scenario *scenario)
{
	config->more_count = scenario_devices(scenario) - 1;
	for (unsigned i = 0; i <= config->more_count; i++) {
		const struct scenario_device *from = &scenario->devices[i];
		struct host_device *more = &config->more[i - (i > 0)];
		struct e1000e_config *driver = i ? &more->driver : &config->driver;

		*(i ? &more->bql : &config->bql) = (struct host_bql){
			.on = !strcmp(from->driver.bql, "on"),
			.limit_min = from->driver.bql_limit_min,
			.limit_max = from->driver.bql_limit_max,
		};
		fill_nic(i ? &more->nic : &config->nic, &from->nic, CLOCK_VIRTUAL_HZ, 0);
		fill_driver(driver, &from->nic, &from->driver);
		driver->device = (uint8_t)i;
		config->napi[i] = (struct host_napi){ .threaded = from->driver.threaded,
			.cpu = (unsigned)from->driver.thread_cpu,
			.task = SCENARIO_THREAD_TASK(i) + 1,
			.defer_hard_irqs = (uint32_t)from->driver.defer_hard_irqs,
			.flush_timeout = from->driver.flush_timeout };
	}
}

static void fill_host(struct host_config *config, const struct scenario *scenario)
{
	*config = (struct host_config){
		.kernel = host_kernel_find(scenario->driver.profile),
		.cpus = (unsigned)scenario->host.cpus,
		.irq_cpu = (unsigned)scenario->host.irq_cpu,
		.jitter = scenario->host.jitter,
		.seed = scenario->seed,
		.qdisc_limit = (uint32_t)scenario->host.qdisc_limit,
		.dev_tx_weight = (uint32_t)scenario->host.dev_tx_weight,
		.dev_weight = (uint32_t)scenario->host.dev_weight,
		.weight_policy = weight_policy(scenario->host.weight_policy),
		.weight_cycles = (uint64_t)llround(scenario->host.weight_us * 1e3),
		.netdev_budget = (uint32_t)scenario->host.netdev_budget,
		.netdev_budget_cycles = 1000 * scenario->host.netdev_budget_usecs,
		.tick_hz = (uint32_t)scenario->host.tick_hz,
		.stop = cycles_of_s(scenario->duration_s, CLOCK_VIRTUAL_HZ),
		.drain = DRAIN_NS,
	};
	for (int i = 0; i < HOST_COST_COUNT; i++)
		config->cost_ns[i] = (uint32_t)scenario->host.cost_ns[i];
	fill_devices(config, scenario);
	fill_senders(config, scenario);
	fill_receivers(config, scenario);
}

int scenario_start(const struct scenario *scenarios, unsigned count, struct diag *diag)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < count; i++) {
		struct host_config config;
		uint64_t needed;

		fill_host(&config, &scenarios[i]);
		needed = host_pool_bytes(&config);
		bytes = needed > bytes ? needed : bytes;
	}
	/* DPDK's heap needs room for itself, and one piece for the pool */
	return scenario_environment(32 + 2 * (bytes >> 20), diag);
}

uint32_t scenario_capacity(const struct scenario *scenario, uint32_t data_descriptors)
{
	bool one = !scenario->device_count;
	const struct scenario_nic *nic = one ? &scenario->nic : &scenario->devices[0].nic;
	const struct scenario_driver *driver =
		one ? &scenario->driver : &scenario->devices[0].driver;

	return transmit_capacity((uint32_t)nic->ring_size, (uint32_t)driver->reserve,
		data_descriptors + driver->checksum);
}

/* What the fewest descriptors a packet let a queue own: no packet mix can own more. 0, not known,
 * where devices differ in it. */
static uint32_t capacity_of(const struct scenario *scenario)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < scenario->workload_count; i++) {
		uint64_t segments = scenario->workloads[i].segments;

		least = segments < least ? segments : least;
	}
	for (unsigned i = 1; i < scenario->device_count; i++) {
		if (scenario->devices[i].nic.ring_size != scenario->devices[0].nic.ring_size ||
			scenario->devices[i].driver.reserve != scenario->devices[0].driver.reserve)
			return 0;
	}
	return least == UINT64_MAX ? 0 : scenario_capacity(scenario, (uint32_t)least);
}

/* splitmix64 (Steele, Lea, Flood, 2014): spreads a seed over all bits. */
static uint64_t spread_seed(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint64_t scenario_fill_uuid(uint8_t uuid[16], const struct scenario *scenario)
{
	uint64_t state = scenario->seed;
	uint64_t half[2] = { spread_seed(&state), spread_seed(&state) };

	memcpy(uuid, half, sizeof(half));
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40); /* RFC 9562: version 4, variant 1 */
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
	return spread_seed(&state);
}

static int open_trace(struct trace_writer *writer, const struct scenario *scenario,
	const struct names *names, const char *folder, uint32_t capacity, struct diag *diag)
{
	struct trace_info info = { .hz = CLOCK_VIRTUAL_HZ, .capacity = capacity };
	int error;

	/* some second since 1970, the same for a seed */
	info.offset_s = scenario_fill_uuid(info.uuid, scenario) >> 34;
	error = trace_writer_open(writer, folder, &info, (unsigned)scenario->host.cpus + 1, diag);
	if (error)
		return error;
	scenario_names_write(names, writer);
	return 0;
}

static int prepare(struct outcome *outcome, const struct scenario *scenario)
{
	struct transmit_options options = { .hz = CLOCK_VIRTUAL_HZ,
		.stall_cycles = TRANSMIT_STALL_NS };
	int error;

	memset(outcome, 0, sizeof(*outcome));
	outcome->scenario = scenario;
	outcome->capacity = options.capacity = capacity_of(scenario);
	outcome->source = (struct trace_source){
		.file = scenario->file, .format = "sim", .clock = "virtual", .hz = CLOCK_VIRTUAL_HZ
	};
	error = scenario_names(&outcome->names, scenario);
	return error ? error : transmit_create(&outcome->transmit, &options, outcome->names);
}

static int add_measures(struct outcome *outcome)
{
	const struct scenario *scenario = outcome->scenario;
	struct napi_options napi = { .hz = CLOCK_VIRTUAL_HZ,
		.budget = (uint32_t)scenario->host.netdev_budget,
		.budget_usecs = (uint32_t)scenario->host.netdev_budget_usecs };
	struct rxcost_options rxcost = { .hz = CLOCK_VIRTUAL_HZ };
	int error = napi_create(&outcome->napi, &napi, outcome->names);

	return error ? error : rxcost_create(&outcome->rxcost, &rxcost, outcome->names);
}

static int finish_measures(struct outcome *outcome)
{
	int error = transmit_finish(outcome->transmit, &outcome->report);

	if (!error && outcome->napi)
		error = napi_finish(outcome->napi, &outcome->napi_report);
	if (!error && outcome->rxcost)
		error = rxcost_finish(outcome->rxcost, &outcome->rxcost_report);
	return error;
}

static int run_world(struct outcome *outcome, struct scenario_sink *sink, struct diag *diag)
{
	struct host_config config;
	struct host *host;
	int error;

	fill_host(&config, outcome->scenario);
	config.drop_reason = SCENARIO_DROP_REASON;
	config.sink = &sink->sink;
	error = host_create(&host, &config);
	if (error)
		return diag_set(diag, error, "%s: the world can't be built: %s",
			outcome->scenario->file, strerror(-error));
	error = host_run(host, &outcome->host);
	host_destroy(host);
	if (!error)
		error = sink->error;
	return error ? diag_set(diag, error, "%s: the run broke off: %s", outcome->scenario->file,
			       strerror(-error))
		     : 0;
}

int scenario_run(const struct scenario *scenario, const struct run_options *options,
	struct outcome *outcome, struct diag *diag)
{
	struct trace_writer writer;
	struct scenario_sink sink = { .sink.emit = scenario_emit };
	int error = prepare(outcome, scenario);

	if (!error && options->measures)
		error = add_measures(outcome);
	if (error) {
		outcome_release(outcome);
		return diag_set(diag, error, "%s: no memory", scenario->file);
	}
	if (options->trace) {
		error = open_trace(
			&writer, scenario, outcome->names, options->trace, outcome->capacity, diag);
		sink.writer = error ? NULL : &writer;
	}
	sink.transmit = outcome->transmit;
	sink.napi = outcome->napi;
	sink.rxcost = outcome->rxcost;
	if (!error)
		error = run_world(outcome, &sink, diag);
	if (sink.writer) {
		int close_error = trace_writer_close(&writer, error ? NULL : diag);

		error = error ? error : close_error;
	}
	if (!error && finish_measures(outcome))
		error = diag_set(diag, -ENOMEM, "%s: no memory", scenario->file);
	outcome->counts.read = sink.events;
	if (error)
		outcome_release(outcome);
	return error;
}

void outcome_release(struct outcome *outcome)
{
	transmit_destroy(outcome->transmit);
	napi_destroy(outcome->napi);
	rxcost_destroy(outcome->rxcost);
	outcome->napi = NULL;
	outcome->rxcost = NULL;
	names_destroy(outcome->names);
	outcome->transmit = NULL;
	outcome->names = NULL;
	outcome->report = NULL;
}
