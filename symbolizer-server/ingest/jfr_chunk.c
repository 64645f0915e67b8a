/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_chunk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "symbolizer-server/ingest/jfr_value.h"

#define VERSION_MAJOR 2u
#define FLAG_PACKED_NUMBERS 1u

static const char magic[4] = {'F', 'L', 'R', '\0'};

bool jfr_is(struct ingest_text body)
{
	return body.length >= sizeof(magic) && memcmp(body.text, magic, sizeof(magic)) == 0;
}

int jfr_refuse(struct ingest_fault *fault, int error, const struct jfr_chunk *chunk,
	const char *format, ...)
{
	char what[INGEST_FAULT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	return ingest_refuse(fault, error, "the body was read as a flight recording: chunk %u: %s",
		chunk->number, what);
}

static uint64_t read_big(const char *bytes, unsigned byte_count)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < byte_count; i++)
		value = value << 8 | (uint8_t)bytes[i];
	return value;
}

static int check_version(
	const char *header, const struct jfr_chunk *chunk, struct ingest_fault *fault)
{
	unsigned major = (unsigned)read_big(header + 4, 2);
	unsigned minor = (unsigned)read_big(header + 6, 2);

	if (major != VERSION_MAJOR) {
		return jfr_refuse(fault, -EBADMSG, chunk,
			"it is of version %u.%u; versions 2.0 and 2.1 are read (JDK 11 and later)",
			major, minor);
	}
	if ((read_big(header + 64, 4) & FLAG_PACKED_NUMBERS) == 0) {
		return jfr_refuse(fault, -EBADMSG, chunk,
			"its numbers are not packed, which no recorder of today leaves out");
	}
	return 0;
}

static int read_header(const char *header, struct jfr_chunk *chunk, struct ingest_fault *fault)
{
	int r = check_version(header, chunk, fault);

	if (r < 0)
		return r;
	chunk->metadata_at = read_big(header + 24, 8);
	chunk->start_ns = read_big(header + 32, 8);
	chunk->duration_ns = read_big(header + 40, 8);
	chunk->ticks_per_second = read_big(header + 56, 8);
	if (chunk->ticks_per_second == 0)
		return jfr_refuse(fault, -EBADMSG, chunk, "its clock has no ticks a second");
	if (chunk->metadata_at < JFR_HEADER_BYTES || chunk->metadata_at >= chunk->bytes.length) {
		return jfr_refuse(fault, -EBADMSG, chunk,
			"its metadata would stand outside of it: the recording was not finished");
	}
	return 0;
}

int jfr_chunk_next(
	struct ingest_text *rest, struct jfr_chunk *ret_chunk, struct ingest_fault *fault)
{
	struct jfr_chunk chunk = {.number = ret_chunk->number + 1};
	uint64_t size;
	int r;

	if (rest->length == 0)
		return 0;
	if (chunk.number > JFR_CHUNK_COUNT_MAX) {
		return ingest_refuse(fault, -E2BIG, "the flight recording has more than %u chunks",
			JFR_CHUNK_COUNT_MAX);
	}
	if (!jfr_is(*rest))
		return jfr_refuse(fault, -EBADMSG, &chunk, "it does not begin with FLR");
	if (rest->length < JFR_HEADER_BYTES)
		return jfr_refuse(fault, -EBADMSG, &chunk, "it is cut off within its header");
	size = read_big(rest->text + 8, 8);
	if (size < JFR_HEADER_BYTES) {
		return jfr_refuse(fault, -EBADMSG, &chunk,
			"it tells no size: the recording was not finished");
	}
	if (size > rest->length) {
		return jfr_refuse(fault, -EBADMSG, &chunk,
			"it is cut off: %zu bytes are there of %llu", rest->length,
			(unsigned long long)size);
	}
	chunk.bytes = (struct ingest_text){rest->text, size};
	r = read_header(rest->text, &chunk, fault);
	if (r < 0)
		return r;
	*rest = (struct ingest_text){rest->text + size, rest->length - size};
	*ret_chunk = chunk;
	return 1;
}

void jfr_events_init(struct bytes_reader *events, const struct jfr_chunk *chunk)
{
	bytes_reader_init(events, chunk->bytes.text + JFR_HEADER_BYTES,
		chunk->bytes.length - JFR_HEADER_BYTES);
}

int jfr_event_next(struct bytes_reader *events, struct jfr_event *ret_event)
{
	const uint8_t *first = events->at;
	uint64_t size;

	if (events->at == events->end)
		return 0;
	size = jfr_number(events);
	if (size > (size_t)(events->end - first) || size <= (size_t)(events->at - first))
		return -EBADMSG;
	ret_event->fields = (struct bytes_reader){events->at, first + size, events->fault};
	ret_event->type = jfr_number(&ret_event->fields);
	events->at = first + size;
	return bytes_reader_fault(&ret_event->fields) < 0 ? -EBADMSG : 1;
}
