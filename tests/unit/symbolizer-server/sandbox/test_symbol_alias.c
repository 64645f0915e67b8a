/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/symbol_alias.h"

#include "tests/support/check.h"

#define GLOBAL SYMBOL_BINDING_GLOBAL
#define WEAK SYMBOL_BINDING_WEAK
#define LOCAL SYMBOL_BINDING_LOCAL

static const char *better(const char *one, int one_binding, const char *other, int other_binding)
{
	struct symbol_alias forth[] = {{.name = one, .binding = (uint8_t)one_binding},
		{.name = other, .binding = (uint8_t)other_binding}};
	struct symbol_alias back[] = {forth[1], forth[0]};

	symbol_alias_sort(forth, 2);
	symbol_alias_sort(back, 2);
	CHECK_STR(forth[0].name, back[0].name);
	return forth[0].name;
}

static void the_name_that_people_use_wins(void)
{
	CHECK_STR(better("write", WEAK, "__write", GLOBAL), "write");
	CHECK_STR(better("write", WEAK, "__libc_write", GLOBAL), "write");
	CHECK_STR(better("malloc", GLOBAL, "__libc_malloc", GLOBAL), "malloc");
	CHECK_STR(better("__GI__exit", LOCAL, "_exit", GLOBAL), "_exit");
}

static void what_is_visible_outside_wins_over_local(void)
{
	CHECK_STR(better("a", LOCAL, "__abcdef", GLOBAL), "__abcdef");
	CHECK_STR(better("a", LOCAL, "longer", WEAK), "longer");
}

static void global_wins_over_weak_then_the_shorter_then_the_alphabet(void)
{
	CHECK_STR(better("abc", GLOBAL, "ab", WEAK), "abc");
	CHECK_STR(better("abc", GLOBAL, "ab", GLOBAL), "ab");
	CHECK_STR(better("ab", GLOBAL, "aa", GLOBAL), "aa");
}

static void the_underscore_of_mangled_names_does_not_count(void)
{
	CHECK_STR(better("_ZN1aC1Ev", GLOBAL, "abcdefghijk", GLOBAL), "_ZN1aC1Ev");
	CHECK_STR(better("_RNvC1a1b", GLOBAL, "abcdefghijk", GLOBAL), "_RNvC1a1b");
	CHECK_STR(better("_abc", GLOBAL, "abcdefghijk", GLOBAL), "abcdefghijk");
}

static void places_come_first(void)
{
	struct symbol_alias aliases[] = {
		{.start = 2, .name = "a"}, {.start = 1, .name = "zzz"}, {.start = 2, .name = "b"}};

	symbol_alias_sort(aliases, 3);
	CHECK_STR(aliases[0].name, "zzz");
	CHECK_STR(aliases[1].name, "a");
	symbol_alias_sort(aliases, 0);
}

int main(void)
{
	RUN(the_name_that_people_use_wins);
	RUN(what_is_visible_outside_wins_over_local);
	RUN(global_wins_over_weak_then_the_shorter_then_the_alphabet);
	RUN(the_underscore_of_mangled_names_does_not_count);
	RUN(places_come_first);
	return 0;
}
