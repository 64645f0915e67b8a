/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/go_table.h"

#include <errno.h>

#include "store/base/bytes.h"
#include "tests/support/check.h"

#define TEXT UINT64_C(0x401000)
#define HEAD_BYTES 72
#define RECORD_BYTES 44
#define FUNCTIONS 4
#define ROWS_MAX 16

/* What a test makes: a table of four functions of 256 bytes, and their values. */
static struct bytes_writer made;
static size_t values_at, functions_at;

static void add_pair(int64_t change, uint32_t byte_count)
{
	bytes_write_varint(&made, change < 0 ? (uint64_t)(-change * 2 - 1) : (uint64_t)change * 2);
	bytes_write_varint(&made, byte_count);
}

/* Values of all functions: 0 before the frame is there, 8 with rbp pushed, 72 in the body. */
static void add_values(void)
{
	bytes_write_u8(&made, 0); /* place 0 means none */
	add_pair(1, 1);
	add_pair(8, 7);
	add_pair(64, 200);
	add_pair(-72, 48);
	bytes_write_u8(&made, 0);
}

static void add_record(uint32_t number, uint32_t values, uint8_t flags)
{
	size_t begin = made.byte_count;

	bytes_write_u32(&made, number * 256);
	for (int i = 0; i < 3; i++)
		bytes_write_u32(&made, 0);
	bytes_write_u32(&made, values);
	while (made.byte_count < begin + 40)
		bytes_write_u8(&made, 0);
	bytes_write_u8(&made, 0);
	bytes_write_u8(&made, flags);
	bytes_write_u16(&made, 0);
}

/* One with a frame, one where goroutines begin, one that moves to another stack, one without values. */
static void make(uint32_t magic, uint64_t text)
{
	static const uint8_t flags[FUNCTIONS] = {0, 1, 2, 0};
	const uint64_t words[] = {FUNCTIONS, 1, text, 0, 0, 0, HEAD_BYTES, HEAD_BYTES + 16};

	bytes_writer_init(&made, 4096);
	bytes_write_u32(&made, magic);
	bytes_write_u16(&made, 0);
	bytes_write_u8(&made, 1);
	bytes_write_u8(&made, 8);
	for (int i = 0; i < 8; i++)
		bytes_write_u64(&made, words[i]);
	CHECK_EQ(made.byte_count, HEAD_BYTES);
	values_at = made.byte_count;
	add_values();
	while (made.byte_count < HEAD_BYTES + 16)
		bytes_write_u8(&made, 0);
	functions_at = made.byte_count;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		bytes_write_u32(&made, i * 256);
		bytes_write_u32(&made, FUNCTIONS * 8 + 4 + i * RECORD_BYTES);
	}
	bytes_write_u32(&made, FUNCTIONS * 256);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		add_record(i, i < 3 ? 1 : 0, flags[i]);
	CHECK_EQ(bytes_writer_fault(&made), 0);
}

struct rows {
	uint64_t from[ROWS_MAX], until[ROWS_MAX];
	struct unwind_rule rules[ROWS_MAX];
	uint32_t count;
};

static int take_row(void *context, uint64_t from, uint64_t until, const struct unwind_rule *rule)
{
	struct rows *rows = context;

	CHECK(rows->count < ROWS_MAX);
	rows->from[rows->count] = from;
	rows->until[rows->count] = until;
	rows->rules[rows->count++] = *rule;
	return 0;
}

static struct rows rows_of(const struct go_table *table, uint32_t index)
{
	struct rows rows = {.count = 0};
	struct eh_frame_function function;

	CHECK_EQ(go_table_function(table, index, &function), 0);
	CHECK_EQ(function.from, TEXT + index * UINT64_C(256));
	CHECK_EQ(function.until, function.from + 256);
	CHECK_EQ(go_table_rows(table, &function, take_row, &rows), 0);
	return rows;
}

