/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctf_foreign_cut.h"

#include "ctf_foreign_clock.h"
#include "regular.h"
#include "write_all.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES    4096
#define MAGIC_BYTES   4
#define HEAD_BYTES    64 /* of a packet, in which its sizes are */
#define FIELD_BYTES   4
#define FIELDS_MOST   (HEAD_BYTES / FIELD_BYTES)
#define ALONE         ".alone"            /* a stream is tried there, without the others */
#define CUT_BITS_MOST (UINT32_C(1) << 27) /* of a packet that is cut; LTTng's have up to 2^25 */

static bool join(char path[PATH_BYTES], const char *folder, const char *name)
{
	return snprintf(path, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES;
}

/* The magic that a packet begins with, in either byte order. */
static bool is_magic(const uint8_t *at)
{
	return !memcmp(at, "\xc1\x1f\xfc\xc1", MAGIC_BYTES) ||
	       !memcmp(at, "\xc1\xfc\x1f\xc1", MAGIC_BYTES);
}

/* Where the last packet begins. 0: it is the first, or there is none. */
static size_t last_packet(const uint8_t *data, size_t bytes)
{
	size_t at = bytes < MAGIC_BYTES ? 0 : bytes - MAGIC_BYTES;

	while (at && !is_magic(data + at))
		at--;
	return at;
}

/* The fields near a packet's begin that may be its sizes: numbers of bits past the stream's end. */
struct size_fields {
	uint64_t bits; /* that there are */
	bool big;
	unsigned count;
	size_t at[FIELDS_MOST]; /* in the stream */
};

static uint32_t number(const uint8_t *p, bool big)
{
	return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
		   : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static void find_fields(
	struct size_fields *fields, const uint8_t *data, size_t packet, size_t bytes)
{
	size_t end = bytes - packet < HEAD_BYTES ? bytes : packet + HEAD_BYTES;

	*fields = (struct size_fields){ .bits = 8 * (uint64_t)(bytes - packet) };
	if (bytes - packet < MAGIC_BYTES || !is_magic(data + packet))
		return;
	fields->big = data[packet + 1] == 0xfc;
	for (size_t at = packet + MAGIC_BYTES; at + FIELD_BYTES <= end; at += FIELD_BYTES) {
		uint32_t bits = number(data + at, fields->big);

		if (bits > fields->bits && bits - fields->bits <= CUT_BITS_MOST && bits % 8 == 0)
			fields->at[fields->count++] = at;
	}
}

static bool put_size(int file, const struct size_fields *fields, unsigned i)
{
	uint8_t text[FIELD_BYTES];

	for (unsigned j = 0; j < FIELD_BYTES; j++)
		text[fields->big ? 3 - j : j] = (uint8_t)(fields->bits >> 8 * j);
	return pwrite(file, text, 4, (off_t)fields->at[i]) == 4;
}

/*
 * The last packet's size, or that and its content's, become what there is of it. Which fields those
 * are only the metadata says: it is those with which the stream fits, the fewest.
 */
static bool shorten(int file, const uint8_t *data, const struct size_fields *fields,
	bool (*fits)(void *data, const char *folder), void *fits_data, const char *alone)
{
	for (unsigned pair = 0; pair < 2; pair++) {
		for (unsigned i = 0; i < fields->count; i++) {
			for (unsigned j = pair ? i + 1 : i; j < (pair ? fields->count : i + 1);
				j++) {
				if (put_size(file, fields, i) && put_size(file, fields, j) &&
					fits(fits_data, alone))
					return true;
				if (pwrite(file, data + fields->at[i], 4, (off_t)fields->at[i]) !=
						4 ||
					pwrite(file, data + fields->at[j], 4,
						(off_t)fields->at[j]) != 4)
					return false;
			}
		}
	}
	return false;
}

/* A copy of a stream whose last packet is shorter, or left out. */
static bool copy_whole(const uint8_t *stream, size_t bytes, const char *alone, const char *to,
	bool (*fits)(void *data, const char *folder), void *data)
{
	int file = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t packet = last_packet(stream, bytes);
	struct size_fields fields;
	bool fit = false;

	find_fields(&fields, stream, packet, bytes);
	if (file >= 0 && !write_all(file, stream, bytes))
		fit = shorten(file, stream, &fields, fits, data, alone) ||
		      (packet && !ftruncate(file, (off_t)packet) && fits(data, alone));
	if (file >= 0)
		close(file);
	return fit;
}

/* Puts a stream into the folder `alone`, which has none: as it is, or mended. True if it fits then.
 */
static bool mend_stream(struct foreign_mended *mended, const char *from, const char *alone,
	bool (*fits)(void *data, const char *folder), void *data)
{
	char to[PATH_BYTES], real[PATH_BYTES];
	struct stat stat = { 0 };
	uint8_t *stream = MAP_FAILED;
	bool fit;
	int file;

	if (!join(to, alone, "stream") || symlink(from, to))
		return false;
	if (fits(data, alone))
		return true;
	unlink(to);
	snprintf(mended->trouble, sizeof(mended->trouble), "%s: is cut within a packet",
		realpath(from, real) ? real : from);
	file = open(from, O_RDONLY | O_CLOEXEC);
	if (file >= 0 && !fstat(file, &stat) && stat.st_size > 0)
		stream = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (file >= 0)
		close(file);
	if (stream == MAP_FAILED)
		return false;
	fit = copy_whole(stream, (size_t)stat.st_size, alone, to, fits, data);
	munmap(stream, (size_t)stat.st_size);
	if (!fit)
		unlink(to);
	return fit;
}

/* All streams, one after the other. Returns how many are left. */
static unsigned mend_streams(struct foreign_mended *mended, const char *trace, const char *alone,
	bool (*fits)(void *data, const char *folder), void *data)
{
	char from[PATH_BYTES], tried[PATH_BYTES], to[PATH_BYTES];
	DIR *dir = opendir(trace);
	struct dirent *entry;
	struct stat stat_of;
	unsigned count = 0;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "metadata") ||
			!join(from, trace, entry->d_name) || stat(from, &stat_of) ||
			!S_ISREG(stat_of.st_mode))
			continue;
		count += mend_stream(mended, from, alone, fits, data) &&
			 join(tried, alone, "stream") && join(to, mended->folder, entry->d_name) &&
			 !rename(tried, to);
	}
	if (dir)
		closedir(dir);
	return count;
}

