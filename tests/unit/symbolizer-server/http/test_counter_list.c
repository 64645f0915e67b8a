/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/counter_list.h"

#include "store/disk/profile_store.h"
#include "symbolizer-server/service/service_counter.h"
#include "symbolizer-server/symbol/symbol_counter.h"
#include "tests/support/check.h"

#define STORE_ROW(name, meaning) {#name, meaning, 0},

static const struct counted rows[] = {SERVICE_COUNTERS(COUNTED_ROW) PROFILE_STORE_COUNTERS(
	STORE_ROW) SYMBOL_COUNTERS(COUNTED_ROW) HTTP_COUNTERS(COUNTED_ROW)};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static void every_counter_has_a_name_of_its_own_and_a_meaning(void)
{
	CHECK(ROW_COUNT <= COUNTER_LIST_COUNT_MAX);
	for (size_t i = 0; i < ROW_COUNT; i++) {
		CHECK(*rows[i].name);
		CHECK(strspn(rows[i].name, "abcdefghijklmnopqrstuvwxyz_") == strlen(rows[i].name));
		CHECK(strlen(rows[i].meaning) > 5);
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(rows[i].name, rows[j].name) != 0);
	}
}

static void one_is_found_by_its_name(void)
{
	static struct counter_list list = {
		.counters = {{"one", "the first", 1}, {"two", "the second", 2}}, .count = 2};
	uint64_t value;

	CHECK(counter_list_find(&list, "two", &value) && value == 2);
	CHECK(!counter_list_find(&list, "three", &value));
}

int main(void)
{
	RUN(every_counter_has_a_name_of_its_own_and_a_meaning);
	RUN(one_is_found_by_its_name);
	return 0;
}
