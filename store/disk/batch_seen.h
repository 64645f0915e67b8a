/* SPDX-License-Identifier: Apache-2.0 */
/* Seen batches: which batch keys are durable, so that a batch sent twice counts once.
 *
 * What it is   for each instance the sequences seen, as intervals: a collector that loses nothing
 *              is one interval for its whole life. An instance is forgotten with its last data.
 * Ownership    owns its tables.
 * Threads      one owner.
 * Errors       -ENOMEM. Beyond a limit the oldest is forgotten and counted, never a wrong answer
 *              given for what is known: forgetting may let a late resend count twice, which is
 *              less bad than calling data a duplicate that never arrived.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/index_map.h"
#include "store/disk/batch_key.h"

/* 64 bytes each: a fleet of 10,000 hosts restarting twice a week for 90 days. */
#define BATCH_SEEN_INSTANCE_COUNT_MAX (256u << 10)
/* Gaps of one instance: a lossy spool leaves hundreds. */
#define BATCH_SEEN_INTERVAL_COUNT_MAX 4096u

struct batch_interval {
	uint64_t first;
	uint64_t last;
};

struct batch_instance {
	uint8_t instance[BATCH_INSTANCE_BYTES];
	uint64_t newest_ns; /* receive time of its latest batch, epoch */
	struct batch_interval *intervals; /* upwards, never touching */
	uint32_t count;
	uint32_t capacity;
};

struct batch_seen {
	struct batch_instance *instances;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
	uint64_t forgotten_count; /* intervals dropped because of a limit */
};

void batch_seen_init(struct batch_seen *seen);
void batch_seen_done(struct batch_seen *seen);
bool batch_seen_has(const struct batch_seen *seen, const struct batch_key *key);
/* Adding what is there changes nothing but the instance's time. */
int batch_seen_add(struct batch_seen *seen, const struct batch_key *key, uint64_t received_at_ns);
/* Adds all keys of INSTANCE from INTERVAL.first to INTERVAL.last, both included. */
int batch_seen_add_interval(struct batch_seen *seen, const uint8_t *instance,
	struct batch_interval interval, uint64_t received_at_ns);
/* Forgets the instances whose latest batch came before BEFORE_NS. */
int batch_seen_expire(struct batch_seen *seen, uint64_t before_ns);
