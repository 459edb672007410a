/* SPDX-License-Identifier: BSD-3-Clause */
/* When all keys are read: defaults that depend on others, and checks of several keys together. */
#include "setting.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define QUICK_ACKS_MOST 16 /* TCP_MAX_QUICKACKS */

static void default_to(uint64_t *value, uint64_t instead)
{
	if (*value == SCENARIO_UNSET)
		*value = instead;
}

static bool fault_loses_things(const struct scenario_fault *fault)
{
	return nic_fault_loses(nic_fault_find(fault->type, strlen(fault->type)));
}

static bool is_sender(const struct scenario_workload *workload)
{
	return !strcmp(workload->type, "udp_flood");
}

/* It comes from the wire at a pace that the scenario says; a real sender has its own. */
static bool is_paced(const struct scenario_workload *workload)
{
	return !strcmp(workload->type, "tcp_receive") || !strcmp(workload->type, "udp_receive");
}

static bool is_stream(const struct scenario_workload *workload)
{
	return !strcmp(workload->type, "tcp_stream");
}

static bool is_tcp(const struct scenario_workload *workload)
{
	return !strcmp(workload->type, "tcp_receive") || is_stream(workload);
}

/* What does not apply is 0 from here on; scenario_check_clock has refused it where it was given. */
static void settle_workload(struct scenario_workload *workload)
{
	default_to(&workload->message_bytes, is_sender(workload) ? 1
					     : is_tcp(workload)  ? 1448
								 : 1472);
	default_to(&workload->burst, !is_sender(workload));
	default_to(&workload->quick_acks, is_tcp(workload) ? QUICK_ACKS_MOST : 0);
	default_to(&workload->receive_buffer_bytes, 0);
	workload->reads = workload->reads || is_stream(workload);
}

/* Those that send come first. */
static void sort_workloads(struct scenario *scenario)
{
	for (unsigned i = 0; i < scenario->workload_count; i++) {
		struct scenario_workload workload = scenario->workloads[i];
		unsigned to = scenario->sender_count;

		if (!is_sender(&workload))
			continue;
		memmove(&scenario->workloads[to + 1], &scenario->workloads[to],
			(i - to) * sizeof(workload));
		scenario->workloads[to] = workload;
		scenario->sender_count++;
	}
}

static void from_profile(struct scenario_driver *driver)
{
	const struct e1000e_profile *profile = e1000e_profile_find(driver->profile);

	default_to(&driver->reserve, profile->reserve);
	default_to(&driver->wake_threshold, profile->wake_threshold);
	default_to(&driver->tidv, profile->tidv);
	default_to(&driver->tadv, profile->tadv);
}

/* Before the scenario's own settings follow from its profile: a device may have another one. */
static void settle_devices(struct scenario *scenario)
{
	for (unsigned i = 0; i < scenario_devices(scenario); i++) {
		struct scenario_device *device = &scenario->devices[i];

		if (!*device->name)
			snprintf(device->name, sizeof(device->name), "eth%u", i);
		setting_inherit(setting_list_find("nics"), device, scenario);
		from_profile(&device->driver);
	}
	from_profile(&scenario->driver);
}

static int settle_bql(struct scenario *scenario, const char *place, struct diag *diag)
{
	const struct host_kernel *kernel = host_kernel_find(scenario->driver.profile);

	for (unsigned i = 0; i < scenario_devices(scenario); i++) {
		if (setting_settle_bql(&scenario->devices[i].driver, kernel, place, diag))
			return -EINVAL;
	}
	return setting_settle_bql(&scenario->driver, kernel, place, diag);
}

static void settle_faults(struct scenario_nic *nic)
{
	for (unsigned i = 0; i < nic->fault_count; i++)
		default_to(&nic->faults[i].count, fault_loses_things(&nic->faults[i]));
}

