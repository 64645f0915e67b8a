/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbol_counter.h"

#include "tests/support/check.h"

static void every_counter_has_a_name_of_its_own_and_a_meaning(void)
{
	for (int i = 0; i < SYMBOL_COUNTER_COUNT; i++) {
		const char *name = symbol_counter_name((enum symbol_counter)i);

		CHECK(strncmp(name, "symbol_", 7) == 0);
		CHECK(strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name));
		CHECK(*symbol_counter_meaning((enum symbol_counter)i));
		for (int j = 0; j < i; j++)
			CHECK(strcmp(name, symbol_counter_name((enum symbol_counter)j)) != 0);
	}
}

int main(void)
{
	RUN(every_counter_has_a_name_of_its_own_and_a_meaning);
	return 0;
}
