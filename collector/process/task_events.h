/* SPDX-License-Identifier: Apache-2.0 */
/* Task events: the life of all processes of the host as one stream in order of time.
 *
 * What it is   one ring a CPU, merged. A record is written before the system call that it tells of
 *              returns; so whoever reads samples first and these records afterwards has every
 *              record that a sample can depend on.
 * Ownership    owns the rings. A record's texts are borrowed until the next call.
 * Threads      one owner.
 * Errors       negative errno; -EACCES, -EPERM: CAP_PERFMON is missing.
 */
#pragma once

#include <stdint.h>

#include "collector/process/task_record.h"
#include "collector/tally.h"

struct task_events;

struct task_events_config {
	const char *cpu_folder; /* holds the file `online`; NULL: /sys/devices/system/cpu */
	struct tally *tally;
};

int task_events_new(const struct task_events_config *config, struct task_events **ret_events);
void task_events_free(struct task_events *events);

/* Readable when a ring is half full; for epoll, level-triggered. Borrowed. Otherwise records wait
 * until somebody asks. */
int task_events_poll_fd(const struct task_events *events);

/* The oldest record that waits and is not younger than UNTIL_NS: 1; 0: there is none. Losses and
 * records without sense are counted; of the first kind a record tells, too. */
int task_events_next(struct task_events *events, uint64_t until_ns, struct task_record *ret_record);

/* Follows CPUs that came online or went; to be called every second or so. */
int task_events_cpus_changed(struct task_events *events);

/* Opens every ring anew. To be called when CPUs may have gone and come back between two looks, as
 * in a suspend: the kernel takes the event off a CPU that goes, and nothing tells. What waited in
 * the rings is lost; all of /proc must be read again. */
int task_events_restart(struct task_events *events);

/* Whether the kernel gives build-IDs (Linux 5.12). */
bool task_events_have_build_ids(const struct task_events *events);
