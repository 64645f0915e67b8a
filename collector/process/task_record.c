/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/task_record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "store/base/bytes.h"

/* 20 bytes in the record, the first of which is the length. */
#define BUILD_ID_ROOM 20
#define TIME_BYTES 8

/* The text up to its NUL, which must lie inside of what is left. */
static int read_text(struct bytes_reader *body, const char **ret_text, size_t *ret_length)
{
	size_t room = bytes_left(body);
	const uint8_t *text = bytes_read_span(body, room);
	const uint8_t *end = text ? memchr(text, '\0', room) : NULL;

	if (!end)
		return -EBADMSG;
	*ret_text = (const char *)text;
	*ret_length = (size_t)(end - text);
	return 0;
}

static int read_mapped(struct bytes_reader *body, uint16_t misc, struct task_record *record)
{
	struct task_mapped *mapped = &record->mapped;

	record->kind = TASK_MAPPED;
	record->pid = bytes_read_u32(body);
	record->tid = bytes_read_u32(body);
	mapped->start = bytes_read_u64(body);
	mapped->byte_count = bytes_read_u64(body);
	mapped->offset = bytes_read_u64(body);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		uint32_t length = bytes_read_u32(body) & 0xff;
		const uint8_t *id = bytes_read_span(body, BUILD_ID_ROOM);

		if (!id || length > BUILD_ID_ROOM)
			return -EBADMSG;
		/* An id of no bytes or of zeros only is none: the file will be read instead. */
		for (uint32_t i = 0; i < length; i++) {
			if (id[i] != 0)
				build_id_make(BUILD_ID_GNU, id, length, &mapped->build_id);
		}
	} else {
		mapped->dev_major = bytes_read_u32(body);
		mapped->dev_minor = bytes_read_u32(body);
		mapped->inode = bytes_read_u64(body);
		mapped->generation = bytes_read_u64(body);
	}
	bytes_read_u32(body); /* protection: only executable memory is reported */
	bytes_read_u32(body); /* flags */
	if (bytes_reader_fault(body) < 0 || mapped->byte_count == 0 ||
		mapped->start + mapped->byte_count <= mapped->start)
		return -EBADMSG;
	return read_text(body, &mapped->path, &mapped->path_length);
}

static int read_named(struct bytes_reader *body, uint16_t misc, struct task_record *record)
{
	size_t length;

	record->kind = TASK_NAMED;
	record->pid = bytes_read_u32(body);
	record->tid = bytes_read_u32(body);
	record->named.is_exec = (misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
	return read_text(body, &record->named.name, &length);
}

static int read_forked_or_exited(
	struct bytes_reader *body, enum task_record_kind kind, struct task_record *record)
{
	record->kind = kind;
	record->pid = bytes_read_u32(body);
	record->parent_pid = bytes_read_u32(body);
	record->tid = bytes_read_u32(body);
	record->parent_tid = bytes_read_u32(body);
	bytes_read_u64(body); /* time, once more */
	return 0;
}

static int read_lost(struct bytes_reader *body, struct task_record *record)
{
	record->kind = TASK_LOST;
	bytes_read_u64(body); /* number of the event */
	record->lost_count = bytes_read_u64(body);
	return 0;
}

static int read_body(
	uint32_t type, uint16_t misc, struct bytes_reader *body, struct task_record *record)
{
	switch (type) {
	case PERF_RECORD_MMAP2:
		return read_mapped(body, misc, record);
	case PERF_RECORD_COMM:
		return read_named(body, misc, record);
	case PERF_RECORD_FORK:
		return read_forked_or_exited(body, TASK_FORKED, record);
	case PERF_RECORD_EXIT:
		return read_forked_or_exited(body, TASK_EXITED, record);
	case PERF_RECORD_LOST:
		return read_lost(body, record);
	default:
		return -ENOMSG;
	}
}

int task_record_parse(const void *bytes, size_t byte_count, struct task_record *ret_record)
{
	struct task_record record = {0};
	struct bytes_reader body;
	uint32_t type;
	uint16_t misc;
	int r;

	if (byte_count < sizeof(struct perf_event_header) + TIME_BYTES)
		return -EBADMSG;
	bytes_reader_init(&body, bytes, byte_count - TIME_BYTES);
	type = bytes_read_u32(&body);
	misc = bytes_read_u16(&body);
	if (bytes_read_u16(&body) != byte_count)
		return -EBADMSG;
	record.time_ns = task_record_time(bytes, byte_count);
	r = read_body(type, misc, &body, &record);
	if (r == 0)
		r = bytes_reader_fault(&body);
	if (r < 0)
		return r;
	*ret_record = record;
	return 0;
}

uint64_t task_record_time(const void *bytes, size_t byte_count)
{
	struct bytes_reader tail;

	if (byte_count < sizeof(struct perf_event_header) + TIME_BYTES)
		return 0;
	bytes_reader_init(&tail, (const uint8_t *)bytes + byte_count - TIME_BYTES, TIME_BYTES);
	return bytes_read_u64(&tail);
}
