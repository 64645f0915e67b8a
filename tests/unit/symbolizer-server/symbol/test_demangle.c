/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/demangle.h"

#include "store/base/clock.h"
#include "symbolizer-server/sandbox/name_text.h"
#include "tests/support/check.h"

#define ELLIPSIS "\xe2\x80\xa6"
/* A sanitizer makes the library slower, and the machine may be busy; without the limits the names
 * below take minutes or all of the memory. */
#define TIME_NS_MAX (500 * NS_PER_MS)

static void check_text(const char *name, const char *expected, bool mangled)
{
	char text[DEMANGLED_BYTES_MAX];
	bool was = demangle(name, text);

	CHECK_STR(text, expected);
	CHECK_EQ(was, mangled);
}

static void cpp_names_are_read(void)
{
	check_text("_Z1fi", "f(int)", true);
	check_text("_ZN12_GLOBAL__N_16singleEv", "(anonymous namespace)::single()", true);
	check_text("_ZNSt6vectorIiSaIiEE9push_backERKi",
		"std::vector<int, std::allocator<int> >::push_back(int const&)", true);
	check_text("_ZN3FooC2Ev", "Foo::Foo()", true);
	check_text("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const", true);
}

static void rust_names_are_read_and_their_hash_is_left_out(void)
{
	check_text("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place",
		true);
	check_text("_ZN60_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$4drop"
		   "17hfedcba9876543210E",
		"<alloc::vec::Vec<T> as core::ops::Drop>::drop", true);
	check_text("_RNvC6_123foo3bar", "123foo::bar", true);
	check_text("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar", true);
	check_text("_RINvCs1234_7mycrate3fooiE", "mycrate::foo::<isize>", true);
	/* The same function of two builds. */
	check_text("_RNvNtCs5678_7mycrate3foo3bar", "mycrate::foo::bar", true);
}

static void suffixes_of_the_compiler_are_left_out(void)
{
	check_text("_Z1fi.cold", "f(int)", true);
	check_text("_Z1fi.part.0.cold", "f(int)", true);
	check_text("_Z1fi.constprop.12.isra.3", "f(int)", true);
	check_text("f.isra.0", "f", false);
	/* Of Go: an assembler function by its other calling convention. */
	check_text("runtime.memmove.abi0", "runtime.memmove", false);
	check_text(".abi0", ".abi0", false);
	check_text("f.cold", "f", false);
	check_text("f.cold.7", "f", false);
	check_text("f.lto_priv.0", "f", false);
	check_text("f.llvm.1234567890123456789", "f", false);
	check_text("_ZN4core3ptr13drop_in_place17h0123456789abcdefE.llvm.123",
		"core::ptr::drop_in_place", true);
	check_text("_RNvC6_123foo3bar.llvm.9", "123foo::bar", true);
	/* No such suffix, or nothing before it. */
	check_text("f.isra", "f.isra", false);
	check_text("f.part.x", "f.part.x", false);
	check_text("f.0", "f.0", false);
	check_text(".cold", ".cold", false);
	check_text("f.coldest", "f.coldest", false);
	check_text("main.work.func1", "main.work.func1", false);
	check_text("go.shape.int_0", "go.shape.int_0", false);
}

static void d_names_are_read(void)
{
	check_text("_D8demangle4testFiZv", "demangle.test(int)", true);
	check_text("_Dmain", "D main", true);
	check_text("_D3std5stdio7writelnFAyaZv", "std.stdio.writeln(immutable(char)[])", true);
	check_text("_Dummy", "_Dummy", false);
	check_text("_D", "_D", false);
}

static void other_names_stay_as_they_are(void)
{
	check_text("main", "main", false);
	check_text("", "", false);
	check_text("_", "_", false);
	check_text("_Z", "_Z", false);
	check_text("_R", "_R", false);
	check_text("_Zapadoo", "_Zapadoo", false);
	check_text("?f@@YAHH@Z", "?f@@YAHH@Z", false);
	check_text("main.main", "main.main", false);
	check_text("$s4main3fooyyF", "$s4main3fooyyF", false);
	check_text("entry_SYSCALL_64", "entry_SYSCALL_64", false);
}

static void check_bounded(const char *name)
{
	char text[DEMANGLED_BYTES_MAX];
	uint64_t started_ns = clock_monotonic_ns();

	demangle(name, text);
	CHECK(clock_monotonic_ns() - started_ns < TIME_NS_MAX);
	CHECK(strlen(text) < DEMANGLED_BYTES_MAX);
	CHECK(name_text_clean(text, strlen(text)));
}

/* Each type is a pair of references to the one before. */
static void back_references_of_d_are_bounded(void)
{
	char name[4096];
	size_t length = (size_t)sprintf(name, "_D1a1bFAAAAAAAAiQbZv");

	check_bounded(name);
	length = (size_t)sprintf(name, "_D1a1bFG1G1G1i");
	for (int i = 0; i < 300; i++)
		length += (size_t)sprintf(name + length, "HQcQc");
	sprintf(name + length, "Zv");
	check_bounded(name);
}

