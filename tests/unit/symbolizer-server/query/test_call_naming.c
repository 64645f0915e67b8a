/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/call_naming.h"

#include "tests/support/check.h"

static const char *text_of(const struct function_table *functions, uint32_t string)
{
	return string_table_text(&functions->strings, string);
}

static uint32_t name_call(
	struct call_naming *naming, const char *name, const char *file, uint32_t line)
{
	struct symbol_call call = {.name = name, .file = file, .line = line};
	struct call_place place = {.module = 1, .kind = FUNCTION_NATIVE};
	uint32_t function = UINT32_MAX;

	CHECK_EQ(call_naming_function(naming, &call, &place, &function), 0);
	return function;
}

static void names_are_read_and_what_the_linker_knows_is_kept(void)
{
	struct function_table functions;
	struct call_naming naming;
	uint32_t function;

	CHECK_EQ(function_table_init(&functions), 0);
	call_naming_init(&naming, &functions, NAMING_BY_FUNCTION);
	function = name_call(&naming, "_ZN1q4takeEv", "/src/q.cc", 12);
	CHECK_STR(function_table_name(&functions, function), "q::take()");
	CHECK_STR(text_of(&functions, functions.functions[function].raw), "_ZN1q4takeEv");
	CHECK_STR(text_of(&functions, functions.functions[function].file), "/src/q.cc");
	/* Another line of it is the same function. */
	CHECK_EQ(name_call(&naming, "_ZN1q4takeEv", "/src/q.cc", 13), function);
	function = name_call(&naming, "main", NULL, 0);
	CHECK_EQ(functions.functions[function].raw, 0);
	CHECK_EQ(functions.functions[function].file, 0);
	call_naming_done(&naming);
	function_table_done(&functions);
}

static void builds_with_other_hashes_and_parts_are_one_function(void)
{
	struct function_table functions;
	struct call_naming naming;
	uint32_t function;

	CHECK_EQ(function_table_init(&functions), 0);
	call_naming_init(&naming, &functions, NAMING_BY_FUNCTION);
	function = name_call(&naming, "_ZN4core3ptr4drop17h0123456789abcdefE", NULL, 0);
	CHECK_EQ(name_call(&naming, "_ZN4core3ptr4drop17hfedcba9876543210E.llvm.77", NULL, 0),
		function);
	CHECK_STR(text_of(&functions, functions.functions[function].raw),
		"_ZN4core3ptr4drop17h0123456789abcdefE");
	function = name_call(&naming, "work.cold", NULL, 0);
	CHECK_STR(function_table_name(&functions, function), "work");
	CHECK_STR(text_of(&functions, functions.functions[function].raw), "work.cold");
	CHECK_EQ(name_call(&naming, "work", NULL, 0), function);
	CHECK_EQ(functions.functions[function].raw, 0);
	CHECK_EQ(name_call(&naming, "work.isra.0", NULL, 0), function);
	CHECK_EQ(functions.functions[function].raw, 0);
	call_naming_done(&naming);
	function_table_done(&functions);
}

static void a_line_without_its_file_is_none(void)
{
	struct function_table functions;
	struct call_naming naming;
	uint32_t function;

	CHECK_EQ(function_table_init(&functions), 0);
	call_naming_init(&naming, &functions, NAMING_BY_LINE);
	function = name_call(&naming, "f", NULL, 12);
	CHECK_STR(function_table_name(&functions, function), "f");
	CHECK_EQ(functions.functions[function].line, 0);
	function = name_call(&naming, "f", "f.c", 12);
	CHECK_STR(function_table_name(&functions, function), "f f.c:12");
	/* A file of the same name elsewhere is another one. */
	CHECK(name_call(&naming, "f", "old/f.c", 12) != function);
	call_naming_done(&naming);
	function_table_done(&functions);
}

int main(void)
{
	RUN(names_are_read_and_what_the_linker_knows_is_kept);
	RUN(builds_with_other_hashes_and_parts_are_one_function);
	RUN(a_line_without_its_file_is_none);
	return 0;
}
