/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers in binary traces: at any address, in either byte order, whatever this machine's is.
 */
#ifndef ANALYZER_READ_BYTES_H
#define ANALYZER_READ_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t bytes_16(const uint8_t *data, bool big_endian)
{
	uint16_t value;

	memcpy(&value, data, sizeof(value));
	return big_endian ? be16toh(value) : le16toh(value);
}

static inline uint32_t bytes_32(const uint8_t *data, bool big_endian)
{
	uint32_t value;

	memcpy(&value, data, sizeof(value));
	return big_endian ? be32toh(value) : le32toh(value);
}

static inline uint64_t bytes_64(const uint8_t *data, bool big_endian)
{
	uint64_t value;

	memcpy(&value, data, sizeof(value));
	return big_endian ? be64toh(value) : le64toh(value);
}

/* Of 1, 2, 4 or 8 bytes, where their number is known only when it runs. */
static inline uint64_t bytes_number(const uint8_t *data, unsigned bytes, bool big_endian)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)data[i] << 8 * (big_endian ? bytes - 1 - i : i);
	return value;
}

#endif
