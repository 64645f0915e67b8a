/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/rate_limit.h"

#include "store/base/clock.h"

void rate_limit_init(struct rate_limit *limit, uint64_t bytes_per_second)
{
	*limit = (struct rate_limit){.bytes_per_second = bytes_per_second};
}

uint64_t rate_limit_take(struct rate_limit *limit, uint64_t now_ns, size_t byte_count)
{
	uint64_t wait_ns;

	if (limit->bytes_per_second == 0)
		return 0;
	if (limit->free_at_ns < now_ns)
		limit->free_at_ns = now_ns;
	wait_ns = limit->free_at_ns - now_ns;
	limit->free_at_ns += byte_count * NS_PER_S / limit->bytes_per_second;
	return wait_ns;
}
