/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever Go's table holds: the rows of a function follow each other without a hole from its first
 * byte on and stay within it, each with a rule that a walk can use; and a table made of them leaves
 * nothing behind. */
#include "collector/unwind/table_builder.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/unwind_memory.h"

#define TEXT UINT64_C(0x2000)
#define CODE_UNTIL UINT64_C(0x102000)

struct function_rows {
	const struct eh_frame_function *function;
	uint64_t next;
};

static int check_row(void *context, uint64_t from, uint64_t until, const struct unwind_rule *rule)
{
	struct function_rows *rows = context;

	must(from == rows->next && until > from && until <= rows->function->until);
	must(rule->cfa == UNWIND_CFA_unknown ||
		(rule->cfa == UNWIND_CFA_register && rule->cfa_register == UNWIND_RSP));
	must(rule->cfa_offset >= 0 && rule->returns <= UNWIND_RETURN_none);
	rows->next = until;
	return 0;
}

static void check_functions(const struct go_table *table)
{
	struct eh_frame_function function;

	for (uint32_t i = 0; i < table->function_count; i++) {
		struct function_rows rows = {.function = &function};

		if (go_table_function(table, i, &function) < 0)
			continue;
		must(function.from < function.until);
		rows.next = function.from;
		if (go_table_rows(table, &function, check_row, &rows) == 0)
			must(rows.next == function.until);
	}
}

static void check_table(const struct go_table *go)
{
	struct table_source source = {.go = *go, .code_from = TEXT, .code_until = CODE_UNTIL};
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
		for (uint64_t byte = 0; byte < table.byte_count; byte += 509)
			must(table_find(&pool, &table, byte) < rules.count);
		table_free(&pool, &table);
	}
	must(pool.node_count == 0);
	rule_set_done(&rules);
	node_pool_done(&pool);
	unwind_memory_done(&memory);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct go_table table;

	if (go_table_open(bytes, byte_count, TEXT, &table) < 0)
		return;
	check_functions(&table);
	check_table(&table);
}
