/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/deflate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define ZLIB_CONST
#include <zlib.h>

#include "store/base/cleanup.h"
#include "store/base/whole_io.h"

/* 15 is the largest window, 16 more ask for a gzip header; 8 is zlib's usual memory. */
#define WINDOW_BITS_GZIP (15 + 16)
#define MEMORY_LEVEL 8
#define CHUNK_BYTES (64u << 10)
/* Fits the second level of a processor's caches. */
#define PIECE_BYTES ((size_t)256 << 10)

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

int deflate_write_gzip(struct bytes_writer *writer, const void *bytes, size_t byte_count)
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

bool gunzip_is(const void *bytes, size_t byte_count)
{
	const uint8_t *magic = bytes;

	return byte_count > 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

struct gunzip_output {
	struct bytes_writer *writer; /* NULL: nobody keeps it */
	size_t length;
	size_t length_max;
};

static int gunzip_put(struct gunzip_output *output, const void *bytes, size_t byte_count)
{
	if (byte_count > output->length_max - output->length)
		return -EFBIG;
	output->length += byte_count;
	if (!output->writer)
		return 0;
	bytes_write_span(output->writer, bytes, byte_count);
	return bytes_writer_fault(output->writer);
}

/* Inflates to the end of one member, whose input may come in parts. */
static int gunzip_member(z_stream *stream, struct gunzip_output *output, size_t *unread)
{
	unsigned char chunk[CHUNK_BYTES];
	int result, r;

	do {
		stream->avail_in = *unread > UINT32_MAX ? UINT32_MAX : (uInt)*unread;
		*unread -= stream->avail_in;
		stream->next_out = chunk;
		stream->avail_out = sizeof(chunk);
		result = inflate(stream, Z_NO_FLUSH);
		*unread += stream->avail_in;
		r = gunzip_put(output, chunk, sizeof(chunk) - stream->avail_out);
	} while (result == Z_OK && r == 0);
	if (r < 0)
		return r;
	if (result == Z_MEM_ERROR)
		return -ENOMEM;
	return result == Z_STREAM_END ? 0 : -EBADMSG;
}

/* Every member, to its end; WRITER NULL: only what they would be is added up, up to *LENGTH. */
static int gunzip_all(
	struct bytes_writer *writer, const void *bytes, size_t byte_count, size_t *length)
{
	z_stream stream = {.next_in = bytes};
	size_t unread = byte_count;
	struct gunzip_output output = {writer, 0, *length};
	int r;

	if (inflateInit2(&stream, WINDOW_BITS_GZIP) != Z_OK)
		return -ENOMEM;
	do {
		r = gunzip_member(&stream, &output, &unread);
		/* What follows and is no member is padding, as gzip's own tools see it. */
	} while (r == 0 && gunzip_is(stream.next_in, unread) && inflateReset(&stream) == Z_OK);
	inflateEnd(&stream);
	*length = output.length;
	return r;
}

int gunzip_write(struct bytes_writer *writer, const void *bytes, size_t byte_count)
{
	size_t length = SIZE_MAX;

	return gunzip_all(writer, bytes, byte_count, &length);
}

int gunzip_length(const void *bytes, size_t byte_count, size_t length_max, size_t *ret_length)
{
	size_t length = length_max;
	int r = gunzip_all(NULL, bytes, byte_count, &length);

	if (r == 0)
		*ret_length = length;
	return r;
}

int inflate_exactly(const void *bytes, size_t byte_count, void *ret_to, size_t to_byte_count)
{
	z_stream stream = {0};
	size_t left = to_byte_count, unread = byte_count;
	int r = inflateInit(&stream);

	if (r != Z_OK)
		return -ENOMEM;
	stream.next_in = bytes;
	stream.next_out = ret_to;
	/* zlib counts in 32 bits: feed it in parts. */
	do {
		stream.avail_in = unread > UINT32_MAX ? UINT32_MAX : (uInt)unread;
		stream.avail_out = left > UINT32_MAX ? UINT32_MAX : (uInt)left;
		unread -= stream.avail_in;
		left -= stream.avail_out;
		r = inflate(&stream, Z_NO_FLUSH);
		unread += stream.avail_in;
		left += stream.avail_out;
	} while (r == Z_OK && left > 0);
	inflateEnd(&stream);
	if (r == Z_MEM_ERROR)
		return -ENOMEM;
	/* All of the output is there even if the stream's own trailer is not. */
	return left == 0 && (r == Z_OK || r == Z_STREAM_END) ? 0 : -EBADMSG;
}

/* Inflates until all is there; the stream is initialised, and has its input in parts. */
static int inflate_pieces(
	z_stream *stream, uint8_t *piece, size_t unread, int to_fd, uint64_t to_byte_count)
{
	uint64_t left = to_byte_count;
	int result, r;

	do {
		stream->next_out = piece;
		stream->avail_out = PIECE_BYTES;
		stream->avail_in = unread > UINT32_MAX ? UINT32_MAX : (uInt)unread;
		unread -= stream->avail_in;
		result = inflate(stream, Z_NO_FLUSH);
		unread += stream->avail_in;
		if (PIECE_BYTES - stream->avail_out > left)
			return -EBADMSG;
		left -= PIECE_BYTES - stream->avail_out;
		r = whole_write(to_fd, piece, PIECE_BYTES - stream->avail_out);
		if (r < 0)
			return r;
	} while (result == Z_OK && left > 0);
	if (result == Z_MEM_ERROR)
		return -ENOMEM;
	return left == 0 && (result == Z_OK || result == Z_STREAM_END) ? 0 : -EBADMSG;
}

int inflate_write(const void *bytes, size_t byte_count, int to_fd, uint64_t to_byte_count)
{
	SCOPED_FREE uint8_t *piece = malloc(PIECE_BYTES);
	z_stream stream = {.next_in = bytes};
	int r;

	if (!piece || inflateInit(&stream) != Z_OK)
		return -ENOMEM;
	r = to_byte_count ? inflate_pieces(&stream, piece, byte_count, to_fd, to_byte_count) : 0;
	inflateEnd(&stream);
	return r;
}
