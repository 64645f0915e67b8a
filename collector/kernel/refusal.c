/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/refusal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "store/base/fault.h"
#include "store/base/must.h"

/* Lines of the verifier that are quoted: its verdict and the instruction that it is about. */
#define QUOTED_LINES 2
#define LINE_BYTES_MAX 160

#define LOAD_ADVICE "run as root, or with CAP_BPF and CAP_PERFMON"

static void say(struct sampler_reason *reason, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct sampler_reason *reason, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason->text, sizeof(reason->text), format, arguments);
	va_end(arguments);
}

int refusal_of_config(struct sampler_reason *reason, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason->text, sizeof(reason->text), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

int refusal_of(int error, const char *what, struct sampler_reason *reason)
{
	say(reason, "%s failed: %s", what, fault_text(error));
	return error;
}

int refusal_of_btf(int error, const char *path, struct sampler_reason *reason)
{
	if (error == -ENOENT) {
		say(reason,
			"this kernel has no BTF (%s is missing): use one built with "
			"CONFIG_DEBUG_INFO_BTF=y, as Debian's are from 5.10 on",
			path);
	} else {
		say(reason, "cannot read BTF from %s: %s", path, fault_text(error));
	}
	return error;
}

/* The line that ends before END and does not begin before START; its beginning. */
static const char *line_start(const char *start, const char *end)
{
	while (end > start && end[-1] != '\n')
		end--;
	return end;
}

/* Appends the line from AT to END to the text, as far as there is room, without odd bytes. */
static void quote(struct sampler_reason *reason, const char *at, const char *end)
{
	size_t length = strlen(reason->text);

	if (end - at > LINE_BYTES_MAX)
		end = at + LINE_BYTES_MAX;
	if (length + 3 < sizeof(reason->text)) {
		memcpy(reason->text + length, " | ", 3);
		length += 3;
	}
	for (; at < end && length + 1 < sizeof(reason->text); at++)
		reason->text[length++] = (char)(*at >= ' ' && *at <= '~' ? *at : ' ');
	reason->text[length] = '\0';
}

/* The verifier ends with "processed N insns"; what it objected to stands right before. */
static void quote_verdict(struct sampler_reason *reason, const char *log)
{
	const char *end = strstr(log, "\nprocessed ");
	const char *starts[QUOTED_LINES], *ends[QUOTED_LINES];
	int count = 0;

	if (!end)
		end = log + strlen(log);
	while (count < QUOTED_LINES && end > log) {
		const char *start = line_start(log, end);

		if (start < end) {
			starts[count] = start;
			ends[count++] = end;
		}
		end = start > log ? start - 1 : log;
	}
	while (count-- > 0)
		quote(reason, starts[count], ends[count]);
}

int refusal_of_load(int error, const char *log, struct sampler_reason *reason)
{
	bool verifier_spoke = strstr(log, "processed ") != NULL;

	if (verifier_spoke) {
		say(reason, "the kernel's verifier refused a program (%s); please report it:",
			fault_text(error));
		quote_verdict(reason, log);
	} else if (error == -EPERM || error == -EACCES) {
		say(reason,
			"the kernel refused to load BPF programs (%s): " LOAD_ADVICE
			"; before Linux 5.11 also with `ulimit -l unlimited`",
			fault_text(error));
	} else {
		say(reason, "loading the BPF programs failed: %s", fault_text(error));
		quote_verdict(reason, log);
	}
	return error;
}

int refusal_of_timer(int error, uint32_t cpu, int paranoid, struct sampler_reason *reason)
{
	if (error == -EPERM || error == -EACCES) {
		say(reason,
			"the kernel refused to sample CPU %u (%s, kernel.perf_event_paranoid is "
			"%d): run as root, or with CAP_PERFMON",
			cpu, fault_text(error), paranoid);
	} else if (error == -EMFILE) {
		say(reason,
			"no descriptor left to sample CPU %u: raise the limit (`ulimit -n`) to "
			"two a CPU and 100 more",
			cpu);
	} else {
		say(reason, "sampling CPU %u failed: %s", cpu, fault_text(error));
	}
	return error;
}

void refusal_add(const struct sampler_reason *other, struct sampler_reason *reason)
{
	static const char between[] = "; and without BPF: ";
	size_t other_length = strlen(other->text), length = strlen(reason->text);
	size_t room = sizeof(reason->text) - sizeof(between);

	if (other_length > room / 2)
		other_length = room / 2;
	if (length > room - other_length)
		length = room - other_length;
	memcpy(reason->text + length, between, sizeof(between) - 1);
	length += sizeof(between) - 1;
	memcpy(reason->text + length, other->text, other_length);
	reason->text[length + other_length] = '\0';
}

void refusal_shorten(const char *text, char *ret_text, size_t bytes)
{
	static const char left_out[] = " ... ";
	const char *advice = strstr(text, "): ");
	size_t length = advice ? (size_t)(advice - text) + 1 : strlen(text);
	size_t head, tail;

	must(bytes > 2 * sizeof(left_out));
	if (length < bytes) {
		memcpy(ret_text, text, length);
		ret_text[length] = '\0';
		return;
	}
	head = (bytes - sizeof(left_out)) / 2;
	tail = bytes - sizeof(left_out) - head;
	memcpy(ret_text, text, head);
	memcpy(ret_text + head, left_out, sizeof(left_out) - 1);
	memcpy(ret_text + head + sizeof(left_out) - 1, text + length - tail, tail);
	ret_text[bytes - 1] = '\0';
}
