/* SPDX-License-Identifier: BSD-3-Clause */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>

int diag_set(struct diag *diag, int error, const char *format, ...)
{
	va_list args;

	if (!diag)
		return error;
	va_start(args, format);
	vsnprintf(diag->text, sizeof(diag->text), format, args);
	va_end(args);
	/* The text may quote the input, which must not reach a terminal's escape sequences. */
	for (char *p = diag->text; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	}
	return error;
}
