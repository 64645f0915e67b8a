/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/short_name.h"

#include "symbolizer-server/cli/output.h"
#include "tests/support/check.h"

static const char *print(const char *name, size_t columns)
{
	static char *text;
	size_t length;
	FILE *out;

	free(text);
	text = NULL;
	out = open_memstream(&text, &length);
	CHECK(out);
	short_name_print(out, name, columns);
	(void)fclose(out);
	return text;
}

static void what_fits_is_left_whole(void)
{
	CHECK_STR(print("a::b(int)", 9), "a::b(int)");
	CHECK_STR(print("m\xc3\xa4h", 3), "m\xc3\xa4h");
	CHECK_STR(print("", 1), "");
}

static void brackets_are_emptied_first(void)
{
	CHECK_STR(print("ns::Map<std::string, int>::find(std::string const&) const", 30),
		"ns::Map<…>::find(…) const");
	CHECK_STR(print("Map<a<b>, c(*)(int)>::find(int)", 20), "Map<…>::find(int)");
	CHECK_STR(print("Stream::operator<<(std::string const&)", 25), "Stream::operator<<(…)");
	CHECK_STR(print("Lambda::operator()(std::string const&)", 25), "Lambda::operator()(…)");
	CHECK_STR(print("Pointer<Something>::operator->() const", 30),
		"Pointer<…>::operator->() const");
}

static void then_leading_namespaces(void)
{
	CHECK_STR(
		print("v8::internal::Factory::NewString(unsigned)", 28), "…Factory::NewString(…)");
	CHECK_STR(print("v8::internal::Factory::NewString(unsigned)", 16), "…NewString(…)");
	CHECK_STR(print("github.com/owner/name/part.Function", 15), "…part.Function");
}

static void then_the_end(void)
{
	CHECK_STR(print("a_function_of_one_long_word", 10), "a_functio…");
	CHECK_STR(print("[unwind stopped: bad frame pointer]", 16), "[unwind stopped…");
	CHECK_STR(print("a", 1), "a");
	CHECK_STR(print("ab", 1), "…");
}

static void of_an_address_the_beginning(void)
{
	CHECK_STR(print("libsomething.so.1+0x1a2b", 12), "…so.1+0x1a2b");
}

static void what_does_not_match_is_no_bracket(void)
{
	CHECK_STR(print("one(two(three(four five", 10), "…five");
	CHECK_STR(print("one)two)three)four", 10), "one)two)t…");
}

static void no_line_is_wider_than_asked_for(void)
{
	static const char *const names[] = {
		"std::vector<int, std::allocator<int> >::push_back(int&&)", "\x1b[31mred\x1b[0m",
		"\xc3\xa4\xc3\xb6\xc3\xbc::\xe4\xb8\xad(abcdef)", "a b c d e f g",
		"libc.so.6+0x2724a", "((((((((((", "operator", "\xff\xfe\x80\x80(", "::::::::"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		for (size_t columns = 1; columns < 60; columns++) {
			const char *text = print(names[i], columns);

			CHECK(output_columns(text, strlen(text)) <= columns);
		}
	}
}

int main(void)
{
	RUN(what_fits_is_left_whole);
	RUN(brackets_are_emptied_first);
	RUN(then_leading_namespaces);
	RUN(then_the_end);
	RUN(of_an_address_the_beginning);
	RUN(what_does_not_match_is_no_bracket);
	RUN(no_line_is_wider_than_asked_for);
	return 0;
}
