/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/gzip.h"

#include <errno.h>
#include <stdbool.h>

#define ZLIB_CONST
#include <zlib.h>

/* 15 is the largest window, 16 more ask for a gzip header; 8 is zlib's usual memory. */
#define WINDOW_BITS_GZIP (15 + 16)
#define MEMORY_LEVEL 8
#define CHUNK_BYTES (64u << 10)

static int deflate_all(z_stream *stream, struct bytes_writer *writer)
{
	unsigned char chunk[CHUNK_BYTES];
	int result;

	do {
		stream->next_out = chunk;
		stream->avail_out = sizeof(chunk);
		result = deflate(stream, Z_FINISH);
		if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
			return -ENOMEM;
		bytes_write_span(writer, chunk, sizeof(chunk) - stream->avail_out);
	} while (result != Z_STREAM_END && bytes_writer_fault(writer) == 0);
	return bytes_writer_fault(writer);
}

int gzip_write(struct bytes_writer *writer, const void *bytes, size_t byte_count)
{
	z_stream stream = {0};
	int r;

	/* zlib counts what is to come in 32 bits, and answers are far below. */
	if (byte_count > UINT32_MAX)
		return -EFBIG;
	if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS_GZIP, MEMORY_LEVEL,
		    Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	stream.next_in = bytes;
	stream.avail_in = (uInt)byte_count;
	r = deflate_all(&stream, writer);
	deflateEnd(&stream);
	return r;
}
