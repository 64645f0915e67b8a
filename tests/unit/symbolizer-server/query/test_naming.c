/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/naming.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

/* libx.so: f is [0x100, 0x200), g is [0x200, 0x300); the kernel: schedule is [0x10, 0x20). */
struct symbols {
	uint32_t question_count;
	int result; /* what a question for libbad.so answers */
};

static int ask(void *context, const struct build_id *id, uint64_t address,
	struct naming_answer *ret_answer)
{
	static const struct {
		const char *module;
		struct naming_answer answer;
	} known[] = {
		{"libx.so", {"f", 0x100, 0x200}},
		{"libx.so", {"g", 0x200, 0x300}},
		{"[kernel]", {"schedule", 0x10, 0x20}},
	};
	struct symbols *symbols = context;
	struct build_id bad = sample_profile_build_id("libbad.so");

	symbols->question_count++;
	if (build_id_equal(id, &bad))
		return symbols->result;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct build_id module = sample_profile_build_id(known[i].module);

		if (!build_id_equal(id, &module) || address < known[i].answer.start ||
			address >= known[i].answer.end)
			continue;
		*ret_answer = known[i].answer;
		return 0;
	}
	return -ENOENT;
}

struct named {
	struct selector selector;
	struct merge merge;
	struct function_table functions;
	struct naming naming;
	struct symbols symbols;
};

static int name(struct named *named, const char *const *stacks)
{
	struct profile *profile = sample_profile_new("a", 0, NS_PER_S);
	char error[SELECTOR_ERROR_BYTES_MAX];

	CHECK_EQ(selector_parse("", 0, &named->selector, error), 0);
	CHECK_EQ(
		merge_init(&named->merge, &named->selector, (struct time_range){0, UINT64_MAX}), 0);
	for (; *stacks; stacks++)
		sample_profile_add(profile, &(struct sample_profile_sample){.stack = *stacks});
	sample_profile_seal(profile);
	CHECK_EQ(merge_add(&named->merge, profile), 0);
	profile_free(profile);
	CHECK_EQ(function_table_init(&named->functions), 0);
	return naming_init(&named->naming, &named->merge, &named->functions, ask, &named->symbols);
}

static void done(struct named *named)
{
	naming_done(&named->naming);
	function_table_done(&named->functions);
	merge_done(&named->merge);
	selector_done(&named->selector);
}

/* Frames are numbered in the order of the stacks. */
static void is_named(const struct named *named, uint32_t frame, const char *name_text,
	const char *module, enum function_kind kind)
{
	uint32_t index = named->naming.functions[frame];
	const struct function *function = &named->functions.functions[index];

	CHECK_STR(function_table_name(&named->functions, index), name_text);
	CHECK_STR(string_table_text(&named->functions.strings, function->module), module);
	CHECK_EQ(function->kind, kind);
}

static void callers_are_looked_up_one_address_before_their_return(void)
{
	struct named named = {0};

	/* A call at the very end of f returns to the first address of g. */
	CHECK_EQ(name(&named, (const char *const[]){"libx.so@0x200;libx.so@0x200", NULL}), 0);
	is_named(&named, 0, "f", "libx.so", FUNCTION_NATIVE);
	is_named(&named, 1, "g", "libx.so", FUNCTION_NATIVE);
	CHECK_EQ(named.naming.unnamed_count, 0);
	done(&named);
}

static void a_function_is_asked_for_once(void)
{
	struct named named = {0};

	CHECK_EQ(name(&named,
			 (const char *const[]){"libx.so@0x110", "libx.so@0x150", "libx.so@0x1ff",
				 "libx.so@0x101", "libx.so@0x210", NULL}),
		0);
	CHECK_EQ(named.symbols.question_count, 2);
	CHECK_EQ(named.functions.count, 2);
	done(&named);
}

static void what_nothing_names_keeps_its_address(void)
{
	struct named named = {0};

	CHECK_EQ(name(&named,
			 (const char *const[]){"libx.so@0x1a2b", "[kernel]@0x5", "libx.so@0x1a30;q",
				 "[kernel]@0x15", NULL}),
		0);
	is_named(&named, 0, "libx.so+0x1a2b", "libx.so", FUNCTION_UNKNOWN);
	is_named(&named, 1, "[kernel]+0x5", "[kernel]", FUNCTION_UNKNOWN);
	is_named(&named, 2, "libx.so+0x1a30", "libx.so", FUNCTION_UNKNOWN);
	is_named(&named, 3, "q", "", FUNCTION_NATIVE);
	is_named(&named, 4, "schedule", "[kernel]", FUNCTION_KERNEL);
	CHECK_EQ(named.naming.unnamed_count, 3);
	done(&named);
}

static void addresses_in_no_module_are_joined(void)
{
	struct named named = {0};

	CHECK_EQ(name(&named, (const char *const[]){"0x7f0010", "0x7f0020;[truncated]", NULL}), 0);
	is_named(&named, 0, "[unknown]", "", FUNCTION_UNKNOWN);
	is_named(&named, 2, "[truncated]", "", FUNCTION_MARKER);
	CHECK_EQ(named.naming.functions[0], named.naming.functions[1]);
	CHECK_EQ(named.naming.unnamed_count, 0);
	CHECK_EQ(named.symbols.question_count, 0);
	done(&named);
}

static void faults_of_one_module_cost_its_names_only(void)
{
	struct named named = {.symbols.result = -EUCLEAN};

	CHECK_EQ(name(&named, (const char *const[]){"libbad.so@0x1;libx.so@0x100", NULL}), 0);
	is_named(&named, 0, "libbad.so+0x1", "libbad.so", FUNCTION_UNKNOWN);
	is_named(&named, 1, "f", "libx.so", FUNCTION_NATIVE);
	done(&named);
	named = (struct named){.symbols.result = -ENOMEM};
	CHECK_EQ(name(&named, (const char *const[]){"libbad.so@0x1", NULL}), -ENOMEM);
	done(&named);
}

int main(void)
{
	RUN(callers_are_looked_up_one_address_before_their_return);
	RUN(a_function_is_asked_for_once);
	RUN(what_nothing_names_keeps_its_address);
	RUN(addresses_in_no_module_are_joined);
	RUN(faults_of_one_module_cost_its_names_only);
	return 0;
}
