/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/symbol_segment.h"

#include <elf.h>
#include <errno.h>

#include "tests/support/check.h"

static struct image image;
static struct image_segment headers[8];
static struct symbol_segments segments;
static struct bytes_writer chunk;

static void begin(void)
{
	image = (struct image){.segments = headers, .segment_count = 0};
}

static void add(uint32_t flags, uint64_t offset, uint64_t address, uint64_t file_bytes,
	uint64_t memory_bytes, uint64_t alignment)
{
	headers[image.segment_count++] = (struct image_segment){.type = PT_LOAD,
		.flags = flags,
		.offset = offset,
		.address = address,
		.file_bytes = file_bytes,
		.memory_bytes = memory_bytes,
		.alignment = alignment};
}

/* The address of OFFSET by way of a chunk; UINT64_MAX: there is none. */
static uint64_t address_of(uint64_t offset)
{
	uint64_t address = UINT64_MAX;

	bytes_writer_init(&chunk, 1 << 16);
	symbol_segments_write(&segments, &chunk);
	CHECK_EQ(symbol_segment_check_chunk(
			 chunk.bytes, chunk.byte_count, segments.segments[0].offset),
		0);
	if (symbol_segment_find(chunk.bytes, chunk.byte_count, offset, &address) < 0)
		address = UINT64_MAX;
	bytes_writer_done(&chunk);
	return address;
}

static void a_program_tells_where_its_code_is(void)
{
	begin();
	add(PF_R, 0, 0x200000, 0x18c1c, 0x18c1c, 0x1000);
	add(PF_R | PF_X, 0x18c20, 0x219c20, 0x151, 0x151, 0x1000);
	add(PF_R | PF_W, 0x18d78, 0x21ad78, 0x170, 0x1700, 0x1000);
	symbol_segments_read(&image, &segments);
	CHECK_EQ(segments.count, 1);
	CHECK(!segments.is_told_again);
	CHECK_EQ(address_of(0x18c20), 0x219c20);
	CHECK_EQ(address_of(0x18d70), 0x219d70);
	CHECK_EQ(address_of(0x18d71), UINT64_MAX);
	CHECK_EQ(address_of(0x18c1f), UINT64_MAX);
}

static void a_debug_file_is_laid_out_again(void)
{
	/* As objcopy leaves the headers of the same program. */
	begin();
	add(PF_R, 0, 0x200000, 0x2fc, 0x18c1c, 0x1000);
	add(PF_R | PF_X, 0xc20, 0x219c20, 0, 0x151, 0x1000);
	add(PF_R | PF_W, 0xd78, 0x21ad78, 0, 0x170, 0x1000);
	symbol_segments_read(&image, &segments);
	CHECK(segments.is_told_again);
	CHECK_EQ(segments.count, 1);
	CHECK_EQ(address_of(0x18c20), 0x219c20);
	/* GNU's linker puts code on pages of its own. */
	begin();
	add(PF_R, 0, 0, 0x39c, 0x5e0, 0x1000);
	add(PF_R | PF_X, 0, 0x1000, 0, 0x175, 0x1000);
	symbol_segments_read(&image, &segments);
	CHECK_EQ(address_of(0x1174), 0x1174);
	/* And before that, with the headers of the file. */
	begin();
	add(PF_R | PF_X, 0, 0x400000, 0x2a0, 0x7cc, 0x200000);
	add(PF_R | PF_W, 0xe10, 0x600e10, 0, 0x228, 0x200000);
	symbol_segments_read(&image, &segments);
	CHECK_EQ(address_of(0x560), 0x400560);
}

static void headers_that_make_no_sense_tell_nothing(void)
{
	begin();
	add(PF_X, 0x1000, 0x1000, 0x1000, 0x1000, 0x1000);
	add(PF_X, 0x1800, 0x5800, 0x1000, 0x1000, 0x1000);
	symbol_segments_read(&image, &segments);
	CHECK_EQ(segments.count, 0);
	begin();
	add(PF_X, 0, UINT64_MAX - 5, 10, 10, 1);
	symbol_segments_read(&image, &segments);
	CHECK_EQ(segments.count, 0);
	begin();
	add(PF_X, 0, 0x1000, 0, 10, 3);
	symbol_segments_read(&image, &segments);
	CHECK_EQ(segments.count, 0);
	begin();
	add(PF_R, 0, 0, 5, UINT64_MAX, 1);
	add(PF_X, 0, 5, 0, 10, 1);
	symbol_segments_read(&image, &segments);
	CHECK_EQ(segments.count, 0);
	begin();
	add(PF_R, 0, 0, 10, 10, 1);
	symbol_segments_read(&image, &segments);
	CHECK_EQ(segments.count, 0);
}

static void damaged_chunks_are_refused(void)
{
	uint64_t address;

	begin();
	add(PF_X, 0x1000, 0x2000, 0x10, 0x10, 1);
	symbol_segments_read(&image, &segments);
	bytes_writer_init(&chunk, 1 << 16);
	symbol_segments_write(&segments, &chunk);
	CHECK_EQ(symbol_segment_check_chunk(chunk.bytes, chunk.byte_count, 0x1000), 0);
	CHECK_EQ(symbol_segment_check_chunk(chunk.bytes, chunk.byte_count, 0x1001), -EBADMSG);
	CHECK_EQ(symbol_segment_check_chunk(chunk.bytes, chunk.byte_count - 1, 0x1000), -EBADMSG);
	CHECK_EQ(symbol_segment_check_chunk(chunk.bytes, 7, 0x1000), -EBADMSG);
	CHECK_EQ(symbol_segment_find(chunk.bytes, 7, 0x1000, &address), -EBADMSG);
	chunk.bytes[0] = 0;
	CHECK_EQ(symbol_segment_find(chunk.bytes, chunk.byte_count, 0x1000, &address), -EBADMSG);
	bytes_writer_done(&chunk);
}

int main(void)
{
	RUN(a_program_tells_where_its_code_is);
	RUN(a_debug_file_is_laid_out_again);
	RUN(headers_that_make_no_sense_tell_nothing);
	RUN(damaged_chunks_are_refused);
	return 0;
}
