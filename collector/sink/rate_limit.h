/* SPDX-License-Identifier: Apache-2.0 */
/* Rate limit: so many bytes a second, spread evenly.
 *
 * What it is   the instant from which the next bytes may go; time without any is not saved up.
 * Ownership    values only.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct rate_limit {
	uint64_t bytes_per_second; /* 0: no limit */
	uint64_t free_at_ns;
};

void rate_limit_init(struct rate_limit *limit, uint64_t bytes_per_second);
/* Books BYTE_COUNT bytes and gives the time to wait before they are sent. */
uint64_t rate_limit_take(struct rate_limit *limit, uint64_t now_ns, size_t byte_count);
