/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbol_hot.h"

#include "tests/support/check.h"

static struct symbol_chain chain_of(uint32_t line)
{
	struct symbol_chain chain = {
		.start = line, .end = line + 10, .line_start = line, .line_end = line + 1};

	chain.count = 2;
	chain.calls[0] = (struct symbol_call){.name = "inner", .file = "a.c", .line = line};
	chain.calls[1] = (struct symbol_call){.name = "outer", .line = 7};
	return chain;
}

static void the_second_time_a_chain_is_kept(void)
{
	struct symbol_chain chain = chain_of(5), found = {0};
	struct symbol_hot hot;

	symbol_hot_init(&hot, 10);
	CHECK(!symbol_hot_find(&hot, 5, &found));
	CHECK_EQ(symbol_hot_offer(&hot, 5, &chain), 0);
	CHECK(!symbol_hot_find(&hot, 5, &found));
	CHECK(symbol_hot_offer(&hot, 5, &chain) > 0);
	CHECK(symbol_hot_find(&hot, 5, &found));
	CHECK_EQ(found.count, 2);
	CHECK_EQ(found.start, 5);
	CHECK_EQ(found.end, 15);
	CHECK_EQ(found.line_start, 5);
	CHECK_EQ(found.line_end, 6);
	CHECK_STR(found.calls[0].name, "inner");
	CHECK_STR(found.calls[0].file, "a.c");
	CHECK_EQ(found.calls[0].line, 5);
	CHECK_STR(found.calls[1].name, "outer");
	CHECK(!found.calls[1].file);
	/* It stands there already. */
	CHECK_EQ(symbol_hot_offer(&hot, 5, &chain), 0);
	CHECK(!symbol_hot_find(&hot, 6, &found));
	symbol_hot_done(&hot);
}

static void a_full_table_keeps_what_it_has(void)
{
	struct symbol_chain found = {0};
	struct symbol_hot hot;
	uint32_t kept = 0;
	uint64_t byte_count;

	symbol_hot_init(&hot, 10);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			struct symbol_chain chain = chain_of(i);

			symbol_hot_offer(&hot, i, &chain);
		}
	}
	for (uint32_t i = 0; i < 5000; i++) {
		if (!symbol_hot_find(&hot, i, &found))
			continue;
		CHECK_EQ(found.calls[0].line, i);
		kept++;
	}
	CHECK(kept > 100 && kept <= hot.slot_count);
	byte_count = symbol_hot_bytes(&hot);
	CHECK(byte_count > kept * sizeof(struct symbol_call));
	symbol_hot_done(&hot);
}

static void the_limit_is_told(void)
{
	struct symbol_chain chain = chain_of(1);
	struct symbol_hot hot;

	symbol_hot_init(&hot, UINT32_MAX);
	chain.count = SYMBOL_CHAIN_MAX;
	CHECK(!symbol_hot_full(&hot));
	for (uint32_t i = 0; i < 100000 && !symbol_hot_full(&hot); i++) {
		symbol_hot_offer(&hot, i, &chain);
		symbol_hot_offer(&hot, i, &chain);
	}
	CHECK(symbol_hot_full(&hot));
	CHECK(symbol_hot_bytes(&hot) < (uint64_t)32 << 20);
	symbol_hot_done(&hot);
}

int main(void)
{
	RUN(the_second_time_a_chain_is_kept);
	RUN(a_full_table_keeps_what_it_has);
	RUN(the_limit_is_told);
	return 0;
}
