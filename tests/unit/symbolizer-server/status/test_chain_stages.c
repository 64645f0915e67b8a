/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/chain.h"

#include <string.h>

#include "proto/wire/collector_counter.h"
#include "tests/support/check.h"

static void every_host_stage_reads_counters_that_collectors_send(void)
{
	uint32_t count;
	const struct chain_stage *stages = chain_stages(&count);

	for (uint32_t i = 0; i < count && stages[i].place == CHAIN_HOST; i++) {
		for (const struct chain_term *term = stages[i].terms; term->counter; term++)
			CHECK(collector_counter_rank(term->counter) != COLLECTOR_COUNTER_UNKNOWN);
	}
}

static void every_stage_has_an_in_and_an_out_and_words_for_the_rest(void)
{
	uint32_t count;
	const struct chain_stage *stages = chain_stages(&count);

	for (uint32_t i = 0; i < count; i++) {
		unsigned roles = 0, terms = 0;

		for (const struct chain_term *term = stages[i].terms; term->counter; term++) {
			roles |= 1u << term->role;
			terms++;
			if (term->role == CHAIN_LOST)
				CHECK(term->remedy != NULL);
			if (term->role == CHAIN_LOST || term->role == CHAIN_ASIDE ||
				term->role == CHAIN_NOTE)
				CHECK(term->words != NULL);
		}
		CHECK(terms <= CHAIN_TERM_COUNT_MAX);
		CHECK(roles & 1u << CHAIN_IN);
		CHECK(roles & 1u << CHAIN_OUT);
	}
}

/* What one stage lets out is what the next takes in: from the kernel to the queue by the same
 * counter. */
static void the_stages_of_samples_are_linked(void)
{
	uint32_t count;
	const struct chain_stage *stages = chain_stages(&count);

	for (uint32_t i = 0; i + 1 < count && strcmp(stages[i].name, "queue") != 0; i++) {
		CHECK_EQ(stages[i].terms[1].role, CHAIN_OUT);
		CHECK_EQ(stages[i + 1].terms[0].role, CHAIN_IN);
		CHECK_STR(stages[i].terms[1].counter, stages[i + 1].terms[0].counter);
	}
}

int main(void)
{
	RUN(every_host_stage_reads_counters_that_collectors_send);
	RUN(every_stage_has_an_in_and_an_out_and_words_for_the_rest);
	RUN(the_stages_of_samples_are_linked);
	return 0;
}
