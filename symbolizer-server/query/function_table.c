/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/function_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/base/utf8.h"
#include "store/profile/grow.h"

/* Each byte may become the three of U+FFFD. */
#define TEXT_BYTES_MAX (3 * (size_t)STRING_BYTES_MAX)

const char *function_kind_text(enum function_kind kind)
{
	static const char *const texts[] = {
		[FUNCTION_UNKNOWN] = "unknown",
		[FUNCTION_KERNEL] = "kernel",
		[FUNCTION_NATIVE] = "native",
		[FUNCTION_PYTHON] = "python",
		[FUNCTION_JVM] = "jvm",
		[FUNCTION_LUA] = "lua",
		[FUNCTION_INLINED] = "inlined",
		[FUNCTION_MARKER] = "marker",
		[FUNCTION_TRIMMED] = "trimmed",
		[FUNCTION_ROOT] = "root",
		[FUNCTION_LABEL] = "label",
	};

	return kind < sizeof(texts) / sizeof(texts[0]) ? texts[kind] : "unknown";
}

int function_table_init(struct function_table *table)
{
	*table = (struct function_table){0};
	index_map_init(&table->map, FUNCTION_COUNT_MAX);
	bytes_writer_init(&table->text, TEXT_BYTES_MAX);
	return string_table_init(&table->strings);
}

void function_table_done(struct function_table *table)
{
	string_table_done(&table->strings);
	index_map_done(&table->map);
	bytes_writer_done(&table->text);
	free(table->functions);
	*table = (struct function_table){0};
}

/* The longest part of TEXT that fits a string and ends between two characters. */
static size_t cut(const char *text, size_t length)
{
	if (length <= STRING_BYTES_MAX)
		return length;
	length = STRING_BYTES_MAX;
	while (length > STRING_BYTES_MAX - 4 && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

int function_table_add_text(
	struct function_table *table, const char *text, size_t length, uint32_t *ret_string)
{
	int r;

	bytes_writer_reset(&table->text);
	utf8_write(&table->text, text, cut(text, length));
	r = bytes_writer_fault(&table->text);
	if (r < 0)
		return r;
	text = table->text.byte_count > 0 ? (const char *)table->text.bytes : "";
	return string_table_add(
		&table->strings, text, cut(text, table->text.byte_count), ret_string);
}

static bool function_equal(const void *context, uint32_t index, const void *key)
{
	const struct function *one = (const struct function *)context + index;
	const struct function *other = key;

	return one->name == other->name && one->module == other->module &&
		one->kind == other->kind && one->build == other->build &&
		one->line == other->line && (one->line == 0 || one->file == other->file);
}

static uint64_t hash_function(const struct function *function)
{
	uint64_t hash = hash_pair(
		function->name, (uint64_t)function->module << 8 | (uint64_t)function->kind);

	if (function->line == 0 && function->build == 0)
		return hash;
	return hash_pair(hash, (uint64_t)function->line << 32 | function->build);
}

static int compare_strings(const struct string_table *strings, uint32_t one, uint32_t other)
{
	size_t one_length = string_table_length(strings, one);
	size_t other_length = string_table_length(strings, other);
	size_t shorter = one_length < other_length ? one_length : other_length;
	int order;

	if (one == other)
		return 0;
	order = memcmp(string_table_text(strings, one), string_table_text(strings, other), shorter);
	if (order != 0)
		return order;
	return one_length < other_length ? -1 : 1;
}

/* The same however many profiles were merged, in whatever order. */
static void keep_first(
	struct function_table *table, uint32_t index, const struct function *function)
{
	struct function *kept = &table->functions[index];

	/* A name that is shown as it is comes before one that had to be read. */
	if (kept->raw != 0 && compare_strings(&table->strings, function->raw, kept->raw) < 0)
		kept->raw = function->raw;
	if (kept->file == 0 ||
		(function->file != 0 &&
			compare_strings(&table->strings, function->file, kept->file) < 0))
		kept->file = function->file;
}

int function_table_add(
	struct function_table *table, const struct function *function, uint32_t *ret_index)
{
	uint64_t hash = hash_function(function);
	uint32_t index =
		index_map_find(&table->map, hash, function_equal, table->functions, function);
	int r;

	if (index != INDEX_MAP_NONE) {
		keep_first(table, index, function);
		*ret_index = index;
		return 0;
	}
	r = grow_array(&table->functions, &table->capacity, table->count, FUNCTION_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&table->map, hash, table->count);
	if (r < 0)
		return r;
	table->functions[table->count] = *function;
	*ret_index = table->count++;
	return 0;
}

size_t function_table_bytes(const struct function_table *table)
{
	return table->capacity * sizeof(*table->functions) + table->strings.texts.byte_count +
		table->strings.capacity * sizeof(*table->strings.entries) +
		index_map_bytes(&table->map) + index_map_bytes(&table->strings.map);
}

const char *function_table_name(const struct function_table *table, uint32_t function)
{
	return string_table_text(&table->strings, table->functions[function].name);
}

size_t function_table_name_length(const struct function_table *table, uint32_t function)
{
	return string_table_length(&table->strings, table->functions[function].name);
}

int function_table_compare(const struct function_table *table, uint32_t one, uint32_t other)
{
	const struct function *a = &table->functions[one], *b = &table->functions[other];
	int order = compare_strings(&table->strings, a->name, b->name);

	if (order == 0)
		order = compare_strings(&table->strings, a->module, b->module);
	if (order == 0)
		order = (int)a->kind - (int)b->kind;
	if (order == 0)
		order = compare_strings(&table->strings, a->file, b->file);
	if (order == 0 && a->line != b->line)
		order = a->line < b->line ? -1 : 1;
	if (order == 0)
		order = compare_strings(&table->strings, a->build, b->build);
	return order;
}
