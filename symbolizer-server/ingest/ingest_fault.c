/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/ingest_fault.h"

#include <stdarg.h>
#include <stdio.h>

int ingest_refuse(struct ingest_fault *fault, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fault->text, sizeof(fault->text), format, arguments);
	va_end(arguments);
	return error;
}
