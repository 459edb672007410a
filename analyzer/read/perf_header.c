/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf_header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES     104
#define SECTION_BYTES    16
#define SECTION_BITS     256
#define ATTR_BYTES_MOST  4096
#define COMPRESSION_ZSTD 1

/* Offsets in the header. */
enum {
	HEADER_SIZE = 8,
	HEADER_ATTR_SIZE = 16,
	HEADER_ATTRS = 24,
	HEADER_DATA = 40,
	HEADER_SECTIONS = 72, /* bits */
};

/* What can be done where the end of a file is missing. */
#define FORMATS_MISSING                                                                     \
	"the formats of its events, which perf writes last, are missing; perf record -o - " \
	">FILE writes them first"

#define ATTR_TRACEPOINT 2 /* the type of an event: PERF_TYPE_TRACEPOINT */

struct section {
	uint64_t offset, bytes;
};

struct reading {
	const struct seekable *file;
	struct perf_attrs *attrs;
	struct kernel_names *names;
	struct raw_events **raw;
	struct perf_header *header;
	struct diag *diag;
	bool big_endian;
};

bool perf_header_is_pipe(const uint8_t *data, bool big_endian)
{
	return bytes_64(data + HEADER_SIZE, big_endian) == PERF_PIPE_HEADER_BYTES;
}

static struct section section_at(const struct reading *r, const uint8_t *data)
{
	return (struct section){ bytes_64(data, r->big_endian), bytes_64(data + 8, r->big_endian) };
}

static bool is_inside(const struct reading *r, const struct section *section)
{
	uint64_t all = r->file->bytes;

	return section->offset <= all && section->bytes <= all - section->offset;
}

static int outside(const struct reading *r, const struct section *section, const char *what)
{
	return diag_set(r->diag, -EINVAL,
		"%s (%" PRIu64 " bytes at %" PRIu64 ") are not all there: it ends at %" PRIu64,
		what, section->bytes, section->offset, r->file->bytes);
}

static int read_at(const struct reading *r, uint64_t offset, void *data, size_t bytes)
{
	int error = seekable_read(r->file, offset, data, bytes);

	if (error == -ENODATA)
		return diag_set(r->diag, -EINVAL, "it ends within its header, before %" PRIu64,
			offset + bytes);
	return error;
}

/* Reads a section as a whole; *data is the caller's to free. */
static int read_section(const struct reading *r, const struct section *section, size_t most,
	const char *what, uint8_t **data)
{
	int error;

	*data = NULL;
	if (!is_inside(r, section))
		return outside(r, section, what);
	if (section->bytes > most)
		return diag_set(r->diag, -EINVAL,
			"%s have %" PRIu64 " bytes at %" PRIu64 ", more than %zu", what,
			section->bytes, section->offset, most);
	*data = malloc(section->bytes ? (size_t)section->bytes : 1);
	if (!*data)
		return -ENOMEM;
	error = read_at(r, section->offset, *data, (size_t)section->bytes);
	if (error) {
		free(*data);
		*data = NULL;
	}
	return error;
}

/* An event's attr is followed by where its ids are. */
static int read_attr(const struct reading *r, uint64_t offset, size_t bytes)
{
	uint8_t attr[ATTR_BYTES_MOST], *ids = NULL;
	struct section section;
	int error = read_at(r, offset, attr, bytes);

	if (error)
		return error;
	r->header->tracepoints |= bytes_32(attr, r->big_endian) == ATTR_TRACEPOINT;
	section = section_at(r, attr + bytes - SECTION_BYTES);
	error = read_section(r, &section, 8 * PERF_IDS_MOST, "the ids of an event", &ids);
	if (!error)
		error = perf_attrs_add(r->attrs, attr, bytes - SECTION_BYTES, ids,
			(size_t)section.bytes / 8, r->diag);
	free(ids);
	return error;
}

static int read_attrs(const struct reading *r, const uint8_t *header)
{
	struct section section = section_at(r, header + HEADER_ATTRS);
	uint64_t bytes = bytes_64(header + HEADER_ATTR_SIZE, r->big_endian);
	int error = 0;

	if (bytes < PERF_ATTR_BYTES_MIN + SECTION_BYTES || bytes > ATTR_BYTES_MOST)
		return diag_set(r->diag, -EINVAL,
			"its header says at %d that an event's description has %" PRIu64 " bytes",
			HEADER_ATTR_SIZE, bytes);
	if (!is_inside(r, &section))
		return outside(r, &section, "the descriptions of its events");
	for (uint64_t at = 0; section.bytes - at >= bytes && !error; at += bytes)
		error = read_attr(r, section.offset + at, (size_t)bytes);
	if (!error && !r->attrs->layout_count)
		error = diag_set(
			r->diag, -EINVAL, "its header at %d describes no events", HEADER_ATTRS);
	return error;
}

static int read_formats(const struct reading *r, const struct section *section)
{
	uint8_t *data;
	int error;

	if (!is_inside(r, section))
		return diag_set(r->diag, -EINVAL,
			"it ends at %" PRIu64 ", before %" PRIu64 ", and " FORMATS_MISSING,
			r->file->bytes, section->offset + section->bytes);
	error = read_section(r, section, TRACING_DATA_BYTES, "the formats of its events", &data);
	if (!error)
		error = tracing_data_parse(data, (size_t)section->bytes, r->names, r->raw, r->diag);
	free(data);
	return error;
}

