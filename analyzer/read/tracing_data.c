/* SPDX-License-Identifier: BSD-3-Clause */
#include "tracing_data.h"

#include "bytes.h"
#include <errno.h>

struct reading {
	const uint8_t *data;
	size_t bytes, at;
	bool big_endian;
	bool ended; /* something lies beyond the end; all that is taken then is 0 or empty */
};

/* The next bytes. NULL if there aren't so many. */
static const uint8_t *take(struct reading *r, uint64_t bytes)
{
	const uint8_t *data = r->data + r->at;

	if (r->ended || bytes > r->bytes - r->at) {
		r->ended = true;
		return NULL;
	}
	r->at += (size_t)bytes;
	return data;
}

static uint32_t take_32(struct reading *r)
{
	const uint8_t *data = take(r, 4);

	return data ? bytes_32(data, r->big_endian) : 0;
}

static uint64_t take_64(struct reading *r)
{
	const uint8_t *data = take(r, 8);

	return data ? bytes_64(data, r->big_endian) : 0;
}

/* A string with its end; "" if there is none. */
static const char *take_string(struct reading *r)
{
	const char *text = (const char *)r->data + r->at;
	const uint8_t *end = r->ended ? NULL : memchr(text, '\0', r->bytes - r->at);

	if (!end) {
		r->ended = true;
		return "";
	}
	r->at = (size_t)(end - r->data) + 1;
	return text;
}

/* "header_page" and "header_event": how ring buffers are laid out, which perf.data has none of. */
static void skip_headers(struct reading *r)
{
	for (int i = 0; i < 2; i++) {
		take_string(r);
		take(r, take_64(r));
	}
}

/* Formats of ftrace's own events, then those of each system. */
static int take_formats(struct reading *r, struct raw_events *raw, struct diag *diag)
{
	uint32_t systems, count = take_32(r);

	for (uint32_t i = 0; i < count && !r->ended; i++)
		take(r, take_64(r));
	systems = take_32(r);
	for (uint32_t s = 0; s < systems && !r->ended; s++) {
		const char *system = take_string(r);

		count = take_32(r);
		for (uint32_t i = 0; i < count && !r->ended; i++) {
			uint64_t bytes = take_64(r);
			const uint8_t *format = take(r, bytes);
			int error = 0;

			if (format)
				error = raw_events_add(
					raw, system, (const char *)format, (size_t)bytes, diag);
			if (error)
				return error;
		}
	}
	return 0;
}

int tracing_data_parse(const uint8_t *data, size_t bytes, struct kernel_names *names,
	struct raw_events **raw, struct diag *diag)
{
	static const char magic[] = "\x17\x08\x44tracing"; /* trace-cmd.dat.v6(5) */
	struct reading r = { .data = data, .bytes = bytes };
	const uint8_t *begin = take(&r, sizeof(magic) - 1), *order, *longs;
	int error;

	if (!begin || memcmp(begin, magic, sizeof(magic) - 1) != 0)
		return diag_set(diag, -EINVAL, "the formats of its events aren't such");
	take_string(&r); /* the version: "0.5", "0.6"; what changed is behind the formats */
	order = take(&r, 1);
	longs = take(&r, 1);
	if (order)
		r.big_endian = *order;
	take_32(&r); /* the size of a page */
	skip_headers(&r);
	/* no record tells the idle tasks' name */
	if (!r.ended && !*raw &&
		(raw_events_create(raw, names, *order, *longs) ||
			raw_events_task(*raw, 0, "swapper", 7)))
		return diag_set(diag, -ENOMEM, "no memory");
	error = r.ended ? 0 : take_formats(&r, *raw, diag);
	if (!error && r.ended)
		error = diag_set(diag, -EINVAL,
			"the formats of its events go beyond their end, at %zu in them", r.at);
	return error;
}
