/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/mini_debug.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/sandbox/xz_unpack.h"

/* Names of local functions only: a large program has some megabytes of them. */
#define PACKED_BYTES_MAX ((size_t)64 << 20)
#define UNPACKED_BYTES_MAX ((size_t)256 << 20)

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
		r = xz_unpack(packed, packed_byte_count, UNPACKED_BYTES_MAX, &bytes, &byte_count);
	return r == 0 ? read_inner(bytes, byte_count, code, strings, ret_list) : r;
}
