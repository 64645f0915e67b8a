/* SPDX-License-Identifier: Apache-2.0 */
/* Root labels: values of labels as the first levels of a merged tree.
 *
 * What it is   with `host,thread`, the stacks of one thread name on one host stand below `thread=...`
 *              below `host=...`. Rows of a profile are gathered by group, so that each group goes
 *              over its own stacks alone, however many groups there are.
 * Ownership    owns its tables; borrows the names until root_labels_done, a profile from
 *              root_labels_open to root_labels_merge.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many nodes or texts.
 */
#pragma once

#include <stdint.h>

#include "symbolizer-server/query/label_groups.h"
#include "symbolizer-server/query/merge.h"

/* Each has a tree of its own. */
#define ROOT_LABELS_GROUP_COUNT_MAX (1u << 16)

struct root_labels {
	struct label_groups groups;
	uint32_t *nodes; /* of each group: its node of the tree */
	uint32_t node_count;
	uint32_t node_capacity;
	uint32_t rest; /* the node of what is in no group; 0: nothing was yet */
	struct root_labels_entry *entries; /* what was taken of the profile */
	uint32_t entry_count;
	uint32_t entry_capacity;
	struct root_labels_stack *stacks; /* of the profile */
	uint32_t stack_capacity;
	uint32_t stamp;
};

int root_labels_init(struct root_labels *root, const struct label_names *names);
void root_labels_done(struct root_labels *root);
/* For merge.c alone: turns to a profile, takes VALUE of ROW of it, and adds all that was taken to
 * the tree of MERGE, which has opened the same profile. */
int root_labels_open(struct root_labels *root, const struct profile *profile);
int root_labels_add(struct root_labels *root, const struct sample_row *row, int64_t value);
int root_labels_merge(struct root_labels *root, struct merge *merge, const struct profile *profile);
