/* SPDX-License-Identifier: Apache-2.0 */
/* Segment piece: a profile put together for one visitor.
 *
 * What it is   what one visit knows, and rows that become a profile whose other tables are the
 *              group's.
 * Ownership    a visit borrows group and request and owns what it decided from them; a piece owns
 *              its rows.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many rows.
 */
#pragma once

#include "store/disk/segment_group.h"

struct segment_visit {
	const struct segment_group *group;
	const struct segment_request *request;
	segment_piece_fn piece;
	void *context;
	struct segment_visited visited;
	bool *types; /* which types are wanted */
	bool *sets; /* which label sets are; NULL: all */
	struct thread *series; /* label set i as thread i, of no process */
	struct segment_hours *hours;
	struct segment_hours *own_hours; /* to be freed */
	int answer; /* what the visitor said: anything but 0 ends the visit */
};

int segment_visit_init(struct segment_visit *visit, const struct segment_group *group,
	const struct segment_request *request, segment_piece_fn piece, void *context);
void segment_visit_done(struct segment_visit *visit);

struct segment_piece {
	struct segment_visit *visit;
	struct sample_table *types; /* of each type of the group: rows alone */
};

int segment_piece_init(struct segment_piece *piece, struct segment_visit *visit);
/* Accepts a zeroed piece. */
void segment_piece_done(struct segment_piece *piece);
/* Rows come in their order. What comes to nothing is left out; what is too much for one row fills
 * several. */
int segment_piece_add(
	struct segment_piece *piece, uint32_t type, const struct sample_row *row, uint64_t count);
/* Hands on what was added as of [FROM_NS, UNTIL_NS), if anything was; afterwards there is nothing. */
void segment_piece_emit(struct segment_piece *piece, const struct thread *threads,
	uint32_t thread_count, uint64_t from_ns, uint64_t until_ns);

/* The first slot that starts at or behind TIME_NS. */
uint64_t segment_slot_at(uint64_t time_ns);
/* Sets the head's times so that the window is [START_NS, UNTIL_NS). */
void segment_set_window(struct profile *profile, uint64_t start_ns, uint64_t until_ns);
/* The part of [FROM_NS, UNTIL_NS) in which the group has any windows: empty, or within these. */
struct segment_range segment_visit_times(
	const struct segment_visit *visit, uint64_t from_ns, uint64_t until_ns);
/* Where the step ends in which TIME_NS lies. */
uint64_t segment_step_end(const struct segment_request *request, uint64_t time_ns);
