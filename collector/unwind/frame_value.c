/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/frame_value.h"

/* DW_EH_PE_* formats and bases. */
enum {
	FORMAT_absptr = 0x00,
	FORMAT_uleb128 = 0x01,
	FORMAT_udata2 = 0x02,
	FORMAT_udata4 = 0x03,
	FORMAT_udata8 = 0x04,
	FORMAT_sleb128 = 0x09,
	FORMAT_sdata2 = 0x0a,
	FORMAT_sdata4 = 0x0b,
	FORMAT_sdata8 = 0x0c,
	BASE_absolute = 0x00,
	BASE_place = 0x10,
	BASE_text = 0x20,
	BASE_data = 0x30,
};

int64_t frame_read_sleb(struct bytes_reader *reader)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = bytes_read_u8(reader);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= ~UINT64_C(0) << shift;
	return (int64_t)value;
}

uint64_t frame_read_plain(struct bytes_reader *reader, uint8_t encoding)
{
	switch (encoding & FRAME_ENCODING_format) {
	case FORMAT_absptr:
	case FORMAT_udata8:
	case FORMAT_sdata8:
		return bytes_read_u64(reader);
	case FORMAT_udata4:
		return bytes_read_u32(reader);
	case FORMAT_sdata4:
		return (uint64_t)(int64_t)(int32_t)bytes_read_u32(reader);
	case FORMAT_udata2:
		return bytes_read_u16(reader);
	case FORMAT_sdata2:
		return (uint64_t)(int64_t)(int16_t)bytes_read_u16(reader);
	case FORMAT_uleb128:
		return bytes_read_varint(reader);
	case FORMAT_sleb128:
		return (uint64_t)frame_read_sleb(reader);
	default:
		bytes_reader_refuse(reader);
		return 0;
	}
}

uint64_t frame_read_pointer(struct bytes_reader *reader, uint8_t encoding,
	const struct frame_bases *bases, const uint8_t *start)
{
	uint64_t place = bases->section + (uint64_t)(reader->at - start);
	uint64_t value = frame_read_plain(reader, encoding);

	if (encoding & FRAME_ENCODING_indirect) {
		bytes_reader_refuse(reader);
		return 0;
	}
	switch (encoding & FRAME_ENCODING_base) {
	case BASE_absolute:
		return value;
	case BASE_place:
		return value + place;
	case BASE_text:
		return value + bases->text;
	case BASE_data:
		return value + bases->data;
	default:
		bytes_reader_refuse(reader);
		return 0;
	}
}
