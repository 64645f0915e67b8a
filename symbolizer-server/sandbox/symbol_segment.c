/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/symbol_segment.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "symbolizer-server/sandbox/symbol_block.h"

#define SEGMENT_HEAD_BYTES 8
#define SEGMENT_BYTES 24

static bool is_code(const struct image_segment *segment)
{
	return segment->type == PT_LOAD && (segment->flags & PF_X) && segment->memory_bytes > 0;
}

/* Code has no part that is not in the file, unless it was split off. */
static bool is_split_off(const struct image *image)
{
	for (uint32_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segments[i];

		if (is_code(segment) && segment->file_bytes < segment->memory_bytes)
			return true;
	}
	return false;
}

/* The first offset from AT on that differs from the address by whole alignments; false: there is
 * none, or the alignment is no power of two. */
static bool next_offset(const struct image_segment *segment, uint64_t at, uint64_t *ret_offset)
{
	uint64_t alignment = segment->alignment > 0 ? segment->alignment : 1;

	if ((alignment & (alignment - 1)) != 0)
		return false;
	return !__builtin_add_overflow(at, (segment->address - at) & (alignment - 1), ret_offset);
}

static int order_of_offsets(const void *one, const void *other)
{
	const struct symbol_segment *left = one, *right = other;

	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

/* Where two tell different things of one offset, none of them is known to be right. */
static bool is_sound(const struct symbol_segment *segments, uint32_t count)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (segments[i].offset < end || segments[i].byte_count == 0 ||
			segments[i].address > UINT64_MAX - segments[i].byte_count ||
			__builtin_add_overflow(segments[i].offset, segments[i].byte_count, &end))
			return false;
	}
	return true;
}

void symbol_segments_read(const struct image *image, struct symbol_segments *ret_segments)
{
	struct symbol_segments *segments = ret_segments;
	uint64_t at = 0;

	segments->count = 0;
	segments->is_told_again = is_split_off(image);
	for (uint32_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segments[i];
		uint64_t offset = segment->offset;

		if (segment->type != PT_LOAD)
			continue;
		if (segments->is_told_again &&
			(!next_offset(segment, at, &offset) ||
				__builtin_add_overflow(offset, segment->memory_bytes, &at))) {
			segments->count = 0;
			return;
		}
		if (is_code(segment) && segments->count < IMAGE_SEGMENT_COUNT_MAX)
			segments->segments[segments->count++] = (struct symbol_segment){
				offset, segment->address, segment->memory_bytes};
	}
	qsort(segments->segments, segments->count, sizeof(segments->segments[0]), order_of_offsets);
	if (!is_sound(segments->segments, segments->count))
		segments->count = 0;
}

void symbol_segments_write(const struct symbol_segments *segments, struct bytes_writer *writer)
{
	bytes_write_u32(writer, segments->count);
	bytes_write_u32(writer, 0);
	for (uint32_t i = 0; i < segments->count; i++) {
		bytes_write_u64(writer, segments->segments[i].offset);
		bytes_write_u64(writer, segments->segments[i].address);
		bytes_write_u64(writer, segments->segments[i].byte_count);
	}
}

/* Segment INDEX of a chunk that has so many. */
static struct symbol_segment segment_at(const uint8_t *bytes, uint32_t index)
{
	const uint8_t *at = bytes + SEGMENT_HEAD_BYTES + (size_t)index * SEGMENT_BYTES;

	return (struct symbol_segment){
		symbol_load_u64(at), symbol_load_u64(at + 8), symbol_load_u64(at + 16)};
}

static int read_count(const uint8_t *bytes, size_t byte_count, uint32_t *ret_count)
{
	if (byte_count < SEGMENT_HEAD_BYTES)
		return -EBADMSG;
	*ret_count = symbol_load_u32(bytes);
	if (*ret_count == 0 || *ret_count > IMAGE_SEGMENT_COUNT_MAX ||
		byte_count != SEGMENT_HEAD_BYTES + (size_t)*ret_count * SEGMENT_BYTES)
		return -EBADMSG;
	return 0;
}

int symbol_segment_check_chunk(const uint8_t *bytes, size_t byte_count, uint64_t first)
{
	struct symbol_segment segments[IMAGE_SEGMENT_COUNT_MAX];
	uint32_t count;
	int r = read_count(bytes, byte_count, &count);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < count; i++)
		segments[i] = segment_at(bytes, i);
	return segments[0].offset == first && is_sound(segments, count) ? 0 : -EBADMSG;
}

int symbol_segment_find(
	const uint8_t *bytes, size_t byte_count, uint64_t offset, uint64_t *ret_address)
{
	uint32_t count;
	int r = read_count(bytes, byte_count, &count);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < count; i++) {
		struct symbol_segment segment = segment_at(bytes, i);

		if (offset >= segment.offset && offset - segment.offset < segment.byte_count) {
			*ret_address = segment.address + (offset - segment.offset);
			return 0;
		}
	}
	return -ENOENT;
}
