/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Through babeltrace2's graph: a source of its ctf plugin for each trace, and a sink of ours with a
 * port for each stream. There is no muxer between them, since it compares nanoseconds: events are
 * sorted afterwards, by cycles.
 */
#include "ctf_foreign_bounds.h"
#include "ctf_foreign_load.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MOST 8 /* LTTng: archives/CHUNK/ust/uid/NUMBER/64-bit */

/* Ends a message before what differs from run to run: ", msg-it-addr=0x55…". */
static void cut_addresses(char *message)
{
	char *address = strstr(message, "-addr=0x");

	while (address && address > message && *address != ',' && *address != ':')
		address--;
	if (address)
		*address = '\0';
}

/* The reason at the root of babeltrace's error, which is taken. */
static void take_reason(char *text, size_t bytes)
{
	const bt_error *error = bt_current_thread_take_error();

	snprintf(text, bytes, "%s", "babeltrace2 doesn't say why");
	if (!error)
		return;
	if (bt_error_get_cause_count(error))
		snprintf(text, bytes, "%s",
			bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
	cut_addresses(text);
	bt_error_release(error);
}

static int fail_as_told(struct foreign_loader *loader, const char *what)
{
	char why[300], text[400];

	take_reason(why, sizeof(why));
	snprintf(text, sizeof(text), "%s: %s", what, why);
	return foreign_fail(loader, -EINVAL, text);
}

/* What can't be read ends its stream; the others may be whole. */
static void end_in_trouble(struct foreign_loader *loader)
{
	char why[sizeof(loader->diag->text)], text[sizeof(why) + 64];

	take_reason(why, sizeof(why));
	snprintf(text, sizeof(text), "a stream can't be read further: %s", why);
	reader_truncated(&loader->reader, text);
	loader->lane++;
}

/* The sink's method: some messages of the stream that is being read, one stream after the other. */
static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self)
{
	struct foreign_loader *loader =
		bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	struct foreign_lane *lane = &loader->lanes[loader->lane];
	bt_message_array_const messages;
	uint64_t count = 0;

	bt_current_thread_clear_error(); /* of a stream that ended in trouble: none may be left */
	switch (bt_message_iterator_next(lane->messages, &messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_AGAIN;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		loader->lane++;
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_MEMORY_ERROR;
	default:
		end_in_trouble(loader);
	}
	for (uint64_t i = 0; i < count; i++) {
		if (!loader->error)
			foreign_take(loader, lane, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	if (loader->error)
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
	return loader->lane < loader->lane_count
		       ? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK
		       : BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
}

/* The sink's method: a port for each stream. */
static bt_component_class_initialize_method_status initialize(bt_self_component_sink *self,
	bt_self_component_sink_configuration *configuration, const bt_value *params, void *data)
{
	const struct foreign_loader *loader = data;

	(void)configuration;
	(void)params;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), data);
	for (uint64_t i = 0; i < loader->lane_count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%" PRIu64, i);
		if (bt_self_component_sink_add_input_port(self, name, NULL, NULL))
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

/* The sink's method, when all ports are connected. */
static bt_component_class_sink_graph_is_configured_method_status configured(
	bt_self_component_sink *self)
{
	struct foreign_loader *loader =
		bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

	for (uint64_t i = 0; i < loader->lane_count; i++) {
		if (bt_message_iterator_create_from_sink_component(self,
			    bt_self_component_sink_borrow_input_port_by_index(self, i),
			    &loader->lanes[i].messages))
			return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static const bt_component_sink *add_sink(struct foreign_loader *loader)
{
	bt_component_class_sink *class = bt_component_class_sink_create("ringstat", consume);
	const bt_component_sink *sink = NULL;

	if (!class)
		return NULL;
	if (!bt_component_class_sink_set_initialize_method(class, initialize) &&
		!bt_component_class_sink_set_graph_is_configured_method(class, configured) &&
		bt_graph_add_sink_component_with_initialize_method_data(loader->graph, class,
			"ringstat", NULL, loader, BT_LOGGING_LEVEL_NONE, &sink))
		sink = NULL;
	bt_component_class_sink_put_ref(class);
	return sink;
}

/* The trace in a folder becomes a source. Not 0 if that fails. */
static int make_source(struct foreign_loader *loader, const char *folder)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(loader->plugin, "fs");
	bt_value *params = bt_value_map_create(), *inputs = NULL;
	char name[32];
	int failed = !class || !params;

	snprintf(name, sizeof(name), "%u", loader->source_count); /* no two of a graph have one */
	if (!failed)
		failed = bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) ||
			 bt_value_array_append_string_element(inputs, folder) ||
			 bt_graph_add_source_component(loader->graph, class, name, params,
				 BT_LOGGING_LEVEL_ERROR, &loader->sources[loader->source_count]);
	bt_value_put_ref(params);
	return failed;
}

/*
 * What is wrong with a trace, and in which line of its metadata, babeltrace2 tells only its log, on
 * standard error, which is a file here. Its first line, if there is one, replaces the text: without
 * what comes before the message ("… function@file:line [component] ") and addresses in memory.
 */
static void take_log(char *text, size_t bytes)
{
	char line[512];
	ssize_t n = pread(STDERR_FILENO, line, sizeof(line) - 1, 0);
	char *message;

	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	message = strchr(line, '@');
	message = message ? strchr(message, ' ') : NULL;
	if (message && message[1] == '[' && strstr(message, "] "))
		message = strstr(message, "] ") + 1;
	if (!message)
		return;
	cut_addresses(message);
	snprintf(text, bytes, "%s", message + 1);
}

/* Adds the source of a folder that outlives the loader. Not 0 if that fails: so has the graph then.
 */
static int take_source(struct foreign_loader *loader, char *folder)
{
	if (!folder || make_source(loader, folder))
		return -EINVAL;
	loader->lane_count +=
		bt_component_source_get_output_port_count(loader->sources[loader->source_count]);
	loader->folders[loader->source_count++] = folder;
	return 0;
}

/* Whether babeltrace2 takes the trace in a folder: by a graph that is made for this. */
static bool fits(void *data, const char *folder)
{
	struct foreign_loader trial = *(struct foreign_loader *)data;
	bool failed;

	trial.graph = bt_graph_create(0);
	failed = !trial.graph || make_source(&trial, folder);
	bt_graph_put_ref(trial.graph);
	bt_current_thread_clear_error();
	return !failed;
}

/* A new graph, after one that has failed, with the sources that there were. */
static bool renew_graph(struct foreign_loader *loader)
{
	unsigned count = loader->source_count;

	bt_graph_put_ref(loader->graph);
	loader->graph = bt_graph_create(0);
	loader->source_count = 0;
	loader->lane_count = 0;
	while (loader->graph && loader->source_count < count &&
		!take_source(loader, loader->folders[loader->source_count]))
		continue;
	return loader->source_count == count;
}

/* Adds what is whole of a trace that was refused. False if it is refused again. */
static bool mend(struct foreign_loader *loader, const char *folder)
{
	struct foreign_mended *mended = &loader->mended[loader->mended_count];

	if (loader->mended_count == FOREIGN_MENDED_MOST ||
		!foreign_mend(mended, folder, fits, loader))
		return false;
	loader->mended_count++;
	reader_truncated(&loader->reader, mended->trouble);
	return renew_graph(loader) && !take_source(loader, mended->folder);
}

/* The folder to be given to babeltrace2 instead of one with a trace. */
static const char *complete(struct foreign_loader *loader, const char *folder)
{
	struct foreign_mended *mended = &loader->mended[loader->mended_count];

	if (loader->mended_count == FOREIGN_MENDED_MOST || !foreign_complete(mended, folder))
		return folder;
	loader->mended_count++;
	return mended->folder;
}

static int add_source(struct foreign_loader *loader, const char *folder)
{
	const char *taken = complete(loader, folder);
	char why[300];

	if (loader->source_count == FOREIGN_SOURCES_MOST)
		return foreign_fail(loader, -EINVAL, "more traces are in it than can be read");
	if (take_source(loader, strdup(taken))) {
		take_reason(why, sizeof(why));
		take_log(why, sizeof(why));
		if (mend(loader, taken))
			return 0;
		loader->error = diag_set(
			loader->diag, -EINVAL, "%s: this CTF trace can't be read: %s", folder, why);
		return loader->error;
	}
	return 0;
}

static int is_entry(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* A source for each trace in the folder or below it: LTTng puts several into folders of folders. */
static int add_sources(struct foreign_loader *loader, const char *folder, unsigned depth)
{
	struct dirent **entries;
	struct stat status;
	char path[4096];
	int count;

	if (snprintf(path, sizeof(path), "%s/metadata", folder) >= (int)sizeof(path) ||
		depth > DEPTH_MOST || ++loader->folder_count > FOREIGN_FOLDERS_MOST)
		return 0;
	if (!stat(path, &status) && S_ISREG(status.st_mode)) /* nothing else is waited for */
		return add_source(loader, folder);
	count = scandir(folder, &entries, is_entry, alphasort);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_type == DT_DIR && !loader->error &&
			snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) <
				(int)sizeof(path))
			add_sources(loader, path, depth + 1);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return loader->error;
}

static bool connect(struct foreign_loader *loader, const bt_component_sink *sink)
{
	uint64_t lane = 0;

	for (unsigned i = 0; i < loader->source_count; i++) {
		const bt_component_source *source = loader->sources[i];
		uint64_t ports = bt_component_source_get_output_port_count(source);

		for (uint64_t port = 0; port < ports; port++, lane++) {
			if (bt_graph_connect_ports(loader->graph,
				    bt_component_source_borrow_output_port_by_index_const(
					    source, port),
				    bt_component_sink_borrow_input_port_by_index_const(sink, lane),
				    NULL))
				return false;
		}
	}
	return true;
}

static int run(struct foreign_loader *loader)
{
	const struct trace_counts *counts = &loader->reader.counts;
	const bt_component_sink *sink;
	bool failed;

	loader->lanes = calloc(loader->lane_count, sizeof(*loader->lanes));
	if (!loader->lanes)
		return foreign_fail(loader, -ENOMEM, "no memory");
	for (uint64_t i = 0; i < loader->lane_count; i++)
		loader->lanes[i].cpu = (unsigned)i;
	sink = add_sink(loader);
	failed = !sink || !connect(loader, sink) || bt_graph_run(loader->graph);
	for (uint64_t i = 0; i < loader->lane_count; i++)
		bt_message_iterator_put_ref(loader->lanes[i].messages);
	if (loader->error)
		return loader->error;
	if (failed)
		return fail_as_told(loader, "babeltrace2 stops");
	if (counts->truncated && !counts->read && !counts->unparsed)
		return diag_set(loader->diag, -EINVAL, "%s", counts->trouble);
	return 0;
}

int foreign_load(struct foreign_loader *loader, const char *folder)
{
	int error;

	/* or its parser wouldn't tell where an error is; it looks when the plugin is loaded */
	setenv("BABELTRACE_PLUGIN_CTF_METADATA_LOG_LEVEL", "ERROR", 1);
	if (bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &loader->plugin))
		return fail_as_told(loader,
			"a CTF trace of another program, and babeltrace2's plugin ctf, which "
			"reads those, isn't there");
	loader->graph = bt_graph_create(0);
	if (!loader->graph)
		return foreign_fail(loader, -ENOMEM, "no memory");
	error = add_sources(loader, folder, 0);
	if (!error && !loader->source_count)
		error = foreign_fail(
			loader, -EINVAL, "a folder, but not of a CTF trace: it has no metadata");
	if (!error && !loader->lane_count)
		error = foreign_fail(loader, -EINVAL, "a CTF trace without a stream");
	if (!error)
		error = run(loader);
	for (unsigned i = 0; i < loader->mended_count; i++)
		foreign_mended_remove(&loader->mended[i]);
	return error;
}
