/* SPDX-License-Identifier: BSD-3-Clause */
#include "convert_formats.h"

#include <string.h>

const struct convert_format *convert_format_find(const char *name)
{
	static const struct convert_format *const formats[] = {
		&convert_ctf,
		&convert_perfetto,
		&convert_csv,
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	}
	return NULL;
}
