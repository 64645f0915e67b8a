/* SPDX-License-Identifier: Apache-2.0 */
/* Code map: which calls were inlined at an address, and which source line it came from.
 *
 * What it is   what debug information says of one module, as its readers find it: a tree of inlined
 *              calls, the ranges of addresses of each call, and rows of lines. Filled in any order,
 *              unit by unit, then resolved: each address has one innermost call and one line, the
 *              same whatever the order was. Functions themselves are a function_list; here stands
 *              what lies inside of them.
 * Ownership    owns its arrays; names and paths are string indices of the caller's table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: more than the index can hold.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The call that the function itself is: the parent of calls inlined into it directly. */
#define CODE_CALL_NONE 0
/* A file that is not known; its line is 0. */
#define CODE_FILE_NONE 0

struct code_call {
	uint32_t parent; /* the call into which this one was inlined, or CODE_CALL_NONE */
	uint32_t name; /* of the function that was inlined */
	uint32_t call_file; /* where its caller calls it: string index of the path */
	uint32_t call_line; /* 0: unknown */
};

struct code_range {
	uint64_t start;
	uint64_t end;
	uint32_t call; /* never CODE_CALL_NONE */
	uint32_t rank; /* of ranges that overlap, the highest holds; set by code_map_resolve */
};

struct code_line {
	uint64_t address;
	uint32_t file; /* string index of the path, or CODE_FILE_NONE */
	uint32_t line; /* 0: this address came from no line */
};

/* Rows that a line program gave as one run of addresses. */
struct code_sequence {
	uint64_t start;
	uint64_t end;
	uint32_t first_line;
	uint32_t line_count;
	uint32_t order;
	uint32_t number; /* in which they came */
};

/* Ranges that came one after the other under one order. */
struct code_unit {
	uint32_t first_range;
	uint32_t order;
};

struct code_map {
	struct code_call *calls; /* 0 stands for CODE_CALL_NONE */
	uint32_t call_count;
	uint32_t call_capacity;
	struct code_range *ranges;
	uint32_t range_count;
	uint32_t range_capacity;
	struct code_line *lines;
	uint32_t line_count;
	uint32_t line_capacity;
	uint32_t order; /* of the unit that is being read: among equals the lowest wins */
	bool resolved;

	/* Of code_map.c alone; gone once it is resolved. */
	uint32_t *slots; /* calls by hash: number, or 0 */
	uint32_t slot_count;
	struct code_sequence *sequences; /* the last one is open if sequence_open */
	uint32_t sequence_count;
	uint32_t sequence_capacity;
	bool sequence_open;
	struct code_unit *units;
	uint32_t unit_count;
	uint32_t unit_capacity;
};

int code_map_init(struct code_map *map);
void code_map_done(struct code_map *map);

/* Equal calls are one. PARENT was given by this function, or is CODE_CALL_NONE. */
int code_map_add_call(struct code_map *map, const struct code_call *call, uint32_t *ret_call);
/* An empty or reversed range is ignored. Of overlapping ranges of one order the one that was added
 * last holds the address: add a call before those that were inlined into it. */
int code_map_add_range(struct code_map *map, uint64_t start, uint64_t end, uint32_t call);
/* From ADDRESS on, up to the next row or the end of the sequence, code came from FILE:LINE. Rows of
 * one sequence rise (one that does not is ignored); of rows at the same address the last holds. */
int code_map_add_line(struct code_map *map, uint64_t address, uint32_t file, uint32_t line);
/* The sequence ends before ADDRESS: what follows there came from no line of it. Where sequences
 * overlap, the one that starts last holds the address, and behind its end the other goes on. */
int code_map_end_lines(struct code_map *map, uint64_t address);
/* Ranges become disjoint and sorted, lines sorted and joined; a gap between sequences is a row of
 * CODE_FILE_NONE, as is the end. Nothing is added afterwards. */
int code_map_resolve(struct code_map *map);
/* Of a resolved map: addresses count from START on, and what stands before it is gone. */
void code_map_move(struct code_map *map, uint64_t start);
