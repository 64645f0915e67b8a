/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/symbol_catalog.h"

#include "tests/support/check.h"

static struct symbol_cache_entry entry_of(uint32_t n, uint64_t byte_count, uint64_t used_at_ns)
{
	struct symbol_cache_entry entry = {.byte_count = byte_count, .used_at_ns = used_at_ns};

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, sizeof(n), &entry.id), 0);
	return entry;
}

static void put(struct symbol_catalog *catalog, uint32_t n, uint64_t byte_count, uint64_t used)
{
	struct symbol_cache_entry entry = entry_of(n, byte_count, used);

	CHECK_EQ(symbol_catalog_put(catalog, &entry), 0);
}

static void what_is_put_is_found_and_counted_once(void)
{
	struct symbol_cache_entry probe = entry_of(2, 0, 0);
	struct symbol_catalog catalog;

	symbol_catalog_init(&catalog);
	put(&catalog, 1, 100, 1);
	put(&catalog, 2, 50, 2);
	put(&catalog, 2, 70, 3);
	CHECK_EQ(catalog.count, 2);
	CHECK_EQ(catalog.byte_count, 170);
	CHECK_EQ(symbol_catalog_find(&catalog, &probe.id)->byte_count, 70);
	probe = entry_of(3, 0, 0);
	CHECK(!symbol_catalog_find(&catalog, &probe.id));
	symbol_catalog_done(&catalog);
}

static void the_oldest_goes_first_but_not_the_one_to_keep(void)
{
	struct symbol_cache_entry keep = entry_of(1, 0, 0);
	struct symbol_catalog catalog;

	symbol_catalog_init(&catalog);
	CHECK(!symbol_catalog_oldest(&catalog, NULL));
	put(&catalog, 1, 10, 1);
	CHECK(!symbol_catalog_oldest(&catalog, &keep.id));
	put(&catalog, 2, 10, 3);
	put(&catalog, 3, 10, 2);
	CHECK_EQ(symbol_catalog_oldest(&catalog, NULL)->used_at_ns, 1);
	CHECK_EQ(symbol_catalog_oldest(&catalog, &keep.id)->used_at_ns, 2);
	symbol_catalog_done(&catalog);
}

static void removals_leave_the_others_to_be_found(void)
{
	struct symbol_catalog catalog;

	symbol_catalog_init(&catalog);
	for (uint32_t i = 0; i < 1000; i++)
		put(&catalog, i, 1, i);
	for (uint32_t i = 0; i < 1000; i += 2) {
		struct symbol_cache_entry probe = entry_of(i, 0, 0);

		symbol_catalog_remove(&catalog, &probe.id);
		symbol_catalog_remove(&catalog, &probe.id);
	}
	CHECK_EQ(catalog.count, 500);
	CHECK_EQ(catalog.byte_count, 500);
	for (uint32_t i = 0; i < 1000; i++) {
		struct symbol_cache_entry probe = entry_of(i, 0, 0);
		struct symbol_cache_entry *found = symbol_catalog_find(&catalog, &probe.id);

		CHECK_EQ(found != NULL, i % 2);
		CHECK(!found || found->used_at_ns == i);
	}
	symbol_catalog_done(&catalog);
}

int main(void)
{
	RUN(what_is_put_is_found_and_counted_once);
	RUN(the_oldest_goes_first_but_not_the_one_to_keep);
	RUN(removals_leave_the_others_to_be_found);
	return 0;
}
