/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/eh_frame.h"

#include <errno.h>
#include <string.h>

/* A length of all ones says that a 64-bit length follows. */
#define LENGTH_ESCAPE UINT32_MAX
#define COMMON_ID_DEBUG_32 UINT64_C(0xffffffff)
#define COMMON_ID_DEBUG_64 UINT64_MAX
#define ADDRESS_BYTES 8
#define AUGMENTATION_BYTES_MAX 16

/* One entry, common (CIE) or of a function (FDE). */
struct entry {
	struct bytes_reader body; /* behind the id */
	uint64_t id;
	const uint8_t *id_at;
	bool is_64; /* lengths and ids of 8 bytes */
};

/* 1: an entry, 0: the end of the chain, or -EBADMSG. */
static int next_entry(struct bytes_reader *reader, bool is_debug_frame, struct entry *ret_entry)
{
	uint64_t byte_count = bytes_read_u32(reader);
	const uint8_t *body;

	ret_entry->is_64 = byte_count == LENGTH_ESCAPE;
	if (ret_entry->is_64)
		byte_count = bytes_read_u64(reader);
	/* Only .eh_frame has a closing entry of length zero. */
	if (byte_count == 0 && !is_debug_frame)
		return bytes_reader_fault(reader);
	body = bytes_read_span(reader, byte_count);
	if (!body)
		return -EBADMSG;
	bytes_reader_init(&ret_entry->body, body, byte_count);
	ret_entry->id_at = body;
	/* In .eh_frame the id has four bytes whatever the length has. */
	ret_entry->id = ret_entry->is_64 && is_debug_frame ? bytes_read_u64(&ret_entry->body)
							   : bytes_read_u32(&ret_entry->body);
	return 1;
}

static bool is_common(const struct eh_frame *section, const struct entry *entry)
{
	if (!section->is_debug_frame)
		return entry->id == 0;
	return entry->id == (entry->is_64 ? COMMON_ID_DEBUG_64 : COMMON_ID_DEBUG_32);
}

/* The letters behind the `z` that say what the augmentation data hold. */
static void read_augmentation(
	struct eh_frame_common *common, struct bytes_reader *body, const char *letters)
{
	uint64_t byte_count = bytes_read_varint(body);
	const uint8_t *bytes = bytes_read_span(body, byte_count);
	struct bytes_reader data;

	if (!bytes)
		return;
	bytes_reader_init(&data, bytes, byte_count);
	for (; *letters; letters++) {
		switch (*letters) {
		case 'P':
			(void)frame_read_plain(&data, bytes_read_u8(&data));
			break;
		case 'L':
			(void)bytes_read_u8(&data);
			break;
		case 'R':
			common->pointer_encoding = bytes_read_u8(&data);
			break;
		case 'S':
			common->frame.is_signal_frame = true;
			break;
		default:
			/* The length tells where it ends, so an unknown letter costs only what the
			 * letters behind it would have said. */
			return;
		}
	}
	if (bytes_reader_fault(&data))
		bytes_reader_refuse(body);
}

static const char *read_text(struct bytes_reader *reader, char *ret_text, size_t text_bytes)
{
	size_t length = 0;
	char byte;

	while ((byte = (char)bytes_read_u8(reader)) != 0) {
		if (length + 1 < text_bytes)
			ret_text[length++] = byte;
		else
			bytes_reader_refuse(reader);
	}
	ret_text[length] = 0;
	return ret_text;
}

static int read_common(struct eh_frame_common *common, struct bytes_reader *body)
{
	char letters[AUGMENTATION_BYTES_MAX];
	uint8_t version = bytes_read_u8(body);
	uint64_t return_register;

	call_frame_common_init(&common->frame);
	common->pointer_encoding = 0;
	read_text(body, letters, sizeof(letters));
	if (version != 1 && version != 3 && version != 4)
		return -ENOTSUP;
	if (version == 4 && (bytes_read_u8(body) != ADDRESS_BYTES || bytes_read_u8(body) != 0))
		return -ENOTSUP;
	common->frame.code_alignment = bytes_read_varint(body);
	common->frame.data_alignment = frame_read_sleb(body);
	return_register = version == 1 ? bytes_read_u8(body) : bytes_read_varint(body);
	common->has_augmentation_length = letters[0] == 'z';
	if (common->has_augmentation_length)
		read_augmentation(common, body, letters + 1);
	else if (letters[0] != 0)
		return -ENOTSUP;
	common->frame.address_encoding = common->pointer_encoding;
	if (bytes_reader_fault(body))
		return -EBADMSG;
	if (return_register != UNWIND_RETURN_ADDRESS)
		return -ENOTSUP;
	return call_frame_set_initial(&common->frame, body);
}

