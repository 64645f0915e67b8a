/* SPDX-License-Identifier: Apache-2.0 */
/* Lives: processes that started and ended, counted by the kernel side, taken once a window.
 *
 * What it is   loads and attaches the programs of bpf/life, an object of its own, and empties their
 *              tables in turns. Nothing is pinned: when the process dies, the kernel takes
 *              everything down.
 * Ownership    lives_open makes it, lives_free ends it.
 * Threads      one owner.
 * Errors       negative errno; lives_open adds one line that says why.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/life.h"
#include "collector/kernel/sampler.h"
#include "collector/tally.h"

/* After a table's turn has ended, a program that found it before may still add to it: it runs a
 * microsecond, unless a hypervisor holds its CPU back. */
#define LIVES_QUIET_NS UINT64_C(5000000)

struct lives;

/* Starts to count. BTF_PATH of NULL is the kernel's own. What is lost goes to TALLY.
 * -EPERM, -EACCES: a privilege is missing.  -ENOENT: no BTF.  Others as the kernel gave them. */
int lives_open(const char *btf_path, struct tally *tally, struct sampler_reason *reason,
	struct lives **ret_lives);
void lives_free(struct lives *lives);

/* From here on, what happens at TURN_NS (CLOCK_MONOTONIC) or later belongs to the next window. */
void lives_begin(struct lives *lives, uint64_t turn_ns);

/* Gives what was counted for the window that ended at the turn, or that ends now if the turn is yet
 * to come, to FN, each row once, and begins the window that ends at NEXT_TURN_NS. What found no
 * room of its own comes last, with an empty key. FN returns 0; its first other result is that of
 * the call, and then what follows is not told. Waits up to LIVES_QUIET_NS where the turn is just
 * over. A table that can't be read keeps what it has for the window after the next. */
typedef int (*lives_row_fn)(
	void *context, const struct life_key *key, const struct life_values *values);
int lives_take(struct lives *lives, uint64_t next_turn_ns, lives_row_fn fn, void *context);
