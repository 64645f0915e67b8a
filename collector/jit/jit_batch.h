/* SPDX-License-Identifier: Apache-2.0 */
/* JIT batch: addresses of generated code, and the names that were found for them.
 *
 * What it is   questions of one window, together, with room for the answers.
 * Ownership    one owner at a time; it owns its texts.
 * Threads      handed from one thread to another and back, never shared.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define JIT_UNNAMED UINT32_MAX

struct jit_question {
	uint32_t pid;
	uint32_t number; /* the asker's */
	uint64_t started_at_ns; /* of the process, CLOCK_BOOTTIME; 0: unknown */
	uint64_t address; /* of the look-up */
	uint64_t taken_at_ns; /* CLOCK_MONOTONIC */
	uint32_t text; /* answer: where its name begins in the texts, or JIT_UNNAMED */
	bool is_early; /* answer: the map is not there, or not read whole yet; ask again */
};

struct jit_batch {
	uint64_t window; /* the asker's */
	bool is_last; /* it will not be asked again */
	char *texts; /* closed by NUL */
	uint32_t text_bytes;
	uint32_t text_capacity;
	uint32_t count;
	struct jit_question questions[];
};

/* Questions are the caller's to fill; COUNT is at least 1. */
int jit_batch_new(uint64_t window, uint32_t count, struct jit_batch **ret_batch);
void jit_batch_free(struct jit_batch *batch);
/* -ENOMEM, -E2BIG: no answer then. */
int jit_batch_answer(struct jit_batch *batch, struct jit_question *question, const char *name);
