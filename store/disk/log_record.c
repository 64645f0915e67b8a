/* SPDX-License-Identifier: Apache-2.0 */
/*
 *    0 magic "CRNR"        4 kind, u16        6 zero, u16
 *    8 header bytes, u32  12 payload bytes, u32
 *   16 checksum of the payload, u64
 *   24 instance, 16 bytes 40 sequence, u64
 *   48 received, u64      56 start, u64      64 until, u64
 *   72 summary: host, types; zeros up to a multiple of 8
 *  end checksum of all header bytes before it, u64
 */
#include "store/disk/log_record.h"

#include <errno.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/base/must.h"

static const uint8_t magic[4] = {'C', 'R', 'N', 'R'};

#define CHECKSUM_BYTES 8

static size_t align(size_t byte_count)
{
	return (byte_count + LOG_RECORD_ALIGN_BYTES - 1) / LOG_RECORD_ALIGN_BYTES *
		LOG_RECORD_ALIGN_BYTES;
}

size_t log_record_bytes(const struct log_record *record)
{
	return align((size_t)record->header_bytes + record->payload_bytes);
}

static struct log_span span_of(const struct string_table *strings, uint32_t index)
{
	return (struct log_span){
		string_table_text(strings, index), (uint32_t)string_table_length(strings, index)};
}

void log_record_describe(struct log_record *ret_record, const struct profile *profile)
{
	struct log_record record = {.kind = LOG_RECORD_PROFILE};

	record.start_ns = profile_window_epoch_ns(profile);
	record.until_ns = profile_window_end_epoch_ns(profile);
	/* An instant still lies somewhere. */
	if (record.until_ns == record.start_ns)
		record.until_ns++;
	record.host = span_of(&profile->strings, profile->head.host);
	for (uint32_t i = 0; i < profile->type_count; i++)
		record.types[record.type_count++] =
			span_of(&profile->strings, profile->types[i].type);
	*ret_record = record;
}

static void write_padding(struct bytes_writer *writer, size_t from)
{
	static const uint8_t zeros[LOG_RECORD_ALIGN_BYTES];
	size_t used = writer->byte_count - from;

	bytes_write_span(writer, zeros, align(used) - used);
}

static void write_text(struct bytes_writer *writer, const struct log_span *span)
{
	bytes_write_varint(writer, span->length);
	bytes_write_span(writer, span->text, span->length);
}

static size_t varint_bytes(uint64_t value)
{
	size_t byte_count = 1;

	for (; value >= 0x80; value >>= 7)
		byte_count++;
	return byte_count;
}

static size_t text_bytes(const struct log_span *span)
{
	return varint_bytes(span->length) + span->length;
}

static size_t header_bytes(const struct log_record *record)
{
	size_t byte_count = LOG_RECORD_HEADER_BYTES_MIN - CHECKSUM_BYTES;

	byte_count += text_bytes(&record->host) + varint_bytes(record->type_count);
	for (uint32_t i = 0; i < record->type_count; i++)
		byte_count += text_bytes(&record->types[i]);
	return align(byte_count) + CHECKSUM_BYTES;
}

static void write_header(const struct log_record *record, struct bytes_writer *writer)
{
	size_t from = writer->byte_count;

	bytes_write_span(writer, magic, sizeof(magic));
	bytes_write_u16(writer, (uint16_t)record->kind);
	bytes_write_u16(writer, 0);
	bytes_write_u32(writer, record->header_bytes);
	bytes_write_u32(writer, record->payload_bytes);
	bytes_write_u64(writer, record->payload_checksum);
	bytes_write_span(writer, record->key.instance, sizeof(record->key.instance));
	bytes_write_u64(writer, record->key.sequence);
	bytes_write_u64(writer, record->received_at_ns);
	bytes_write_u64(writer, record->start_ns);
	bytes_write_u64(writer, record->until_ns);
	write_text(writer, &record->host);
	bytes_write_varint(writer, record->type_count);
	for (uint32_t i = 0; i < record->type_count; i++)
		write_text(writer, &record->types[i]);
	write_padding(writer, from);
	if (!bytes_writer_fault(writer))
		bytes_write_u64(
			writer, hash_bytes(writer->bytes + from, writer->byte_count - from));
}

