/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/naming.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

/* libx.so: f is [0x100, 0x200), g is [0x200, 0x300). At [0x300, 0x400) stands c; at [0x310, 0x320)
 * of it b was inlined, and at [0x314, 0x318) a into that. The kernel: schedule is [0x10, 0x20). */
struct answer {
	const char *module;
	uint64_t start, end;
	uint64_t line_end; /* the first line of it ends here */
	uint32_t count;
	struct symbol_call calls[3];
};

static const struct answer known[] = {
	{"libx.so", 0x100, 0x200, 0x110, 1, {{"f", "/src/f.c", 10}}},
	{"libx.so", 0x200, 0x300, 0x300, 1, {{"g", NULL, 0}}},
	{"libx.so", 0x300, 0x310, 0x310, 1, {{"c", "/src/c.c", 30}}},
	{"libx.so", 0x310, 0x314, 0x314, 2, {{"b", "/src/b.h", 20}, {"c", "/src/c.c", 31}}},
	{"libx.so", 0x314, 0x318, 0x318, 3,
		{{"_Z1ai", "/src/a.h", 7}, {"b", "/src/b.h", 21}, {"c", "/src/c.c", 31}}},
	{"libx.so", 0x318, 0x400, 0x400, 1, {{"c", "/src/c.c", 33}}},
	{"[kernel]", 0x10, 0x20, 0x20, 1, {{"schedule", NULL, 0}}},
};

struct symbols {
	uint32_t question_count;
	int result; /* what a question for libbad.so answers */
};

static void answer(const struct answer *found, uint64_t address, struct symbol_chain *ret_chain)
{
	bool first_line = address < found->line_end;

	*ret_chain = (struct symbol_chain){.start = found->start,
		.end = found->end,
		.line_start = first_line ? found->start : found->line_end,
		.line_end = first_line ? found->line_end : found->end,
		.count = found->count};
	for (uint32_t i = 0; i < found->count; i++)
		ret_chain->calls[i] = found->calls[i];
	if (!first_line)
		ret_chain->calls[0].line++;
}

static int ask(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain)
{
	struct symbols *symbols = context;
	struct build_id bad = sample_profile_build_id("libbad.so");

	symbols->question_count++;
	if (build_id_equal(id, &bad))
		return symbols->result;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct build_id module = sample_profile_build_id(known[i].module);

		if (!build_id_equal(id, &module) || address < known[i].start ||
			address >= known[i].end)
			continue;
		answer(&known[i], address, ret_chain);
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

static int name_by(
	struct named *named, const char *const *stacks, const struct naming_options *options)
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
	return naming_init_by(
		&named->naming, &named->merge, &named->functions, options, ask, &named->symbols);
}

/* Files of the modules are loaded 0x1000 lower than they stand in the file. */
static int translate(
	void *context, const struct build_id *id, uint64_t offset, uint64_t *ret_address)
{
	struct symbols *symbols = context;
	struct build_id bad = sample_profile_build_id("libbad.so");

	if (build_id_equal(id, &bad))
		return symbols->result;
	if (offset < 0x1000)
		return -ENOENT;
	*ret_address = offset - 0x1000;
	return 0;
}

static int name(struct named *named, const char *const *stacks)
{
	return name_by(named, stacks, &(struct naming_options){.group = NAMING_BY_FUNCTION});
}

static void done(struct named *named)
{
	naming_done(&named->naming);
	function_table_done(&named->functions);
	merge_done(&named->merge);
	selector_done(&named->selector);
}

/* The LINK-th function of a frame's chain, outermost first. Frames are numbered in the order of the
 * stacks. */
static uint32_t function_of(const struct named *named, uint32_t frame, uint32_t link)
{
	const struct naming_chain *chain = &named->naming.chains[frame];

	CHECK(link < chain->count && chain->first + chain->count <= named->naming.link_count);
	return named->naming.links[chain->first + link];
}

static void is_link(const struct named *named, uint32_t frame, uint32_t link, const char *name_text)
{
	CHECK_STR(
		function_table_name(&named->functions, function_of(named, frame, link)), name_text);
}

