/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/module_table.h"

#include "tests/support/check.h"

static struct module named(uint32_t name, uint8_t id_byte)
{
	struct module module = {.name = name};

	if (id_byte)
		CHECK_EQ(build_id_make(BUILD_ID_GNU, &id_byte, 1, &module.build_id), 0);
	return module;
}

static void module_0_is_none(void)
{
	struct module none = {0};
	struct module_table table;
	uint32_t index = 7;

	CHECK_EQ(module_table_init(&table), 0);
	CHECK_EQ(table.count, 1);
	CHECK(!build_id_known(&table.modules[0].build_id));
	CHECK_EQ(module_table_add(&table, &none, &index), 0);
	CHECK_EQ(index, 0);
	module_table_done(&table);
}

static void modules_differ_by_build_id_and_by_name(void)
{
	struct module modules[] = {named(1, 1), named(1, 2), named(2, 1), named(2, 0)};
	struct module_table table;
	uint32_t index;

	CHECK_EQ(module_table_init(&table), 0);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 4; i++) {
			CHECK_EQ(module_table_add(&table, &modules[i], &index), 0);
			CHECK_EQ(index, i + 1);
		}
	}
	CHECK_EQ(table.count, 5);
	CHECK_EQ(table.modules[3].name, 2);
	module_table_done(&table);
}

static void a_table_holds_many(void)
{
	struct module_table table;
	uint32_t index;

	CHECK_EQ(module_table_init(&table), 0);
	for (uint32_t i = 1; i < 20000; i++) {
		struct module module = named(i, (uint8_t)(i | 1));

		CHECK_EQ(module_table_add(&table, &module, &index), 0);
		CHECK_EQ(index, i);
	}
	module_table_done(&table);
	module_table_done(&table);
}

int main(void)
{
	RUN(module_0_is_none);
	RUN(modules_differ_by_build_id_and_by_name);
	RUN(a_table_holds_many);
	return 0;
}
