/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/xz_unpack.h"

#include <errno.h>
#include <stdlib.h>

#include <lzma.h>

#include "store/base/cleanup.h"

#define UNPACKED_BYTES_FIRST ((size_t)1 << 20)
/* What the decoder may take for itself: its presets need 65 MiB at most. */
#define DECODER_BYTES_MAX (UINT64_C(128) << 20)

/* Makes room for more output. -EFBIG: there is more of it than allowed. */
static int grow(lzma_stream *stream, size_t bytes_max, uint8_t **bytes, size_t *capacity)
{
	size_t wanted = *capacity ? 2 * *capacity : UNPACKED_BYTES_FIRST;
	uint8_t *grown;

	if (*capacity >= bytes_max)
		return -EFBIG;
	if (wanted > bytes_max)
		wanted = bytes_max;
	grown = realloc(*bytes, wanted);
	if (!grown)
		return -ENOMEM;
	stream->next_out = grown + *capacity;
	stream->avail_out = wanted - *capacity;
	*bytes = grown;
	*capacity = wanted;
	return 0;
}

static int decode(lzma_stream *stream, size_t bytes_max, uint8_t **bytes, size_t *capacity)
{
	int r = 0;

	while (r == 0) {
		lzma_ret status;

		if (stream->avail_out == 0)
			r = grow(stream, bytes_max, bytes, capacity);
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

int xz_unpack(const uint8_t *packed, size_t packed_byte_count, size_t bytes_max,
	uint8_t **ret_bytes, size_t *ret_byte_count)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t capacity = 0;
	int r;

	if (lzma_stream_decoder(&stream, DECODER_BYTES_MAX, 0) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = packed;
	stream.avail_in = packed_byte_count;
	r = decode(&stream, bytes_max, &bytes, &capacity);
	if (r == 0) {
		*ret_byte_count = capacity - stream.avail_out;
		*ret_bytes = TAKE(bytes);
	}
	lzma_end(&stream);
	return r;
}
