/* SPDX-License-Identifier: Apache-2.0 */
/* Query board: the queries that run now, for those who want to know how far one is.
 *
 * What it is   queries whose client gave them an id, each with its stage and the part of its range
 *              that was read.
 * Ownership    owns its places; a place is the query's from begin to end.
 * Threads      any.
 * Errors       none: a query that finds no place is not told of.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define QUERY_BOARD_ID_LENGTH_MAX 64

enum query_stage { QUERY_READING, QUERY_NAMING, QUERY_WRITING };

struct query_state {
	enum query_stage stage;
	double done; /* of what is to be read, 0 to 1 */
	uint64_t begun_ns; /* monotonic */
};

struct query_board;
struct query_place;

int query_board_new(struct query_board **ret_board);
/* No query runs any more. Accepts NULL. */
void query_board_free(struct query_board *board);

/* Whether TEXT is an id: 1 to 64 letters, digits, `-`, `_`. */
bool query_board_is_id(const char *text);
/* NULL if there is no place, or ID is NULL. The functions below accept NULL in place of either. */
struct query_place *query_board_begin(struct query_board *board, const char *id, uint64_t now_ns);
void query_board_note(
	struct query_board *board, struct query_place *place, enum query_stage stage, double done);
void query_board_end(struct query_board *board, struct query_place *place);
/* Whether a query of this id runs; if so, how far it is. */
bool query_board_find(struct query_board *board, const char *id, struct query_state *ret_state);
/* `reading`, `naming`, `writing`. */
const char *query_stage_text(enum query_stage stage);
