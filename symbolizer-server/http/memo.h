/* SPDX-License-Identifier: Apache-2.0 */
/* Memo: answers that were costly to make, kept for whoever asks the same again.
 *
 * What it is   values by key, each lent to one at a time; who asks meanwhile waits for it rather than
 *              make it again. A value belongs to a version of what it was made of: asked for by
 *              another version it is thrown away. Values that were not asked for longest go first
 *              when all together take more memory than they may.
 * Ownership    owns the values but while they are lent; keys are copied.
 * Threads      any.
 * Errors       -ENOMEM; -ECANCELED: nobody waits for the answer any more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memo;
struct memo_entry;

typedef void (*memo_free_fn)(void *value);
typedef bool (*memo_gone_fn)(const void *context);

struct memo_key {
	const void *bytes;
	size_t byte_count;
	uint64_t versions[2];
};

/* BYTES_MAX: of all values that are kept. */
int memo_new(size_t bytes_max, memo_free_fn free_value, struct memo **ret_memo);
/* Nothing is lent any more. Accepts NULL. */
void memo_free(struct memo *memo);

/* Lends the value of KEY. While another has it, waits, and asks GONE now and then. */
int memo_take(struct memo *memo, const struct memo_key *key, memo_gone_fn gone, const void *context,
	struct memo_entry **ret_entry);
/* NULL: it is the borrower's to make. */
void *memo_value(const struct memo_entry *entry);
/* Ends the loan. VALUE, the one that was lent or made, takes BYTE_COUNT; NULL: there is none, or it
 * is not to be kept and the borrower frees it. How many values were thrown away to make room is
 * added to *DROPPED_COUNT. */
void memo_give_back(struct memo *memo, struct memo_entry *entry, void *value, size_t byte_count,
	uint64_t *dropped_count);
/* Of all values that are kept. */
size_t memo_bytes(struct memo *memo);
