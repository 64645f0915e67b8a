/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes come back from their own frame; any bytes as a frame, or as a zlib stream, either are
 * refused or fill exactly what was said. */
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "store/base/deflate.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

#define BYTES_MAX ((size_t)1 << 20)

static void check_round(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE uint8_t *frame = NULL, *again = NULL;
	size_t frame_bytes, again_bytes;

	must(compress_bytes(bytes, byte_count, 1, &frame, &frame_bytes) == 0);
	must(decompress_bytes(frame, frame_bytes, byte_count, &again, &again_bytes) == 0);
	must(again_bytes == byte_count && memcmp(again, bytes, byte_count) == 0);
	/* One byte less is too much to ask. */
	free(again);
	again = NULL;
	if (byte_count > 0)
		must(decompress_bytes(frame, frame_bytes, byte_count - 1, &again, &again_bytes) <
			0);
	must(!again);
}

static void check_frame(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE uint8_t *once = NULL, *again = NULL;
	size_t once_bytes;

	if (decompress_bytes(bytes, byte_count, BYTES_MAX, &once, &once_bytes) < 0)
		return;
	must(once_bytes <= BYTES_MAX);
	again = malloc(once_bytes + 1);
	must(again);
	must(decompress_exactly(bytes, byte_count, again, once_bytes) == 0);
	must(memcmp(once, again, once_bytes) == 0);
	must(decompress_exactly(bytes, byte_count, again, once_bytes + 1) < 0);
}

/* The first byte is the size that was told. */
static void check_stream(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE uint8_t *to = NULL;

	if (byte_count == 0)
		return;
	to = malloc(bytes[0] + 1);
	must(to);
	(void)inflate_exactly(bytes + 1, byte_count - 1, to, bytes[0]);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	if (byte_count > BYTES_MAX)
		return;
	check_round(bytes, byte_count);
	check_frame(bytes, byte_count);
	check_stream(bytes, byte_count);
}
