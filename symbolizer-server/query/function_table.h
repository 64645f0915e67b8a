/* SPDX-License-Identifier: Apache-2.0 */
/* Function table: what trees and tables are joined by.
 *
 * What it is   {module base name, function name, kind} each once: two builds of one library, or one
 *              function at many addresses, inlined or called, are one row. Where lines are asked
 *              for, file and line are part of it; where builds are kept apart, the build-ID is.
 * Ownership    owns its texts, which are valid UTF-8.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many functions.
 */
#pragma once

#include <stdint.h>

#include "store/base/bytes.h"
#include "store/base/index_map.h"
#include "store/profile/string_table.h"

/* As many as distinct texts fit. */
#define FUNCTION_COUNT_MAX STRING_COUNT_MAX

/* Values are sent to the page: never renumber. */
enum function_kind {
	FUNCTION_UNKNOWN = 0, /* named by its address only */
	FUNCTION_KERNEL = 1,
	FUNCTION_NATIVE = 2,
	FUNCTION_PYTHON = 3,
	FUNCTION_JVM = 4,
	FUNCTION_LUA = 5,
	FUNCTION_INLINED =
		6, /* of a node, never of a function: one that is called elsewhere is the same */
	FUNCTION_MARKER = 7,
	FUNCTION_TRIMMED = 8, /* stands for the small subtrees that were left out */
	FUNCTION_ROOT = 9,
	FUNCTION_LABEL = 10, /* the value of a label, above the functions */
};

/* `kernel`, `native`, ...; a value of none has a text, too. */
const char *function_kind_text(enum function_kind kind);

struct function {
	uint32_t name; /* string index: as shown */
	uint32_t module; /* string index; 0: none */
	uint8_t kind; /* enum function_kind */
	uint32_t line; /* 0: any of its lines */
	uint32_t build; /* string index: build-ID in hexadecimal; 0: any build */
	/* What is told beside it. */
	uint32_t file; /* string index: path as the compiler wrote it; 0: unknown */
	uint32_t raw; /* string index: as the linker knows it; 0: as plain */
	uint32_t plain; /* string index: as shown, without file and line; 0: as shown */
};

struct function_table {
	struct string_table strings;
	struct function *functions;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
	struct bytes_writer text; /* scratch */
};

int function_table_init(struct function_table *table);
void function_table_done(struct function_table *table);
/* Interns TEXT of LENGTH bytes; bytes that are no UTF-8 become U+FFFD, what is longer than
 * STRING_BYTES_MAX is cut. */
int function_table_add_text(
	struct function_table *table, const char *text, size_t length, uint32_t *ret_string);
/* Of functions that differ only in what is told beside them, the texts that sort first are kept. */
int function_table_add(
	struct function_table *table, const struct function *function, uint32_t *ret_index);

/* What it holds in memory. */
size_t function_table_bytes(const struct function_table *table);
const char *function_table_name(const struct function_table *table, uint32_t function);
size_t function_table_name_length(const struct function_table *table, uint32_t function);
/* By name, then module, then kind: an order that is the same in every run. */
int function_table_compare(const struct function_table *table, uint32_t one, uint32_t other);
