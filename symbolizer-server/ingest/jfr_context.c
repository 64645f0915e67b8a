/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_context.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/hash.h"
#include "store/profile/grow.h"

enum { SNAPSHOT_CONTEXTS = 1, SNAPSHOT_TEXTS = 2, CONTEXT_LABELS = 1 };
/* Of an entry of a map. */
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };

static int damaged(struct ingest_fault *fault)
{
	return ingest_refuse(fault, -EBADMSG,
		"the part labels was read as contexts of a Java agent (protobuf): it is damaged or "
		"cut off");
}

/* ---- Tables ---- */

static bool has_id(const void *context, uint32_t index, const void *key)
{
	const struct jfr_context_row *rows = context;

	return rows[index].id == *(const uint64_t *)key;
}

static const struct jfr_context_row *find_row(const struct jfr_context_table *table, uint64_t id)
{
	uint32_t row = index_map_find(&table->ids, hash_pair(id, 0), has_id, table->rows, &id);

	return row == INDEX_MAP_NONE ? NULL : &table->rows[row];
}

/* Of equal ids the first counts. */
static int add_row(struct jfr_context_table *table, const struct jfr_context_row *row)
{
	int r;

	if (find_row(table, row->id))
		return 0;
	r = grow_array(&table->rows, &table->capacity, table->count, JFR_CONTEXT_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&table->ids, hash_pair(row->id, 0), table->count);
	if (r == 0)
		table->rows[table->count++] = *row;
	return r;
}

/* An entry of a map whose values are messages or texts. */
static int read_entry(struct jfr_context_table *table, const struct proto_field *entry,
	struct ingest_fault *fault)
{
	struct jfr_context_row row = {.bytes = (const uint8_t *)""};
	struct proto_message message;
	struct proto_field field;
	int r;

	if (entry->wire != PROTO_BYTES)
		return damaged(fault);
	proto_message_init(&message, entry->bytes, entry->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == ENTRY_KEY) {
			row.id = field.value;
		} else if (field.number == ENTRY_VALUE && field.wire == PROTO_BYTES) {
			row.bytes = field.bytes;
			row.byte_count = field.byte_count;
		}
	}
	if (proto_fault(&message) < 0)
		return damaged(fault);
	r = add_row(table, &row);
	if (r == -E2BIG) {
		return ingest_refuse(fault, r, "the part labels has more than %u contexts or texts",
			JFR_CONTEXT_COUNT_MAX);
	}
	return r;
}

int jfr_contexts_init(
	struct jfr_contexts *contexts, struct ingest_text bytes, struct ingest_fault *fault)
{
	struct proto_message message;
	struct proto_field field;
	int r = 0;

	*contexts = (struct jfr_contexts){.texts = {.rows = NULL}};
	index_map_init(&contexts->contexts.ids, JFR_CONTEXT_COUNT_MAX);
	index_map_init(&contexts->texts.ids, JFR_CONTEXT_COUNT_MAX);
	proto_message_init(&message, bytes.text, bytes.length);
	while (r == 0 && proto_next(&message, &field)) {
		if (field.number == SNAPSHOT_CONTEXTS)
			r = read_entry(&contexts->contexts, &field, fault);
		else if (field.number == SNAPSHOT_TEXTS)
			r = read_entry(&contexts->texts, &field, fault);
	}
	if (r == 0 && proto_fault(&message) < 0)
		r = damaged(fault);
	if (r < 0)
		jfr_contexts_done(contexts);
	return r;
}

void jfr_contexts_done(struct jfr_contexts *contexts)
{
	free(contexts->contexts.rows);
	free(contexts->texts.rows);
	index_map_done(&contexts->contexts.ids);
	index_map_done(&contexts->texts.ids);
	*contexts = (struct jfr_contexts){.texts = {.rows = NULL}};
}

/* ---- Labels ---- */

/* One pair {key, value}; false: one of the texts is not there, or the pair is damaged. */
static bool read_label(const struct jfr_contexts *contexts, const struct proto_field *entry,
	struct ingest_label *ret_label)
{
	const struct jfr_context_row *key, *value;
	struct proto_message message;
	struct proto_field field;
	uint64_t ids[ENTRY_VALUE + 1] = {0};

	if (entry->wire != PROTO_BYTES)
		return false;
	proto_message_init(&message, entry->bytes, entry->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == ENTRY_KEY || field.number == ENTRY_VALUE)
			ids[field.number] = field.value;
	}
	key = find_row(&contexts->texts, ids[ENTRY_KEY]);
	value = find_row(&contexts->texts, ids[ENTRY_VALUE]);
	if (!key || !value || proto_fault(&message) < 0)
		return false;
	*ret_label = (struct ingest_label){{(const char *)key->bytes, key->byte_count},
		{(const char *)value->bytes, value->byte_count}};
	return true;
}

uint32_t jfr_context_labels(const struct jfr_contexts *contexts, uint64_t id,
	struct ingest_drops *drops, struct ingest_label ret_labels[LABEL_COUNT_MAX])
{
	const struct jfr_context_row *row = find_row(&contexts->contexts, id);
	struct proto_message message;
	struct proto_field field;
	uint32_t count = 0;

	if (!row)
		return 0;
	proto_message_init(&message, row->bytes, row->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number != CONTEXT_LABELS)
			continue;
		if (count == LABEL_COUNT_MAX)
			drops->labels_dropped++;
		else if (read_label(contexts, &field, &ret_labels[count]))
			count++;
		else
			drops->broken++;
	}
	if (proto_fault(&message) < 0)
		drops->broken++;
	return count;
}
