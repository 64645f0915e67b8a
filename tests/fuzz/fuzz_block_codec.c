/* SPDX-License-Identifier: Apache-2.0 */
/* Any three sections either are refused, or decode to a profile that keeps its totals and its bytes
 * when it is encoded and decoded again.
 *
 * The input is the length of the dictionary and of the rows (u16 each), then dictionary, rows and
 * slots as they are before compression: a fuzzer does not find its way through zstd. */
#include <stdlib.h>
#include <string.h>

#include "store/base/bytes.h"
#include "store/base/compress.h"
#include "store/base/must.h"
#include "store/disk/block_codec.h"
#include "tests/fuzz/fuzz.h"

#define BLOCK_BYTES ((size_t)1 << 20)

/* One section as a frame; writes its id and length to HEAD and its bytes to BODY. */
static void add_section(struct bytes_writer *head, struct bytes_writer *body, uint8_t id,
	const uint8_t *bytes, size_t byte_count)
{
	uint8_t *frame;
	size_t frame_count;

	must(compress_bytes(bytes, byte_count, 1, &frame, &frame_count) == 0);
	bytes_write_u8(head, id);
	bytes_write_varint(head, frame_count);
	bytes_write_span(body, frame, frame_count);
	free(frame);
}

static void make_block(const uint8_t *bytes, size_t byte_count, struct bytes_writer *block)
{
	struct bytes_reader reader;
	struct bytes_writer body;
	uint16_t lengths[2];

	bytes_writer_init(block, BLOCK_BYTES);
	bytes_writer_init(&body, BLOCK_BYTES);
	bytes_write_u8(block, 1);
	bytes_write_u8(block, 3);
	bytes_reader_init(&reader, bytes, byte_count);
	lengths[0] = bytes_read_u16(&reader);
	lengths[1] = bytes_read_u16(&reader);
	for (uint8_t id = 1; id <= 3; id++) {
		size_t left = bytes_left(&reader);
		size_t length = id < 3 && lengths[id - 1] < left ? lengths[id - 1] : left;

		add_section(block, &body, id, bytes_read_span(&reader, length), length);
	}
	bytes_write_span(block, body.bytes, body.byte_count);
	must(bytes_writer_fault(block) == 0 && bytes_writer_fault(&body) == 0);
	bytes_writer_done(&body);
}

static int64_t sum_of(const struct profile *profile)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < profile->type_count; i++) {
		for (uint32_t j = 0; j < profile->types[i].row_count; j++)
			sum = (int64_t)((uint64_t)sum + (uint64_t)profile->types[i].rows[j].value);
	}
	return sum;
}

static void check_again(const struct profile *profile)
{
	uint8_t *first, *second;
	size_t first_count, second_count;
	struct profile *again;

	must(block_encode(profile, &first, &first_count) == 0);
	must(block_decode(first, first_count, &again) == 0);
	must(profile_sample_count(again) == profile_sample_count(profile));
	must(sum_of(again) == sum_of(profile));
	must(block_encode(again, &second, &second_count) == 0);
	must(first_count == second_count && memcmp(first, second, first_count) == 0);
	profile_free(again);
	free(first);
	free(second);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct bytes_writer block;
	struct profile *profile;

	if (byte_count > BLOCK_BYTES / 4)
		return;
	make_block(bytes, byte_count, &block);
	if (block_decode(block.bytes, block.byte_count, &profile) == 0) {
		check_again(profile);
		profile_free(profile);
	}
	bytes_writer_done(&block);
}
