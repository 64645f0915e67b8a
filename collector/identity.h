/* SPDX-License-Identifier: Apache-2.0 */
/* Identity: by what names this host and this run of the collector are known.
 *
 * What it is   attributes of every batch, and the random instance that is part of its key.
 * Ownership    values only.
 * Threads      any.
 * Errors       -errno of getrandom; texts that can't be read are empty.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define IDENTITY_INSTANCE_BYTES 16
#define IDENTITY_TEXT_MAX 127

struct identity {
	uint8_t instance[IDENTITY_INSTANCE_BYTES]; /* new for every process */
	uint64_t random_seed;
	char machine_id[IDENTITY_TEXT_MAX + 1];
	char boot_id[IDENTITY_TEXT_MAX + 1];
	char kernel_release[IDENTITY_TEXT_MAX + 1];
	bool pids_are_initial; /* this is the pid namespace that samples speak of */
};

int identity_read(struct identity *ret_identity);
