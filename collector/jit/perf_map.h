/* SPDX-License-Identifier: Apache-2.0 */
/* Perf map: what one process said of its code, followed as it goes on saying it.
 *
 * What it is   the index of a growing file: what was added is read on from where reading stopped, a
 *              last line without its end waits for it, and a file that was replaced or cut is read
 *              anew. Lines are indexed; a name is fetched when it is asked for and kept.
 * Ownership    owns index and names; descriptors are the caller's.
 * Threads      one owner.
 * Errors       -ENOMEM and what reading gives; what is known stays.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/jit/code_index.h"
#include "store/base/clock.h"

/* What is further behind is not read: a hundred times what large programs write. */
#define PERF_MAP_BYTES_MAX (UINT32_C(1) << 30)
/* Some 8,000 names in use. Beyond, all are forgotten and fetched again. */
#define PERF_MAP_NAMES_BYTES_MAX (512u * 1024)
/* By the end of what was read, a file that was written anew is told from one that grew. */
#define PERF_MAP_TAIL_BYTES 64

struct perf_map_counts {
	uint64_t bytes_read;
	uint64_t malformed;
	uint64_t replaced;
};

struct perf_map {
	struct code_index index;
	char *names; /* closed by NUL, one behind the other, from 1 on */
	uint32_t name_bytes;
	uint32_t name_capacity;
	uint64_t base_ns; /* CLOCK_MONOTONIC; where the index's time begins */
	uint64_t device;
	uint64_t inode;
	uint64_t changed_at_ns; /* mtime, when it was read last */
	uint64_t followed_at_ns; /* CLOCK_MONOTONIC; of what came later nothing is known */
	uint32_t byte_count; /* size then */
	uint32_t read_to; /* the first byte that no whole line was read of */
	bool skips_line; /* READ_TO is inside of a line that is too long */
	bool is_behind; /* there is more to read than was allowed */
	bool is_stale; /* a line stands no more where it was: the file is another one */
	uint32_t tail_length;
	char tail[PERF_MAP_TAIL_BYTES]; /* the bytes before READ_TO */
};

void perf_map_init(struct perf_map *map, uint32_t entry_count_max, uint64_t now_ns);
void perf_map_done(struct perf_map *map);
/* Reads what is new in FD, at most *BYTES_LEFT, which it lowers. NOW was read after FD was opened. */
int perf_map_follow(struct perf_map *map, int fd, const struct clock_reading *now,
	uint64_t *bytes_left, struct perf_map_counts *counts);
/* The name of what stood at ADDRESS at TAKEN_AT_NS (CLOCK_MONOTONIC); NULL: nothing tells. FD may
 * be -1: then only names that were asked for before are known, and only for times up to when the
 * file was last looked at. Borrowed until the next call. */
const char *perf_map_name(struct perf_map *map, int fd, uint64_t address, uint64_t taken_at_ns);
uint64_t perf_map_memory(const struct perf_map *map);
