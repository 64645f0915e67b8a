/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/watch.h"

#include <stddef.h>

void watch_init(struct watch *watch, uint64_t now_ns)
{
	*watch = (struct watch){.since_ns = now_ns};
}

static const char *stage_of(const struct watch_counts *then, const struct watch_counts *now)
{
	if (now->ticks == then->ticks)
		return "the kernel never ran the sampling program: its timers do not fire";
	if (now->passed == then->passed)
		return "the sampling program passed none on: see the kernel's counters";
	if (now->received == then->received)
		return "none came out of the ring buffers";
	return "none could be counted: see samples_dropped";
}

const char *watch_look(struct watch *watch, const struct watch_counts *now, uint64_t now_ns)
{
	uint64_t busy_ns = now->busy_ns - watch->then.busy_ns;
	uint64_t idle_ns = now->idle_ns - watch->then.idle_ns;
	const char *stage = NULL;

	if (now->counted == watch->then.counted && now_ns - watch->since_ns < WATCH_SILENCE_NS)
		return NULL;
	if (now->counted == watch->then.counted &&
		busy_ns > (busy_ns + idle_ns) / 1000 * WATCH_BUSY_PERMILLE)
		stage = stage_of(&watch->then, now);
	watch->then = *now;
	watch->since_ns = now_ns;
	return stage;
}
