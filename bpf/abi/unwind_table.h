/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unwind table: the layout of the memory that tells a walk the way up a stack.
 *
 * What it is   one pool of equal nodes, made in shards. A binary's table is a tree of them: leaves
 *              hold rows (from this byte of code on, that rule), index nodes hold the first byte
 *              of each child. A process's mappings are such a tree, too: leaves of mappings. Rules
 *              are few (some 5,000 in all of a Debian), so that a row is 4 bytes: its distance from
 *              the first byte of its leaf, and the number of a rule that all tables share.
 * Ownership    user space writes, walks read.
 * Threads      a node may be taken back and filled anew while a walk reads it. Whoever refers to a
 *              node knows its generation; it is raised before anything in the node changes, so that
 *              a walk that finds the same one before and after has read what it was meant to.
 * Errors       a walk that finds another generation stops there and says so.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/unwind_rule.h"

/* Small enough that the many small libraries waste little, large enough for three levels. */
#define UNWIND_NODE_BYTES 2048
/* What user space asks the kernel for at a time. */
#define UNWIND_SHARD_BYTES (1 << 20)
#define UNWIND_SHARD_NODES (UNWIND_SHARD_BYTES / UNWIND_NODE_BYTES)
/* A node's number has 16 bits: 128 MiB, far above any sensible cap. */
#define UNWIND_SHARDS_MAX 128
/* Index nodes above the leaves: 255 * 255 leaves hold 30 million rows. */
#define UNWIND_HEIGHT_MAX 2

/* Three times what all files of a Debian need. */
#define UNWIND_RULES_MAX 16384
/* Rule 0: code without call frame information. */
#define UNWIND_RULE_GAP 0

/* Binaries with a table, and processes that were sampled lately. */
#define UNWIND_TABLES_MAX 8192
#define UNWIND_PROCESSES_MAX 16384

/* Node 0 is never given out, so that a reference of zero refers to nothing. */
struct unwind_reference {
	uint16_t node;
	uint16_t generation;
};

struct unwind_head {
	uint16_t generation;
	uint16_t count;
	uint32_t zero;
};

struct unwind_row {
	uint16_t distance; /* bytes from the leaf's first byte of code */
	uint16_t rule;
};

#define UNWIND_LEAF_ROWS ((UNWIND_NODE_BYTES - 8) / 4)

struct unwind_leaf {
	struct unwind_head head;
	struct unwind_row rows[UNWIND_LEAF_ROWS];
};

/* Bytes of code that one leaf can tell apart. */
#define UNWIND_LEAF_SPAN 65536

struct unwind_child {
	uint32_t first; /* byte of code, counted from the table's base */
	struct unwind_reference reference;
};

#define UNWIND_INDEX_CHILDREN ((UNWIND_NODE_BYTES - 8) / 8)

struct unwind_index {
	struct unwind_head head;
	struct unwind_child children[UNWIND_INDEX_CHILDREN];
};

/* When a table was used, in units of about a second; wraps after 19 hours. */
#define UNWIND_USE_TIME(monotonic_ns) ((uint16_t)((monotonic_ns) >> 30))

enum unwind_table_state {
	UNWIND_TABLE_absent, /* not asked for yet, or taken back */
	UNWIND_TABLE_ready,
	UNWIND_TABLE_none, /* the file has no call frame information: frame pointers */
	UNWIND_TABLE_no_room, /* tables that are in use take all the memory */
};

struct unwind_table {
	struct unwind_reference root;
	uint8_t state; /* enum unwind_table_state */
	uint8_t height; /* index nodes above the leaves */
	uint16_t used_at; /* UNWIND_USE_TIME of the last walk that did; walks write it */
	uint64_t byte_count; /* of code that the table covers, from its base on */
};

/* A stretch of a process's memory. */
struct unwind_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t bias; /* address - bias = byte of code, counted from the table's base */
	uint32_t table; /* number of its table; UNWIND_NO_TABLE: memory without a file */
	uint32_t zero;
};

#define UNWIND_NO_TABLE UINT32_MAX

#define UNWIND_LEAF_MAPPINGS ((UNWIND_NODE_BYTES - 8) / 32)

struct unwind_mapping_leaf {
	struct unwind_head head;
	struct unwind_mapping mappings[UNWIND_LEAF_MAPPINGS];
	uint64_t zero[3];
};

struct unwind_mapping_child {
	uint64_t first; /* address */
	struct unwind_reference reference;
	uint32_t zero;
};

#define UNWIND_INDEX_MAPPINGS ((UNWIND_NODE_BYTES - 8) / 16)

struct unwind_mapping_index {
	struct unwind_head head;
	struct unwind_mapping_child children[UNWIND_INDEX_MAPPINGS];
	uint64_t zero;
};

/* Key: the process (tgid). Its mappings as user space knew them last; an exec since then makes them
 * those of another program. */
struct unwind_process {
	uint64_t started_at_ns; /* CLOCK_BOOTTIME, of the group leader */
	uint64_t exec_number; /* of task_struct */
	struct unwind_reference root;
	uint32_t version; /* of the mappings, so that user space knows what a walk saw */
	uint8_t height; /* 0: the root is a leaf; 1: an index */
	uint8_t zero[7];
};

_Static_assert(sizeof(struct unwind_head) == 8, "unwind_head: size");
_Static_assert(sizeof(struct unwind_row) == 4, "unwind_row: size");
_Static_assert(sizeof(struct unwind_child) == 8, "unwind_child: size");
_Static_assert(sizeof(struct unwind_table) == 16, "unwind_table: size");
_Static_assert(sizeof(struct unwind_mapping) == 32, "unwind_mapping: size");
_Static_assert(sizeof(struct unwind_leaf) == UNWIND_NODE_BYTES, "unwind_leaf: size");
_Static_assert(sizeof(struct unwind_index) == UNWIND_NODE_BYTES, "unwind_index: size");
_Static_assert(sizeof(struct unwind_mapping_leaf) == UNWIND_NODE_BYTES, "mapping_leaf: size");
_Static_assert(sizeof(struct unwind_mapping_index) == UNWIND_NODE_BYTES, "mapping_index: size");
_Static_assert(sizeof(struct unwind_process) == 32, "unwind_process: size");