/* A frame of one function. */
static void is_named(const struct named *named, uint32_t frame, const char *name_text,
	const char *module, enum function_kind kind)
{
	const struct function *function = &named->functions.functions[function_of(named, frame, 0)];

	CHECK_EQ(named->naming.chains[frame].count, 1);
	is_link(named, frame, 0, name_text);
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
	CHECK_EQ(function_of(&named, 0, 0), function_of(&named, 1, 0));
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

static void a_frame_is_a_chain_of_the_calls_inlined_there(void)
{
	struct named named = {0};
	const struct function *function;

	CHECK_EQ(name(&named,
			 (const char *const[]){"libx.so@0x315", "libx.so@0x311", "libx.so@0x302",
				 "libx.so@0x317", NULL}),
		0);
	CHECK_EQ(named.naming.chains[0].count, 3);
	is_link(&named, 0, 0, "c");
	is_link(&named, 0, 1, "b");
	is_link(&named, 0, 2, "a(int)");
	CHECK_EQ(named.naming.chains[1].count, 2);
	is_link(&named, 1, 0, "c");
	is_link(&named, 1, 1, "b");
	is_named(&named, 2, "c", "libx.so", FUNCTION_NATIVE);
	/* One answer holds for both, and its chain is held once. */
	CHECK_EQ(named.naming.chains[3].first, named.naming.chains[0].first);
	CHECK_EQ(named.symbols.question_count, 3);
	/* The same function wherever it stands, inlined or not. */
	CHECK_EQ(named.functions.count, 3);
	CHECK_EQ(function_of(&named, 0, 0), function_of(&named, 2, 0));
	function = &named.functions.functions[function_of(&named, 0, 2)];
	CHECK_STR(string_table_text(&named.functions.strings, function->raw), "_Z1ai");
	CHECK_STR(string_table_text(&named.functions.strings, function->file), "/src/a.h");
	CHECK_EQ(function->line, 0);
	done(&named);
}

static void what_was_inlined_can_be_left_out(void)
{
	struct named named = {0};

	CHECK_EQ(name_by(&named, (const char *const[]){"libx.so@0x315;libx.so@0x100", NULL},
			 &(struct naming_options){.hides_inlined = true}),
		0);
	is_named(&named, 0, "c", "libx.so", FUNCTION_NATIVE);
	is_named(&named, 1, "f", "libx.so", FUNCTION_NATIVE);
	done(&named);
}

static void a_function_may_be_told_apart_by_its_lines(void)
{
	struct named named = {0};
	const struct function *function;

	CHECK_EQ(name_by(&named,
			 (const char *const[]){"libx.so@0x101", "libx.so@0x10f", "libx.so@0x110",
				 "libx.so@0x315", "libx.so@0x210", NULL},
			 &(struct naming_options){.group = NAMING_BY_LINE}),
		0);
	is_named(&named, 0, "f f.c:10", "libx.so", FUNCTION_NATIVE);
	CHECK_EQ(function_of(&named, 0, 0), function_of(&named, 1, 0));
	is_named(&named, 2, "f f.c:11", "libx.so", FUNCTION_NATIVE);
	function = &named.functions.functions[function_of(&named, 2, 0)];
	CHECK_STR(string_table_text(&named.functions.strings, function->plain), "f");
	CHECK_STR(string_table_text(&named.functions.strings, function->file), "/src/f.c");
	CHECK_EQ(function->line, 11);
	/* A caller has the line of its call. */
	is_link(&named, 3, 0, "c c.c:31");
	is_link(&named, 3, 1, "b b.h:21");
	is_link(&named, 3, 2, "a(int) a.h:7");
	is_named(&named, 4, "g", "libx.so", FUNCTION_NATIVE);
	CHECK_EQ(named.symbols.question_count, 4);
	done(&named);
}

static void all_functions_of_a_file_may_be_one(void)
{
	struct named named = {0};

	CHECK_EQ(name_by(&named,
			 (const char *const[]){"libx.so@0x302", "libx.so@0x320", "libx.so@0x315",
				 "libx.so@0x210", NULL},
			 &(struct naming_options){.group = NAMING_BY_FILE}),
		0);
	is_named(&named, 0, "/src/c.c", "libx.so", FUNCTION_NATIVE);
	CHECK_EQ(function_of(&named, 0, 0), function_of(&named, 1, 0));
	is_link(&named, 2, 1, "/src/b.h");
	is_link(&named, 2, 2, "/src/a.h");
	/* Where no file is known the function stands. */
	is_named(&named, 3, "g", "libx.so", FUNCTION_NATIVE);
	done(&named);
}

static void builds_may_be_kept_apart(void)
{
	struct named named = {0};
	struct build_id id = sample_profile_build_id("libx.so");
	const struct function *function;
	char text[BUILD_ID_TEXT_MAX];

	build_id_format(&id, text);
	CHECK_EQ(name_by(&named, (const char *const[]){"libx.so@0x100", NULL},
			 &(struct naming_options){.by_build = true}),
		0);
	function = &named.functions.functions[function_of(&named, 0, 0)];
	CHECK_STR(string_table_text(&named.functions.strings, function->build), text);
	done(&named);
}

static void places_in_a_file_become_addresses(void)
{
	static const char *const stacks[] = {"libx.so%0x1200;libx.so%0x1150", "libx.so@0x160",
		"libx.so%0x10", "libx.so%0x1900", NULL};
	const struct naming_options options = {.translate = translate};
	struct named named = {0};

	CHECK_EQ(name_by(&named, stacks, &options), 0);
	/* The caller's is 0x1ff, the last of f. */
	is_named(&named, 0, "f", "libx.so", FUNCTION_NATIVE);
	is_named(&named, 1, "f", "libx.so", FUNCTION_NATIVE);
	CHECK_EQ(function_of(&named, 2, 0), function_of(&named, 1, 0));
	is_named(&named, 3, "libx.so+0x10", "libx.so", FUNCTION_UNKNOWN);
	/* Without a name it shows as the address that it became. */
	is_named(&named, 4, "libx.so+0x900", "libx.so", FUNCTION_UNKNOWN);
	done(&named);
	/* Nobody knows. */
	CHECK_EQ(name(&named, (const char *const[]){"libx.so%0x150", NULL}), 0);
	is_named(&named, 0, "libx.so+0x150", "libx.so", FUNCTION_UNKNOWN);
	CHECK_EQ(named.symbols.question_count, 2);
	done(&named);
	named.symbols.result = -ENOMEM;
	CHECK_EQ(name_by(&named, (const char *const[]){"libbad.so%0x1150", NULL}, &options),
		-ENOMEM);
	done(&named);
}

int main(void)
{
	RUN(callers_are_looked_up_one_address_before_their_return);
	RUN(a_function_is_asked_for_once);
	RUN(what_nothing_names_keeps_its_address);
	RUN(addresses_in_no_module_are_joined);
	RUN(faults_of_one_module_cost_its_names_only);
	RUN(a_frame_is_a_chain_of_the_calls_inlined_there);
	RUN(what_was_inlined_can_be_left_out);
	RUN(a_function_may_be_told_apart_by_its_lines);
	RUN(all_functions_of_a_file_may_be_one);
	RUN(builds_may_be_kept_apart);
	RUN(places_in_a_file_become_addresses);
	return 0;
}
