/* SPDX-License-Identifier: Apache-2.0 */
/* Call naming: which row of the function table a call of a chain is.
 *
 * What it is   demangles a name and says what it is counted as: a function, a function at a line, or
 *              a source file. Chains of neighbouring addresses have most of their calls in common,
 *              so each call of a module is remembered by where its texts lie.
 * Ownership    owns what it remembers; borrows the function table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/index_map.h"
#include "symbolizer-server/query/function_table.h"
#include "symbolizer-server/symbol/symbol_reader.h"

enum naming_group {
	NAMING_BY_FUNCTION,
	NAMING_BY_LINE, /* a function is a node for each of its lines */
	NAMING_BY_FILE, /* all functions of a source file are one */
};

/* Who knows where OFFSET of a module's file is in memory, with the context of who knows names. Any
 * negative errno: not known; -ENOMEM ends the naming. */
typedef int (*naming_translate_fn)(
	void *context, const struct build_id *id, uint64_t offset, uint64_t *ret_address);

struct naming_options {
	enum naming_group group;
	bool hides_inlined; /* inlined calls are counted as the function they are inlined into */
	bool by_build; /* builds of a module are kept apart */
	naming_translate_fn translate; /* NULL: nobody does */
};

/* The part of a function that its frame decides. */
struct call_place {
	uint32_t module; /* any number that is the module's own */
	uint32_t module_name; /* string of the function table */
	uint32_t build; /* string of the function table; 0: builds are not kept apart */
	uint8_t kind; /* enum function_kind */
	bool as_it_came; /* the name is its sender's: shown as it is, unless a compiler mangled it */
};

struct call_naming {
	struct function_table *functions;
	enum naming_group group;
	struct known_call *known;
	uint32_t known_count;
	uint32_t known_capacity;
	struct index_map map;
};

void call_naming_init(
	struct call_naming *naming, struct function_table *functions, enum naming_group group);
void call_naming_done(struct call_naming *naming);
/* The texts of CALL must stay where they are for as long as calls of its module are named. */
int call_naming_function(struct call_naming *naming, const struct symbol_call *call,
	const struct call_place *place, uint32_t *ret_function);
