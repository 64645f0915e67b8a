/* SPDX-License-Identifier: Apache-2.0 */
/* Unwinder: what walks need, made when it is first missed.
 *
 * What it is   a walk in the kernel goes by tables and mappings that are written for it. Where one
 *              is missing, the sample brings a copy of its stack: the unwinder finishes the walk
 *              with it, builds the tables that it meets on the way, and tells the kernel side, so
 *              that the next walk gets through by itself. Samples come in order of time, with the
 *              mappings of their process as they were then.
 * Ownership    owns pool, rules and tables; the memory that walks see is the caller's.
 * Threads      one owner.
 * Errors       none that a caller must mend: what can't be known ends a stack with its reason.
 */
#pragma once

#include "bpf/abi/event.h"
#include "collector/process/process_table.h"
#include "collector/unwind/mapping_tree.h"

/* Memory that walks see, and how they are told of processes. */
struct unwind_memory {
	struct unwind_rule *rules; /* UNWIND_RULES_MAX, zeroed */
	struct unwind_table *tables; /* UNWIND_TABLES_MAX, zeroed */
	/* As in node_pool.h. */
	void *(*make_shard)(void *context, uint32_t number);
	void (*hide_shard)(void *context, uint32_t number);
	void *(*show_shard)(void *context, uint32_t number);
	/* NULL: no walk goes by this memory but those in user space, which need not be told. */
	int (*tell_process)(void *context, uint32_t pid, const struct unwind_process *process);
	void (*forget_process)(void *context, uint32_t pid);
	void *context;
};

struct unwinder_config {
	struct unwind_memory memory;
	struct process_table *processes;
	struct tally *tally;
	uint32_t shard_count_max;
};

struct unwinder {
	struct unwinder_config config;
	struct node_pool pool;
	struct rule_set rules;
	struct table_store tables;
	struct event_sample *sample; /* room for one with all addresses */
};

int unwinder_init(struct unwinder *unwinder, const struct unwinder_config *config);
void unwinder_done(struct unwinder *unwinder);

/* After a round of samples: memory that none of them needed leaves this process. */
void unwinder_rest(struct unwinder *unwinder);

/* SAMPLE with as much of its user stack as can be known; PROCESS may be NULL. Borrowed until the
 * next call. */
const struct event_sample *unwinder_complete(struct unwinder *unwinder,
	const struct event_sample *sample, struct process *process, uint64_t now_ns);
