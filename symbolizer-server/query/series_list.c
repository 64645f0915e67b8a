/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A combination is one text: length, name, length, value, and so on, in the order of names, so that
 * equal ones are equal bytes and a table of texts keeps each once.
 */
#include "symbolizer-server/query/series_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/query/row_label.h"

#define TYPE_LABEL "__profile_type__"

struct pair {
	struct row_label_value name;
	struct row_label_value value;
};

int series_list_init(struct series_list *list, const struct selector *selector,
	struct time_range range, const char *const *names, uint32_t name_count)
{
	*list = (struct series_list){.names = names, .name_count = name_count};
	row_filter_init(&list->filter, selector, range);
	bytes_writer_init(&list->text, STRING_BYTES_MAX);
	return string_table_init(&list->rows);
}

void series_list_done(struct series_list *list)
{
	row_filter_done(&list->filter);
	string_table_done(&list->rows);
	bytes_writer_done(&list->text);
	free(list->seen);
	*list = (struct series_list){0};
}

static int compare_pairs(const void *one, const void *other)
{
	const struct pair *a = one, *b = other;
	size_t shorter = a->name.length < b->name.length ? a->name.length : b->name.length;
	int order = memcmp(a->name.text, b->name.text, shorter);

	if (order != 0 || a->name.length == b->name.length)
		return order;
	return a->name.length < b->name.length ? -1 : 1;
}

static void write_pair(struct series_list *list, const struct pair *pair)
{
	if (pair->value.length == 0)
		return;
	bytes_write_varint(&list->text, pair->name.length);
	bytes_write_span(&list->text, pair->name.text, pair->name.length);
	bytes_write_varint(&list->text, pair->value.length);
	bytes_write_span(&list->text, pair->value.text, pair->value.length);
}

static struct pair pair_of(const char *name, struct row_label_value value)
{
	return (struct pair){{name, strlen(name)}, value};
}

static void write_named(
	struct series_list *list, const struct profile *profile, uint32_t thread, const char *type)
{
	for (uint32_t i = 0; i < list->name_count; i++) {
		const char *name = list->names[i];
		char number[ROW_LABEL_NUMBER_BYTES];
		struct pair pair;

		if (row_label_needs_rows(name))
			continue;
		pair = pair_of(name,
			row_label_scope(name) == ROW_LABEL_TYPE
				? row_label_of_type(type, name)
				: row_label_of_thread(profile, thread, name, number));
		write_pair(list, &pair);
	}
}

static void write_all(
	struct series_list *list, const struct profile *profile, uint32_t thread, const char *type)
{
	const struct label_set *set =
		&profile->labels.sets[profile->threads.threads[thread].labels];
	struct pair pairs[LABEL_COUNT_MAX + 2];
	char number[ROW_LABEL_NUMBER_BYTES];
	uint32_t count = 0;

	pairs[count++] = pair_of(TYPE_LABEL, row_label_of_type(type, TYPE_LABEL));
	pairs[count++] = pair_of("host", row_label_of_thread(profile, thread, "host", number));
	for (uint32_t i = 0; i < set->count && count < LABEL_COUNT_MAX + 2; i++) {
		const struct label *label = &profile->labels.labels[set->first + i];

		if (strcmp(string_table_text(&profile->strings, label->key), "host") == 0)
			continue;
		pairs[count++] = (struct pair){
			{string_table_text(&profile->strings, label->key),
				string_table_length(&profile->strings, label->key)},
			{string_table_text(&profile->strings, label->value),
				string_table_length(&profile->strings, label->value)},
		};
	}
	qsort(pairs, count, sizeof(pairs[0]), compare_pairs);
	for (uint32_t i = 0; i < count; i++)
		write_pair(list, &pairs[i]);
}

static int add_combination(
	struct series_list *list, const struct profile *profile, uint32_t thread, const char *type)
{
	uint32_t index;
	int r;

	bytes_writer_reset(&list->text);
	if (list->name_count > 0)
		write_named(list, profile, thread, type);
	else
		write_all(list, profile, thread, type);
	r = bytes_writer_fault(&list->text);
	if (r == 0)
		r = string_table_add(
			&list->rows, (const char *)list->text.bytes, list->text.byte_count, &index);
	if (r == 0 && series_list_count(list) > SERIES_LIST_COUNT_MAX)
		r = -E2BIG;
	return r == -EFBIG ? -E2BIG : r;
}

static int clear_seen(struct series_list *list, uint32_t count)
{
	if (count > list->seen_capacity) {
		free(list->seen);
		list->seen_capacity = 0;
		list->seen = malloc(count);
		if (!list->seen)
			return -ENOMEM;
		list->seen_capacity = count;
	}
	if (count > 0)
		memset(list->seen, 0, count);
	return 0;
}

/* Rows of one label set are of one series: the first that the query takes tells. */
static int add_table(
	struct series_list *list, const struct profile *profile, const struct sample_table *table)
{
	const char *type = string_table_text(&profile->strings, table->type);
	int r = clear_seen(list, profile->labels.count);

	for (uint32_t i = 0; r == 0 && i < table->row_count; i++) {
		uint32_t thread = table->rows[i].thread;
		uint8_t *seen = &list->seen[profile->threads.threads[thread].labels];
		struct sample_part part = {0};

		if (*seen)
			continue;
		r = row_filter_part(&list->filter, table, &table->rows[i], &part);
		if (r < 0 || part.count == 0)
			continue;
		*seen = 1;
		r = add_combination(list, profile, thread, type);
	}
	return r;
}

int series_list_add(struct series_list *list, const struct profile *profile)
{
	int r = row_filter_open(&list->filter, profile);

	for (uint32_t i = 0; r == 0 && i < profile->type_count; i++) {
		bool takes = false;

		r = row_filter_takes_type(&list->filter, &profile->types[i], &takes);
		if (r == 0 && takes)
			r = add_table(list, profile, &profile->types[i]);
	}
	return r;
}

uint32_t series_list_count(const struct series_list *list)
{
	return list->rows.count - 1;
}

void series_list_visit(const struct series_list *list, uint32_t index,
	void (*visit)(void *context, const char *name, size_t name_length, const char *value,
		size_t value_length),
	void *context)
{
	struct bytes_reader reader;

	bytes_reader_init(&reader, string_table_text(&list->rows, index + 1),
		string_table_length(&list->rows, index + 1));
	while (bytes_left(&reader) > 0 && bytes_reader_fault(&reader) == 0) {
		size_t name_length = (size_t)bytes_read_varint(&reader);
		const uint8_t *name = bytes_read_span(&reader, name_length);
		size_t value_length = (size_t)bytes_read_varint(&reader);
		const uint8_t *value = bytes_read_span(&reader, value_length);

		if (name && value)
			visit(context, (const char *)name, name_length, (const char *)value,
				value_length);
	}
}
