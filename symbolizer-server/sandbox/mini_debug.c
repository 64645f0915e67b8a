/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/mini_debug.h"

#include <errno.h>
#include <stdlib.h>

#include <lzma.h>

#include "store/base/cleanup.h"

/* Names of local functions only: a large program has some megabytes of them. */
#define PACKED_BYTES_MAX ((size_t)64 << 20)
#define UNPACKED_BYTES_MAX ((size_t)256 << 20)
#define UNPACKED_BYTES_FIRST ((size_t)1 << 20)
/* What the decoder may take for itself: its presets need 65 MiB at most. */
#define DECODER_BYTES_MAX (UINT64_C(128) << 20)

/* Makes room for more output. -EFBIG: there is more of it than allowed. */
static int grow(lzma_stream *stream, uint8_t **bytes, size_t *capacity)
{
	size_t wanted = *capacity ? 2 * *capacity : UNPACKED_BYTES_FIRST;
	uint8_t *grown;

	if (wanted > UNPACKED_BYTES_MAX)
		return -EFBIG;
	grown = realloc(*bytes, wanted);
	if (!grown)
		return -ENOMEM;
	stream->next_out = grown + *capacity;
	stream->avail_out = wanted - *capacity;
	*bytes = grown;
	*capacity = wanted;
	return 0;
}

static int decode(lzma_stream *stream, uint8_t **bytes, size_t *capacity)
{
	int r = 0;

	while (r == 0) {
		lzma_ret status;

		if (stream->avail_out == 0)
			r = grow(stream, bytes, capacity);
		if (r < 0)
			return r;
		status = lzma_code(stream, LZMA_FINISH);
		if (status == LZMA_STREAM_END)
			return 0;
		if (status == LZMA_MEM_ERROR)
			return -ENOMEM;
		/* All input read and room left, but no end: it is cut off. */
		if (status != LZMA_OK || (stream->avail_in == 0 && stream->avail_out > 0))
			return -EBADMSG;
	}
	return r;
}

static int unpack(const uint8_t *packed, size_t packed_byte_count, uint8_t **ret_bytes,
	size_t *ret_byte_count)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t capacity = 0;
	int r;

	if (lzma_stream_decoder(&stream, DECODER_BYTES_MAX, 0) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = packed;
	stream.avail_in = packed_byte_count;
	r = decode(&stream, &bytes, &capacity);
	if (r == 0) {
		*ret_byte_count = capacity - stream.avail_out;
		*ret_bytes = TAKE(bytes);
	}
	lzma_end(&stream);
	return r;
}

static int read_inner(const uint8_t *bytes, size_t byte_count, const struct code_ranges *code,
	struct string_table *strings, struct function_list *ret_list)
{
	struct section_names names = {0};
	struct image image;
	int r = image_open_memory(bytes, byte_count, true, &image);

	if (r < 0)
		return r;
	r = section_names_read(&image, &names);
	if (r == 0 || r == -ENOENT)
		r = elf_symbols_read(&image, &names, code, ELF_SYMBOLS_PARTIAL, strings, ret_list);
	section_names_done(&names);
	image_done(&image);
	return r;
}

int mini_debug_read(const struct image *image, const struct section_names *names,
	const struct code_ranges *code, struct string_table *strings,
	struct function_list *ret_list)
{
	SCOPED_FREE uint8_t *packed = NULL;
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t packed_byte_count, byte_count;
	int r = section_read(image, names, section_find(image, names, ".gnu_debugdata"),
		PACKED_BYTES_MAX, &packed, &packed_byte_count);

	if (r == 0)
		r = unpack(packed, packed_byte_count, &bytes, &byte_count);
	return r == 0 ? read_inner(bytes, byte_count, code, strings, ret_list) : r;
}