/* The common entry at OFFSET, from memory or read anew; NULL if it is of no use. */
static const struct eh_frame_common *find_common(struct eh_frame_reader *reader, uint64_t offset)
{
	const struct eh_frame *section = &reader->section;
	struct eh_frame_common *common = &reader->common;
	struct bytes_reader chain;
	struct entry entry = {.id = 0};

	if (common->is_read && common->offset == offset)
		return common->fault ? NULL : common;
	if (offset >= section->byte_count)
		return NULL;
	bytes_reader_init(&chain, section->bytes + offset, section->byte_count - offset);
	memset(common, 0, sizeof(*common));
	common->is_read = true;
	common->offset = offset;
	if (next_entry(&chain, section->is_debug_frame, &entry) == 1 && is_common(section, &entry))
		common->fault = read_common(common, &entry.body);
	else
		common->fault = -EBADMSG;
	return common->fault ? NULL : common;
}

static uint64_t common_offset(const struct eh_frame *section, const struct entry *entry)
{
	if (section->is_debug_frame)
		return entry->id;
	return (uint64_t)(entry->id_at - section->bytes) - entry->id;
}

/* Reads the head of a function's entry; its instructions stay in the entry's body. */
static const struct eh_frame_common *read_head(
	struct eh_frame_reader *reader, struct entry *entry, struct eh_frame_function *ret_function)
{
	const struct eh_frame *section = &reader->section;
	const struct eh_frame_common *common = find_common(reader, common_offset(section, entry));
	struct bytes_reader *body = &entry->body;
	uint64_t from, byte_count;

	if (!common)
		return NULL;
	from = frame_read_pointer(body, common->pointer_encoding, &section->bases, section->bytes);
	byte_count = frame_read_plain(body, common->pointer_encoding);
	if (common->has_augmentation_length)
		(void)bytes_read_span(body, bytes_read_varint(body));
	if (bytes_reader_fault(body) || byte_count > UINT64_MAX - from)
		return NULL;
	ret_function->from = from;
	ret_function->until = from + byte_count;
	return common;
}

void eh_frame_reader_init(struct eh_frame_reader *reader, const struct eh_frame *section)
{
	memset(reader, 0, sizeof(*reader));
	reader->section = *section;
	bytes_reader_init(&reader->chain, section->bytes, section->byte_count);
}

int eh_frame_next(struct eh_frame_reader *reader, struct eh_frame_function *ret_function)
{
	const struct eh_frame *section = &reader->section;

	while (bytes_left(&reader->chain)) {
		size_t offset = (size_t)(reader->chain.at - section->bytes);
		struct eh_frame_function function;
		struct entry entry = {.id = 0};
		int r = next_entry(&reader->chain, section->is_debug_frame, &entry);

		if (r <= 0)
			return r;
		if (bytes_reader_fault(&entry.body) || is_common(section, &entry))
			continue;
		if (!read_head(reader, &entry, &function)) {
			reader->broken_count++;
			continue;
		}
		/* What a linker threw away keeps an entry without code. */
		if (function.from == function.until)
			continue;
		function.offset = offset;
		*ret_function = function;
		return 1;
	}
	return 0;
}

int eh_frame_rows(struct eh_frame_reader *reader, const struct eh_frame_function *function,
	call_frame_row_fn *on_row, void *context)
{
	const struct eh_frame *section = &reader->section;
	const struct eh_frame_common *common;
	struct eh_frame_function again;
	struct call_frame_code code;
	struct bytes_reader chain;
	struct entry entry = {.id = 0};

	if (function->offset >= section->byte_count)
		return -EBADMSG;
	bytes_reader_init(
		&chain, section->bytes + function->offset, section->byte_count - function->offset);
	if (next_entry(&chain, section->is_debug_frame, &entry) != 1)
		return -EBADMSG;
	common = read_head(reader, &entry, &again);
	if (!common)
		return -EBADMSG;
	code = (struct call_frame_code){again.from, again.until, &section->bases, section->bytes};
	return call_frame_run(&common->frame, &entry.body, &code, on_row, context);
}