static void check_cut(const char *name)
{
	char text[DEMANGLED_BYTES_MAX];

	check_bounded(name);
	demangle(name, text);
	CHECK(strlen(text) >= DEMANGLED_BYTES_MAX - 8);
	CHECK_STR(text + strlen(text) - strlen(ELLIPSIS), ELLIPSIS);
}

static void long_names_end_in_an_ellipsis(void)
{
	static char name[200001];

	memset(name, 'a', 200000);
	check_cut(name);
	memcpy(name, "_ZN", 3);
	check_cut(name);
	/* As long as the buffer holds is not cut. */
	memset(name, 'b', DEMANGLED_BYTES_MAX - 1);
	name[DEMANGLED_BYTES_MAX - 1] = '\0';
	check_text(name, name, false);
}

static void nested_templates_are_cut(void)
{
	static char name[200001];
	size_t length = (size_t)sprintf(name, "_Z1f");

	/* f(t<t<t<...int...> > >), 10 KiB of it. */
	for (int i = 0; i < 1000; i++)
		length += (size_t)sprintf(name + length, "1tI");
	length += (size_t)sprintf(name + length, "i");
	for (int i = 0; i < 1000; i++)
		length += (size_t)sprintf(name + length, "E");
	check_bounded(name);
}

/* Each parameter is a template of the one before, twice: its text doubles. */
static void substitutions_that_double_are_cut(void)
{
	char name[4096];
	size_t length = (size_t)sprintf(name, "_Z1f1aS_");

	length = (size_t)sprintf(name, "_Z1f1a1bIS_S_E");
	for (int i = 1; i < 30; i++) {
		const char *digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
		int before = 2 * i - 1; /* each round adds a name and an instance */
		char reference[8];

		if (before < 36)
			sprintf(reference, "S%c_", digits[before]);
		else
			sprintf(reference, "S%c%c_", digits[before / 36], digits[before % 36]);
		length += (size_t)sprintf(
			name + length, "1%cI%s%sE", 'c' + (i < 24 ? i : 0), reference, reference);
	}
	check_cut(name);
}

static size_t base62(char *to, size_t value)
{
	const char *digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char reversed[16];
	size_t count = 0;

	if (value == 0)
		return (size_t)sprintf(to, "_");
	value--;
	do {
		reversed[count++] = digits[value % 62];
		value /= 62;
	} while (value);
	for (size_t i = 0; i < count; i++)
		to[i] = reversed[count - 1 - i];
	to[count] = '_';
	return count + 1;
}

/* A tuple of a tuple and a reference back to it, and so on: its text doubles with each. */
static void back_references_that_double_are_cut(void)
{
	char name[4096];
	const size_t start = 11, depth = 40;
	size_t length = (size_t)sprintf(name, "_RINvC1a1f");

	for (size_t i = 0; i < depth; i++)
		name[length++] = 'T';
	name[length++] = 'm';
	for (size_t i = 0; i < depth; i++) {
		/* What stands behind the i-th T from the inside, counted behind `_R`. */
		size_t inner = start - 2 + depth - i - 1;

		name[length++] = 'B';
		length += base62(name + length, inner);
		name[length++] = 'E';
	}
	name[length++] = 'E';
	name[length] = '\0';
	check_cut(name);
}

static void names_in_punycode_are_read_or_left_alone(void)
{
	check_text("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
		"utf8_idents::\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94"
		"\xe1\x83\x9a\xe1\x83\x90\xe1\x83\x93_\xe1\x83\x92\xe1\x83\x94"
		"\xe1\x83\x9b\xe1\x83\xa0\xe1\x83\x98\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x98_"
		"\xe1\x83\xa1\xe1\x83\x90\xe1\x83\x93\xe1\x83\x98\xe1\x83\x9a\xe1\x83\x98",
		true);
	check_bounded("_RNvB_C1u30____7hkackfecea1cbdathfdh9hlq6y");
}

static void control_characters_never_come_out(void)
{
	/* The old Rust mangling can spell any character. */
	check_bounded("_ZN9$u7$$u1b$17h0123456789abcdefE");
	check_bounded("a\x01\x1b[31m\xff\xfe");
}

int main(void)
{
	RUN(cpp_names_are_read);
	RUN(rust_names_are_read_and_their_hash_is_left_out);
	RUN(suffixes_of_the_compiler_are_left_out);
	RUN(d_names_are_read);
	RUN(back_references_of_d_are_bounded);
	RUN(other_names_stay_as_they_are);
	RUN(long_names_end_in_an_ellipsis);
	RUN(nested_templates_are_cut);
	RUN(substitutions_that_double_are_cut);
	RUN(back_references_that_double_are_cut);
	RUN(names_in_punycode_are_read_or_left_alone);
	RUN(control_characters_never_come_out);
	return 0;
}
