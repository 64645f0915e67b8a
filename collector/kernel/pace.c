/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/pace.h"

#include "store/base/clock.h"
#include "store/base/must.h"

/* A period within so many parts of a whole millisecond would drift past it too slowly: the two
 * would agree for minutes. */
#define LOCKSTEP_PARTS 2000
/* What a period loses to leave the lockstep; odd, so that no small multiple is whole again. */
#define LOCKSTEP_ESCAPE_PARTS 127

uint64_t pace_period_ns(uint32_t hz)
{
	uint64_t period_ns, off_ns;

	must(hz > 0);
	period_ns = NS_PER_S / hz;
	off_ns = period_ns % NS_PER_MS;
	if (off_ns > NS_PER_MS / 2)
		off_ns = NS_PER_MS - off_ns;
	if (off_ns * LOCKSTEP_PARTS < period_ns)
		period_ns -= period_ns / LOCKSTEP_ESCAPE_PARTS;
	return period_ns;
}

uint64_t pace_delay_ns(uint64_t period_ns, uint32_t index, uint32_t count)
{
	must(index < count);
	return period_ns * index / count;
}

uint64_t pace_ticks_missed(uint64_t period_ns, uint64_t elapsed_ns, uint64_t received)
{
	uint64_t expected = elapsed_ns / period_ns;

	return expected > received + 1 ? expected - received - 1 : 0;
}