int log_record_write(struct log_record *record, const void *payload, size_t payload_bytes,
	struct bytes_writer *writer)
{
	size_t from = writer->byte_count;

	must(payload_bytes <= BLOCK_BYTES_MAX);
	if (header_bytes(record) > LOG_RECORD_HEADER_BYTES_MAX)
		return -EFBIG;
	record->header_bytes = (uint32_t)header_bytes(record);
	record->payload_bytes = (uint32_t)payload_bytes;
	record->payload_checksum = hash_bytes(payload, payload_bytes);
	write_header(record, writer);
	bytes_write_span(writer, payload, payload_bytes);
	write_padding(writer, from);
	return bytes_writer_fault(writer);
}

static struct log_span read_text(struct bytes_reader *reader)
{
	uint32_t length = bytes_read_varint32(reader);

	return (struct log_span){(const char *)bytes_read_span(reader, length), length};
}

static void read_summary(struct bytes_reader *reader, struct log_record *record)
{
	uint32_t type_count;

	record->host = read_text(reader);
	type_count = bytes_read_varint32(reader);
	if (type_count > PROFILE_TYPE_COUNT_MAX) {
		bytes_reader_refuse(reader);
		return;
	}
	for (uint32_t i = 0; i < type_count; i++)
		record->types[i] = read_text(reader);
	record->type_count = type_count;
}

/* Lengths come first, so that the checksum can be found and checked before the rest is believed. */
static bool header_intact(const uint8_t *bytes, size_t byte_count, struct log_record *record)
{
	struct bytes_reader reader;

	if (byte_count < LOG_RECORD_HEADER_BYTES_MIN || memcmp(bytes, magic, sizeof(magic)) != 0)
		return false;
	bytes_reader_init(&reader, bytes + sizeof(magic), byte_count - sizeof(magic));
	record->kind = bytes_read_u16(&reader);
	bytes_read_u16(&reader);
	record->header_bytes = bytes_read_u32(&reader);
	record->payload_bytes = bytes_read_u32(&reader);
	if (record->header_bytes < LOG_RECORD_HEADER_BYTES_MIN ||
		record->header_bytes > LOG_RECORD_HEADER_BYTES_MAX ||
		record->header_bytes % LOG_RECORD_ALIGN_BYTES != 0 ||
		record->header_bytes > byte_count || record->payload_bytes > BLOCK_BYTES_MAX)
		return false;
	bytes_reader_init(&reader, bytes + record->header_bytes - CHECKSUM_BYTES, CHECKSUM_BYTES);
	return bytes_read_u64(&reader) == hash_bytes(bytes, record->header_bytes - CHECKSUM_BYTES);
}

int log_record_parse(const uint8_t *bytes, size_t byte_count, struct log_record *ret_record)
{
	struct log_record record = {0};
	struct bytes_reader reader;
	const uint8_t *instance;

	if (!header_intact(bytes, byte_count, &record))
		return -EBADMSG;
	bytes_reader_init(&reader, bytes + 16, record.header_bytes - CHECKSUM_BYTES - 16);
	record.payload_checksum = bytes_read_u64(&reader);
	instance = bytes_read_span(&reader, sizeof(record.key.instance));
	if (!instance)
		return -EBADMSG;
	memcpy(record.key.instance, instance, sizeof(record.key.instance));
	record.key.sequence = bytes_read_u64(&reader);
	record.received_at_ns = bytes_read_u64(&reader);
	record.start_ns = bytes_read_u64(&reader);
	record.until_ns = bytes_read_u64(&reader);
	read_summary(&reader, &record);
	if (bytes_reader_fault(&reader) < 0)
		return -EBADMSG;
	if (record.kind == LOG_RECORD_PROFILE &&
		(record.until_ns <= record.start_ns ||
			record.until_ns - record.start_ns > PROFILE_WINDOW_NS_MAX))
		return -EBADMSG;
	*ret_record = record;
	return 0;
}

bool log_record_payload_intact(const struct log_record *record, const void *payload)
{
	return hash_bytes(payload, record->payload_bytes) == record->payload_checksum;
}
