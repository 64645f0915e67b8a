/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbol_hot.h"

#include <pthread.h>

#include "tests/support/check.h"

static struct numbered_chain chain_of(uint32_t line)
{
	struct numbered_chain chain = {
		.start = line, .end = line + 10, .line_start = line, .line_end = line + 1};

	chain.count = 2;
	chain.calls[0] = (struct numbered_call){.name = 11, .file = 3, .line = line};
	chain.calls[1] = (struct numbered_call){.name = 12, .line = 7};
	return chain;
}

static void the_second_time_a_chain_is_kept(void)
{
	struct numbered_chain chain = chain_of(5), found = {0};
	struct symbol_hot hot;

	symbol_hot_init(&hot, 10);
	CHECK(!symbol_hot_find(&hot, 5, &found));
	symbol_hot_offer(&hot, 5, &chain);
	CHECK(!symbol_hot_find(&hot, 5, &found));
	symbol_hot_offer(&hot, 5, &chain);
	CHECK(symbol_hot_find(&hot, 5, &found));
	CHECK_EQ(found.count, 2);
	CHECK_EQ(found.start, 5);
	CHECK_EQ(found.end, 15);
	CHECK_EQ(found.line_start, 5);
	CHECK_EQ(found.line_end, 6);
	CHECK_EQ(found.calls[0].name, 11);
	CHECK_EQ(found.calls[0].file, 3);
	CHECK_EQ(found.calls[0].line, 5);
	CHECK_EQ(found.calls[1].name, 12);
	CHECK_EQ(found.calls[1].file, 0);
	CHECK(!symbol_hot_find(&hot, 6, &found));
	symbol_hot_done(&hot);
}

static void a_scan_over_everything_leaves_what_is_asked_for(void)
{
	struct numbered_chain found = {0};
	struct symbol_hot hot;
	uint32_t kept = 0;

	symbol_hot_init(&hot, 10);
	for (uint32_t i = 0; i < 50000; i++) {
		struct numbered_chain scanned = chain_of(1000 + i), asked = chain_of(i % 10);

		symbol_hot_offer(&hot, 1000 + i, &scanned);
		if (!symbol_hot_find(&hot, i % 10, &found))
			symbol_hot_offer(&hot, i % 10, &asked);
	}
	for (uint32_t i = 0; i < 10; i++) {
		if (symbol_hot_find(&hot, i, &found)) {
			CHECK_EQ(found.calls[0].line, i);
			kept++;
		}
	}
	CHECK(kept >= 8);
	symbol_hot_done(&hot);
}

static void a_full_table_makes_room_for_what_is_asked_for_now(void)
{
	struct numbered_chain found = {0};
	struct symbol_hot hot;
	uint32_t kept = 0;

	symbol_hot_init(&hot, 10);
	for (uint32_t i = 0; i < 5000; i++) {
		struct numbered_chain chain = chain_of(i);

		symbol_hot_offer(&hot, i, &chain);
		symbol_hot_offer(&hot, i, &chain);
		CHECK(symbol_hot_find(&hot, i, &found));
		CHECK_EQ(found.calls[0].line, i);
	}
	for (uint32_t i = 0; i < 5000; i++)
		kept += symbol_hot_find(&hot, i, &found);
	CHECK(kept > 100 && kept <= hot.set_count * 8);
	symbol_hot_done(&hot);
}

static void what_does_not_fit_is_not_kept(void)
{
	struct numbered_chain chain = chain_of(5), found = {0};
	struct symbol_hot hot;

	symbol_hot_init(&hot, UINT32_MAX);
	CHECK(symbol_hot_bytes(&hot) < (uint64_t)20 << 20);
	chain.count = SYMBOL_CHAIN_MAX;
	symbol_hot_offer(&hot, 5, &chain);
	symbol_hot_offer(&hot, 5, &chain);
	CHECK(!symbol_hot_find(&hot, 5, &found));
	chain = chain_of(6);
	chain.calls[0].name = UINT32_MAX;
	symbol_hot_offer(&hot, 6, &chain);
	symbol_hot_offer(&hot, 6, &chain);
	CHECK(!symbol_hot_find(&hot, 6, &found));
	CHECK(!symbol_hot_find(&hot, UINT64_MAX, &found));
	symbol_hot_done(&hot);
}

/* What holds for a long range holds for a part of it. */
static void a_range_that_does_not_fit_is_kept_as_a_part_of_it(void)
{
	struct numbered_chain chain = chain_of(7), found = {0};
	struct symbol_hot hot;

	symbol_hot_init(&hot, 10);
	chain.start = 0;
	chain.end = UINT64_MAX;
	symbol_hot_offer(&hot, UINT64_C(1) << 40, &chain);
	symbol_hot_offer(&hot, UINT64_C(1) << 40, &chain);
	CHECK(symbol_hot_find(&hot, UINT64_C(1) << 40, &found));
	CHECK(found.start > 0 && found.start < UINT64_C(1) << 40);
	CHECK(found.end < UINT64_MAX && found.end > UINT64_C(1) << 40);
	symbol_hot_done(&hot);
}

static struct symbol_hot shared;

/* Writes the same few places as the other threads, and never reads half of one. */
static void *hammer(void *context)
{
	static _Thread_local struct numbered_chain found;

	for (uint32_t i = 0; i < 200000; i++) {
		uint64_t address = 7919 * (i % 600) + (uintptr_t)context % 2;
		struct numbered_chain chain = chain_of((uint32_t)address);

		if (symbol_hot_find(&shared, address, &found)) {
			CHECK_EQ(found.count, 2);
			CHECK_EQ(found.calls[0].line, address);
			CHECK_EQ(found.start, (uint32_t)address);
		} else {
			symbol_hot_offer(&shared, address, &chain);
		}
	}
	return NULL;
}

static void threads_never_see_half_a_chain(void)
{
	pthread_t threads[3];

	symbol_hot_init(&shared, 1);
	for (uintptr_t i = 0; i < 3; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, hammer, (void *)i), 0);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	symbol_hot_done(&shared);
}

int main(void)
{
	RUN(the_second_time_a_chain_is_kept);
	RUN(a_scan_over_everything_leaves_what_is_asked_for);
	RUN(a_full_table_makes_room_for_what_is_asked_for_now);
	RUN(what_does_not_fit_is_not_kept);
	RUN(a_range_that_does_not_fit_is_kept_as_a_part_of_it);
	RUN(threads_never_see_half_a_chain);
	return 0;
}
