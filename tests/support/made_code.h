/* SPDX-License-Identifier: Apache-2.0 */
/* Made code: a function list and a code map of some size, for tests of indexes.
 *
 * What it is   COUNT functions of 256 bytes with calls nested in one another and a line every few
 *              bytes, the same for the same COUNT; and the index of them.
 * Ownership    made_code_done releases all.
 * Threads      one owner.
 * Errors       a failure ends the program.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbolizer-server/sandbox/index_writer.h"
#include "tests/support/check.h"

#define MADE_FUNCTION_BYTES 256
#define MADE_CODE_START 0x1000

struct made_code {
	struct string_table strings;
	struct function_list functions;
	struct code_map map;
};

static inline uint32_t made_text(
	struct made_code *made, const char *prefix, uint32_t number, const char *suffix)
{
	char text[64];
	uint32_t index;

	snprintf(text, sizeof(text), "%s%u%s", prefix, number, suffix);
	CHECK_EQ(string_table_add(&made->strings, text, strlen(text), &index), 0);
	return index;
}

static inline void made_function(struct made_code *made, uint32_t number)
{
	uint64_t start = MADE_CODE_START + (uint64_t)number * MADE_FUNCTION_BYTES;
	uint32_t file = made_text(made, "/src/file_", number / 7, ".c"), parent = CODE_CALL_NONE;

	CHECK_EQ(function_list_add(&made->functions, start, start + MADE_FUNCTION_BYTES - 16,
			 made_text(made, "function_", number, ""), number),
		0);
	made->map.order = number;
	/* Each call lies within the one before it and leaves bytes on both sides. */
	for (uint32_t depth = 0; depth < number % 5; depth++) {
		struct code_call call = {
			.parent = parent,
			.name = made_text(made, "inlined_", number % 31 + depth, ""),
			.call_file = depth % 3 == 2 ? CODE_FILE_NONE : file,
			.call_line = number + depth,
		};

		CHECK_EQ(code_map_add_call(&made->map, &call, &parent), 0);
		CHECK_EQ(code_map_add_range(&made->map, start + 8 + depth * 8,
				 start + 128 - depth * 8, parent),
			0);
	}
	for (uint32_t row = 0; row < 20; row++) {
		CHECK_EQ(code_map_add_line(&made->map, start + row * 12,
				 row % 5 == 4 ? CODE_FILE_NONE : file, number * 3 + row * row % 17),
			0);
	}
	CHECK_EQ(code_map_end_lines(&made->map, start + MADE_FUNCTION_BYTES - 16), 0);
}

static inline void made_code_init(struct made_code *made, uint32_t count, bool backward)
{
	*made = (struct made_code){0};
	CHECK_EQ(string_table_init(&made->strings), 0);
	CHECK_EQ(code_map_init(&made->map), 0);
	for (uint32_t i = 0; i < count; i++)
		made_function(made, backward ? count - 1 - i : i);
	CHECK_EQ(function_list_resolve(&made->functions), 0);
	CHECK_EQ(code_map_resolve(&made->map), 0);
}

static inline void made_code_done(struct made_code *made)
{
	function_list_done(&made->functions);
	code_map_done(&made->map);
	string_table_done(&made->strings);
}

static inline uint8_t *made_code_index(const struct made_code *made, size_t *ret_byte_count)
{
	struct index_content content = {
		.functions = &made->functions,
		.code = &made->map,
		.strings = &made->strings,
		.quality = SYMBOL_QUALITY_DWARF,
	};
	uint8_t *bytes;

	CHECK_EQ(index_write(&content, (size_t)256 << 20, &bytes, ret_byte_count), 0);
	return bytes;
}
