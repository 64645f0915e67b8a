/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/tick_watch.h"

#include <unistd.h>

#include "collector/kernel/pace.h"
#include "store/base/clock.h"

/* A timer is silent when so many ticks, and at least so much time, passed without one. */
#define SILENT_TICKS 8
#define SILENT_NS (2 * NS_PER_S)

void tick_watch_start(struct tick_watch *watch, uint64_t received, uint64_t now_ns)
{
	*watch = (struct tick_watch){
		.started_at_ns = now_ns,
		.received_at_start = received,
		.received = received,
		.moved_at_ns = now_ns,
	};
}

void tick_watch_note(struct tick_watch *watch, uint64_t received, uint64_t now_ns)
{
	if (received == watch->received)
		return;
	watch->received = received;
	watch->moved_at_ns = now_ns;
}

/* Time that an event has counted; 0 when it can't be told. */
static uint64_t time_counted(int event_fd)
{
	uint64_t counted_ns = 0;

	if (read(event_fd, &counted_ns, sizeof(counted_ns)) != sizeof(counted_ns))
		return 0;
	return counted_ns;
}

static bool is_silent(const struct tick_watch *watch, uint64_t period_ns, uint64_t now_ns)
{
	uint64_t silence_ns = SILENT_TICKS * period_ns;

	if (silence_ns < SILENT_NS)
		silence_ns = SILENT_NS;
	return now_ns > watch->moved_at_ns + silence_ns;
}

/* A silent timer whose event still counts time is alive: some virtual machines leave the timers of
 * an idle CPU waiting. */
bool tick_watch_is_dead(struct tick_watch *watch, uint64_t period_ns, int event_fd, uint64_t now_ns)
{
	uint64_t counted_ns;

	if (!is_silent(watch, period_ns, now_ns))
		return false;
	counted_ns = time_counted(event_fd);
	if (counted_ns == watch->counted_ns)
		return true;
	watch->counted_ns = counted_ns;
	watch->moved_at_ns = now_ns;
	return false;
}

uint64_t tick_watch_missed(
	const struct tick_watch *watch, uint64_t period_ns, uint64_t received, uint64_t now_ns)
{
	if (now_ns <= watch->started_at_ns)
		return 0;
	return pace_ticks_missed(
		period_ns, now_ns - watch->started_at_ns, received - watch->received_at_start);
}

uint64_t tick_watch_missed_alive(const struct tick_watch *watch, uint64_t period_ns)
{
	return pace_ticks_missed(period_ns, watch->moved_at_ns - watch->started_at_ns,
		watch->received - watch->received_at_start);
}
