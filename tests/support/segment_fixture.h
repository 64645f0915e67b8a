/* SPDX-License-Identifier: Apache-2.0 */
/* Segment fixture: segments of made-up blocks, and what they must answer.
 *
 * What it is   blocks as a segment's input, segments written to and read from memory, and a brute
 *              force over the blocks themselves that says what any question must come to.
 * Ownership    blocks own their profiles; readers are the caller's.
 * Threads      one owner.
 * Errors       a failure ends the test.
 */
#pragma once

#include "store/disk/segment_writer.h"

struct segment_blocks {
	struct profile **profiles;
	struct batch_key *keys;
	uint32_t count;
	uint32_t capacity;
};

/* Takes PROFILE, moves its window so that it starts at START_NS, and gives it a key. */
void segment_blocks_add(struct segment_blocks *blocks, struct profile *profile, uint64_t start_ns);
void segment_blocks_done(struct segment_blocks *blocks);
/* A segment_blocks_fn; CONTEXT is a struct segment_blocks. */
int segment_blocks_visit(void *context, segment_block_fn visit, void *visit_context);

/* COUNT odd profiles of a few hosts and services whose windows start in [FROM_NS, FROM_NS +
 * SPREAD_NS), some of them equal. */
void segment_blocks_fill(struct segment_blocks *blocks, uint64_t seed, uint32_t count,
	uint64_t from_ns, uint64_t spread_ns);

/* A segment in memory. */
struct segment_reader *segment_of(const struct segment_input *input,
	const struct segment_options *options, struct segment_written *ret_written);
struct segment_reader *segment_of_blocks(struct segment_blocks *blocks);

/* What a question came to: sums by all that the question tells apart. */
struct segment_answer {
	struct segment_answer_line *lines;
	uint32_t count;
	uint32_t capacity;
	const struct segment_request *request;
};

/* What the blocks answer. Slots of windows that end at SLOTS_FROM_NS or before are gone. SERVICE may
 * be NULL: all. */
void segment_answer_of_blocks(struct segment_answer *answer, const struct segment_blocks *blocks,
	const struct segment_request *request, const char *service, uint64_t slots_from_ns);
/* What a segment answers; each piece is held to what segment_reader.h says of it. Returns the number
 * of damaged sections. */
uint64_t segment_answer_of_segment(struct segment_answer *answer,
	const struct segment_reader *reader, const struct segment_request *request,
	const char *service);
/* Also sorts both, and joins equal lines. */
bool segment_answer_equal(struct segment_answer *one, struct segment_answer *other);
/* Whether each line of PART is one of WHOLE, with no more samples; both have been compared. */
bool segment_answer_within(const struct segment_answer *part, const struct segment_answer *whole);
void segment_answer_done(struct segment_answer *answer);

/* A time on the hour at which made-up blocks begin. */
#define SEGMENT_TEST_START_NS (UINT64_C(480000) * SEGMENT_HOUR_NS)

struct segment_questions {
	const struct segment_blocks *blocks;
	const struct segment_reader *reader; /* of these */
	uint64_t slots_from_ns; /* as it was written with */
	uint64_t spread_ns; /* windows start so far behind SEGMENT_TEST_START_NS */
	uint32_t count;
	int detail; /* -1: any */
};

/* Asks the segment COUNT questions of any range, step and filter, and holds each answer to that of
 * the blocks. */
void segment_check_questions(struct segment_questions questions);
