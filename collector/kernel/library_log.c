/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/library_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "store/base/cleanup.h"

/* The verifier's last words and what libbpf says after them; all of it can be megabytes. */
#define LOG_BYTES 8192

static char log_text[LOG_BYTES];
static size_t log_length;

static void append(const char *text, size_t length)
{
	size_t room = sizeof(log_text) - 1;

	if (length > room) {
		text += length - room;
		length = room;
	}
	if (log_length + length > room) {
		size_t kept = room - length;

		memmove(log_text, log_text + log_length - kept, kept);
		log_length = kept;
	}
	memcpy(log_text + log_length, text, length);
	log_length += length;
	log_text[log_length] = '\0';
}

__attribute__((format(printf, 2, 0))) static int keep(
	enum libbpf_print_level level, const char *format, va_list arguments)
{
	SCOPED_FREE char *text = NULL;
	int length;

	if (level > LIBBPF_INFO)
		return 0;
	length = vasprintf(&text, format, arguments);
	if (length < 0) {
		text = NULL;
		return 0;
	}
	append(text, (size_t)length);
	return length;
}

void library_log_start(void)
{
	log_length = 0;
	log_text[0] = '\0';
	libbpf_set_print(keep);
}

const char *library_log_text(void)
{
	return log_text;
}
