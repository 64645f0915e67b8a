/* SPDX-License-Identifier: Apache-2.0 */
/* Held: what the kernel knows of the BPF objects that a process holds.
 *
 * What it is   ids from /proc/PID/fdinfo, whether an id is still alive, and run time by program.
 * Ownership    values only.
 * Threads      any.
 * Errors       a failed system call fails the test.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define HELD_IDS_MAX 64

enum held_kind { HELD_PROGRAM, HELD_MAP, HELD_LINK };

struct held_ids {
	uint32_t ids[HELD_IDS_MAX];
	uint32_t count;
};

/* The ids of the objects of KIND that PID holds descriptors of. */
struct held_ids held_ids_of(pid_t pid, enum held_kind kind);
/* Whether the kernel still has the object. */
bool held_is_alive(uint32_t id, enum held_kind kind);

struct held_run_time {
	uint64_t run_count;
	uint64_t run_ns;
};

/* The kernel measures run time as long as this descriptor is open. */
int held_measure_run_time(void);
struct held_run_time held_run_time_of(uint32_t program_id);
struct held_run_time held_run_time_of_fd(int program_fd);
