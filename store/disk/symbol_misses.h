/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol misses: which source does not have which module, why, and until when that holds.
 *
 * What it is   the negative half of the symbol cache, so that a restart asks nobody anew.
 * Ownership    the environment and the clock are borrowed.
 * Threads      any.
 * Errors       -ENOENT: nothing is known, or it is no longer true; -ENOSPC: too many; and those of
 *              lmdb_env.h.
 */
#pragma once

#include <stdint.h>

#include "store/base/clock.h"
#include "store/disk/lmdb_env.h"
#include "store/profile/build_id.h"

struct symbol_misses {
	struct lmdb_env *env;
	uint32_t table;
	struct clock clock;
};

int symbol_misses_open(struct symbol_misses *misses, struct lmdb_env *env, struct clock clock);
int symbol_misses_note(struct symbol_misses *misses, uint8_t source, const struct build_id *id,
	uint32_t reason, uint64_t until_ns);
int symbol_misses_find(struct symbol_misses *misses, uint8_t source, const struct build_id *id,
	uint32_t *ret_reason, uint64_t *ret_until_ns);
int symbol_misses_forget(struct symbol_misses *misses, uint8_t source, const struct build_id *id);
