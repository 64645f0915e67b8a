/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/ring_layout.h"

#include <errno.h>
#include <stdbool.h>

#include "bpf/abi/event.h"

/* Eight CPUs at 97 Hz write 776 records a second: the lock of their ring is never contended. */
#define CPUS_PER_RING_USUAL 8

/* Smallest that a page size of 64 KiB allows, and two of the largest records. */
#define RING_BYTES_LEAST 65536
/* What is chosen when nothing was asked for: memory for a burst of deep stacks at the least; at the
 * most what four seconds of eight CPUs at 250 Hz take. Ring memory is mapped twice and so counts
 * twice in our resident size. */
#define RING_BYTES_USUAL_MIN (256 * 1024)
#define RING_BYTES_USUAL_MAX (8 * 1024 * 1024)
#define RING_BYTES_MOST (64 * 1024 * 1024)

/* User space looks at the rings each second; so many seconds of records must fit. */
#define RING_SECONDS 4
/* A record of 118 frames; real ones are 200 to 700 bytes. */
#define RECORD_BYTES_USUAL 1024

_Static_assert(RING_BYTES_LEAST > 2 * EVENT_SAMPLE_BYTES_MAX, "a ring holds several records");

static bool is_power_of_two(uint32_t value)
{
	return value != 0 && (value & (value - 1)) == 0;
}

static uint32_t usual_ring_bytes(uint32_t cpus_per_ring, uint32_t hz)
{
	uint64_t wanted = (uint64_t)cpus_per_ring * hz * RECORD_BYTES_USUAL * RING_SECONDS;
	uint32_t bytes = RING_BYTES_USUAL_MIN;

	while (bytes < wanted && bytes < RING_BYTES_USUAL_MAX)
		bytes *= 2;
	return bytes;
}

int ring_layout_choose(uint32_t cpu_count, uint32_t hz, uint32_t cpus_per_ring, uint32_t ring_bytes,
	struct ring_layout *ret_layout)
{
	uint32_t cpus_per_ring_min = (cpu_count + RINGS_MAX - 1) / RINGS_MAX;

	if (cpu_count == 0)
		return -EINVAL;
	if (cpus_per_ring == 0)
		cpus_per_ring = CPUS_PER_RING_USUAL;
	if (cpus_per_ring < cpus_per_ring_min)
		cpus_per_ring = cpus_per_ring_min;
	if (cpus_per_ring > cpu_count)
		cpus_per_ring = cpu_count;
	if (ring_bytes == 0)
		ring_bytes = usual_ring_bytes(cpus_per_ring, hz);
	if (!is_power_of_two(ring_bytes) || ring_bytes < RING_BYTES_LEAST ||
		ring_bytes > RING_BYTES_MOST)
		return -EINVAL;

	*ret_layout = (struct ring_layout){
		.cpus_per_ring = cpus_per_ring,
		.ring_count = (cpu_count + cpus_per_ring - 1) / cpus_per_ring,
		.ring_bytes = ring_bytes,
		.wake_bytes = ring_bytes / 2,
	};
	return 0;
}

void ring_layout_limit(struct ring_layout *layout, uint64_t bytes_max)
{
	while (layout->ring_bytes > RING_BYTES_LEAST &&
		(uint64_t)layout->ring_bytes * layout->ring_count > bytes_max)
		layout->ring_bytes /= 2;
	layout->wake_bytes = layout->ring_bytes / 2;
}
