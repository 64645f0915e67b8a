/* SPDX-License-Identifier: Apache-2.0 */
/* Process table: every process of the host and what it maps.
 *
 * What it is   follows the kernel's records, and reads /proc where they can't help: at start, after
 *              records were lost, and for a process that was forgotten. Records and samples must
 *              come in order of time.
 * Ownership    owns the processes, the binaries and the places.
 * Threads      one owner.
 * Errors       none that a caller must mend: what can't be known is counted and looks so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/process/process.h"
#include "collector/process/task_record.h"
#include "collector/tally.h"
#include "store/base/clock.h"

/* Some hundred bytes each. A host with more forgets the ones not sampled for longest. */
#define PROCESS_COUNT_MAX 32768

struct process_table_config {
	const char *proc_folder; /* NULL: /proc */
	const char *root_folder; /* before absolute paths of container runtimes; NULL: "" */
	struct tally *tally;
	struct clock clock; /* zeroed: the system's */
	uint32_t process_count_max; /* 0: PROCESS_COUNT_MAX */
};

/* A process is about to be freed. */
typedef void process_forget_fn(void *context, struct process *process);

struct process_table {
	process_forget_fn *forget_process; /* NULL: nobody watches */
	void *watch_context;
	struct proc_root proc;
	struct tally *tally;
	struct binary_table binaries;
	struct mapping_pool pool;
	struct cgroup_table cgroups;
	struct process **buckets;
	struct process *newest; /* by last use */
	struct process *oldest;
	uint32_t count;
	uint32_t count_max;
	struct process *
		ended; /* linked by next_in_bucket: exited or replaced, for samples still to come */
	uint64_t tick_ns;
	struct clock clock;
	uint32_t scan; /* number of scans so far */
};

int process_table_init(struct process_table *table, const struct process_table_config *config);
void process_table_done(struct process_table *table);

/* From now on FORGET_PROCESS is told of each process that is freed, and FORGET_TREE of each mapping
 * set that changes or goes while it has a tree. */
void process_table_watch(struct process_table *table, process_forget_fn *forget_process,
	void (*forget_tree)(void *context, struct mapping_set *set), void *context);

/* Reads all of /proc. Processes that are known and gone are ended. */
int process_table_scan(struct process_table *table);
/* Reads the mappings of one process anew; nothing changes if it is gone. */
void process_table_read_mappings(struct process_table *table, struct process *process);

void process_table_apply(struct process_table *table, const struct task_record *record);

/* What a sample says about its process. */
struct process_sighting {
	uint32_t pid;
	uint64_t started_at_ns; /* CLOCK_BOOTTIME */
	uint64_t cgroup_id;
	uint64_t taken_at_ns; /* CLOCK_MONOTONIC */
};

/* The process of a sample; NULL if nothing can be found out about it any more. Borrowed until
 * process_table_forget_ended or the next scan. */
struct process *process_table_see(
	struct process_table *table, const struct process_sighting *sighting);

/* Frees the processes that had ended before TIME_NS: all their samples are through. */
void process_table_forget_ended(struct process_table *table, uint64_t time_ns);
