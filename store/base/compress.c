/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "store/base/cleanup.h"
#include "store/base/whole_io.h"

/* GOT is no size. What lack of memory broke is not malformed: it may do the next time. */
static int fault_of(size_t got)
{
	return ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation ? -ENOMEM : -EBADMSG;
}

int compress_bytes(const void *bytes, size_t byte_count, int level, uint8_t **ret_bytes,
	size_t *ret_byte_count)
{
	size_t bound = ZSTD_compressBound(byte_count);
	SCOPED_FREE uint8_t *out = malloc(bound);
	uint8_t *shrunk;
	size_t got;

	if (!out)
		return -ENOMEM;
	got = ZSTD_compress(out, bound, bytes, byte_count, level);
	if (ZSTD_isError(got))
		return -ENOMEM;
	shrunk = realloc(out, got);
	if (shrunk)
		out = shrunk;
	*ret_bytes = TAKE(out);
	*ret_byte_count = got;
	return 0;
}

int decompress_bytes(const void *bytes, size_t byte_count, size_t bytes_max, uint8_t **ret_bytes,
	size_t *ret_byte_count)
{
	unsigned long long size = ZSTD_getFrameContentSize(bytes, byte_count);
	SCOPED_FREE uint8_t *out = NULL;
	size_t got;

	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
		return -EBADMSG;
	if (size > bytes_max)
		return -EFBIG;
	out = malloc(size ? size : 1);
	if (!out)
		return -ENOMEM;
	got = ZSTD_decompress(out, size, bytes, byte_count);
	if (ZSTD_isError(got))
		return fault_of(got);
	if (got != size)
		return -EBADMSG;
	*ret_bytes = TAKE(out);
	*ret_byte_count = got;
	return 0;
}

int decompress_exactly(const void *bytes, size_t byte_count, void *ret_to, size_t to_byte_count)
{
	size_t got = ZSTD_decompress(ret_to, to_byte_count, bytes, byte_count);

	if (ZSTD_isError(got))
		return fault_of(got);
	return got != to_byte_count ? -EBADMSG : 0;
}

/* A file that is being unpacked. */
struct unpacking {
	ZSTD_DStream *stream;
	uint8_t *out;
	size_t out_bytes;
	int to_fd;
	uint64_t bytes_left;
	size_t hint; /* 0: between two frames */
};

static int unpack_part(struct unpacking *unpacking, const uint8_t *bytes, size_t byte_count)
{
	ZSTD_inBuffer in = {.src = bytes, .size = byte_count};
	ZSTD_outBuffer out = {.dst = unpacking->out, .size = unpacking->out_bytes};
	int r;

	/* A full output buffer may mean that more is waiting, even with all input read. */
	while (in.pos < in.size || (out.pos == out.size && unpacking->hint != 0)) {
		out.pos = 0;
		unpacking->hint = ZSTD_decompressStream(unpacking->stream, &out, &in);
		if (ZSTD_isError(unpacking->hint))
			return fault_of(unpacking->hint);
		if (out.pos > unpacking->bytes_left)
			return -EFBIG;
		unpacking->bytes_left -= out.pos;
		r = whole_write(unpacking->to_fd, unpacking->out, out.pos);
		if (r < 0)
			return r;
	}
	return 0;
}

int decompress_file(int from_fd, int to_fd, uint64_t bytes_max)
{
	size_t in_bytes = ZSTD_DStreamInSize();
	SCOPED_FREE uint8_t *in = malloc(in_bytes);
	struct unpacking unpacking = {.stream = ZSTD_createDStream(),
		.out_bytes = ZSTD_DStreamOutSize(),
		.to_fd = to_fd,
		.bytes_left = bytes_max,
		.hint = 1};
	int r = 0;
	ssize_t got = 1;

	unpacking.out = malloc(unpacking.out_bytes);
	if (!in || !unpacking.out || !unpacking.stream)
		r = -ENOMEM;
	while (r == 0 && got > 0) {
		got = read(from_fd, in, in_bytes);
		if (got > 0)
			r = unpack_part(&unpacking, in, (size_t)got);
		else if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			r = -errno;
	}
	if (r == 0 && unpacking.hint != 0)
		r = -EBADMSG;
	ZSTD_freeDStream(unpacking.stream);
	free(unpacking.out);
	return r;
}

int decompress_write(const void *bytes, size_t byte_count, int to_fd, uint64_t to_byte_count)
{
	struct unpacking unpacking = {.stream = ZSTD_createDStream(),
		.out_bytes = ZSTD_DStreamOutSize(),
		.to_fd = to_fd,
		.bytes_left = to_byte_count,
		.hint = 1};
	int r;

	unpacking.out = malloc(unpacking.out_bytes);
	if (!unpacking.out || !unpacking.stream)
		r = -ENOMEM;
	else
		r = unpack_part(&unpacking, bytes, byte_count);
	if (r == -EFBIG || (r == 0 && (unpacking.hint != 0 || unpacking.bytes_left != 0)))
		r = -EBADMSG;
	ZSTD_freeDStream(unpacking.stream);
	free(unpacking.out);
	return r;
}
