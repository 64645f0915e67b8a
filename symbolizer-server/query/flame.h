/* SPDX-License-Identifier: Apache-2.0 */
/* Flame: one answer of a flame query, ready to be written.
 *
 * What it is   a level tree with what one must know to read its numbers, and its functions numbered
 *              as names: the most frequent first, so that as columns of varints they are short.
 * Ownership    owns the numbering; borrows the tree.
 * Threads      one owner.
 * Errors       -ENOMEM; -EFBIG: longer than the writer's limit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/bytes.h"
#include "symbolizer-server/query/level_tree.h"
#include "symbolizer-server/query/partial.h"
#include "symbolizer-server/query/time_range.h"

#define FLAME_VERSION 1

/* Values are sent: never renumber. */
enum flame_unit { FLAME_COUNT = 0, FLAME_NANOSECONDS = 1, FLAME_BYTES = 2 };

enum flame_flag {
	FLAME_DIFF = 1, /* two trees in one */
	FLAME_TRIMMED = 2, /* some nodes are a `(n small)` */
	FLAME_PARTIAL_SYMBOLS =
		4, /* of some frames only the address is known: names may still come */
	FLAME_FOCUS_FOUND = 8, /* there is a node of what was to be shown first */
	FLAME_PARTIAL = 16, /* the query ended before it had read everything */
};

struct flame_about {
	enum flame_unit unit;
	bool partial_symbols;
	int64_t period; /* what one sample stands for; 0 if it varies */
	uint64_t sample_count;
	struct time_range range; /* the part of the asked range that profiles cover */
	struct partial partial;
	bool focus_found;
};

/* Texts that many names share, numbered as they come. */
struct flame_texts {
	uint32_t *strings; /* of each text */
	uint32_t *numbers; /* of each string of the functions: its number plus 1, or 0 */
	uint32_t count;
};

struct flame {
	struct flame_about about;
	const struct level_tree *tree;
	/* Values are sent shifted right by this, so that JavaScript can hold each of them. */
	uint32_t scale;
	uint32_t *functions; /* of each name */
	uint32_t *names; /* of each function; only of those that have one */
	uint32_t name_count;
	struct flame_texts modules;
	struct flame_texts files; /* source files */
};

int flame_init(struct flame *flame, const struct level_tree *tree, const struct flame_about *about);
void flame_done(struct flame *flame);

/* The unit of a profile type: its third part. */
enum flame_unit flame_unit_of_type(const char *type);
/* `count`, `nanoseconds`, `bytes`. */
const char *flame_unit_text(enum flame_unit unit);
/* FLAME's flags, or-ed. */
uint16_t flame_flags(const struct flame *flame);

/* Writes the columns that the page reads; docs/api.md has the layout. */
int flame_write_columns(const struct flame *flame, struct bytes_writer *writer);
