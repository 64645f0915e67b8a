/* SPDX-License-Identifier: Apache-2.0 */
/* Life row: what the kernel side counted of processes, into the profile of the window.
 *
 * What it is   names as people read them: threads of the kernel go by their kind (`[kworker]`), what
 *              has no row of its own is `[other]`.
 * Ownership    the profile is the caller's.
 * Threads      no shared state.
 * Errors       those of life_table_add.
 */
#pragma once

#include "bpf/abi/life.h"
#include "store/profile/profile.h"

/* Matches lives_row_fn: PROFILE is a struct profile. */
int life_row_add(void *profile, const struct life_key *key, const struct life_values *values);
