/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a section of call frame information holds: the rows of a function follow each other
 * without a hole from its first byte on and stay within it; a table made of them gives each row's
 * rule where no other function has a say; and nothing of it is left once it is freed. */
#include "bpf/abi/unwind_search.h"
#include "collector/unwind/table_builder.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/unwind_memory.h"

/* Where the section of the seeds lies, and the code that it speaks of. */
#define SECTION UINT64_C(0x1000)
#define CODE_FROM UINT64_C(0x2000)
#define CODE_UNTIL UINT64_C(0x102000)

struct function_rows {
	const struct eh_frame_function *function;
	uint64_t next;
};

static int check_row(void *context, uint64_t from, uint64_t until, const struct unwind_rule *rule)
{
	struct function_rows *rows = context;

	must(from == rows->next && until > from && until <= rows->function->until);
	must(rule->cfa <= UNWIND_CFA_plt && rule->cfa_register < UNWIND_REGISTER_COUNT);
	must(rule->returns <= UNWIND_RETURN_none && rule->rbp <= UNWIND_SAVED_lost);
	rows->next = until;
	return 0;
}

static void check_functions(const struct eh_frame *section)
{
	struct eh_frame_function function;
	struct eh_frame_reader reader;

	eh_frame_reader_init(&reader, section);
	while (eh_frame_next(&reader, &function) == 1) {
		struct function_rows rows = {&function, function.from};

		must(function.from < function.until);
		if (eh_frame_rows(&reader, &function, check_row, &rows) == 0)
			must(rows.next == function.until);
	}
}

static void check_table(const struct eh_frame *section)
{
	struct table_source source = {
		.section = *section, .code_from = CODE_FROM, .code_until = CODE_UNTIL};
	struct unwind_memory_fixture memory;
	struct node_pool_config config = {
		.shard_count_max = 1, .make_shard = unwind_memory_make_shard, .context = &memory};
	struct table_counts counts;
	struct unwind_table table;
	struct node_pool pool;
	struct rule_set rules;

	unwind_memory_init(&memory);
	node_pool_init(&pool, &config);
	must(rule_set_init(&rules, memory.rules) == 0);
	if (table_build(&source, &pool, &rules, &table, &counts) == 0) {
		must(counts.node_count == pool.node_count && counts.row_count > 0);
		for (uint64_t byte = 0; byte < table.byte_count; byte += 509)
			must(table_find(&pool, &table, byte) < rules.count);
		must(table_find(&pool, &table, table.byte_count) == UNWIND_RULE_GAP);
		table_free(&pool, &table);
	}
	must(pool.node_count == 0);
	rule_set_done(&rules);
	node_pool_done(&pool);
	unwind_memory_done(&memory);
}

/* The first byte tells which of the two sections it is. */
void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct eh_frame section = {.bases = {.section = SECTION}};

	if (byte_count == 0)
		return;
	section.is_debug_frame = bytes[0] & 1;
	section.bytes = bytes + 1;
	section.byte_count = byte_count - 1;
	check_functions(&section);
	check_table(&section);
}