/* What does not apply is 0 from here on; check_together has refused it where it was given. */
static void from_kernel(struct scenario *scenario)
{
	bool quota = !host_kernel_find(scenario->driver.profile)->qdisc_yields;

	default_to(&scenario->host.dev_tx_weight, quota ? 64 : 0);
	default_to(&scenario->host.truesize_bytes, 0); /* host_truesize, of each message */
	default_to(&scenario->driver.thread_cpu, scenario->host.irq_cpu);
	default_to(&scenario->host.netdev_budget_usecs, 2000000 / scenario->host.tick_hz);
	settle_faults(&scenario->nic);
	for (unsigned i = 0; i < scenario_devices(scenario); i++) {
		settle_faults(&scenario->devices[i].nic);
		default_to(&scenario->devices[i].driver.thread_cpu, scenario->host.irq_cpu);
	}
	for (unsigned i = 0; i < scenario->workload_count; i++)
		settle_workload(&scenario->workloads[i]);
}

static int check_faults(const struct scenario_nic *nic, const char *place, struct diag *diag)
{
	for (unsigned i = 0; i < nic->fault_count; i++) {
		const struct scenario_fault *fault = &nic->faults[i];
		bool loses = fault_loses_things(fault);

		if (loses ? fault->duration_s > 0 : fault->count != SCENARIO_UNSET)
			return diag_set(diag, -EINVAL, "%s: nic.faults: %s: a %s has none", place,
				loses ? "duration_s" : "count", fault->type);
	}
	return 0;
}

static int check_device(const struct scenario_device *device, const char *place, struct diag *diag)
{
	if (device->driver.reserve + 1 >= device->nic.ring_size)
		return diag_set(diag, -EINVAL,
			"%s: driver.reserve: %" PRIu64 ": leaves nothing of a ring of %" PRIu64,
			place, device->driver.reserve, device->nic.ring_size);
	if (device->driver.wake_threshold >= device->nic.ring_size)
		return diag_set(diag, -EINVAL,
			"%s: driver.wake_threshold: %" PRIu64 ": a ring of %" PRIu64
			" never has so many free",
			place, device->driver.wake_threshold, device->nic.ring_size);
	return check_faults(&device->nic, place, diag);
}

/* Threads where the kernel has them, on a CPU that is there; and no CPU for no thread. */
static int check_threads(const struct scenario *scenario, const char *place, struct diag *diag)
{
	uint64_t cpu = SCENARIO_UNSET;
	bool threaded = false;

	for (unsigned i = 0; i < scenario_devices(scenario); i++) {
		const struct scenario_driver *driver = &scenario->devices[i].driver;

		threaded |= driver->threaded;
		cpu = driver->thread_cpu != SCENARIO_UNSET ? driver->thread_cpu : cpu;
		if (driver->threaded && !host_kernel_find(scenario->driver.profile)->threads)
			return diag_set(diag, -EINVAL,
				"%s: driver.threaded: 1: %s has no NAPI threads: they came with "
				"5.12",
				place, scenario->driver.profile);
		if (driver->thread_cpu != SCENARIO_UNSET &&
			driver->thread_cpu >= scenario->host.cpus)
			return diag_set(diag, -EINVAL,
				"%s: driver.thread_cpu: %" PRIu64
				": CPUs go from 0 on, and host.cpus is %" PRIu64,
				place, driver->thread_cpu, scenario->host.cpus);
	}
	return threaded || cpu == SCENARIO_UNSET
		       ? 0
		       : diag_set(diag, -EINVAL,
				 "%s: driver.thread_cpu: %" PRIu64
				 ": there is no thread without driver.threaded",
				 place, cpu);
}

/* The timer that polls in place of interrupts: it takes both settings, and a kernel that has it. */
static int check_timer(const struct scenario *scenario, const char *place, struct diag *diag)
{
	for (unsigned i = 0; i < scenario_devices(scenario); i++) {
		const struct scenario_driver *driver = &scenario->devices[i].driver;

		if (!driver->defer_hard_irqs != !driver->flush_timeout)
			return diag_set(diag, -EINVAL,
				"%s: driver.%s: 0: the timer takes napi_defer_hard_irqs and "
				"gro_flush_timeout",
				place,
				driver->flush_timeout ? "napi_defer_hard_irqs"
						      : "gro_flush_timeout");
		if (driver->defer_hard_irqs &&
			!host_kernel_find(scenario->driver.profile)->defers_irqs)
			return diag_set(diag, -EINVAL,
				"%s: driver.napi_defer_hard_irqs: %" PRIu64
				": %s has none: it came with 5.7",
				place, driver->defer_hard_irqs, scenario->driver.profile);
	}
	return 0;
}

