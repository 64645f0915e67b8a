/* SPDX-License-Identifier: Apache-2.0 */
/* Known chain: stacks of a program that says itself how its calls go.
 *
 * What it is   keeps stacks, and checks them against a text of lines `start size name`, numbers in
 *              hexadecimal, as programs that make code write for perf: wherever `leaf` is met, its
 *              callers must be level_0, level_1, ... up to the last.
 * Ownership    owns the stacks.
 * Threads      one owner.
 * Errors       a text that can't be read fails the test.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/event.h"

struct known_chain {
	uint32_t depth; /* number of levels */
	uint64_t *words; /* stack after stack: its length, then its addresses */
	size_t word_count;
	size_t word_capacity;
	/* After the check. */
	uint64_t checked; /* stacks with a leaf */
	uint64_t right;
};

void known_chain_init(struct known_chain *chain, uint32_t depth);
void known_chain_done(struct known_chain *chain);
/* As in struct comparison_config; CONTEXT is the chain. */
void known_chain_add(void *context, const struct event_sample *sample);
/* NAMES is the path of the text. */
void known_chain_check(struct known_chain *chain, const char *names);