static int read_compression(const struct reading *r, const struct section *section)
{
	uint8_t data[8];
	int error =
		section->bytes < sizeof(data) ? 0 : read_at(r, section->offset, data, sizeof(data));

	if (!error && section->bytes >= sizeof(data))
		error = perf_header_compression(data, sizeof(data), r->big_endian, r->diag);
	return error;
}

static int read_folder(const struct reading *r, const struct section *section)
{
	uint8_t data[8];
	int error;

	if (section->bytes < sizeof(data))
		return 0;
	error = read_at(r, section->offset, data, sizeof(data));
	if (!error)
		r->header->folder = bytes_64(data, r->big_endian);
	return error;
}

static int read_release(const struct reading *r, const struct section *section)
{
	uint8_t data[PERF_STRING_BYTES];
	size_t bytes = section->bytes < sizeof(data) ? (size_t)section->bytes : sizeof(data);
	int error = read_at(r, section->offset, data, bytes);
	const char *text;

	if (error)
		return error;
	text = perf_header_string(data, bytes, r->big_endian, &bytes);
	memcpy(r->header->release, text, bytes);
	return 0;
}

/* The sections behind the records: a table of where they are, of those whose bits are set. */
static int read_sections(const struct reading *r, const uint8_t *bits)
{
	uint64_t at = r->header->data_end;
	int error = 0;

	for (unsigned bit = 0; bit < SECTION_BITS && !error; bit++) {
		uint8_t data[SECTION_BYTES];
		struct section section;

		if (!(bytes_64(bits + bit / 64 * 8, r->big_endian) >> bit % 64 & 1))
			continue;
		error = seekable_read(r->file, at, data, sizeof(data));
		if (error == -ENODATA)
			error = diag_set(r->diag, -EINVAL,
				"it ends at %" PRIu64 ", before the table of what follows its "
				"records, and " FORMATS_MISSING,
				r->file->bytes);
		if (error)
			break;
		at += sizeof(data);
		section = section_at(r, data);
		if (bit == PERF_TRACING_DATA)
			error = read_formats(r, &section);
		else if (!is_inside(r, &section))
			r->header->cut = true;
		else if (bit == PERF_DIR_FORMAT)
			error = read_folder(r, &section);
		else if (bit == PERF_COMPRESSION)
			error = read_compression(r, &section);
		else if (bit == PERF_OSRELEASE)
			error = read_release(r, &section);
	}
	return error;
}

const char *perf_header_string(const uint8_t *data, size_t bytes, bool big_endian, size_t *length)
{
	uint32_t told = bytes < 4 ? 0 : bytes_32(data, big_endian);

	*length = told && told <= bytes - 4 ? told : 0;
	return (const char *)data + (*length ? 4 : 0);
}

int perf_header_compression(const uint8_t *data, size_t bytes, bool big_endian, struct diag *diag)
{
	uint32_t type = bytes < 8 ? COMPRESSION_ZSTD : bytes_32(data + 4, big_endian);

	if (type == COMPRESSION_ZSTD)
		return 0;
	return diag_set(
		diag, -EINVAL, "it is compressed in an unknown way (type %" PRIu32 ")", type);
}

int perf_header_read(const struct seekable *file, struct perf_attrs *attrs,
	struct kernel_names *names, struct raw_events **raw, struct perf_header *header,
	struct diag *diag)
{
	struct reading r = { file, attrs, names, raw, header, diag, attrs->big_endian };
	uint8_t data[HEADER_BYTES];
	struct section records;
	int error = read_at(&r, 0, data, sizeof(data));

	if (error)
		return error;
	if (bytes_64(data + HEADER_SIZE, r.big_endian) < HEADER_BYTES)
		return diag_set(diag, -EINVAL,
			"its header says at %d that it has %" PRIu64 " bytes", HEADER_SIZE,
			bytes_64(data + HEADER_SIZE, r.big_endian));
	records = section_at(&r, data + HEADER_DATA);
	if (!records.bytes)
		return diag_set(diag, -EINVAL,
			"its header says at %d that it has no records: recording was not finished, "
			"and " FORMATS_MISSING,
			HEADER_DATA + 8);
	if (!is_inside(&r, &records))
		return diag_set(diag, -EINVAL,
			"its records (%" PRIu64 " bytes at %" PRIu64
			") are not all there: it ends at %" PRIu64 ", and " FORMATS_MISSING,
			records.bytes, records.offset, file->bytes);
	header->data_begin = records.offset;
	header->data_end = records.offset + records.bytes;
	error = read_attrs(&r, data);
	if (!error)
		error = read_sections(&r, data + HEADER_SECTIONS);
	if (!error && header->tracepoints && !*raw)
		error = diag_set(diag, -EINVAL,
			"its header says at %d that the formats of its events aren't there",
			HEADER_SECTIONS);
	return error;
}
