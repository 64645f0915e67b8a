/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/symbol_remedy.h"

#include "tests/support/check.h"

static const struct build_id id = {.bytes = {1, 2, 3}, .byte_count = 3};

static struct symbol_remedy remedy(const char *name, bool has_id, uint32_t unnamed_count,
	const struct symbol_module_state *state)
{
	struct coverage_module module = {.address_count = 9, .unnamed_count = unnamed_count};

	if (has_id)
		module.build_id = id;
	return symbol_remedy_for(&module, name, state);
}

static void what_is_named_needs_nothing(void)
{
	CHECK_STR(remedy("libx.so", true, 0, NULL).text, "");
	CHECK_STR(remedy("", false, 0, NULL).text, "");
}

static void a_file_by_hand_helps_where_there_is_one(void)
{
	struct symbol_module_state none = {.quality = SYMBOL_QUALITY_NONE};
	struct symbol_module_state exported = {.quality = SYMBOL_QUALITY_DYNAMIC};
	struct symbol_module_state asked = {.quality = SYMBOL_QUALITY_NONE, .pending = true};

	CHECK(remedy("libx.so", true, 1, NULL).upload);
	CHECK(remedy("libx.so", true, 1, &none).upload);
	CHECK(remedy("libx.so", true, 1, &exported).upload);
	CHECK_STR(remedy("libx.so", true, 1, &exported).command, "cairn symbols upload FILE");
	CHECK(strstr(remedy("libx.so", true, 1, &asked).text, "being looked for"));
	CHECK(remedy("libx.so", true, 1, &asked).upload);
}

static void no_file_helps_where_none_can_be_had(void)
{
	struct symbol_module_state dwarf = {.quality = SYMBOL_QUALITY_DWARF};
	struct symbol_module_state kallsyms = {.quality = SYMBOL_QUALITY_KERNEL};
	struct symbol_module_state none = {.quality = SYMBOL_QUALITY_NONE};

	CHECK(!remedy("", false, 1, NULL).upload);
	CHECK(strstr(remedy("libx.so", false, 1, NULL).text, "--build-id"));
	CHECK(!remedy("libx.so", true, 1, &dwarf).upload);
	CHECK(!remedy("[kernel]", true, 1, &kallsyms).upload);
	CHECK_STR(remedy("[kernel]", true, 1, &none).command, "sysctl kernel.kptr_restrict=1");
	CHECK_STR(remedy("[kernel]", false, 1, NULL).command, "sysctl kernel.kptr_restrict=1");
}

int main(void)
{
	RUN(what_is_named_needs_nothing);
	RUN(a_file_by_hand_helps_where_there_is_one);
	RUN(no_file_helps_where_none_can_be_had);
	return 0;
}
