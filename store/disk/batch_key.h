/* SPDX-License-Identifier: Apache-2.0 */
/* Batch key: what makes a batch count once.
 *
 * What it is   the instance of the collector that made the batch, and its number there.
 * Ownership    values only.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdint.h>

#define BATCH_INSTANCE_BYTES 16

struct batch_key {
	uint8_t instance[BATCH_INSTANCE_BYTES]; /* random, one for each start of a collector */
	uint64_t sequence; /* counts from 0 */
};