static int check_devices(const struct scenario *scenario, const char *place, struct diag *diag)
{
	for (unsigned i = 0; i < scenario_devices(scenario); i++) {
		for (unsigned j = 0; j < i; j++) {
			if (!strcmp(scenario->devices[i].name, scenario->devices[j].name))
				return diag_set(diag, -EINVAL, "%s: nics: name: %s: two have it",
					place, scenario->devices[i].name);
		}
		if (check_device(&scenario->devices[i], place, diag))
			return -EINVAL;
	}
	return 0;
}

/* The device of that name, or of the first where none is named; -1 if there is none. */
static int device_named(const struct scenario *scenario, const char *name)
{
	for (unsigned i = 0; i < scenario_devices(scenario); i++) {
		if (!*name || !strcmp(scenario->devices[i].name, name))
			return (int)i;
	}
	return -1;
}

int scenario_device_of(const struct scenario *scenario, const struct scenario_workload *workload)
{
	return device_named(scenario, workload->nic);
}

int scenario_from_of(const struct scenario *scenario, const struct scenario_workload *workload)
{
	return device_named(scenario, workload->from);
}

static bool uses(
	const struct scenario *scenario, const struct scenario_workload *workload, int device)
{
	return scenario_device_of(scenario, workload) == device ||
	       (is_stream(workload) && scenario_from_of(scenario, workload) == device);
}

/* A stream goes from one of nics to another, and has both for itself. */
static int check_stream(const struct scenario *scenario, const struct scenario_workload *stream,
	const char *place, struct diag *diag)
{
	int to = scenario_device_of(scenario, stream), from = scenario_from_of(scenario, stream);

	if (!is_stream(stream))
		return 0;
	if (from < 0)
		return diag_set(diag, -EINVAL, "%s: workload: from: %s: none of nics has this name",
			place, stream->from);
	if (scenario->host.qdisc_limit < HOST_TRAIN_MOST)
		return diag_set(diag, -EINVAL,
			"%s: host.qdisc_limit: %" PRIu64
			": a tcp_stream writes packets of up to %d segments, which must have room",
			place, scenario->host.qdisc_limit, HOST_TRAIN_MOST);
	if (from == to)
		return diag_set(diag, -EINVAL,
			"%s: workload: from: %s: a tcp_stream goes from one of nics to another",
			place, scenario->devices[from].name);
	for (unsigned i = 0; i < scenario->workload_count; i++) {
		const struct scenario_workload *other = &scenario->workloads[i];

		if (other != stream && (uses(scenario, other, to) || uses(scenario, other, from)))
			return diag_set(diag, -EINVAL,
				"%s: workload: tcp_stream: nothing else goes or comes by its "
				"devices, %s and %s",
				place, scenario->devices[from].name, scenario->devices[to].name);
	}
	return 0;
}

static int check_times(const struct scenario *scenario, const struct scenario_workload *workload,
	const char *place, struct diag *diag)
{
	int device = scenario_device_of(scenario, workload);

	if (workload->start_s >= scenario->duration_s)
		return diag_set(diag, -EINVAL,
			"%s: workload: start_s: %.15g: not before the end at %.15g s", place,
			workload->start_s, scenario->duration_s);
	if (device < 0)
		return diag_set(diag, -EINVAL,
			"%s: workload: device: %s: none of nics has this name", place,
			workload->nic);
	if (is_paced(workload) && !(workload->interval_us > 0) &&
		!scenario->devices[device].nic.line_rate_mbps)
		return diag_set(diag, -EINVAL,
			"%s: workload: interval_us: 0: a wire without a rate has no pace, "
			"so %s needs an interval",
			place, workload->type);
	return 0;
}

