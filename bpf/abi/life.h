/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Life: processes that start and end, summed up by what they are called.
 *
 * What it is   keys and values of the maps that the programs of bpf/life fill and user space
 *              empties once a window.
 * Ownership    two tables of rows take turns: while user space empties one, the programs fill the
 *              other. One word tells when it is the other's turn.
 * Threads      all CPUs add at once, by atomic additions.
 * Errors       what finds no room in a table is added to `other` and counted as unnamed; where the
 *              time on CPU of a process is not known to its last, it counts as unnoted.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/limit.h"

/* Different (command, parent) of one window. A build host has some hundred. */
#define LIFE_ROWS_MAX 2048
/* Processes that ended and whose parent has not asked for them yet; a parent that never asks leaves
 * its children here until it ends itself. */
#define LIFE_ENDINGS_MAX 2048

/* life_key.flags: the parent is a thread of the kernel. */
#define LIFE_PARENT_IS_KERNEL 1u

/* Names are closed and filled up with NULs. */
struct life_key {
	char command[COMM_BYTES];
	char parent[COMM_BYTES];
	uint32_t flags;
};

struct life_values {
	uint64_t execs; /* programs started */
	uint64_t forks; /* processes made */
	uint64_t exits; /* processes ended */
	uint64_t bare_exits; /* of these, such that never started a program */
	uint64_t cpu_ns; /* of all threads of processes that ended; added when they are freed */
	uint64_t lifetime_ns; /* of the processes that ended, from fork to end */
};

/* A process that ended and whose time on CPU is not whole yet; kept until the kernel frees it. */
struct life_ending {
	struct life_key key;
	uint32_t zero;
	uint64_t started_at_ns;
	uint64_t cpu_ns; /* when it began to end */
};

/* A time on CLOCK_MONOTONIC whose lowest bit is the table (0 or 1) of what happens before it; what
 * happens later goes to the other one. */
#define LIFE_TURN(time_ns, side) (((time_ns) & ~UINT64_C(1)) | (side))

struct life_shared {
	uint64_t turn;
	uint64_t unnamed; /* events that found no room in a table */
	uint64_t unnoted; /* ends that count with the time on CPU of their beginning */
	struct life_values other[2]; /* what these add up to, by table */
};

_Static_assert(sizeof(struct life_key) == 36, "life_key: size");
_Static_assert(sizeof(struct life_values) == 48, "life_values: size");
_Static_assert(sizeof(struct life_ending) == 56, "life_ending: size");
