/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/host_clock.h"

#include <stdlib.h>

void host_clock_reset(struct host_clock *clock)
{
	clock->count = 0;
}

/* Times are of 64 bits and from outside: what does not fit wraps, and is wrong all the same. */
static int64_t difference(uint64_t one, uint64_t other)
{
	return (int64_t)(one - other);
}

void host_clock_note(
	struct host_clock *clock, const struct clock_reading *host, uint64_t received_at_ns)
{
	clock->readings[clock->count++ % HOST_CLOCK_READING_COUNT] = (struct host_clock_reading){
		.offset_ns = difference(host->realtime_ns, host->boottime_ns),
		.arrival_ns = difference(received_at_ns, host->boottime_ns),
	};
}

static int compare(const void *one, const void *other)
{
	int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;

	return (a > b) - (a < b);
}

int64_t host_clock_skew(const struct host_clock *clock)
{
	uint32_t count =
		clock->count < HOST_CLOCK_READING_COUNT ? clock->count : HOST_CLOCK_READING_COUNT;
	int64_t offsets[HOST_CLOCK_READING_COUNT], earliest;

	if (count == 0)
		return 0;
	earliest = clock->readings[0].arrival_ns;
	for (uint32_t i = 0; i < count; i++) {
		offsets[i] = clock->readings[i].offset_ns;
		if (clock->readings[i].arrival_ns < earliest)
			earliest = clock->readings[i].arrival_ns;
	}
	qsort(offsets, count, sizeof(offsets[0]), compare);
	return difference((uint64_t)offsets[count / 2], (uint64_t)earliest);
}