/* Who reads what is received, where somebody does. */
static int check_reader(const struct scenario *scenario, const struct scenario_workload *workload,
	const char *place, struct diag *diag)
{
	bool has_reader = workload->reads || is_stream(workload);

	if (!has_reader && !is_sender(workload) && workload->cpu)
		return diag_set(diag, -EINVAL,
			"%s: workload: cpu: %" PRIu64 ": without reads there is no process", place,
			workload->cpu);
	if (workload->prefer_busy_poll && !workload->busy_poll_us)
		return diag_set(diag, -EINVAL,
			"%s: workload: prefer_busy_poll: true: without busy_poll_us nobody polls",
			place);
	if (!workload->busy_poll_us)
		return 0;
	if (!has_reader)
		return diag_set(diag, -EINVAL,
			"%s: workload: busy_poll_us: %" PRIu64
			": without reads there is nobody who polls",
			place, workload->busy_poll_us);
	return host_kernel_find(scenario->driver.profile)->busy_polls
		       ? 0
		       : diag_set(diag, -EINVAL,
				 "%s: workload: busy_poll_us: %" PRIu64
				 ": %s has no busy polling: it came with 3.11",
				 place, workload->busy_poll_us, scenario->driver.profile);
}

static int check_workload(const struct scenario *scenario, const struct scenario_workload *workload,
	const char *place, struct diag *diag)
{
	int device = scenario_device_of(scenario, workload);

	if (workload->gro && device >= 0 && scenario->devices[device].driver.flush_timeout)
		return diag_set(diag, -EINVAL,
			"%s: workload: gro: true: with gro_flush_timeout GRO holds packets for "
			"longer, which isn't modelled",
			place);
	if (check_times(scenario, workload, place, diag) ||
		check_reader(scenario, workload, place, diag))
		return -EINVAL;
	if (workload->cpu >= scenario->host.cpus)
		return diag_set(diag, -EINVAL,
			"%s: workload: cpu: %" PRIu64
			": CPUs go from 0 on, and host.cpus is %" PRIu64,
			place, workload->cpu, scenario->host.cpus);
	if (check_stream(scenario, workload, place, diag))
		return -EINVAL;
	if (workload->receive_buffer_bytes != SCENARIO_UNSET && !workload->reads &&
		!is_stream(workload))
		return diag_set(diag, -EINVAL,
			"%s: workload: receive_buffer_bytes: %" PRIu64
			": nobody reads; reads is false",
			place, workload->receive_buffer_bytes);
	if (workload->message_bytes == SCENARIO_UNSET)
		return is_sender(workload) && workload->segments > 1
			       ? diag_set(diag, -EINVAL,
					 "%s: workload: segments: %" PRIu64
					 ": more than message_bytes, 1",
					 place, workload->segments)
			       : 0;
	if (is_tcp(workload) && workload->message_bytes > 1448)
		return diag_set(diag, -EINVAL,
			"%s: workload: message_bytes: %" PRIu64 ": a TCP segment has at most 1448",
			place, workload->message_bytes);
	if (workload->segments > workload->message_bytes)
		return diag_set(diag, -EINVAL,
			"%s: workload: segments: %" PRIu64 ": more than message_bytes, %" PRIu64,
			place, workload->segments, workload->message_bytes);
	return 0;
}

/* What one table row alone can't know. */
static int check_together(const struct scenario *scenario, const char *place, struct diag *diag)
{
	if (scenario->host.irq_cpu >= scenario->host.cpus)
		return diag_set(diag, -EINVAL,
			"%s: host.irq_cpu: %" PRIu64
			": CPUs go from 0 on, and host.cpus is %" PRIu64,
			place, scenario->host.irq_cpu, scenario->host.cpus);
	if (host_kernel_find(scenario->driver.profile)->qdisc_yields &&
		scenario->host.dev_tx_weight != SCENARIO_UNSET)
		return diag_set(diag, -EINVAL,
			"%s: host.dev_tx_weight: %s has no such limit: its queue runs yield", place,
			scenario->driver.profile);
	if (check_devices(scenario, place, diag) || check_threads(scenario, place, diag) ||
		check_timer(scenario, place, diag) || scenario_check_clock(scenario, place, diag))
		return -EINVAL;
	for (unsigned i = 0; i < scenario->workload_count; i++) {
		if (check_workload(scenario, &scenario->workloads[i], place, diag))
			return -EINVAL;
	}
	return check_faults(&scenario->nic, place, diag);
}

int scenario_settle(struct scenario *scenario, const char *place, struct diag *diag)
{
	settle_devices(scenario);
	if (check_together(scenario, place, diag) || settle_bql(scenario, place, diag))
		return -EINVAL;
	from_kernel(scenario);
	sort_workloads(scenario);
	return 0;
}
