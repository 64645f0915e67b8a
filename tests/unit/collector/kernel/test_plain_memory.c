/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/plain_memory.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"

static void what_is_lent_is_zeroed_and_writable(void)
{
	struct plain_memory memory;
	struct unwind_memory lent;
	uint8_t *shard;

	CHECK_EQ(plain_memory_init(&memory), 0);
	plain_memory_lend(&memory, &lent);
	CHECK(lent.tell_process == NULL);
	CHECK_EQ(lent.tables[UNWIND_TABLES_MAX - 1].state, UNWIND_TABLE_absent);
	lent.rules[UNWIND_RULES_MAX - 1].cfa_offset = 8;
	for (uint32_t i = 0; i < 3; i++) {
		shard = lent.make_shard(lent.context, i);
		CHECK(shard && shard[UNWIND_SHARD_BYTES - 1] == 0);
		shard[UNWIND_SHARD_BYTES - 1] = 1;
	}
	CHECK(lent.make_shard(lent.context, 2) == NULL);
	CHECK(lent.make_shard(lent.context, UNWIND_SHARDS_MAX) == NULL);
	plain_memory_done(&memory);
}

static void without_memory_nothing_is_kept(void)
{
	struct plain_memory memory;
	struct unwind_memory lent;

	for (long i = 0; i < 2; i++) {
		fail_alloc_after((uint64_t)i);
		CHECK_EQ(plain_memory_init(&memory), -ENOMEM);
		fail_alloc_never();
	}
	CHECK_EQ(plain_memory_init(&memory), 0);
	plain_memory_lend(&memory, &lent);
	fail_alloc_after(0);
	CHECK(lent.make_shard(lent.context, 0) == NULL);
	fail_alloc_never();
	CHECK(lent.make_shard(lent.context, 0) != NULL);
	plain_memory_done(&memory);
}

int main(void)
{
	RUN(what_is_lent_is_zeroed_and_writable);
	RUN(without_memory_nothing_is_kept);
	return 0;
}
