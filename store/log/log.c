/* SPDX-License-Identifier: Apache-2.0 */
#include "store/log/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "store/base/fault.h"

/* One line is one write: longer text is cut so that lines of several threads never mix. */
#define LINE_BYTES_MAX 2048

const char *const log_level_names[] = {"error", "warning", "info", "debug", NULL};

static const char *program_name = "cairn";
static enum log_level level_shown = LOG_LEVEL_INFO;

void log_init(const char *program, enum log_level level)
{
	program_name = program;
	level_shown = level;
}

static size_t clamp(int printed, size_t used)
{
	size_t room = LINE_BYTES_MAX - 1 - used;

	if (printed < 0)
		return used;
	return used + ((size_t)printed < room ? (size_t)printed : room);
}

__attribute__((format(printf, 4, 0))) static void write_line(
	enum log_level level, const char *word, int error, const char *format, va_list arguments)
{
	char line[LINE_BYTES_MAX + 1];
	size_t used;

	if (level > level_shown)
		return;
	used = clamp(snprintf(line, LINE_BYTES_MAX, "%s: %s", program_name, word), 0);
	used = clamp(vsnprintf(line + used, LINE_BYTES_MAX - used, format, arguments), used);
	if (error != 0) {
		used = clamp(
			snprintf(line + used, LINE_BYTES_MAX - used, ": %s", fault_text(error)),
			used);
	}
	/* Names from outside may hold line ends or what a terminal obeys; one event stays one line.
	 */
	for (size_t i = 0; i < used; i++) {
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = ' ';
	}
	line[used++] = '\n';
	/* Nobody is left to tell if standard error is gone. */
	if (write(STDERR_FILENO, line, used) < 0)
		return;
}

int log_error(int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(LOG_LEVEL_ERROR, "error: ", error, format, arguments);
	va_end(arguments);
	return error;
}

int log_warning(int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(LOG_LEVEL_WARNING, "warning: ", error, format, arguments);
	va_end(arguments);
	return error;
}

void log_info(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(LOG_LEVEL_INFO, "", 0, format, arguments);
	va_end(arguments);
}

void log_debug(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(LOG_LEVEL_DEBUG, "debug: ", 0, format, arguments);
	va_end(arguments);
}
