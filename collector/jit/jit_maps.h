/* SPDX-License-Identifier: Apache-2.0 */
/* JIT maps: the perf maps of all processes, within a share of memory and of reading.
 *
 * What it is   answers batches of addresses: opens the map of each process that is asked about,
 *              reads what is new in it, looks the addresses up. A process without one is left
 *              alone for a while. Maps that nobody asked about for longest go first.
 * Ownership    owns the maps; borrows the folder of processes.
 * Threads      one owner. Files may hang (a network, a file system of some program's own): a thread
 *              that must not does not call this.
 * Errors       none that a caller must mend: what can't be known has no answer, and is counted.
 */
#pragma once

#include "collector/jit/jit_batch.h"
#include "collector/process/proc_reader.h"
#include "collector/tally.h"
#include "store/base/clock.h"

/* 60,000 methods in one process, or four times as many that share. */
#define JIT_BYTES_USUAL (4u << 20)
#define JIT_BYTES_MIN UINT64_C(65536)

struct jit_map;

struct jit_maps_config {
	const struct proc_root *root;
	struct tally *tally;
	struct clock clock;
	uint64_t bytes_max; /* of all maps; at least JIT_BYTES_MIN */
};

struct jit_maps {
	struct jit_maps_config config;
	struct jit_map *newest; /* by last question */
	struct jit_map *oldest;
	uint32_t count;
	uint32_t held_count; /* files that are open */
	uint64_t bytes; /* of all maps */
	uint64_t bytes_left; /* to read; refilled as time goes by */
	uint64_t refilled_at_ns;
};

void jit_maps_init(struct jit_maps *maps, const struct jit_maps_config *config);
void jit_maps_done(struct jit_maps *maps);
/* Closes the files of maps that nobody has asked about for a while: a file system that shall go must
 * not wait for us. To be called now and then while held_count is not 0. */
void jit_maps_let_go(struct jit_maps *maps);
/* Answers the questions of BATCH, and puts them in another order. */
void jit_maps_answer(struct jit_maps *maps, struct jit_batch *batch);
