/* SPDX-License-Identifier: Apache-2.0 */
/* Chain: the stages that a sample and its names pass, and whether their counters add up.
 *
 * What it is   one table: of each stage, what its counters mean for the sum `in = out + waiting +
 *              aside + lost`. What is missing in that sum is unaccounted: a bug that is shown, not
 *              hidden. Samples come first, from the kernel to the disk, then names, then queries.
 * Ownership    static texts; a reading is a value.
 * Threads      any.
 * Errors       a stage whose counters are not all there is not known, and nothing is said of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHAIN_TERM_COUNT_MAX 10

enum chain_role {
	CHAIN_IN,
	CHAIN_OUT,
	CHAIN_WAITING, /* a level */
	CHAIN_ASIDE, /* neither passed on nor lost: idle ticks, duplicates, what comes again */
	CHAIN_LOST,
	CHAIN_DUE, /* what must have come out by now; the rest of a difference waits */
	CHAIN_NOTE, /* worth telling beside the sum */
	CHAIN_ROLE_COUNT
};

struct chain_term {
	const char *counter; /* NULL ends the list */
	enum chain_role role;
	const char *words; /* a few, for tables */
	const char *remedy; /* of what is lost or stands aside and should not; else NULL */
};

/* A stage of a collector, once a host; or of the server. */
enum chain_place { CHAIN_HOST, CHAIN_SERVER };

struct chain_stage {
	const char *name;
	const char *unit;
	const char *meaning;
	enum chain_place place;
	/* A tick that a CPU is working on has come in and not gone out yet: one a CPU. */
	bool one_a_cpu_under_way;
	struct chain_term terms[CHAIN_TERM_COUNT_MAX + 1];
};

struct chain_reading {
	const struct chain_stage *stage;
	bool known;
	uint64_t values[CHAIN_TERM_COUNT_MAX]; /* of the terms */
	uint64_t sums[CHAIN_ROLE_COUNT];
	uint64_t unaccounted; /* so many vanished, or came from nowhere */
};

/* All stages in order; those of hosts come before those of the server. */
const struct chain_stage *chain_stages(uint32_t *ret_count);

/* False: there is no counter of that NAME. */
typedef bool (*chain_find_fn)(void *context, const char *name, uint64_t *ret_value);

struct chain_reading chain_read(const struct chain_stage *stage, chain_find_fn find, void *context,
	uint32_t online_cpu_count);
/* Adds the reading of one more host; unknown ones add nothing. */
void chain_add(struct chain_reading *sum, const struct chain_reading *reading);
