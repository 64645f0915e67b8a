/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   version | section count | [id | stored bytes] x count | zstd frame | zstd frame | zstd frame ...
 *                                                           dictionary   rows         slots, lives
 *
 * Sections are frames of their own so that a reader may leave one out, slots may be dropped when
 * they are old, and a later version may add one: unknown ids are skipped.
 */
#include "store/disk/block_codec.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "store/disk/block_dictionary.h"
#include "store/disk/block_lives.h"
#include "store/disk/block_order.h"
#include "store/disk/block_rows.h"

#define BLOCK_VERSION 1
/* Levels above 3 win 2 to 5 % of space for 3 to 30 times the time. */
#define BLOCK_ZSTD_LEVEL 3
/* Far more than this version writes: what a foreign count may ask for. */
#define SECTION_COUNT_MAX 64

enum section_id {
	SECTION_DICTIONARY = 1,
	SECTION_ROWS = 2,
	SECTION_SLOTS = 3,
	SECTION_LIVES = 4, /* last: it is left out where there are none */
};
#define SECTION_COUNT 4 /* ids run from 1 */

struct section {
	uint8_t *bytes;
	size_t byte_count;
};

static void free_sections(struct section *sections)
{
	for (int i = 0; i < SECTION_COUNT; i++)
		free(sections[i].bytes);
}

static int write_sections(const struct profile *profile, struct bytes_writer *writers)
{
	struct block_order order;
	int r = block_order_init(&order, profile);

	if (r < 0)
		return r;
	block_dictionary_write(&writers[SECTION_DICTIONARY - 1], profile, &order);
	r = block_rows_write(
		&writers[SECTION_ROWS - 1], &writers[SECTION_SLOTS - 1], profile, &order);
	block_order_done(&order);
	if (profile->lives.count > 0)
		block_lives_write(&writers[SECTION_LIVES - 1], &profile->lives);
	for (int i = 0; r == 0 && i < SECTION_COUNT; i++)
		r = bytes_writer_fault(&writers[i]);
	return r;
}

static int assemble(
	const struct section *sections, int count, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	struct bytes_writer writer;
	int r;

	bytes_writer_init(&writer, BLOCK_BYTES_MAX);
	bytes_write_u8(&writer, BLOCK_VERSION);
	bytes_write_u8(&writer, (uint8_t)count);
	for (int i = 0; i < count; i++) {
		bytes_write_u8(&writer, (uint8_t)(i + 1));
		bytes_write_varint(&writer, sections[i].byte_count);
	}
	for (int i = 0; i < count; i++)
		bytes_write_span(&writer, sections[i].bytes, sections[i].byte_count);
	r = bytes_writer_fault(&writer);
	if (r == 0)
		*ret_bytes = bytes_writer_take(&writer, ret_byte_count);
	bytes_writer_done(&writer);
	return r;
}

int block_encode(const struct profile *profile, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	struct bytes_writer writers[SECTION_COUNT];
	struct section sections[SECTION_COUNT] = {0};
	int r, count = profile->lives.count > 0 ? SECTION_COUNT : SECTION_COUNT - 1;

	for (int i = 0; i < SECTION_COUNT; i++)
		bytes_writer_init(&writers[i], BLOCK_SECTION_BYTES_MAX);
	r = write_sections(profile, writers);
	for (int i = 0; r == 0 && i < count; i++)
		r = compress_bytes(writers[i].bytes, writers[i].byte_count, BLOCK_ZSTD_LEVEL,
			&sections[i].bytes, &sections[i].byte_count);
	for (int i = 0; i < SECTION_COUNT; i++)
		bytes_writer_done(&writers[i]);
	if (r == 0)
		r = assemble(sections, count, ret_bytes, ret_byte_count);
	free_sections(sections);
	return r;
}

/* Finds the sections' frames; those that are not there stay NULL. */
static int find_frames(struct bytes_reader *reader, struct bytes_reader *ret_frames)
{
	struct {
		uint8_t id;
		uint64_t byte_count;
	} heads[SECTION_COUNT_MAX];
	uint8_t version = bytes_read_u8(reader), count = bytes_read_u8(reader);

	if (bytes_reader_fault(reader) < 0 || version == 0 || count > SECTION_COUNT_MAX)
		return -EBADMSG;
	if (version != BLOCK_VERSION)
		return -ENOTSUP;
	for (int i = 0; i < count; i++) {
		heads[i].id = bytes_read_u8(reader);
		heads[i].byte_count = bytes_read_varint(reader);
	}
	for (int i = 0; i < count; i++) {
		const uint8_t *frame = bytes_read_span(reader, heads[i].byte_count);

		if (!frame)
			return -EBADMSG;
		if (heads[i].id == 0 || heads[i].id > SECTION_COUNT)
			continue;
		if (ret_frames[heads[i].id - 1].at)
			return -EBADMSG;
		bytes_reader_init(&ret_frames[heads[i].id - 1], frame, heads[i].byte_count);
	}
	return bytes_left(reader) == 0 ? 0 : -EBADMSG;
}

