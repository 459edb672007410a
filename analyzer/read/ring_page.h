/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of the kernel's ring buffer, as tracefs hands them out and trace.dat keeps them: a time,
 * how many bytes follow, and entries of 4 bytes and more, each with the time since the entry before
 * it (Linux, include/linux/ring_buffer.h, enum ring_buffer_type; Documentation/trace/
 * ring-buffer-design.rst). The text of tracefs' events/header_page says where a page's own fields
 * are.
 *
 * Nothing in a page is trusted: no entry reaches beyond what the page says it holds, and that not
 * beyond the page.
 */
#ifndef ANALYZER_READ_RING_PAGE_H
#define ANALYZER_READ_RING_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_layout {
	bool big_endian;
	unsigned long_bytes; /* of a long of the kernel, which the page's length is: 4 or 8 */
	uint32_t time_offset, commit_offset, data_offset;
};

struct ring_page {
	const struct ring_layout *layout;
	const uint8_t *begin, *at, *end;
	uint64_t time;   /* of the page, then of the entry before `at` */
	bool missed;     /* events were lost before this page ... */
	uint64_t lost;   /* ... so many; 0: the kernel had no room for the number */
	bool cut;        /* only a part of the page is there */
	const char *why; /* what is wrong, after -EINVAL */
};

/* An event of the page: the record that the tracepoint wrote, in multiples of 4 bytes. */
struct ring_entry {
	uint64_t time;
	const uint8_t *data;
	uint32_t bytes;
};

/* Takes the layout from the text of header_page. 0, or -EINVAL if a page can't look like that. */
int ring_layout_parse(struct ring_layout *layout, const char *text, size_t bytes, bool big_endian);

/*
 * Begins a page, of which `bytes` are there, `page_bytes` if nothing is missing. Returns 0, or
 * -EINVAL with page->why and page->at where the damage is.
 */
int ring_page_open(struct ring_page *page, const struct ring_layout *layout, const uint8_t *data,
	size_t bytes, size_t page_bytes);

/* The next event. Returns 1; 0 at the end of what is there; -EINVAL as ring_page_open. */
int ring_page_next(struct ring_page *page, struct ring_entry *entry);

#endif
