/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/chain.h"

/* What does not add up, by kind of stage:
 *
 *   in > sum    one tick a CPU may be under way; what is due must have come out, the rest waits;
 *               anything else vanished
 *   in < sum    one tick a CPU may have been counted between two readings; anything else came from
 *               nowhere */
static void settle(struct chain_reading *reading, uint32_t online_cpu_count)
{
	uint64_t *sums = reading->sums;
	uint64_t gone = sums[CHAIN_OUT] + sums[CHAIN_ASIDE] + sums[CHAIN_LOST];
	uint64_t known = gone + sums[CHAIN_WAITING], in = sums[CHAIN_IN];
	bool has_due = false;

	for (const struct chain_term *term = reading->stage->terms; term->counter; term++)
		has_due |= term->role == CHAIN_DUE;
	reading->unaccounted = in > known ? in - known : known - in;
	if (reading->stage->one_a_cpu_under_way && reading->unaccounted <= online_cpu_count) {
		if (in > known)
			sums[CHAIN_WAITING] += reading->unaccounted;
		reading->unaccounted = 0;
	}
	if (has_due && in > known) {
		reading->unaccounted = sums[CHAIN_DUE] > gone ? sums[CHAIN_DUE] - gone : 0;
		sums[CHAIN_WAITING] += in - known - reading->unaccounted;
	}
}

struct chain_reading chain_read(const struct chain_stage *stage, chain_find_fn find, void *context,
	uint32_t online_cpu_count)
{
	struct chain_reading reading = {.stage = stage, .known = true};

	for (uint32_t i = 0; stage->terms[i].counter; i++) {
		const struct chain_term *term = &stage->terms[i];

		if (!find(context, term->counter, &reading.values[i]))
			reading.known &= term->role == CHAIN_NOTE;
		reading.sums[term->role] += reading.values[i];
	}
	if (reading.known)
		settle(&reading, online_cpu_count);
	return reading;
}

void chain_add(struct chain_reading *sum, const struct chain_reading *reading)
{
	sum->stage = reading->stage;
	if (!reading->known)
		return;
	sum->known = true;
	for (uint32_t i = 0; i < CHAIN_TERM_COUNT_MAX; i++)
		sum->values[i] += reading->values[i];
	for (uint32_t i = 0; i < CHAIN_ROLE_COUNT; i++)
		sum->sums[i] += reading->sums[i];
	sum->unaccounted += reading->unaccounted;
}