#define UNIQUE 6 /* last characters of a folder's name, for mkdtemp */

/* What the names of temporary folders have in common, with UNIQUE times X. False: no room. */
static bool make_name(char *name, size_t bytes)
{
	const char *place = getenv("TMPDIR");

	return snprintf(name, bytes, "%s/ringstat-XXXXXX", place && *place ? place : "/tmp") <
	       (int)bytes;
}

static bool make_temporary(struct foreign_mended *mended)
{
	*mended = (struct foreign_mended){ 0 };
	if (make_name(mended->folder, sizeof(mended->folder)) && mkdtemp(mended->folder))
		return true;
	mended->folder[0] = '\0';
	return false;
}

bool foreign_mend(struct foreign_mended *mended, const char *trace,
	bool (*fits)(void *data, const char *folder), void *data)
{
	char path[PATH_BYTES], alone[sizeof(mended->folder) + 8], real[PATH_BYTES];
	bool done = false;

	if (!make_temporary(mended))
		return false;
	snprintf(alone, sizeof(alone), "%s/" ALONE, mended->folder);
	/* a trace without a stream fits, unless its metadata is what is wrong */
	if (realpath(trace, real) && join(path, real, "metadata") && !mkdir(alone, 0700)) {
		char link[sizeof(alone) + 16];

		snprintf(link, sizeof(link), "%s/metadata", alone);
		done = !symlink(path, link) && fits(data, alone) &&
		       mend_streams(mended, real, alone, fits, data);
		unlink(link);
		rmdir(alone);
		snprintf(link, sizeof(link), "%s/metadata", mended->folder);
		done = done && !symlink(path, link) && fits(data, mended->folder);
	}
	if (!done)
		foreign_mended_remove(mended);
	return done;
}

/* A trace's metadata with the frequencies that they lack; NULL: they lack none, or are no text. */
static char *complete_metadata(const char *trace, size_t *bytes)
{
	char path[PATH_BYTES], *text = MAP_FAILED, *completed = NULL;
	struct stat stat = { 0 };
	int file = join(path, trace, "metadata") ? regular_open(path) : -1;

	if (file >= 0 && !fstat(file, &stat) && stat.st_size > 0 &&
		(uint64_t)stat.st_size <= FOREIGN_METADATA_BYTES)
		text = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (text != MAP_FAILED) {
		if (!memchr(text, '\0', (size_t)stat.st_size))
			completed = foreign_clock_complete(text, (size_t)stat.st_size, bytes);
		munmap(text, (size_t)stat.st_size);
	}
	if (file >= 0)
		close(file);
	return completed;
}

/* Links to all streams of a trace. */
static bool link_streams(const struct foreign_mended *mended, const char *trace)
{
	char from[PATH_BYTES], to[PATH_BYTES];
	DIR *dir = opendir(trace);
	const struct dirent *entry;
	bool done = dir;

	while (done && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") != 0)
			done = join(from, trace, entry->d_name) &&
			       join(to, mended->folder, entry->d_name) && !symlink(from, to);
	}
	if (dir)
		closedir(dir);
	return done;
}

bool foreign_complete(struct foreign_mended *mended, const char *trace)
{
	char path[PATH_BYTES], real[PATH_BYTES];
	size_t bytes;
	char *metadata = complete_metadata(trace, &bytes);
	bool done = metadata && make_temporary(mended);

	if (done) {
		int file = join(path, mended->folder, "metadata")
				   ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
				   : -1;

		done = file >= 0 && !write_all(file, metadata, bytes) && realpath(trace, real) &&
		       link_streams(mended, real);
		if (file >= 0)
			close(file);
		if (!done)
			foreign_mended_remove(mended);
	}
	free(metadata);
	return done;
}

/* With the files in it. */
static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	char path[PATH_BYTES];
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && join(path, folder, entry->d_name))
			unlink(path);
	}
	if (dir) {
		closedir(dir);
		rmdir(folder);
	}
}

void foreign_mended_remove(struct foreign_mended *mended)
{
	char alone[sizeof(mended->folder) + 8], name[sizeof(mended->folder)];

	/* babeltrace2, which crashed, may have written what stands there */
	if (!mended->folder[0] || !make_name(name, sizeof(name)) ||
		strnlen(mended->folder, sizeof(name)) != strlen(name) ||
		strncmp(mended->folder, name, strlen(name) - UNIQUE) != 0 ||
		strchr(mended->folder + strlen(name) - UNIQUE, '/'))
		return;
	snprintf(alone, sizeof(alone), "%s/" ALONE, mended->folder);
	remove_folder(alone); /* it is there where the work was broken off */
	remove_folder(mended->folder);
	mended->folder[0] = '\0';
}
