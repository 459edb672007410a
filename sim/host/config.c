/* SPDX-License-Identifier: BSD-3-Clause */
/* What a world can be made of. */
#include "world.h"

const struct e1000e_config *host_driver_of(const struct host_config *config, unsigned device)
{
	return device ? &config->more[device - 1].driver : &config->driver;
}

/* It has its two devices for itself. */
static bool stream_valid(const struct host_config *config, const struct host_receiver *stream)
{
	if (!stream->tcp || !stream->read || stream->gro || !stream->write_bytes ||
		config->qdisc_limit < HOST_TRAIN_MOST || stream->from > config->more_count ||
		stream->from == stream->device ||
		!host_driver_of(config, stream->from)->rx_ring_size)
		return false;
	for (unsigned i = 0; i < config->receiver_count; i++) {
		const struct host_receiver *other = &config->receivers[i];

		if (other != stream &&
			(other->device == stream->device || other->device == stream->from))
			return false;
	}
	for (unsigned i = 0; i < config->sender_count; i++) {
		if (config->senders[i].device == stream->device ||
			config->senders[i].device == stream->from)
			return false;
	}
	return true;
}

bool host_config_valid(const struct host_config *config)
{
	if (config->cpus < 1 || config->cpus > HOST_CPUS_MOST || config->irq_cpu >= config->cpus)
		return false;
	if (!config->kernel || !config->tick_hz || config->sender_count > HOST_SENDERS_MOST ||
		config->more_count >= HOST_DEVICES_MOST ||
		config->receiver_count > HOST_RECEIVERS_MOST || !config->dev_weight)
		return false;
	for (unsigned i = 0; i < config->receiver_count; i++) {
		const struct host_receiver *receiver = &config->receivers[i];

		if (receiver->device > config->more_count || !receiver->burst ||
			!host_driver_of(config, receiver->device)->rx_ring_size ||
			host_frame_bytes(receiver) > RX_BUFFER_BYTES ||
			receiver->cpu >= config->cpus)
			return false;
		if (receiver->stream && !stream_valid(config, receiver))
			return false;
	}
	for (unsigned i = 0; i < config->sender_count; i++) {
		const struct host_sender *sender = &config->senders[i];

		if (sender->cpu >= config->cpus || sender->device > config->more_count ||
			!sender->segments || !sender->truesize_bytes)
			return false;
	}
	return poll_config_valid(config);
}