/* FRAME may be missing: then there is nothing. */
static int inflate(const struct bytes_reader *frame, struct section *ret_section)
{
	return frame->at ? decompress_bytes(frame->at, bytes_left(frame), BLOCK_SECTION_BYTES_MAX,
				   &ret_section->bytes, &ret_section->byte_count)
			 : 0;
}

static int inflate_sections(const struct bytes_reader *frames, struct section *ret_sections)
{
	int r = 0;

	for (int i = 0; r == 0 && i < SECTION_COUNT; i++)
		r = inflate(&frames[i], &ret_sections[i]);
	return r;
}

/* Whatever follows the last column would be lost when the block is written again. */
static bool read_to_end(const struct bytes_reader *reader)
{
	return bytes_reader_fault(reader) == 0 && bytes_left(reader) == 0;
}

static int read_sections(const struct section *sections, struct profile *profile)
{
	struct bytes_reader readers[SECTION_COUNT];
	bool has_slots = sections[SECTION_SLOTS - 1].bytes;
	const char *what;
	int r;

	if (!sections[SECTION_DICTIONARY - 1].bytes || !sections[SECTION_ROWS - 1].bytes)
		return -EBADMSG;
	for (int i = 0; i < SECTION_COUNT; i++)
		bytes_reader_init(&readers[i], sections[i].bytes, sections[i].byte_count);
	r = block_dictionary_read(&readers[SECTION_DICTIONARY - 1], profile);
	if (r == 0)
		r = block_rows_read(&readers[SECTION_ROWS - 1],
			has_slots ? &readers[SECTION_SLOTS - 1] : NULL, profile);
	if (r == 0 && sections[SECTION_LIVES - 1].bytes)
		r = block_lives_read(&readers[SECTION_LIVES - 1], &profile->lives);
	for (int i = 0; r == 0 && i < SECTION_COUNT; i++)
		r = read_to_end(&readers[i]) ? 0 : -EBADMSG;
	return r == 0 ? profile_check(profile, &what) : r;
}

int block_decode(const void *bytes, size_t byte_count, struct profile **ret_profile)
{
	struct bytes_reader reader, frames[SECTION_COUNT] = {0};
	struct section sections[SECTION_COUNT] = {0};
	struct profile *profile;
	int r = profile_new(&profile);

	if (r < 0)
		return r;
	bytes_reader_init(&reader, bytes, byte_count);
	r = find_frames(&reader, frames);
	if (r == 0)
		r = inflate_sections(frames, sections);
	if (r == 0)
		r = read_sections(sections, profile);
	free_sections(sections);
	if (r < 0) {
		profile_free(profile);
		return r;
	}
	*ret_profile = profile;
	return 0;
}

int block_decode_lives(const void *bytes, size_t byte_count, struct life_table *lives)
{
	struct bytes_reader reader, frames[SECTION_COUNT] = {0};
	struct section section = {0};
	int r;

	bytes_reader_init(&reader, bytes, byte_count);
	r = find_frames(&reader, frames);
	if (r == 0)
		r = inflate(&frames[SECTION_LIVES - 1], &section);
	if (r < 0 || !section.bytes)
		return r;
	bytes_reader_init(&reader, section.bytes, section.byte_count);
	r = block_lives_read(&reader, lives);
	if (r == 0 && !read_to_end(&reader))
		r = -EBADMSG;
	free(section.bytes);
	return r;
}

static int read_dictionary(const struct section *section, struct profile *profile)
{
	struct bytes_reader reader;
	const char *what;
	int r;

	if (!section->bytes)
		return -EBADMSG;
	bytes_reader_init(&reader, section->bytes, section->byte_count);
	r = block_dictionary_read(&reader, profile);
	if (r == 0 && !read_to_end(&reader))
		r = -EBADMSG;
	return r == 0 ? profile_check(profile, &what) : r;
}

int block_decode_dictionary(const void *bytes, size_t byte_count, struct profile **ret_profile)
{
	struct bytes_reader reader, frames[SECTION_COUNT] = {0};
	struct section section = {0};
	struct profile *profile;
	int r = profile_new(&profile);

	if (r < 0)
		return r;
	bytes_reader_init(&reader, bytes, byte_count);
	r = find_frames(&reader, frames);
	if (r == 0)
		r = inflate(&frames[SECTION_DICTIONARY - 1], &section);
	if (r == 0)
		r = read_dictionary(&section, profile);
	free(section.bytes);
	if (r < 0) {
		profile_free(profile);
		return r;
	}
	*ret_profile = profile;
	return 0;
}
