/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "store/base/cleanup.h"

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
	if (ZSTD_isError(got) || got != size)
		return -EBADMSG;
	*ret_bytes = TAKE(out);
	*ret_byte_count = got;
	return 0;
}

int decompress_exactly(const void *bytes, size_t byte_count, void *ret_to, size_t to_byte_count)
{
	size_t got = ZSTD_decompress(ret_to, to_byte_count, bytes, byte_count);

	return ZSTD_isError(got) || got != to_byte_count ? -EBADMSG : 0;
}
