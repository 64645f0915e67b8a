/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol types: the words that the symbolizer and those who use it share.
 *
 * What it is   who can send a file, what is asked for, and what is told about a module.
 * Ownership    values only.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/build_id.h"
#include "symbolizer-server/sandbox/symbol_index.h"

/* One collector process: the instance of its batch key. */
#define SYMBOL_INSTANCE_BYTES 16
struct symbol_origin {
	uint8_t instance[SYMBOL_INSTANCE_BYTES];
};

/* What a module is named by. Values are sent: never renumber. */
enum symbol_what {
	SYMBOL_WHAT_EXECUTABLE = 1, /* an ELF file */
	SYMBOL_WHAT_KERNEL_SYMBOLS = 2, /* text, a line `hex-offset name` for each function */
};

/* Longer base names are cut: they are for people only. */
#define SYMBOL_MODULE_NAME_MAX 64

struct symbol_want {
	struct build_id id;
	enum symbol_what what;
	char name[SYMBOL_MODULE_NAME_MAX];
	uint64_t offset; /* what is there of an upload of the same collector that broke */
};

#define SYMBOL_STATE_TEXT_MAX 320

struct symbol_module_state {
	struct build_id id;
	enum symbol_what what;
	enum symbol_quality quality; /* SYMBOL_QUALITY_NONE: no name is known */
	bool pending; /* a source is being asked or an upload awaited */
	uint32_t function_count;
	char name[SYMBOL_MODULE_NAME_MAX];
	/* `named by DWARF, 3706 functions`, or why there are none and what happens next. */
	char text[SYMBOL_STATE_TEXT_MAX];
};
