/* SPDX-License-Identifier: Apache-2.0 */
/* Tree: stacks as Pyroscope's first clients send them in binary.
 *
 * What it is   nodes in order of a depth-first walk, each {name, self, number of children}. In a
 *              tree names are frames, in a trie they are pieces of folded stacks, cut anywhere.
 * Ownership    borrows the bytes.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include "symbolizer-server/ingest/folded_read.h"

int tree_read(struct ingest_batch *batch, const struct text_target *target,
	struct ingest_text bytes, struct ingest_fault *fault);
int trie_read(struct ingest_batch *batch, const struct text_target *target,
	struct ingest_text bytes, struct ingest_fault *fault);