static void a_frame_grows_and_goes_with_the_stack_pointer(void)
{
	static const int32_t cfa[] = {8, 16, 80, 8};
	static const uint64_t from[] = {0, 1, 8, 208};
	struct go_table table;
	struct rows rows;

	make(0xfffffff1, 0);
	CHECK_EQ(go_table_open(made.bytes, made.byte_count, TEXT, &table), 0);
	CHECK_EQ(table.function_count, FUNCTIONS);
	rows = rows_of(&table, 0);
	CHECK_EQ(rows.count, 4);
	for (int i = 0; i < 4; i++) {
		CHECK_EQ(rows.from[i], TEXT + from[i]);
		CHECK_EQ(rows.until[i], i < 3 ? TEXT + from[i + 1] : TEXT + 256);
		CHECK_EQ(rows.rules[i].cfa, UNWIND_CFA_register);
		CHECK_EQ(rows.rules[i].cfa_register, UNWIND_RSP);
		CHECK_EQ(rows.rules[i].cfa_offset, cfa[i]);
		CHECK_EQ(rows.rules[i].returns, UNWIND_RETURN_at_cfa);
		CHECK_EQ(rows.rules[i].rbp,
			cfa[i] > 8 ? UNWIND_SAVED_at_cfa : UNWIND_SAVED_unchanged);
	}
	bytes_writer_done(&made);
}

static void what_goroutines_begin_in_has_no_caller(void)
{
	struct go_table table;

	make(0xfffffff1, 0);
	CHECK_EQ(go_table_open(made.bytes, made.byte_count, TEXT, &table), 0);
	CHECK_EQ(rows_of(&table, 1).rules[0].returns, UNWIND_RETURN_none);
	/* Nothing can be said of what moves to another stack, or has no values. */
	CHECK_EQ(rows_of(&table, 2).rules[0].cfa, UNWIND_CFA_unknown);
	CHECK_EQ(rows_of(&table, 3).rules[0].cfa, UNWIND_CFA_unknown);
	bytes_writer_done(&made);
}

static void a_table_that_says_where_its_code_is_counts(void)
{
	struct go_table table;

	make(0xfffffff0, TEXT);
	CHECK_EQ(go_table_open(made.bytes, made.byte_count, 0x1000, &table), 0);
	CHECK_EQ(table.text, TEXT);
	bytes_writer_done(&made);
}

static void other_versions_are_told_apart_from_nonsense(void)
{
	struct go_table table;

	make(0xfffffffb, 0);
	CHECK_EQ(go_table_open(made.bytes, made.byte_count, TEXT, &table), -ENOENT);
	bytes_writer_done(&made);
	make(0xfffffff1, 0);
	made.bytes[7] = 4;
	CHECK_EQ(go_table_open(made.bytes, made.byte_count, TEXT, &table), -EBADMSG);
	made.bytes[7] = 8;
	for (size_t cut = 4; cut < functions_at + FUNCTIONS * 8 + 4; cut++)
		CHECK_EQ(go_table_open(made.bytes, cut, TEXT, &table), -EBADMSG);
	bytes_writer_done(&made);
}

/* Whatever a byte is changed to, rows follow each other from the first on, within their function. */
static int check_row(void *context, uint64_t from, uint64_t until, const struct unwind_rule *rule)
{
	uint64_t *next = context;

	CHECK(rule->cfa == UNWIND_CFA_unknown || rule->returns == UNWIND_RETURN_none ||
		rule->cfa_offset >= 8);
	CHECK(from == *next && until > from);
	*next = until;
	return 0;
}

static void check_all(void)
{
	struct eh_frame_function function;
	struct go_table table;
	uint64_t next;

	if (go_table_open(made.bytes, made.byte_count, TEXT, &table) < 0)
		return;
	for (uint32_t i = 0; i < table.function_count; i++) {
		if (go_table_function(&table, i, &function) < 0)
			continue;
		next = function.from;
		if (go_table_rows(&table, &function, check_row, &next) == 0)
			CHECK_EQ(next, function.until);
	}
}

static void any_byte_may_be_wrong(void)
{
	make(0xfffffff1, 0);
	for (size_t i = 4; i < made.byte_count; i++) {
		uint8_t before = made.bytes[i];

		for (unsigned value = 0; value < 256; value += 5) {
			made.bytes[i] = (uint8_t)value;
			check_all();
		}
		made.bytes[i] = before;
	}
	bytes_writer_done(&made);
}

int main(void)
{
	RUN(a_frame_grows_and_goes_with_the_stack_pointer);
	RUN(what_goroutines_begin_in_has_no_caller);
	RUN(a_table_that_says_where_its_code_is_counts);
	RUN(other_versions_are_told_apart_from_nonsense);
	RUN(any_byte_may_be_wrong);
	return 0;
}
